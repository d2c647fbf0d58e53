package model

import "fmt"

// unfounded finds tasks that have begun although what they wait for has not ended, by the rows of state.
func (w *Workload) unfounded() (found []Finding) {
	row, ended, open := map[TaskIndex]int{}, map[TaskIndex]bool{}, map[JobIndex]TaskIndex{}
	for i, s := range w.State {
		row[s.Task], ended[s.Task] = i, s.End.Known
	}
	doubt := func(after TaskIndex, before string) {
		found = tally(found, func() Finding {
			return Finding{Code: CodeState, Pos: w.Where(TableState, row[after]),
				Expected: "rows of all that has begun, with ends",
				What:     fmt.Sprintf("task %q has begun, and waits for %s, which has not ended", w.Tasks[after].ID, before),
				Hint:     "add the row, or the end, that lacks: else what has run is planned again"}
		})
	}
	for _, d := range w.Delays {
		if _, begun := row[d.To]; begun && !ended[d.From] {
			doubt(d.To, fmt.Sprintf("task %q", w.Tasks[d.From].ID))
		}
	}
	for u := range w.Tasks {
		if !ended[TaskIndex(u)] {
			open[w.Tasks[u].Job] = TaskIndex(u)
		}
	}
	for _, d := range w.Dependencies {
		u, waits := open[d.After]
		for _, s := range w.State {
			if waits && w.Tasks[s.Task].Job == d.Job {
				doubt(s.Task, fmt.Sprintf("job %q with task %q", w.Jobs[d.After].ID, w.Tasks[u].ID))
				break
			}
		}
	}
	return found
}

// oddState finds a state without ends or, if it has some, tasks that have begun before what they wait for had ended.
func (w *Workload) oddState() []Finding {
	if found := w.endless(); len(found) > 0 {
		return found
	}
	return w.unfounded()
}

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
