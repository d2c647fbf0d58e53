package realtime

import (
	"cmp"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
)

// planSets is how many of a job's partitioners are tried: the best ones on empty slots.
const planSets = 3

// planner places jobs, one after another, in the free times of slots.
type planner struct {
	in    *realtime.Instance
	times *planTimes
	slots *planSlots
	maps  [][]int32     // by job: its maps, in the order in which they are placed
	sets  [][]planSet   // by job: its partitioners, the best on empty slots first
	work  []model.Time  // by job: the least times of its maps, and of the partitions of the first of sets
	path  []model.Time  // by job: its least time from release to end
	end   []model.Time  // by slot: when the next task would end there
	used  []bool        // by slot: the job has partitions there
	trial []model.Entry // of one partitioner
}

// planSet is a partitioner with its partitions in the order in which they are placed.
type planSet struct{ tasks []int32 }

func newPlanner(in *realtime.Instance) *planner {
	p := &planner{in: in, times: newPlanTimes(in), maps: make([][]int32, in.Jobs), sets: make([][]planSet, in.Jobs),
		work: make([]model.Time, in.Jobs), path: make([]model.Time, in.Jobs), end: make([]model.Time, in.Slots),
		used: make([]bool, in.Slots)}
	p.slots = newPlanSlots(p.times.useful())
	least := make([]model.Time, in.Tasks)
	for t := range int32(in.Tasks) {
		if t > 0 && p.times.alike(t, t-1) && in.IsMap(t) == in.IsMap(t-1) {
			least[t] = least[t-1]
		} else {
			least[t] = in.Least(t)
		}
	}
	longestFirst := func(first, end int32) []int32 {
		list := make([]int32, 0, end-first)
		for t := first; t < end; t++ {
			list = append(list, t)
		}
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
		sets := slices.Clone(in.SetsOf(j))
		sum, most := make(map[int32]model.Time), make(map[int32]model.Time)
		for _, s := range sets {
			for t := s.First; t < s.First+s.Count; t++ {
				sum[s.Row] += least[t]
				most[s.Row] = max(most[s.Row], least[t])
				latest = max(latest, in.ReleaseOf(t)-in.Release[j]+least[t])
			}
		}
		promise := func(s realtime.Set) model.Time {
			return max(most[s.Row], sum[s.Row]/model.Time(max(1, in.Reducers[j])))
		}
		slices.SortStableFunc(sets, func(a, b realtime.Set) int { return cmp.Compare(promise(a), promise(b)) })
		for _, s := range sets[:min(len(sets), planSets)] {
			p.sets[j] = append(p.sets[j], planSet{longestFirst(s.First, s.First+s.Count)})
		}
		p.work[j] += sum[sets[0].Row]
		p.path[j] = max(latest, head+promise(sets[0]))
	}
	return p
}

// planned is the placement of a job.
type planned struct {
	entries []model.Entry
	set     int8 // of planner.sets
	end     model.Time
}

// anySet lets place choose the partitioner.
const anySet = -1

// place puts a job's maps, then its partitions, each on the slot where it ends first (ties: the first slot), the
// partitions on at most R slots. The job's entries go into own.
func (p *planner) place(j int32, set int8, own *planned) {
	in := p.in
	own.entries, own.end, own.set = own.entries[:0], in.Release[j], max(0, set)
	ready := in.Release[j]
	own.entries = p.fill(p.maps[j], math.MaxInt32, in.MapSlots, in.ReleaseOf, own.entries)
	for _, e := range own.entries {
		own.end, ready = max(own.end, e.End), max(ready, e.End+in.Shuffle[e.Task])
	}
	sets := p.sets[j]
	if len(sets[0].tasks) == 0 {
		return
	}
	at := func(t int32) model.Time { return max(ready, in.ReleaseOf(t)) }
	if set == anySet && len(sets) > 1 {
		before, least, record := len(p.slots.journal), realtime.NoDeadline, p.slots.record
		p.slots.record = true
		for k := range sets {
			p.trial = p.fill(sets[k].tasks, in.Reducers[j], in.ReduceSlots, at, p.trial[:0])
			p.slots.undo(before)
			last := model.Time(0)
			for _, e := range p.trial {
				last = max(last, e.End)
			}
			if last < least {
				own.set, least = int8(k), last
			}
		}
		p.slots.record = record
	}
	maps := len(own.entries)
	own.entries = p.fill(sets[own.set].tasks, in.Reducers[j], in.ReduceSlots, at, own.entries)
	for _, e := range own.entries[maps:] {
		own.end = max(own.end, e.End)
	}
}

// fill places tasks on at most so many slots of a list.
func (p *planner) fill(tasks []int32, limit int32, slots []int32, ready func(t int32) model.Time,
	entries []model.Entry) []model.Entry {
	stale, last := int32(model.None), int32(model.None) // the slot, and the task, before this one
	for i, t := range tasks {
		at := ready(t)
		fresh := i == 0 || !p.times.alike(t, last) || ready(last) != at
		best := int32(model.None)
		for _, s := range slots {
			if fresh || s == stale {
				x := p.times.at(t, p.in.WorkerOf[s])
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
		start := p.end[best] - p.times.at(t, p.in.WorkerOf[best])
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
