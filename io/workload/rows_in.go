package workload

import (
	"errors"
	"path"
	"slices"
	"strings"

	"mrsched/model"
)

// intake is what the files of a workload, read one after the other, have given so far.
type intake struct {
	opt      Options
	b        *model.Builder
	findings model.Findings
	origin   origin
	lost     []model.Table // rows of these are missing, to which others may refer
	skipped  []string
	named    map[[3]string]bool // unknown names that were reported
	unknowns model.Findings     // of unknown names, if they do not end the reading
	warnings []model.Warning
}

// unknown reports an unknown name or, if such names are allowed, notes that it is skipped.
func (l *intake) unknown(f model.Finding) {
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

// build builds the workload that read reads. Findings without a position get the name.
func build(name string, opt Options, read func(*intake)) (*model.Workload, error) {
	l := &intake{opt: opt, b: model.NewBuilder()}
	l.findings.Keep(opt.MaxFindings)
	l.b.Findings.Keep(opt.MaxFindings)
	if read(l); opt.Again != nil {
		opt.Again.read(l)
	}
	l.b.Findings.Merge(&l.findings)
	l.b.Lose(l.lost...)
	if e, ok := errors.AsType[*model.InputError](l.unknowns.Err()); ok {
		*opt.Unknown = append(*opt.Unknown, e.Findings...)
	}
	w, err := l.b.Build()
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
	w.ReaderWarnings = l.warnings
	if len(l.skipped) > 0 {
		w.Skipped = append(w.Skipped, "skipped "+strings.Join(l.skipped, ", "))
	}
	return w, nil
}

// place is a position without its file.
type place struct{ line, column int32 }

func (p place) in(file string) model.Position {
	return model.Position{File: file, Line: p.line, Column: p.column}
}

func placeOf(p model.Position) place { return place{p.Line, p.Column} }

// loader hands the rows of one table of one file to the builder.
type loader[R, M any] struct {
	*table[R, M]
	intake     *intake
	texts      R
	cells      []*string // of texts
	row, blank M         // blank: of absent values
	fields     []field   // of row
	position   func(column string) model.Position
	values
}

// loader makes a loader for rows of a file; at gives the positions of columns.
func (t *table[R, M]) loader(l *intake, file string, shared *interner, at func(column int) place) *loader[R, M] {
	x := &loader[R, M]{table: t, intake: l, values: values{findings: &l.findings, columns: t.columns, file: file, at: at,
		shared: shared, origin: &l.origin, table: t.name, warnings: &l.warnings}}
	x.cells, x.fields = cellsOf(&x.texts), bind[R](&x.values, t.columns, &x.row)
	for _, f := range x.fields {
		f.set("")
	}
	x.blank = x.row
	x.position = func(column string) model.Position { return at(find(t.columns, column)).in(file) }
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
		l.lose(l.intake)
		return
	}
	l.add(l.intake.b, &l.row, model.Locus{Pos: at.in(l.file), Column: l.position})
}

// lose notes that a row of the table is missing.
func (t *table[R, M]) lose(l *intake) {
	if t.referred && !slices.Contains(l.lost, t.name) {
		l.lost = append(l.lost, t.name)
	}
}

// empty reports whether no column of the row has a value, unless one was reported and dropped.
func (l *loader[R, M]) empty() bool {
	return !slices.ContainsFunc(l.cells, func(cell *string) bool { return *cell != "" })
}

func (l *loader[R, M]) reported() bool { return slices.Contains(l.bad, true) }
