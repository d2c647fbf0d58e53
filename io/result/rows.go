package result

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

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
}

// header is the first line of schedule.csv.
var header = []string{"task", "job", "kind", "machine", "start", "end"}

// rows renders a schedule in the order of the workload's tasks.
func rows(w *model.Workload, view model.View, s *model.Schedule) []Row {
	out := make([]Row, len(s.Entries))
	for k, e := range s.Entries {
		t := &w.Tasks[e.Task]
		out[k] = Row{t.ID, w.Jobs[t.Job].ID, t.Kind.String(), view.MachineName(e.Machine), e.Start, e.End}
	}
	return out
}

// chunk is how many rows gocsv gets at a time; it bounds what it allocates.
const chunk = 4096

// writeRows writes schedule.csv.
func writeRows(w io.Writer, rows []Row) error {
	c := gocsv.NewSafeCSVWriter(csv.NewWriter(w))
	if err := c.Write(header); err != nil {
		return err
	}
	for len(rows) > 0 {
		n := min(chunk, len(rows))
		if err := gocsv.MarshalCSVWithoutHeaders(rows[:n], c); err != nil {
			return err
		}
		rows = rows[n:]
	}
	c.Flush()
	return c.Error()
}

// rowsDigest is the SHA-256 of schedule.csv.
func rowsDigest(rows []Row) string {
	h := sha256.New()
	if err := writeRows(h, rows); err != nil {
		return "" // no row fails to be written to a hash; it would equal no digest
	}
	return hex.EncodeToString(h.Sum(nil))
}

// readRows reads schedule.csv; the error names the row, the header not counted.
func readRows(r io.Reader) ([]Row, error) {
	c := csv.NewReader(r)
	c.FieldsPerRecord = len(header)
	c.ReuseRecord = true
	u, err := gocsv.NewUnmarshaller(c, Row{})
	if err != nil {
		return nil, err
	}
	for i, name := range u.Headers {
		if i >= len(header) || name != header[i] {
			return nil, fmt.Errorf("header %v, expected %v", u.Headers, header)
		}
	}
	var out []Row
	for {
		x, err := u.Read()
		switch {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("row %d: %w", len(out)+1, err)
		}
		out = append(out, x.(Row))
	}
}

// Schedule turns rows back into a schedule. Rows that name unknown tasks or machines, or another job or
// kind than their task's, become violations and are left out.
func Schedule(w *model.Workload, view model.View, rows []Row) (*model.Schedule, []model.Violation) {
	index := make(map[string]model.TaskIndex, len(w.Tasks))
	for u := range w.Tasks {
		index[w.Tasks[u].ID] = model.TaskIndex(u)
	}
	var found []model.Violation
	add := func(code model.Code, format string, args ...any) {
		if len(found) < maxRowViolations {
			found = append(found, model.Violation{Code: code, What: fmt.Sprintf(format, args...)})
		}
	}
	s := &model.Schedule{Entries: make([]model.Entry, 0, len(rows))}
	for _, r := range rows {
		u, ok := index[r.Task]
		if !ok {
			add(model.CodeTaskStrange, "the workload has no task %q", r.Task)
			continue
		}
		t := &w.Tasks[u]
		if job := w.Jobs[t.Job].ID; r.Job != job || r.Kind != t.Kind.String() {
			add(model.CodeRowContradicts, "the row of task %q says %s of job %q; it is a %s of job %q", r.Task, r.Kind, r.Job, t.Kind, job)
		}
		m, ok := view.Machine(r.Machine)
		if !ok {
			add(model.CodeMachineUnknown, "task %q runs on machine %q, which the instance does not have", r.Task, r.Machine)
			continue
		}
		s.Entries = append(s.Entries, model.Entry{Task: u, Machine: m, Start: r.Start, End: r.End})
	}
	return s, found
}

// maxRowViolations bounds how many contradictory rows are listed.
const maxRowViolations = 20
