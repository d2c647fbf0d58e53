package model

import (
	"fmt"
	"strings"
)

// unordered finds jobs whose rows of delays leave a reduce without any map to wait for, or a map that no reduce waits
// for: rows of delays replace the wait of all reduces for all maps.
func (w *Workload) unordered() (found []Finding) {
	if len(w.Delays) == 0 {
		return nil
	}
	rows, first := make([]int, len(w.Jobs)), make([]int, len(w.Jobs))        // of delays, by job
	within, back := make([]bool, len(w.Jobs)), make([]bool, len(w.Jobs))     // some row: not from map to reduce; back
	waits, awaited := make([]bool, len(w.Tasks)), make([]bool, len(w.Tasks)) // by task: some row is to it; is from it
	for r, d := range w.Delays {
		j := w.Tasks[d.From].Job
		if !w.WithinJob(d) {
			continue
		}
		awaited[d.From], waits[d.To] = true, true
		from, to := w.Tasks[d.From].Kind, w.Tasks[d.To].Kind
		within[j], back[j] = within[j] || from == Reduce || to == Map, back[j] || from == Reduce && to == Map
		if rows[j]++; rows[j] == 1 {
			first[j] = r
		}
	}
	reduces, maps := make([]lacking, len(w.Jobs)), make([]lacking, len(w.Jobs))
	for u := range w.Tasks {
		t := &w.Tasks[u]
		switch {
		case t.Kind == Reduce:
			reduces[t.Job].add(t.ID, waits[u])
		default:
			maps[t.Job].add(t.ID, awaited[u])
		}
	}
	for j := range w.Jobs {
		r, m := &reduces[j], &maps[j]
		if rows[j] == 0 || r.all == 0 || m.all == 0 || r.open+m.open == 0 {
			continue
		}
		found = tally(found, func() Finding {
			var parts []string
			if r.open > 0 {
				parts = append(parts, r.text("reduce")+" can start before any map ends")
			}
			if m.open > 0 {
				parts = append(parts, "no reduce waits for "+m.text("map"))
			}
			return Finding{Code: CodeUnordered, Pos: w.Where(TableDelays, first[j]),
				What: fmt.Sprintf("job %q has %s in delays, which replace the wait of its reduces for all its maps: %s",
					w.Jobs[j].ID, Counted(rows[j], "row"), strings.Join(parts, ", and ")),
				Expected: fmt.Sprintf("no row of this job, or also one from each map to each reduce (%d × %d rows)",
					m.all, r.all),
				Hint: orderHint(within[j], back[j])}
		})
	}
	return found
}

// orderHint says how to make the reduces of a job wait for its maps again; within: some row is not from a map to a
// reduce; back: some row is from a reduce to a map.
func orderHint(within, back bool) string {
	switch {
	case back:
		return "a map waits for a reduce there: are from and to swapped? a row says that to waits for from"
	case within:
		return "keep the rows, and add one from each map to each reduce, with the map's shuffle_delay as its delay"
	}
	return "for a longer wait after a map, state the map's shuffle_delay in tasks and drop the rows"
}

// lacking counts tasks of one kind, and those that lack something.
type lacking struct {
	all, open int
	first     string // of those that lack it
}

func (l *lacking) add(id string, has bool) {
	if l.all++; has {
		return
	}
	if l.open++; l.open == 1 {
		l.first = id
	}
}

// text names the tasks that lack something: `reduce "r1"`, or `2 of 3 reduces (such as "r1")`.
func (l *lacking) text(kind string) string {
	if l.open == 1 {
		return fmt.Sprintf("%s %q", kind, l.first)
	}
	return fmt.Sprintf("%d of %s (such as %q)", l.open, Counted(l.all, kind), l.first)
}
