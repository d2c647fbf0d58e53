package model

import "fmt"

// endless finds a state without any end, though tasks should have ended: perhaps its column lacks.
func (w *Workload) endless() (found []Finding) {
	for i, s := range w.State {
		if s.End.Known || s.Remaining.Known {
			return nil
		}
		if took := w.Tasks[s.Task].Processing; took.Known && s.Start+took.Value < w.Now.Value {
			found = tally(found, func() Finding {
				return Finding{Code: CodeState, Pos: w.Where(TableState, i), Expected: "a column end",
					What: fmt.Sprintf("no row has an end: all %s count as running, also task %q, which should have ended",
						Counted(len(w.State), "task"), w.Tasks[s.Task].ID), Hint: "say when tasks ended; is the column's name right?"}
			})
		}
	}
	return found
}
