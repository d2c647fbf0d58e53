package multitenant

import (
	"cmp"
	"slices"

	"mrsched/model"
	"mrsched/model/multitenant"
)

// usage follows the memory and cores that the tasks of a worker need together.
type usage struct {
	in    *multitenant.Instance
	limit multitenant.Amount
	list  []model.Entry // by start
	held  []model.Entry // that run now
	free  multitenant.Amount
}

// usageOf is the usage by entries on a worker in an interval.
func (x *explainer) usageOf(w int32, entries []model.Entry, from, until model.Time) *usage {
	u := &usage{in: x.in, limit: x.in.Limit(w)}
	u.free = u.limit
	for _, e := range entries {
		if e.Start < until && e.End > from && e.End > e.Start {
			u.list = append(u.list, e)
		}
	}
	slices.SortFunc(u.list, func(a, b model.Entry) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Task, b.Task))
	})
	return u
}

// change adds or takes the limited resources that a task needs.
func (u *usage) change(e *model.Entry, sign int64) {
	need := u.in.Need(int32(e.Task))
	if u.limit.Memory != multitenant.Unlimited {
		u.free.Memory += model.Bytes(sign * int64(need.Memory))
	}
	if u.limit.Cores != multitenant.Unlimited {
		u.free.Cores += sign * need.Cores
	}
}

// next begins the entries that start next and ends those that are over by then; false if there are no more.
func (u *usage) next() bool {
	if len(u.list) == 0 {
		return false
	}
	now := u.list[0].Start
	u.held = slices.DeleteFunc(u.held, func(e model.Entry) bool {
		if e.End <= now {
			u.change(&e, 1)
		}
		return e.End <= now
	})
	for len(u.list) > 0 && u.list[0].Start == now {
		u.change(&u.list[0], -1)
		u.held = append(u.held, u.list[0])
		u.list = u.list[1:]
	}
	return true
}

func (x *explainer) on(w int32) (list []model.Entry) {
	for s, _ := slices.BinarySearch(x.in.WorkerOf, w); s < x.in.Slots && x.in.WorkerOf[s] == w; s++ {
		for _, t := range x.bySlot[s] {
			list = append(list, *x.entry(t))
		}
	}
	return list
}

// crowded says whether a worker lacks memory or cores for one more task in an interval, and which task has to end
// first.
func (x *explainer) crowded(t, w int32, from, until model.Time) (by int32, is bool) {
	if !x.in.Limited() || from >= until {
		return 0, false
	}
	need := x.in.Need(t)
	others := slices.DeleteFunc(x.on(w), func(e model.Entry) bool { return int32(e.Task) == t })
	for k := range others {
		others[k].Start = max(others[k].Start, from)
	}
	for u := x.usageOf(w, others, from, until); u.next(); {
		if !need.Within(u.free) {
			first := slices.MinFunc(u.held, func(a, b model.Entry) int {
				return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.Task, b.Task))
			})
			return int32(first.Task), true
		}
	}
	return 0, false
}

// crowds says whether a worker would lack memory or cores with a task elsewhere.
func (x *explainer) crowds(p *elsewhere) bool {
	in := x.in
	if !in.Limited() {
		return false
	}
	self := model.Entry{Task: model.TaskIndex(p.task), Machine: p.slot, Start: p.start, End: p.end}
	moved := map[model.TaskIndex]model.Entry{self.Task: self}
	workers := []int32{in.WorkerOf[p.slot]}
	for _, e := range p.pushed {
		moved[e.Task] = e
		workers = append(workers, in.WorkerOf[e.Machine])
	}
	slices.Sort(workers)
	for _, w := range slices.Compact(workers) {
		var list []model.Entry
		for _, e := range x.on(w) {
			if _, other := moved[e.Task]; !other {
				list = append(list, e)
			}
		}
		for _, e := range moved {
			if in.WorkerOf[e.Machine] == w {
				list = append(list, e)
			}
		}
		for u := x.usageOf(w, list, 0, model.MaxTime); u.next(); {
			if u.free.Memory < 0 && u.limit.Memory != multitenant.Unlimited ||
				u.free.Cores < 0 && u.limit.Cores != multitenant.Unlimited {
				return true
			}
		}
	}
	return false
}
