package multitenant

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/solver"
)

const (
	// squeezes is the number of workers examined further: those where a task would end soonest in a free slot.
	squeezes = 256
	// jobTasks is the number of a job's tasks that are moved, the last to end first.
	jobTasks = 8
	// refusals is the number of places, beyond those wanted, that the checker may reject.
	refusals = 6
	// slowest is the largest factor, tried in steps of 2, by which the time for a task's data may exceed the time alone on
	// its links. Beyond it, links count as too slow.
	slowest = 4
)

// elsewhere is another place for a task: in a free slot, or between other tasks, which then start later.
type elsewhere struct {
	task       int32
	from       model.Time // search start: the place is no earlier
	stretch    model.Time // of the time for its data, see endsOn
	squeezed   bool       // tasks that start later do not count
	slot       int32      // −1: there is none
	start, end model.Time
	after      int32      // the task that it comes after, or None
	next       int        // on the slot: the first task behind it
	others     model.Time // end of the last other task
	makespan   model.Time
	pushed     []model.Entry // other entries, as they then are
}

// gap is the earliest start, not before from, at which a slot is free until the task's end and its worker has memory
// and cores. It also returns the task before it, or None if the start does not wait. ends must not fall.
func (x *explainer) gap(slot int32, from model.Time, task int32, ends func(at model.Time) model.Time) (
	at model.Time, after int32) {
	at, after = from, model.None
	for {
		for _, t := range x.bySlot[slot] {
			e := x.entry(t)
			if t == task || e.End <= at {
				continue
			}
			if e.Start >= ends(at) {
				break
			}
			at, after = e.End, t
		}
		by, crowded := x.crowded(task, x.WorkerOf[slot], at, ends(at))
		if !crowded {
			return at, after
		}
		at, after = x.entry(by).End, by
	}
}

// endsOn returns the end of a task on a worker by its start. A map reads for at least its time alone on its links,
// times stretch. A reduce fetches for its present time, times stretch, and at least until the maps have ended.
func (x *explainer) endsOn(t, w int32, stretch model.Time) func(at model.Time) model.Time {
	e := x.entry(t)
	compute := x.Work(t, w)
	if x.IsMap(t) {
		read := stretch * x.ReadTime(t, w)
		return func(at model.Time) model.Time { return at + read + compute }
	}
	maps := x.f.MapsEnd[x.JobOf(t)]
	fetching := max(0, e.End-x.Work(t, x.worker(t))-max(e.Start, maps)) * stretch
	return func(at model.Time) model.Time { return max(at, maps) + fetching + compute }
}

// locate finds the earliest place on a worker for a task: in a free slot, or before all tasks that start later.
func (x *explainer) locate(p elsewhere, w int32) elsewhere {
	p.slot = -1
	ends := x.endsOn(p.task, w, p.stretch)
	for _, s := range x.slotsOf(p.task, w) {
		next, find := 0, x.gap
		if p.squeezed {
			next, find = x.before(s, p.from), x.behind
		}
		if at, after := find(s, p.from, p.task, ends); p.slot < 0 || at < p.start {
			p.slot, p.start, p.end, p.after, p.next = s, at, ends(at), after, next
		}
	}
	return p
}

// before is the number of tasks on a slot that start before a time.
func (x *explainer) before(slot int32, at model.Time) int {
	n, _ := slices.BinarySearchFunc(x.bySlot[slot], at, func(t int32, at model.Time) int {
		return cmp.Compare(x.entry(t).Start, at)
	})
	return n
}

// behind is gap, but ignores tasks that start later.
func (x *explainer) behind(slot int32, from model.Time, task int32, _ func(model.Time) model.Time) (model.Time, int32) {
	for k := x.before(slot, from) - 1; k >= 0; k-- {
		if t := x.bySlot[slot][k]; t != task {
			return max(from, x.entry(t).End), t
		}
	}
	return from, model.None
}

// slotsOf are the slots of a worker that a task may use; none if the worker could not hold even the task alone.
func (x *explainer) slotsOf(t, w int32) []int32 {
	if !x.Holds(w, t) {
		return nil
	}
	return slices.DeleteFunc(x.slots(w), func(s int32) bool { return x.SlotKind[s] != x.KindOf(t) })
}

// push delays the tasks after a task on its slot, then reduces that wait for delayed maps, and the tasks after these,
// as far as necessary. It sets makespan.
func (x *explainer) push(p *elsewhere, others model.Time) {
	p.pushed, p.others, p.makespan = nil, others, max(others, p.end)
	maps := map[int32]model.Time{} // by job: the new ends of delayed maps
	ended := func(t int32, at model.Time) {
		if j := x.JobOf(t); x.IsMap(t) && at > max(x.f.MapsEnd[j], maps[j]) {
			maps[j] = at
		}
	}
	ended(p.task, p.end)
	if p.squeezed {
		x.shift(p, x.bySlot[p.slot][p.next:], p.end, nil, ended)
	}
	var slots []int32
	for j := range maps {
		for r := x.FirstReduce(j); r < x.FirstReduce(j)+x.Reduces(j); r++ {
			slots = append(slots, x.entry(r).Machine)
		}
	}
	slices.Sort(slots)
	for _, s := range slices.Compact(slots) {
		x.shift(p, x.bySlot[s], 0, maps, ended)
	}
}

// shift delays tasks of a slot so that none starts before the slot is free, and no reduce computes before its maps have
// ended.
func (x *explainer) shift(p *elsewhere, tasks []int32, free model.Time, maps map[int32]model.Time,
	ended func(t int32, at model.Time)) {
	for _, t := range tasks {
		if t == p.task {
			continue
		}
		e := *x.entry(t)
		late := max(0, free-e.Start)
		e.Start, e.End = e.Start+late, e.End+late
		if at, waits := maps[x.JobOf(t)]; waits {
			e.End = max(e.End, max(e.Start, at)+x.Work(t, x.WorkerOf[e.Machine]))
		}
		free = e.End
		if e == *x.entry(t) {
			if maps == nil {
				return // no later task of the slot moves either
			}
			continue
		}
		p.pushed = append(p.pushed, e)
		p.makespan = max(p.makespan, e.End)
		ended(t, e.End)
	}
}

// entry is the task's entry there.
func (p *elsewhere) entry() model.Entry {
	return model.Entry{Task: model.TaskIndex(p.task), Machine: p.slot, Start: p.start, End: p.end}
}

// after is the schedule with a task elsewhere.
func (x *explainer) after(p *elsewhere) *model.Schedule {
	s := &model.Schedule{Entries: slices.Clone(x.s.Entries)}
	s.Entries[x.row[p.task]] = p.entry()
	for _, e := range p.pushed {
		s.Entries[x.row[e.Task]] = e
	}
	return s
}

// places lists places for the tasks of the question, one per worker: free ones, or places between other tasks if these
// are better. The best come first: by makespan, end, start, slot.
func (x *explainer) places() (list []elsewhere) {
	tasks := []int32{x.task}
	if x.all {
		tasks = x.tasksOf(x.job)
		slices.SortStableFunc(tasks, func(a, b int32) int { return cmp.Compare(x.entry(b).End, x.entry(a).End) })
		tasks = tasks[:min(len(tasks), jobTasks)]
	}
	for _, t := range tasks {
		others := model.Time(0)
		for _, e := range x.s.Entries {
			if int32(e.Task) != t {
				others = max(others, e.End)
			}
		}
		for _, p := range x.workers(t) {
			x.push(&p, others)
			w := x.WorkerOf[p.slot]
			q := x.locate(elsewhere{task: t, from: x.entry(t).Start, stretch: 1, squeezed: true}, w)
			if q.start < p.start && w != x.worker(t) {
				if x.push(&q, others); q.compare(p) < 0 {
					p = q
				}
			}
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, elsewhere.compare)
	return list
}

func (p elsewhere) compare(q elsewhere) int {
	return cmp.Or(cmp.Compare(p.makespan, q.makespan), cmp.Compare(p.end, q.end), cmp.Compare(p.start, q.start),
		cmp.Compare(p.slot, q.slot))
}

// workers lists the first free place on each worker, for maps from their release on and for reduces from their present
// start on. It leaves out a task's present place. Of many, it keeps those with the earliest ends.
func (x *explainer) workers(t int32) (list []elsewhere) {
	from := x.entry(t).Start
	if x.IsMap(t) {
		from = x.Release(t)
	}
	for w := range int32(x.Workers) {
		p := x.locate(elsewhere{task: t, from: from, stretch: 1}, w)
		if p.slot >= 0 && !(p.start == x.entry(t).Start && w == x.worker(t)) {
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b elsewhere) int { return cmp.Compare(a.end, b.end) })
	return list[:min(len(list), squeezes)]
}

// alternatives reports the best places that links can serve, and the first that they cannot.
func (x *explainer) alternatives(ctx context.Context, most int) error {
	if most <= 0 {
		return nil
	}
	a := solver.NewAlternatives(x.Instance, x.s, most)
	refused, left, why := 0, 0, ""
	for _, p := range x.places() {
		if a.Missing() == 0 || refused > refusals {
			break
		}
		if x.crowds(&p) { // pushed tasks would lack memory or cores
			continue
		}
		for {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			v := solver.AlternativeAt(x.MachineName(p.slot), p.start, p.end)
			if x.all {
				v.Task = x.id(p.task)
			}
			s := x.after(&p)
			v.Note = x.note(&p, s)
			broken := a.Try(v, s)
			if broken == nil {
				break
			}
			next := p
			next.stretch *= 2
			next = x.locate(next, x.WorkerOf[p.slot])
			if refused++; broken[0].Code != model.CodeLink || next.stretch > slowest || next.end == p.end || refused > refusals {
				if left++; left == 1 {
					why = fmt.Sprintf("%s from %s on %s is left out: %s", x.id(p.task), p.start, x.MachineName(p.slot),
						broken[0].What)
				}
				break
			}
			x.push(&next, p.others)
			p = next
		}
	}
	if left > 1 {
		why += fmt.Sprintf("; and %d more %s for the like", left-1, model.Plural(left-1, "place"))
	}
	if left > 0 {
		x.change("%s", why)
	}
	x.told.Alternatives = a.List()
	return nil
}

// note describes how near the task would be to its data, and the other changes.
func (x *explainer) note(p *elsewhere, s *model.Schedule) string {
	w := x.WorkerOf[p.slot]
	text := rackText(x.RackName(x.RackOf[w]))
	if x.IsMap(p.task) && len(x.Replicas(p.task)) > 0 {
		text += ", " + map[model.Locality]string{model.NodeLocal: "node-local", model.RackLocal: "rack-local",
			model.Remote: "remote"}[x.Locality(p.task, w)]
	}
	f := x.Flows(s)
	crosses := new(big.Rat).Sub(f.Shuffle(), x.f.Shuffle())
	crosses.Add(crosses, new(big.Rat).SetInt64(int64(f.Read-x.f.Read)))
	switch crosses.Sign() {
	case 0:
		text += "; as many bytes cross racks"
	case 1:
		text += fmt.Sprintf("; %s bytes more cross racks", model.LowerNumber(crosses))
	default:
		text += fmt.Sprintf("; %s bytes fewer cross racks", model.LowerNumber(crosses.Neg(crosses)))
	}
	if n := len(p.pushed); n > 0 {
		text += fmt.Sprintf("; %d other %s later", n, map[bool]string{true: "task ends", false: "tasks end"}[n == 1])
	}
	return text
}
