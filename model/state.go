package model

import (
	"fmt"
	"slices"
	"strings"
)

// Down is a node that is down from Now on, perhaps until a time: Text is NODE or NODE:UNTIL. An id may have colons, so
// that Text may be one as a whole.
type Down struct {
	Text, Node string
	Until      Optional[Time]
	Bad        *Finding // why Text is no NODE:UNTIL
}

// Now sets the time up to which the rows of state say what has happened, and how long a task that should have ended is
// expected to run on.
func (b *Builder) Now(now, grace Optional[Time]) { b.w.Now, b.w.Grace = now, grace }

// Again makes Build merge the rows of state that follow with what was added before: they replace earlier ones, and rows
// of fixed for the same tasks. Tasks that run on a node which is down have not begun.
func (b *Builder) Again(now Time, grace Optional[Time], down []Down) {
	b.w.State, b.stateAt, b.at[TableState], b.down = nil, nil, &places{}, down
	b.rowTasks[TableState], b.rowNodes[TableState] = nil, nil
	b.Now(Some(now), grace)
	b.merging = true
}

// StateRow adds a row of state; task and node are ids.
func (b *Builder) StateRow(s StateRow, task, node string, at Locus) {
	row := len(b.w.State)
	b.rowTask(TableState, row, task, at)
	b.rowNode(TableState, row, node, at.At("node"))
	b.w.State = append(b.w.State, s)
	b.stateAt = append(b.stateAt, placeOf(at.At("start")))
	b.at[TableState].add(at)
}

// merge does what Again says, and notes it.
func (b *Builder) merge() {
	w := &b.w
	if !b.merging || len(b.lost) > 0 {
		return
	}
	down, stated := map[NodeIndex]bool{}, map[TaskIndex]bool{}
	for _, d := range b.down {
		n, away := b.hostNode(d.Text), Unavailable{From: w.Now.Value}
		if n == None && d.Bad != nil {
			b.Findings.Add(*d.Bad)
			continue
		} else if n == None {
			n, away.Until = b.hostNode(d.Node), d.Until
		}
		if n == None {
			b.reportNode(Position{}, d.Node)
			continue
		}
		away.Node, down[n] = n, true
		if !slices.Contains(w.Unavailable, away) { // as in an instance that was merged before
			w.Unavailable = append(w.Unavailable, away)
			b.at[TableUnavailable].rows = append(b.at[TableUnavailable].rows, place{})
		}
	}
	ended, running := 0, 0
	var afresh []string
	keep := func(i int) bool {
		s := &w.State[i]
		stated[s.Task] = true
		switch {
		case s.End.Known:
			ended++
		case down[s.Node]:
			afresh = append(afresh, w.Tasks[s.Task].ID)
			return false
		default:
			running++
		}
		return true
	}
	w.State, b.stateAt = remaining(w.State, b.at[TableState], b.stateAt, keep)
	w.Fixed, _ = remaining(w.Fixed, b.at[TableFixed], nil, func(i int) bool { return !stated[w.Fixed[i].Task] })
	lost := Counted(len(afresh), "task") + " on nodes that are down, to start afresh"
	if len(afresh) > 0 {
		lost += ": " + strings.Join(shortList(afresh), ", ")
	}
	b.Note("planned again at %s: %s ended, %s running; %s", w.At(w.Now.Value), Counted(ended, "task"),
		Counted(running, "task"), lost)
}

// remaining are the rows of a table that remain, with their positions.
func remaining[R any](rows []R, at *places, more []place, keep func(i int) bool) ([]R, []place) {
	var left []R
	var places, others []place
	for i, r := range rows {
		if !keep(i) {
			continue
		}
		left, places = append(left, r), append(places, at.rows[i])
		if more != nil {
			others = append(others, more[i])
		}
	}
	at.rows = places
	return left, others
}

// checkState reports rows of state that cannot have happened by now, and rows of fixed that they do not bear out.
func (b *Builder) checkState() {
	w := &b.w
	stated, now := map[TaskIndex]bool{}, w.Now.Value
	if len(w.State) > 0 && !w.Now.Known {
		b.Findings.Add(Finding{Code: CodeMissing, Pos: b.at[TableState].at(0),
			What: "the table state has rows, and the workload has no now", Expected: "the time up to which they say what " +
				"has happened", Hint: `add "now" to the workload's scalars`})
		return
	}
	for i, s := range w.State {
		if s.Task == None {
			continue
		}
		stated[s.Task] = true
		report := func(at Position, what, expected, hint string, args ...any) {
			b.Findings.Add(Finding{Code: CodeState, Pos: at, Like: what, Expected: expected, Hint: hint,
				What: fmt.Sprintf("task %q ", w.Tasks[s.Task].ID) + fmt.Sprintf(what, args...)})
		}
		row := b.at[TableState].at(i)
		switch end := s.End.Value; {
		case s.Start > now:
			report(b.stateAt[i].in(row.File), "starts at %s, after now, %s", "a start that has happened",
				"leave out what has not begun, or correct now", w.At(s.Start), w.At(now))
		case s.End.Known && end < s.Start:
			report(row, "ends at %s, before its start at %s", "an end after the start", "exchange the two if they are swapped",
				w.At(end), w.At(s.Start))
		case s.End.Known && end > now:
			report(row, "ends at %s, after now, %s", "an end that has happened",
				"leave the end out of a task that runs, and state what remains", w.At(end), w.At(now))
		case s.End.Known && s.Remaining.Known:
			report(row, "has ended, and has %s s left", "an end, or what remains", "leave one of the two out",
				s.Remaining.Value)
		}
	}
	for i, f := range w.Fixed {
		switch {
		case f.Task == None || f.Start >= now && !stated[f.Task] || len(w.State) == 0:
		case stated[f.Task]:
			b.Findings.Add(Finding{Code: CodeState, Pos: b.at[TableFixed].at(i),
				What: fmt.Sprintf("task %q has a row of state, too", w.Tasks[f.Task].ID), Expected: "one of the two",
				Hint: "drop the row of fixed: state says what really happened"})
		default:
			b.Findings.Add(Finding{Code: CodeState, Pos: b.at[TableFixed].at(i),
				What: fmt.Sprintf("task %q is fixed from %s on, before now, %s, and has no row of state", w.Tasks[f.Task].ID,
					w.At(f.Start), w.At(now)), Expected: "a row that says what it has done",
				Hint: "add its row to state, or drop it from fixed: then it starts at now or later"})
		}
	}
}
