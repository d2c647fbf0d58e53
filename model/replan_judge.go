package model

import (
	"cmp"
	"fmt"
	"slices"
)

// Steps are tasks, then barriers, with the arcs between them in compressed rows: those out of step u are SuccFirst[u] …
// SuccFirst[u+1]−1. Topo has each step after its predecessors, Preds counts the arcs into a step.
type Steps struct {
	Tasks                            int
	Earliest                         []Time // by step
	SuccFirst, SuccStep, Preds, Topo []int32
	SuccDelay                        []Time
}

// Judge finds the rows that can stand. Rows are taken by start. One stands if its machine exists, it has been released,
// all tasks before it stand and leave it its time, and room says so. So what stands includes the predecessors of all
// that stands. Length is that of a row's task on its machine. Room is asked last: it says why there is none, or nothing
// and takes it. Settled tasks stand whatever the plan says, and end at a time; room says whether their rows agree.
func (p *Replan) Judge(s Steps, settled map[int32]Time, length func(r *ReplanRow) Time,
	room func(r *ReplanRow, end Time) (why string)) {
	place := make([]int32, len(s.Preds))
	for k, u := range s.Topo {
		place[u] = int32(k)
	}
	var rows []*ReplanRow
	for k := range p.Rows {
		r := &p.Rows[k]
		if r.Index == None {
			continue
		}
		if r.At == None {
			r.Why = fmt.Sprintf("there is no machine %s", r.Machine)
			continue
		}
		r.Length = length(r)
		rows = append(rows, r)
	}
	end := func(r *ReplanRow) Time { return r.Start + r.Length }
	slices.SortFunc(rows, func(a, b *ReplanRow) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(end(a), end(b)), // as in CheckOverlaps
			cmp.Compare(place[a.Index], place[b.Index]))
	})
	w := waits{s, slices.Clone(s.Earliest), slices.Clone(s.Preds)}
	for _, u := range s.Topo {
		if t, ok := settled[u]; ok {
			w.settle(u, t)
		}
	}
	for _, r := range rows {
		u := int32(r.Index)
		if t, ok := settled[u]; ok {
			r.Why = room(r, t)
			r.Stands, r.Given = r.Why == "", true
			continue
		}
		switch {
		case r.Start < s.Earliest[u]:
			r.Why = fmt.Sprintf("it is released at %s", s.Earliest[u])
		case w.open[u] > 0:
			r.Why = "a task before it has not ended by its start"
		case r.Start < w.ready[u]:
			r.Why = fmt.Sprintf("the tasks before it leave it no time before %s", w.ready[u])
		default:
			if r.Why = room(r, end(r)); r.Why == "" {
				r.Stands = true
				w.settle(u, end(r))
			}
		}
	}
}

// waits says when steps may start, and for how many others they still wait.
type waits struct {
	Steps
	ready []Time
	open  []int32
}

// settle tells the steps behind u that it ends, and barriers pass this on.
func (w *waits) settle(u int32, end Time) {
	for a := w.SuccFirst[u]; a < w.SuccFirst[u+1]; a++ {
		v := w.SuccStep[a]
		w.ready[v] = max(w.ready[v], end+w.SuccDelay[a])
		if w.open[v]--; w.open[v] == 0 && int(v) >= w.Tasks {
			w.settle(v, w.ready[v])
		}
	}
}
