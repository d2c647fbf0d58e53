package result

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gocarina/gocsv"

	"mrsched/model"
)

// Row is one line of schedule.csv. Times are seconds.
type Row struct {
	Task    string     `csv:"task" json:"task"`
	Job     string     `csv:"job" json:"job"`
	Kind    string     `csv:"kind" json:"kind"`
	Machine string     `csv:"machine" json:"machine"`
	Start   model.Time `csv:"start" json:"start"`
	End     model.Time `csv:"end" json:"end"`
	// Columns are the problem's own, which follow in schedule.csv: the same in every row.
	Columns Cells `csv:"-" json:"columns,omitempty"`
}

// common are the first columns of schedule.csv.
var common = []string{"task", "job", "kind", "machine", "start", "end"}

// header is the first line of schedule.csv; without rows it has the common columns only.
func header(rows []Row) []string {
	names := slices.Clone(common)
	if len(rows) > 0 {
		for _, c := range rows[0].Columns {
			names = append(names, c.Name)
		}
	}
	return names
}

// rows renders a schedule in its own order.
func rows(tasks model.TaskNamer, view model.View, s *model.Schedule) []Row {
	own, _ := view.(model.RowColumns)
	var names []string
	if own != nil {
		names = own.Columns()
	}
	out := make([]Row, len(s.Entries))
	for k, e := range s.Entries {
		id, job, kind := tasks.TaskName(e.Task)
		out[k] = Row{Task: id, Job: job, Kind: kind.String(), Machine: view.MachineName(e.Machine), Start: e.Start, End: e.End}
		if own != nil {
			out[k].Columns = cellsOf(names, own.Cells(e))
		}
	}
	return out
}

// chunk is how many rows gocsv gets at a time; it bounds what it allocates.
const chunk = 4096

// writeRows writes schedule.csv. Rows that differ in their columns have none.
func writeRows(w io.Writer, rows []Row) error {
	out := &withCells{SafeCSVWriter: gocsv.NewSafeCSVWriter(csv.NewWriter(w))}
	if err := out.SafeCSVWriter.Write(header(rows)); err != nil {
		return err
	}
	for k := range rows {
		if !rows[k].Columns.like(rows[0].Columns) {
			return fmt.Errorf("row %d has other columns than the first", k+1)
		}
	}
	for len(rows) > 0 {
		out.rows = rows[:min(chunk, len(rows))]
		rows = rows[len(out.rows):]
		if err := gocsv.MarshalCSVWithoutHeaders(out.rows, out); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// withCells adds the problem's own columns to the lines that gocsv writes.
type withCells struct {
	*gocsv.SafeCSVWriter
	rows []Row // still to be written
}

// Write adds what the line lacks.
func (w *withCells) Write(line []string) error {
	for _, c := range w.rows[0].Columns {
		line = append(line, c.Text)
	}
	w.rows = w.rows[1:]
	return w.SafeCSVWriter.Write(line)
}

// rowsDigest is the SHA-256 of schedule.csv.
func rowsDigest(rows []Row) string {
	h := sha256.New()
	if err := writeRows(h, rows); err != nil {
		return "" // it equals no digest
	}
	return hex.EncodeToString(h.Sum(nil))
}

// readRows reads schedule.csv; the error names the row, the header not counted.
func readRows(r io.Reader) ([]Row, error) {
	c := csv.NewReader(r)
	c.ReuseRecord = true
	u, err := gocsv.NewUnmarshaller(c, Row{})
	if err != nil {
		return nil, err
	}
	names := slices.Clone(u.Headers) // the record is reused
	if len(names) < len(common) || !slices.Equal(names[:len(common)], common) || twice(names) {
		return nil, fmt.Errorf("header %s, expected %s and then the problem's own columns", strings.Join(names, ","), strings.Join(common, ","))
	}
	own := names[len(common):]
	texts := make([]string, len(own))
	var out []Row
	for {
		x, more, err := u.ReadUnmatched()
		switch {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("row %d: %w", len(out)+1, err)
		case len(more) != len(own): // gocsv takes " task" for task
			return nil, fmt.Errorf("header %s names a column in two ways", strings.Join(names, ","))
		}
		for i, name := range own {
			texts[i] = more[name]
		}
		row := x.(Row)
		row.Columns = cellsOf(own, texts)
		out = append(out, row)
	}
}

// twice says whether a name stands in a list twice.
func twice(names []string) bool {
	sorted := slices.Sorted(slices.Values(names))
	return len(slices.Compact(sorted)) < len(names)
}

// Schedule turns rows back into a schedule. Rows that name unknown tasks or machines become violations and are left
// out; rows that contradict their task, or what the view derives for its own columns, become violations and stay.
func Schedule(w *model.Workload, view model.View, rows []Row) (*model.Schedule, []model.Violation) {
	tasks := tasksOf(w, view)
	own, _ := view.(model.RowColumns)
	var names []string
	if own != nil {
		names = own.Columns()
	}
	var found []model.Violation
	add := func(code model.Code, format string, args ...any) {
		if len(found) < maxRowViolations {
			found = append(found, model.Violation{Code: code, What: fmt.Sprintf(format, args...)})
		}
	}
	s := &model.Schedule{Entries: make([]model.Entry, 0, len(rows))}
	for _, r := range rows {
		u, ok := tasks.FindTask(r.Task)
		if !ok {
			add(model.CodeTaskStrange, "the workload has no task %q", r.Task)
			continue
		}
		if _, job, kind := tasks.TaskName(u); r.Job != job || r.Kind != kind.String() {
			add(model.CodeRowContradicts, "the row of task %q says %s of job %q; it is a %s of job %q", r.Task, r.Kind, r.Job, kind, job)
		}
		m, ok := view.Machine(r.Machine)
		if !ok {
			add(model.CodeMachineUnknown, "task %q runs on machine %q, which the instance does not have", r.Task, r.Machine)
			continue
		}
		e := model.Entry{Task: u, Machine: m, Start: r.Start, End: r.End}
		var derived Cells
		if own != nil {
			derived = cellsOf(names, own.Cells(e))
		}
		if !slices.Equal(r.Columns, derived) {
			add(model.CodeRowContradicts, "the row of task %q says %s; derived is %s", r.Task, r.Columns, derived)
		}
		s.Entries = append(s.Entries, e)
	}
	return s, found
}

// maxRowViolations bounds how many contradictory rows are listed.
const maxRowViolations = 20
