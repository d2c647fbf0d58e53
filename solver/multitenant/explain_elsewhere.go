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
	// squeezes is the number of workers on which places are sought: those where a task would end soonest in a free slot.
	squeezes = 256
	// jobTasks is the number of a job's tasks for which other places are sought: those that end last.
	jobTasks = 8
	// refusals is how many more places than wanted the checker may refuse.
	refusals = 6
	// slowest limits the time for a task's data, as a multiple of the time alone on its links, in steps of a factor 2,
	// before links are said to be too slow.
	slowest = 4
)

// elsewhere is another place for a task: in a free slot, or between other tasks, which then come later.
type elsewhere struct {
	task       int32
	slot       int32 // −1: there is none
	start, end model.Time
	after      int32 // the task that it comes after, or None
	stretch    model.Time
	squeezed   bool
	next       int        // on the slot: the first task behind it
	others     model.Time // when all other tasks have ended
	makespan   model.Time
	pushed     []model.Entry // other entries, as they then are
}

// gap is the earliest start of a task, not before from, at which a slot is free until ends says and its worker has
// memory and cores for the task; and the task before it, or None if it need not wait. ends must not fall.
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

// endsOn says when a task ends on a worker if it starts at a time. A map reads for at least its time alone on its
// links, times stretch; a reduce fetches for as long as it does now, times stretch, and at least until the maps have
// ended.
func (x *explainer) endsOn(t, w int32, stretch model.Time) func(at model.Time) model.Time {
	e := x.entry(t)
	compute := x.Compute(t, w)
	if x.IsMap(t) {
		read := stretch * x.ReadTime(t, w)
		return func(at model.Time) model.Time { return at + read + compute }
	}
	maps := x.f.MapsEnd[x.JobOf(t)]
	fetching := max(0, e.End-x.Compute(t, x.worker(t))-max(e.Start, maps)) * stretch
	return func(at model.Time) model.Time { return max(at, maps) + fetching + compute }
}

// place is the earliest place for a task among the free slots of a worker.
func (x *explainer) place(t, w int32, from, stretch model.Time) elsewhere {
	p, ends := elsewhere{task: t, slot: -1, stretch: stretch}, x.endsOn(t, w, stretch)
	for _, s := range x.slotsOf(t, w) {
		if at, after := x.gap(s, from, t, ends); p.slot < 0 || at < p.start {
			p.slot, p.start, p.end, p.after = s, at, ends(at), after
		}
	}
	return p
}

// squeeze is the earliest place for a task on a worker, from its present start on, before all tasks that start later.
func (x *explainer) squeeze(t, w int32, stretch model.Time) elsewhere {
	p, ends, from := elsewhere{task: t, slot: -1, stretch: stretch, squeezed: true}, x.endsOn(t, w, stretch),
		x.entry(t).Start
	for _, s := range x.slotsOf(t, w) {
		list, at, after := x.bySlot[s], from, int32(model.None)
		next, _ := slices.BinarySearchFunc(list, from, func(u int32, at model.Time) int {
			return cmp.Compare(x.entry(u).Start,
				at)
		})
		for k := next - 1; k >= 0 && after == model.None; k-- {
			if u := list[k]; u != t {
				at, after = max(at, x.entry(u).End), u
			}
		}
		if p.slot < 0 || at < p.start {
			p.slot, p.start, p.end, p.after, p.next = s, at, ends(at), after, next
		}
	}
	return p
}

// slotsOf are the slots of a worker that a task may use; none if it could not hold even the task alone.
func (x *explainer) slotsOf(t, w int32) []int32 {
	if !x.Holds(w, t) {
		return nil
	}
	return slices.DeleteFunc(x.slots(w), func(s int32) bool { return x.SlotKind[s] != x.KindOf(t) })
}

// push moves the tasks after a task on its slot to later starts, then reduces that wait for maps which end later, and
// the tasks after these, as far as necessary; it sets makespan.
func (x *explainer) push(p *elsewhere, others model.Time) {
	p.pushed, p.others, p.makespan = nil, others, max(others, p.end)
	maps := map[int32]model.Time{} // by job: when they end, where that is later
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

// shift moves tasks of a slot so that none starts before the slot is free, and no reduce computes before its maps have
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
			e.End = max(e.End, max(e.Start, at)+x.Compute(t, x.WorkerOf[e.Machine]))
		}
		free = e.End
		if e == *x.entry(t) {
			if maps == nil {
				return // nor does anything behind it move
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

// places are places for the tasks of the question, one per worker: free ones, for maps from their release on and for
// reduces from their present start on, or between other tasks if that is better. The best come first: by makespan, end,
// start, slot.
func (x *explainer) places() (list []elsewhere) {
	tasks := []int32{x.task}
	if x.all {
		tasks = x.tasksOf(x.job)
		slices.SortStableFunc(tasks, func(a, b int32) int { return cmp.Compare(x.entry(b).End, x.entry(a).End) })
		tasks = tasks[:min(len(tasks), jobTasks)]
	}
	for _, t := range tasks {
		others := model.Time(0)
		for i := range x.s.Entries {
			if int32(x.s.Entries[i].Task) != t {
				others = max(others, x.s.Entries[i].End)
			}
		}
		for _, p := range x.workers(t) {
			x.push(&p, others)
			if q := x.squeeze(t, x.WorkerOf[p.slot], 1); q.start < p.start && x.WorkerOf[p.slot] != x.worker(t) {
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

// workers are the first free places on each worker, except a task's present place; of many, those with the earliest
// ends.
func (x *explainer) workers(t int32) (list []elsewhere) {
	for w := range int32(x.Workers) {
		if p := x.place(t, w, x.earliest(t), 1); p.slot >= 0 && !(p.start == x.entry(t).Start && w == x.worker(t)) {
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b elsewhere) int { return cmp.Compare(a.end, b.end) })
	return list[:min(len(list), squeezes)]
}

// earliest is the time from which a task looks for other places.
func (x *explainer) earliest(t int32) model.Time {
	if x.IsMap(t) {
		return x.Release(t)
	}
	return x.entry(t).Start
}

// alternatives tells the best free places that links can serve, and the first of those that they cannot.
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
		if x.crowds(&p) { // others, which it pushes, find too little memory or cores
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
			next := x.place(p.task, x.WorkerOf[p.slot], x.earliest(p.task), 2*p.stretch)
			if p.squeezed {
				next = x.squeeze(p.task, x.WorkerOf[p.slot], 2*p.stretch)
			}
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

// note says how near the task would be to its data, and what else changes.
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
