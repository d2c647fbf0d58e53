package workload

import (
	"errors"
	"path"
	"slices"
	"strings"
	"sync"

	"mrsched/model"
)

const (
	batchRows = 256 // rows that travel together from a lane to the builder
	batches   = 16  // batches that may wait in a lane
)

// lane reads some files one after the other in its own goroutine, and hands their rows to the goroutine that owns the
// builder.
type lane struct {
	opt      Options
	out      chan func(*model.Builder)
	findings model.Findings
	origin   origin
	lost     []model.Table // rows of these are missing, to which others may refer
	skipped  []string
	named    map[[3]string]bool // unknown names that were reported
	unknowns model.Findings     // of unknown names, if they do not end the reading
	warnings []model.Warning
}

// unknown reports an unknown name or, if such names are allowed, notes that it is skipped.
func (l *lane) unknown(f model.Finding) {
	f.Code = model.CodeUnknown
	name := [3]string{f.Pos.File, f.What, f.Expected} // in every row of a table, it is one mistake
	if l.named[name] && !l.opt.AllowUnknown {
		return
	}
	if l.named == nil {
		l.named = map[[3]string]bool{}
	}
	if len(l.named) < maxSkipped {
		l.named[name] = true
	}
	switch {
	case l.opt.AllowUnknown:
	case l.opt.Unknown != nil:
		l.unknowns.Add(f)
		return
	default:
		l.findings.Add(f)
		return
	}
	text := f.What
	if file := path.Base(f.Pos.File); f.Pos.File != "" {
		text += " of " + file
	}
	if !slices.Contains(l.skipped, text) && len(l.skipped) < maxSkipped {
		l.skipped = append(l.skipped, text)
	}
}

// maxSkipped limits how many skipped names are reported.
const maxSkipped = 100

// build runs one or two lanes and builds the workload from what they read. Findings without a position get the name.
//
// Rows of the two lanes reach the builder in no fixed order. That is harmless: the second lane may only hold tables
// that no other table refers to and whose rows the builder ignores before Build.
func build(name string, opt Options, read ...func(*lane)) (*model.Workload, error) {
	lanes := make([]*lane, len(read))
	out := make(chan func(*model.Builder), batches*len(read))
	var running sync.WaitGroup
	for i, run := range read {
		l := &lane{opt: opt, out: out}
		l.findings.Keep(opt.MaxFindings)
		lanes[i] = l
		running.Go(func() {
			if run(l); i == 0 && opt.Again != nil {
				opt.Again.read(l)
			}
		})
	}
	go func() {
		running.Wait()
		close(out)
	}()
	b := model.NewBuilder()
	b.Findings.Keep(opt.MaxFindings)
	for feed := range out {
		feed(b)
	}
	var skipped []string
	var warnings []model.Warning
	for _, l := range lanes {
		b.Findings.Merge(&l.findings)
		b.Lose(l.lost...)
		skipped = append(skipped, l.skipped...)
		warnings = append(warnings, l.warnings...)
		if e, ok := errors.AsType[*model.InputError](l.unknowns.Err()); ok {
			*opt.Unknown = append(*opt.Unknown, e.Findings...)
		}
	}
	w, err := b.Build()
	if err == nil {
		err = LimitCounts(w, opt.MaxCount)
	}
	if e, ok := errors.AsType[*model.InputError](err); ok {
		for i := range e.Findings {
			if e.Findings[i].Pos.File == "" {
				e.Findings[i].Pos.File = name
			}
		}
	}
	if err != nil {
		return nil, err
	}
	w.ReaderWarnings = warnings
	if len(skipped) > 0 {
		w.Skipped = append(w.Skipped, "skipped "+strings.Join(skipped, ", "))
	}
	return w, nil
}

// place is a position without its file.
type place struct{ line, column int32 }

func (p place) in(file string) model.Position {
	return model.Position{File: file, Line: p.line, Column: p.column}
}

func placeOf(p model.Position) place { return place{p.Line, p.Column} }

// entry is a model row with the positions that the builder may report.
type entry[M any] struct {
	row   M
	at    place
	marks [2]place // of the table's marks
}

// loader collects the rows of one table of one file into batches.
type loader[R, M any] struct {
	*table[R, M]
	lane          *lane
	file          string
	texts         R
	cells         []*string // of texts
	row, blank    M         // blank: of absent values
	fields        []field   // of row
	batch         []entry[M]
	free          chan []entry[M] // batches that the builder is done with
	first, second int             // the columns of the table's marks
	values
}

// loader makes a loader for rows of a file; at gives the positions of columns.
func (t *table[R, M]) loader(l *lane, file string, shared *interner, at func(column int) place) *loader[R, M] {
	x := &loader[R, M]{table: t, lane: l, file: file, free: make(chan []entry[M], batches),
		first: find(t.columns, t.marks[0]), second: find(t.columns, t.marks[1]),
		values: values{findings: &l.findings, columns: t.columns, file: file, at: at, shared: shared,
			origin: &l.origin, table: t.name, warnings: &l.warnings}}
	x.cells, x.fields = cellsOf(&x.texts), bind[R](&x.values, t.columns, &x.row)
	for _, f := range x.fields {
		f.set("")
	}
	x.blank = x.row
	return x
}

// take converts the row in cells and keeps it unless it lacks an id or a reference.
func (l *loader[R, M]) take(at place) {
	l.row, l.values.lost, l.badWord = l.blank, false, false
	if *l.cells[0] == "" && l.shared != nil && !l.reported() && l.empty() {
		return // spreadsheets write lines of commas below a table
	}
	l.total = model.LooksLikeTotal(*l.cells[0])
	for i, cell := range l.cells {
		if *cell != "" {
			l.fields[i].set(*cell)
		} else if c := &l.table.columns[i]; c.required {
			l.missing(c.name)
			l.values.lost = l.values.lost || c.words == nil
		}
	}
	if l.badWord && l.table.name == model.TableTopology { // a row of another kind breaks all that refers to it
		l.values.lost = true
	}
	if l.values.lost {
		l.lose(l.lane)
		return
	}
	if l.batch == nil {
		select {
		case l.batch = <-l.free:
		default:
			l.batch = make([]entry[M], 0, batchRows)
		}
	}
	l.batch = append(l.batch, entry[M]{l.row, at, [2]place{l.values.at(l.first), l.values.at(l.second)}})
	if len(l.batch) == batchRows {
		l.flush()
	}
}

// lose notes that a row of the table is missing.
func (t *table[R, M]) lose(l *lane) {
	if t.referred && !slices.Contains(l.lost, t.name) {
		l.lost = append(l.lost, t.name)
	}
}

// empty reports whether no column of the row has a value, unless one was reported and dropped.
func (l *loader[R, M]) empty() bool {
	return !slices.ContainsFunc(l.cells, func(cell *string) bool { return *cell != "" })
}

func (l *loader[R, M]) reported() bool { return slices.Contains(l.bad, true) }

func (l *loader[R, M]) flush() {
	batch, t, file, free := l.batch, l.table, l.file, l.free
	l.batch = nil
	if len(batch) == 0 {
		return
	}
	l.lane.out <- func(b *model.Builder) {
		var e *entry[M]
		at := model.Locus{Column: func(column string) model.Position {
			for k, mark := range t.marks {
				if column == mark {
					return e.marks[k].in(file)
				}
			}
			return e.at.in(file)
		}}
		for i := range batch {
			e = &batch[i]
			at.Pos = e.at.in(file)
			t.add(b, &e.row, at)
		}
		select {
		case free <- batch[:0]:
		default:
		}
	}
}
