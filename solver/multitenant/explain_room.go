package multitenant

import (
	"cmp"
	"slices"

	"mrsched/model"
	"mrsched/model/multitenant"
)

// shortage are the entries that run on a worker when it first has less memory or fewer cores left than needed; nil if
// it always has enough. Entries must take time; they are sorted.
func (x *explainer) shortage(w int32, entries []model.Entry, need multitenant.Amount) (held []model.Entry) {
	limit, used := x.Limit(w), need
	slices.SortFunc(entries, func(a, b model.Entry) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Task, b.Task))
	})
	for k, next := range entries {
		held = slices.DeleteFunc(held, func(e model.Entry) bool {
			over := e.End <= next.Start
			if over {
				used = minus(used, x.Need(int32(e.Task)))
			}
			return over
		})
		held, used = append(held, next), plus(used, x.Need(int32(next.Task)))
		if last := k+1 == len(entries) || entries[k+1].Start > next.Start; last && !used.Within(limit) {
			return held
		}
	}
	return nil
}

// slots are the slots of a worker.
func (x *explainer) slots(w int32) (list []int32) {
	for s, _ := slices.BinarySearch(x.WorkerOf, w); s < x.Slots && x.WorkerOf[s] == w; s++ {
		list = append(list, int32(s))
	}
	return list
}

// on are the entries on a worker.
func (x *explainer) on(w int32) (list []model.Entry) {
	for _, s := range x.slots(w) {
		for _, t := range x.bySlot[s] {
			list = append(list, *x.entry(t))
		}
	}
	return list
}

// crowded says whether a worker lacks memory or cores for one more task in an interval, and which task has to end
// first.
func (x *explainer) crowded(t, w int32, from, until model.Time) (by int32, is bool) {
	if !x.Limited() || from >= until {
		return 0, false
	}
	others := x.on(w)
	for k := range others {
		others[k].Start = max(others[k].Start, from)
	}
	others = slices.DeleteFunc(others, func(e model.Entry) bool {
		return int32(e.Task) == t || e.Start >= until || e.End <= e.Start
	})
	held := x.shortage(w, others, x.Need(t))
	if held == nil {
		return 0, false
	}
	first := slices.MinFunc(held, func(a, b model.Entry) int {
		return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.Task, b.Task))
	})
	return int32(first.Task), true
}

// crowds says whether some worker would lack memory or cores with a task elsewhere.
func (x *explainer) crowds(p *elsewhere) bool {
	if !x.Limited() {
		return false
	}
	moved := append([]model.Entry{p.entry()}, p.pushed...)
	away, workers := map[model.TaskIndex]bool{}, map[int32]bool{}
	for _, e := range moved {
		away[e.Task], workers[x.WorkerOf[e.Machine]] = true, true
	}
	for w := range workers {
		list := slices.DeleteFunc(x.on(w), func(e model.Entry) bool { return away[e.Task] })
		for _, e := range moved {
			if x.WorkerOf[e.Machine] == w {
				list = append(list, e)
			}
		}
		list = slices.DeleteFunc(list, func(e model.Entry) bool { return e.End <= e.Start })
		if x.shortage(w, list, multitenant.Amount{}) != nil {
			return true
		}
	}
	return false
}
