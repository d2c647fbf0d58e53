package result

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strings"

	"mrsched/io/show"
	"mrsched/io/textpos"
	"mrsched/model"
)

// Row is one line of schedule.csv. Times are seconds.
type Row struct {
	Task    string     `json:"task"`
	Job     string     `json:"job"`
	Kind    string     `json:"kind"`
	Machine string     `json:"machine"`
	Start   model.Time `json:"start"`
	End     model.Time `json:"end"`
	// StartTime and EndTime are the same as clock times; all rows have them, or none.
	StartTime string `json:"start_time,omitempty"`
	EndTime   string `json:"end_time,omitempty"`
	// Columns are the problem's own, the same in every row.
	Columns Cells `json:"columns,omitempty"`
}

// common are the first columns of schedule.csv.
var common = []string{"task", "job", "kind", "machine", "start", "end"}

// Rows are the lines of schedule.csv in order, some at a time; they are valid until the next ones. Iterating several
// times is allowed. nil: there is no schedule.
//
// A schedule of millions of tasks takes gigabytes as rows, so those of a new result exist only while they are written.
type Rows iter.Seq[[]Row]

// RowsOf are rows that are held in memory.
func RowsOf(all []Row) Rows {
	if all == nil {
		return nil
	}
	return func(yield func([]Row) bool) {
		for some := range slices.Chunk(all, chunk) {
			if !yield(some) {
				return
			}
		}
	}
}

// All treats a missing schedule as an empty one.
func (r Rows) All() iter.Seq[[]Row] {
	if r == nil {
		return func(func([]Row) bool) {}
	}
	return iter.Seq[[]Row](r)
}

// Each returns the rows one by one.
func (r Rows) Each() iter.Seq[*Row] {
	return func(yield func(*Row) bool) {
		for some := range r.All() {
			for k := range some {
				if !yield(&some[k]) {
					return
				}
			}
		}
	}
}

// header is the first line of schedule.csv: the common columns, and those that its first row has besides.
func header(first *Row) []string {
	names := slices.Clone(common)
	if first.StartTime != "" {
		names = append(names, clockColumns...)
	}
	for _, c := range first.Columns {
		names = append(names, c.Name)
	}
	return names
}

// rendered are the rows of a schedule, in its own order.
func rendered(view model.View, s *model.Schedule, origin model.Origin) Rows {
	return func(yield func([]Row) bool) {
		rows := make([]Row, 0, min(chunk, len(s.Entries)))
		for some := range slices.Chunk(s.Entries, chunk) {
			rows = rows[:0]
			for _, e := range some {
				id, job, kind := view.TaskName(e.Task)
				r := Row{Task: id, Job: job, Kind: kind.String(), Machine: view.MachineName(e.Machine),
					Start: e.Start, End: e.End, Columns: cellsOf(view, e)}
				r.timed(origin)
				rows = append(rows, r)
			}
			if !yield(rows) {
				return
			}
		}
	}
}

// chunk is how many rows exist at a time.
const chunk = 4096

// writeRows writes schedule.csv, without own columns if rows disagree on them.
func writeRows(w io.Writer, rows Rows) error {
	out := textpos.NewCSVWriter(w)
	var first Row
	done := 0
	for r := range rows.Each() {
		if done == 0 {
			first = *r
			first.Columns = slices.Clone(r.Columns)
			if err := out.Write(header(&first)); err != nil {
				return err
			}
		}
		if done++; !r.Columns.like(first.Columns) || (r.StartTime == "") != (first.StartTime == "") {
			return fmt.Errorf("row %d has other columns than the first", done)
		}
		if err := out.Write(r.texts()); err != nil {
			return err
		}
	}
	if done == 0 {
		if err := out.Write(common); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// texts are the cells of a row.
func (r *Row) texts() []string {
	cells := []string{r.Task, r.Job, r.Kind, r.Machine, r.Start.String(), r.End.String()}
	if r.StartTime != "" {
		cells = append(cells, r.StartTime, r.EndTime)
	}
	for _, c := range r.Columns {
		cells = append(cells, c.Text)
	}
	return cells
}

// Schedule are the records of schedule.csv, with types as the problem describes them.
func (b *Bundle) Schedule(about *model.Description) show.Records {
	r := show.Records{Columns: append(show.Texts(common[:4]...), show.Numbers(common[4:]...)...)}
	for first := range b.Rows.Each() {
		for _, name := range header(first)[len(common):] {
			column := show.Described(about.Quantity(name))
			column.Number = about.Role(name).Numeric()
			r.Columns = append(r.Columns, column)
		}
		break
	}
	r.Each = func(write func(row []string) error) error {
		for row := range b.Rows.Each() {
			if err := write(row.texts()); err != nil {
				return err
			}
		}
		return nil
	}
	return r
}

func rowsDigest(rows Rows) string {
	h := sha256.New()
	if err := writeRows(h, rows); err != nil {
		return "" // this equals no digest
	}
	return hex.EncodeToString(h.Sum(nil))
}

// readRows reads schedule.csv, some rows at a time; the error names the row, not counting the header.
func readRows(r io.Reader, yield func(some []Row) bool) error {
	c := csv.NewReader(r)
	c.ReuseRecord = true
	record, err := c.Read()
	if errors.Is(err, io.EOF) {
		return errEmpty
	}
	if err != nil {
		return err
	}
	names := slices.Clone(record)
	if strings.HasPrefix(names[0], "\ufeff") {
		return errByteOrderMark
	}
	if len(names) < len(common) || !slices.Equal(names[:len(common)], common) || twice(names) {
		return fmt.Errorf("header %s, expected %s and then the problem's own columns", strings.Join(names, ","),
			strings.Join(common, ","))
	}
	own := slices.Clone(ownOf(names))
	textpos.Bare(own)
	for i, name := range names {
		names[i] = strings.TrimSpace(name) // people take " task" for task
	}
	if twice(own) || twice(names) {
		return fmt.Errorf("header %s names a column in two ways; hint: delete one of them, or solve again",
			strings.Join(names, ","))
	}
	some := make([]Row, 0, chunk)
	for done := 1; ; done++ {
		record, err := c.Read()
		switch {
		case errors.Is(err, io.EOF):
			if len(some) > 0 {
				yield(some)
			}
			return nil
		case err != nil:
			return fmt.Errorf("row %d: %w", done, err)
		}
		if len(some) == chunk {
			if !yield(some) {
				return nil
			}
			some = some[:0]
		}
		row, err := rowOf(c, record, own)
		if err != nil {
			return err
		}
		some = append(some, row)
	}
}

// startColumn is where those with times begin.
const startColumn = 4

// rowOf reads the record that c read last.
func rowOf(c *csv.Reader, record, own []string) (Row, error) {
	r := Row{Task: textpos.BareCell(record[0]), Job: textpos.BareCell(record[1]), Kind: textpos.BareCell(record[2]),
		Machine: textpos.BareCell(record[3])}
	for k, into := range []*model.Time{&r.Start, &r.End} {
		i := startColumn + k
		var err error
		if *into, err = model.ParseSignedTime(record[i]); err != nil {
			line, column := c.FieldPos(i)
			at := model.Position{Line: int32(line), Column: int32(column)}
			f := textpos.NumberFinding(at, common[i], record[i], err, "seconds, such as 204.5")
			what := f.What + "; expected " + f.Expected
			if f.Hint != "" {
				what += "; hint: " + f.Hint
			}
			return r, &located{at, errors.New(what)}
		}
	}
	cells := record[len(record)-len(own):]
	if len(cells) < len(record)-len(common) {
		r.StartTime, r.EndTime = textpos.BareCell(record[len(common)]), textpos.BareCell(record[len(common)+1])
	}
	if len(own) > 0 {
		r.Columns = make(Cells, len(own))
	}
	for i, name := range own {
		r.Columns[i] = Cell{name, textpos.BareCell(cells[i])}
	}
	return r, nil
}

// rowsIn are the rows in the text of a schedule.csv, which takes far less memory than the rows, and the digest of the
// canonical schedule.csv. A text without rows is an empty schedule.
func rowsIn(text []byte) (rows Rows, digest string, err error) {
	h := sha256.New()
	written := writeRows(h, func(yield func([]Row) bool) { err = readRows(bytes.NewReader(text), yield) })
	if err != nil {
		return nil, "", err
	} else if written != nil {
		return nil, "", written
	}
	rows = func(yield func([]Row) bool) {
		_ = readRows(bytes.NewReader(text), yield) // it was already read to its end
	}
	return rows, hex.EncodeToString(h.Sum(nil)), nil
}

// oddLine is the first line of a schedule.csv that is not what its rows are written as; 0: none, or the lines end
// with CRLF.
func oddLine(text []byte, rows Rows) int {
	var again bytes.Buffer
	if n, _ := lineEnds(text); n > 0 || writeRows(&again, rows) != nil {
		return 0
	}
	is, want := bytes.Split(text, []byte("\n")), bytes.Split(again.Bytes(), []byte("\n"))
	for k := range is {
		if k >= len(want) || !bytes.Equal(is[k], want[k]) {
			return k + 1
		}
	}
	return 0
}

func twice(names []string) bool {
	sorted := slices.Sorted(slices.Values(names))
	return len(slices.Compact(sorted)) < len(names)
}

// machinesFor says what machines the instance has, and where a name like m3 may come from.
func machinesFor(view model.View, name string) string {
	n := int32(view.Size())
	if n < 1 {
		return ""
	}
	text := fmt.Sprintf("; it has %s: %s", model.Counted(int(n), "machine"), view.MachineName(0))
	if n > 1 {
		text += ", …, " + view.MachineName(n-1)
	}
	if numbered.MatchString(name) && view.MachineName(0) != "m1" {
		text += "; hint: mrsched once called the topology's slots m1, m2, …; solve the instance again"
	}
	return text
}

// numbered are the names of machines that are only counted.
var numbered = regexp.MustCompile(`^m[1-9][0-9]*$`)

// Schedule turns rows back into a schedule. Rows with unknown tasks or machines become violations and are left out;
// rows that contradict their task, or the view's values for its own columns, become violations and stay.
func Schedule(view model.View, rows Rows) (*model.Schedule, []model.Violation) {
	var found model.Violations
	add := func(code model.Code, format string, args ...any) {
		found.Add(code, "%s", brief(fmt.Sprintf(format, args...)))
	}
	more := false // columns were reported
	entry := func(r *Row) (e model.Entry, ok bool) {
		u, ok := view.FindTask(r.Task)
		if !ok {
			add(model.CodeTaskUnknown, "the workload has no task %q", r.Task)
			return e, false
		}
		if _, job, kind := view.TaskName(u); r.Job != job || r.Kind != kind.String() {
			add(model.CodeRowContradicts, "the row of task %q says %s of job %q; it is a %s of job %q", r.Task, r.Kind,
				r.Job, kind, job)
		}
		m, ok := view.Machine(r.Machine)
		if !ok {
			add(model.CodeMachineUnknown, "task %q runs on machine %q, which the instance does not have%s", r.Task, r.Machine,
				machinesFor(view, r.Machine))
			return e, false
		}
		e = model.Entry{Task: u, Machine: m, Start: r.Start, End: r.End}
		derived := cellsOf(view, e)
		switch {
		case len(r.Columns) > len(derived) && !more:
			more = true
			add(model.CodeRowContradicts, "schedule.csv has columns that mrsched does not write here (%s); hint: the file was "+
				"edited: delete them, or solve again", r.Columns)
		case len(r.Columns) <= len(derived) && !slices.Equal(r.Columns, derived):
			add(model.CodeRowContradicts, "the row of task %q says %s; derived is %s", r.Task, r.Columns, derived)
		}
		return e, true
	}
	s := &model.Schedule{Entries: make([]model.Entry, 0, view.TaskCount())}
	for some := range rows.All() {
		for k := range some {
			e, ok := entry(&some[k])
			if !ok {
				continue
			}
			if n := len(s.Entries); n > 0 && e.Task < s.Entries[n-1].Task {
				add(model.CodeRowContradicts, "the row of task %q comes after that of a later task; rows are in the "+
					"workload's order", some[k].Task)
			}
			s.Entries = append(s.Entries, e)
		}
	}
	return s, found.List()
}
