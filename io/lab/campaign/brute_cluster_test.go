package campaign

import (
	"math/big"
	"slices"
)

// optimum is the least cost of a tiny instance: of the schedules that place one task after another, in every order and
// on every node, each as early as possible, one is optimal. It is nil if there are too many, or none.
func (x *naiveCluster) optimum() (best *big.Rat) {
	const most = 4000 // orders, times places
	placed := []entry{}
	for _, e := range x.stands {
		placed = append(placed, e)
	}
	ways := 1
	for k := range len(x.doc.Tasks) - len(placed) {
		if ways *= (k + 1) * len(x.machines); ways > most {
			return nil
		}
	}
	var place func()
	place = func() {
		if len(placed) == len(x.doc.Tasks) {
			if cost := x.objective(placed); best == nil || cost.Cmp(best) < 0 {
				best = cost
			}
			return
		}
		for _, t := range x.tasks() {
			ready, ok := x.ready(t.id, placed)
			for _, node := range x.machines {
				if e, fits := x.earliest(t.id, node, ready, placed); ok && fits {
					placed = append(placed, e)
					place()
					placed = placed[:len(placed)-1]
				}
			}
		}
	}
	place()
	return best
}

// ready is when a task may start at the earliest; false if it is placed, or one that it waits for is not.
func (x *naiveCluster) ready(task string, placed []entry) (at int64, ok bool) {
	end := map[string]int64{}
	for _, e := range placed {
		end[e.task] = e.until
	}
	at = x.release(task)
	_, done := end[task]
	for _, arc := range x.arcs {
		if arc.to == task {
			until, known := end[arc.from]
			done = done || !known
			at = max(at, until+arc.delay)
		}
	}
	return at, !done
}

// earliest is the first row of a task on a node from a time on that leaves what is placed its room.
func (x *naiveCluster) earliest(task, node string, ready int64, placed []entry) (entry, bool) {
	length := x.length(task, node)
	if length < 0 || !x.allowed(task, node) {
		return entry{}, false
	}
	starts := []int64{ready}
	for _, o := range placed {
		starts = append(starts, max(ready, o.until))
	}
	for _, a := range x.doc.Away {
		starts = append(starts, max(ready, micros(a["until"])))
	}
	slices.Sort(starts)
	for _, from := range starts {
		e := entry{task: task, machine: node, from: from, until: from + length}
		rows := append(slices.Clone(placed), e)
		if !x.away(&e) && !slices.ContainsFunc(rows, func(o entry) bool {
			return o.machine == node && len(x.lacks(&o, rows)) > 0
		}) {
			return e, true
		}
	}
	return entry{}, false
}
