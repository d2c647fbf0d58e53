package model

import (
	"fmt"
	"iter"
	"math/big"
	"slices"
)

// Replan is what a schedule keeps of an earlier one. Rows that the earlier schedule starts before Until are frozen if
// they can stand: same machine, same start. Everything else starts no earlier than Until, and each task of the earlier
// schedule that is not frozen and changes costs Penalty. A nil Replan demands nothing.
type Replan struct {
	From      string // digest of the earlier result
	Path      string // of it, for messages; empty: unknown
	Until     Time
	Tolerance Time   // a start may move by so much without being a change
	Penalty   Weight // of a change, in the unit of the objective
	Rows      []ReplanRow
	row       map[TaskIndex]int32 // by task of the instance
}

// ReplanRow is a row of the earlier schedule. A problem fills in what follows At.
type ReplanRow struct {
	Task, Machine string // as the earlier schedule names them
	Start, End    Time
	Pos           Position  // of the row
	Index         TaskIndex // None: the instance has no such task
	At            int32     // None: the instance has no such machine
	Stands        bool      // the row can stay as it is beside all the others that stand
	Why           string    // why it cannot
	Length        Time      // of the task on its machine, as the instance has it
	Given         bool      // the instance says where the task runs, whatever the row says
	Past          bool      // it has begun: the table state says where it runs, which is no change
	Cut           bool      // it does not stand because its machine leaves while it runs
}

// Names of what a result says about its Replan.
const (
	ReplanFrom      = "from"
	ReplanUntil     = "freeze_until"
	ReplanPenalty   = "change_penalty"
	ReplanTolerance = "change_tolerance"

	// ReplanTable is the table of the earlier schedule's rows.
	ReplanTable = "replan"

	metricFrozen  = "frozen"
	metricChanges = "changes"
	metricPenalty = "change_penalty"
)

// ReplanMetrics are the metrics that a Replan adds to a result.
func ReplanMetrics() []string { return []string{metricFrozen, metricChanges, metricPenalty} }

// ReplanColumns are the columns of ReplanTable.
func ReplanColumns() []string {
	return []string{"task", "old_machine", "old_start", "old_end", "fate", "note"}
}

// Bind finds the rows' tasks and machines in an instance. It is an error if a task has several rows.
func (p *Replan) Bind(view View) error {
	p.row = make(map[TaskIndex]int32, len(p.Rows))
	seen := make(map[string]bool, len(p.Rows))
	for k := range p.Rows {
		r := &p.Rows[k]
		if seen[r.Task] {
			return fmt.Errorf("task %q has several rows", r.Task)
		}
		seen[r.Task] = true
		*r = ReplanRow{Task: r.Task, Machine: r.Machine, Start: r.Start, End: r.End, Pos: r.Pos, Index: None, At: None}
		if u, ok := view.FindTask(r.Task); ok {
			r.Index, p.row[u] = u, int32(k)
		}
		if i, ok := view.Machine(r.Machine); ok {
			r.At = i
		}
	}
	return nil
}

// Row is the row of a task of the instance; nil if there is none.
func (p *Replan) Row(u TaskIndex) *ReplanRow {
	if p == nil {
		return nil
	}
	if k, ok := p.row[u]; ok {
		return &p.Rows[k]
	}
	return nil
}

// Begun says that a row is to be frozen, whether or not it can stand.
func (p *Replan) Begun(r *ReplanRow) bool { return r.Start < p.Until }

// Frozen is the row that a task has to keep; nil if it need not.
func (p *Replan) Frozen(u TaskIndex) *ReplanRow {
	if r := p.Row(u); r != nil && r.Stands && p.Begun(r) {
		return r
	}
	return nil
}

// WhyFrozen says in a sentence why a frozen row stays.
func (p *Replan) WhyFrozen() string {
	return fmt.Sprintf("it is frozen: the earlier result has it there, and starts it before the freeze ends at %s s",
		p.Until)
}

// Changed says whether an entry is a change that costs Penalty.
func (p *Replan) Changed(e Entry) bool {
	r := p.Row(e.Task)
	if r == nil || r.Past || p.Frozen(e.Task) != nil {
		return false
	}
	return e.Machine != r.At || max(e.Start-r.Start, r.Start-e.Start) > p.Tolerance
}

// Changes is the number of changes in a schedule.
func (p *Replan) Changes(s *Schedule) (n int) {
	for _, e := range s.Entries {
		if p.Changed(e) {
			n++
		}
	}
	return n
}

// Check reports frozen rows that a schedule does not keep, and other rows that start too early.
func (p *Replan) Check(v *Violations, view View, s *Schedule) {
	if p == nil {
		return
	}
	for _, e := range s.Entries {
		r := p.Frozen(e.Task)
		switch id, _, _ := view.TaskName(e.Task); {
		case r == nil && e.Start < p.Until:
			v.Add(CodeFrozen, "task %q starts at %s; what is not frozen starts at %s or later", id, e.Start, p.Until)
		case r != nil && (e.Machine != r.At || e.Start != r.Start):
			v.Add(CodeFrozen, "task %q is frozen on machine %s from %s on, and is on %s from %s on", id, r.Machine, r.Start,
				view.MachineName(e.Machine), e.Start)
		}
	}
}

// Account adds the changes of a schedule to its evaluation.
func (p *Replan) Account(e *Evaluation, s *Schedule) {
	if p == nil {
		return
	}
	frozen := 0
	for k := range p.Rows {
		if r := &p.Rows[k]; r.Stands && p.Begun(r) {
			frozen++
		}
	}
	changes := p.Changes(s)
	e.Penalty = new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(int64(p.Penalty)), big.NewInt(int64(changes))),
		big.NewInt(int64(UnitWeight)))
	e.Metrics[metricFrozen], e.Metrics[metricChanges] = Number(fmt.Sprint(frozen)), Number(fmt.Sprint(changes))
	e.Metrics[metricPenalty] = ExactNumber(e.Penalty)
}

// What became of a row of the earlier schedule.
const (
	fateGone    = "gone"    // the instance has no such task
	fateBegun   = "begun"   // the table state says where it runs, or ran
	fateFrozen  = "frozen"  // it keeps machine and start
	fateAgain   = "again"   // it is to be frozen, cannot stand, and is planned again
	fateKept    = "kept"    // it might change, and does not
	fateChanged = "changed" // it changes
)

// Tables is the table of the earlier schedule's rows and of what becomes of them; none without a Replan.
func (p *Replan) Tables(s *Schedule) []ResultTable {
	if p == nil {
		return nil
	}
	entry := make(map[TaskIndex]Entry, len(p.Rows))
	for _, e := range s.Entries {
		if p.Row(e.Task) != nil {
			entry[e.Task] = e
		}
	}
	return []ResultTable{{Name: ReplanTable, Columns: ReplanColumns(), Rows: func(yield func([]string) bool) {
		for k := range p.Rows {
			r := &p.Rows[k]
			fate, note := p.fate(r, entry)
			if !yield([]string{r.Task, r.Machine, r.Start.String(), r.End.String(), fate, note}) {
				return
			}
		}
	}}}
}

// fate says what becomes of a row, and what is remarkable about it.
func (p *Replan) fate(r *ReplanRow, entry map[TaskIndex]Entry) (fate, note string) {
	if r.Index == None {
		return fateGone, ""
	}
	e, ok := entry[r.Index]
	switch {
	case r.Past:
		return fateBegun, ""
	case p.Begun(r) && !r.Stands:
		return fateAgain, r.Why
	case p.Begun(r) && e.End != r.End:
		return fateFrozen, fmt.Sprintf("ends at %s, not at %s", e.End, r.End)
	case p.Begun(r):
		return fateFrozen, ""
	case !ok || p.Changed(e):
		return fateChanged, r.Why
	case e.End-e.Start != r.End-r.Start:
		return fateKept, fmt.Sprintf("takes %s, not %s", e.End-e.Start, r.End-r.Start)
	}
	return fateKept, ""
}

// ReplanNotes say, one line per task, what is remarkable in a table of Tables: which tasks have another length, and
// which rows cannot stay as they were.
func ReplanNotes(t ResultTable) iter.Seq[string] {
	return func(yield func(string) bool) {
		for row := range t.Rows {
			text := ""
			switch {
			case row[5] == "":
			case row[4] == fateAgain, row[4] == fateChanged:
				text = fmt.Sprintf("task %q does not stay where it is: %s", row[0], row[5])
			default:
				text = fmt.Sprintf("task %q is %s and %s", row[0], row[4], row[5])
			}
			if text != "" && !yield(text) {
				return
			}
		}
	}
}

// ReadReplanRows reads the rows of ReplanTable, apart from what became of them.
func ReadReplanRows(t ResultTable) (rows []ReplanRow, err error) {
	if !slices.Equal(t.Columns, ReplanColumns()) {
		return nil, fmt.Errorf("the table %s has other columns than %v", t.Name, ReplanColumns())
	}
	for cells := range t.Rows {
		r := ReplanRow{Task: cells[0], Machine: cells[1]}
		for k, at := range []*Time{&r.Start, &r.End} {
			if *at, err = ParseSignedTime(cells[2+k]); err != nil {
				return nil, fmt.Errorf("the table %s, task %q: %s %q: %w", t.Name, r.Task, t.Columns[2+k], cells[2+k], err)
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}
