package realtime

import (
	"cmp"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
)

// planner places jobs, one after another, in the free times of slots.
type planner struct {
	in    *realtime.Instance
	slots *planSlots
	maps  [][]int32    // by job: its maps, in the order in which they are placed
	parts [][]int32    // by job: partitions of the partitioner that is best on empty slots, as they are placed
	work  []model.Time // by job: the least times of its maps and of parts
	path  []model.Time // by job: its least time from release to end
	end   []model.Time // by slot: when the next task would end there
	used  []bool       // by slot: the job has partitions there
}

func newPlanner(in *realtime.Instance) *planner {
	p := &planner{in: in, maps: make([][]int32, in.Jobs), parts: make([][]int32, in.Jobs),
		work: make([]model.Time, in.Jobs), path: make([]model.Time, in.Jobs), end: make([]model.Time, in.Slots),
		used: make([]bool, in.Slots)}
	p.slots = newPlanSlots(in.Slots)
	least := make([]model.Time, in.Tasks)
	for t := range int32(in.Tasks) {
		if t > 0 && in.Alike(t, t-1) && in.IsMap(t) == in.IsMap(t-1) {
			least[t] = least[t-1]
		} else {
			least[t] = in.Least(t)
		}
	}
	longestFirst := func(first, end int32) []int32 {
		list := numbers(first, end)
		slices.SortStableFunc(list, func(a, b int32) int {
			return cmp.Or(cmp.Compare(in.ReleaseOf(a), in.ReleaseOf(b)), cmp.Compare(least[b], least[a]))
		})
		return list
	}
	for j := range int32(in.Jobs) {
		p.maps[j] = longestFirst(in.FirstMap[j], in.FirstMap[j+1])
		head, latest := model.Time(0), model.Time(0) // latest: what must end after a partition's own release
		for _, t := range p.maps[j] {
			p.work[j] += least[t]
			head = max(head, in.TaskRelease[t]-in.Release[j]+least[t]+in.Shuffle[t])
		}
		promised, parts := model.Time(-1), model.Time(0)
		for _, set := range in.SetsOf(j) {
			sum, most := model.Time(0), model.Time(0)
			for t := set.First; t < set.First+set.Count; t++ {
				sum, most = sum+least[t], max(most, least[t])
				latest = max(latest, in.ReleaseOf(t)-in.Release[j]+least[t])
			}
			if most = max(most, sum/model.Time(max(1, in.Reducers[j]))); promised < 0 || most < promised {
				promised, p.parts[j], parts = most, longestFirst(set.First, set.First+set.Count), sum
			}
		}
		p.work[j] += parts
		p.path[j] = max(latest, head+promised)
	}
	return p
}

type planned struct {
	entries []model.Entry
	end     model.Time
}

// place puts a job's maps, then its partitions, each on the slot where it ends first (ties: the first slot), the
// partitions on at most R slots. The job's entries go into own.
func (p *planner) place(j int32, own *planned) {
	in, ready := p.in, p.in.Release[j]
	own.end = ready
	own.entries = p.fill(p.maps[j], math.MaxInt32, in.MapSlots, in.ReleaseOf, own.entries[:0])
	for _, e := range own.entries {
		own.end, ready = max(own.end, e.End), max(ready, e.End+in.Shuffle[e.Task])
	}
	maps := len(own.entries)
	own.entries = p.fill(p.parts[j], in.Reducers[j], in.ReduceSlots, func(t int32) model.Time {
		return max(ready, in.ReleaseOf(t))
	}, own.entries)
	own.end = max(own.end, lastEnd(own.entries[maps:]))
}

// fill places tasks on at most this many slots of a list.
func (p *planner) fill(tasks []int32, limit int32, slots []int32, ready func(t int32) model.Time,
	entries []model.Entry) []model.Entry {
	stale, last := int32(model.None), int32(model.None) // the slot, and the task, before this one
	for i, t := range tasks {
		at := ready(t)
		fresh := i == 0 || !p.in.Alike(t, last) || ready(last) != at
		best := int32(model.None)
		for _, s := range slots {
			if fresh || s == stale {
				x := p.in.Time(t, p.in.WorkerOf[s])
				p.end[s] = p.slots.earliest(s, at, x) + x
			}
			if (best == model.None || p.end[s] < p.end[best]) && (limit > 0 || p.used[s]) {
				best = s
			}
		}
		if !p.used[best] {
			p.used[best] = true
			limit--
		}
		start := p.end[best] - p.in.Time(t, p.in.WorkerOf[best])
		p.slots.insert(best, start, p.end[best])
		entries = append(entries, model.Entry{Task: model.TaskIndex(t), Machine: best, Start: start, End: p.end[best]})
		stale, last = best, t
	}
	for _, e := range entries[len(entries)-len(tasks):] {
		p.used[e.Machine] = false
	}
	return entries
}

// again places a job as it was.
func (p *planner) again(x *planned) {
	for _, e := range x.entries {
		p.slots.insert(e.Machine, e.Start, e.End)
	}
}

// planGap is a time in which a slot is free; the last gap of a slot never ends.
type planGap struct{ from, to model.Time }

// planSlots are the free times of all slots.
type planSlots struct {
	free [][]planGap // by slot, rising
}

func newPlanSlots(slots int) *planSlots {
	p := &planSlots{free: make([][]planGap, slots)}
	for s := range p.free {
		p.free[s] = []planGap{{0, realtime.NoDeadline}}
	}
	return p
}

// earliest is when a task of a length can start on a slot that is ready at a time.
func (p *planSlots) earliest(slot int32, ready, length model.Time) model.Time {
	list := p.free[slot]
	k := len(list) - 1
	for k > 0 && list[k-1].to >= ready+length { // gaps that end before cannot hold it
		k--
	}
	for ; ; k++ {
		if start := max(ready, list[k].from); start <= list[k].to-length {
			return start
		}
	}
}

// insert removes a time from the gap that holds it.
func (p *planSlots) insert(slot int32, start, end model.Time) {
	list := p.free[slot]
	k := len(list) - 1
	for list[k].from > start {
		k--
	}
	switch gap := list[k]; {
	case gap.from < start && end < gap.to:
		list[k].to = start
		list = slices.Insert(list, k+1, planGap{end, gap.to})
	case gap.from < start:
		list[k].to = start
	case end < gap.to:
		list[k].from = end
	default:
		list = slices.Delete(list, k, k+1)
	}
	p.free[slot] = list
}

// follow copies the free times of the slots that have tasks of a job.
func (p *planSlots) follow(o *planSlots, x *planned) {
	for _, e := range x.entries {
		p.free[e.Machine] = append(p.free[e.Machine][:0], o.free[e.Machine]...)
	}
}

func (p *planSlots) copyFrom(o *planSlots) {
	for s := range p.free {
		p.free[s] = append(p.free[s][:0], o.free[s]...)
	}
}
