package realtime

import (
	"cmp"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
)

// planSets bounds the partitioners of a job that are tried: the best ones on empty slots.
const planSets = 3

// planner places jobs, one after another, in the free times of slots.
type planner struct {
	in    *realtime.Instance
	times *planTimes
	slots *planSlots
	maps  [][]int32     // by job: its maps, in the order in which they are placed
	sets  [][][]int32   // by job, by partitioner, the best on empty slots first: partitions as they are placed
	work  []model.Time  // by job: the least times of its maps, and of the partitions of the first of sets
	path  []model.Time  // by job: its least time from release to end
	end   []model.Time  // by slot: when the next task would end there
	used  []bool        // by slot: the job has partitions there
	trial []model.Entry // of one partitioner
}

func newPlanner(in *realtime.Instance) *planner {
	p := &planner{in: in, times: newPlanTimes(in), maps: make([][]int32, in.Jobs), sets: make([][][]int32, in.Jobs),
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
		sets := slices.Clone(in.SetsOf(j))
		sum, promise := map[int32]model.Time{}, map[int32]model.Time{} // by row
		for _, s := range sets {
			most := model.Time(0)
			for t := s.First; t < s.First+s.Count; t++ {
				sum[s.Row] += least[t]
				most = max(most, least[t])
				latest = max(latest, in.ReleaseOf(t)-in.Release[j]+least[t])
			}
			promise[s.Row] = max(most, sum[s.Row]/model.Time(max(1, in.Reducers[j])))
		}
		sortBy(sets, func(s realtime.Set) model.Time { return promise[s.Row] })
		for _, s := range sets[:min(len(sets), planSets)] {
			p.sets[j] = append(p.sets[j], longestFirst(s.First, s.First+s.Count))
		}
		p.work[j] += sum[sets[0].Row]
		p.path[j] = max(latest, head+promise[sets[0].Row])
	}
	return p
}

type planned struct {
	entries []model.Entry
	set     int8 // index into planner.sets
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
	if len(sets[0]) == 0 {
		return
	}
	at := func(t int32) model.Time { return max(ready, in.ReleaseOf(t)) }
	if set == anySet && len(sets) > 1 {
		before, least, record := len(p.slots.journal), realtime.NoDeadline, p.slots.record
		p.slots.record = true
		for k := range sets {
			p.trial = p.fill(sets[k], in.Reducers[j], in.ReduceSlots, at, p.trial[:0])
			p.slots.undo(before)
			if last := lastEnd(p.trial); last < least {
				own.set, least = int8(k), last
			}
		}
		p.slots.record = record
	}
	maps := len(own.entries)
	own.entries = p.fill(sets[own.set], in.Reducers[j], in.ReduceSlots, at, own.entries)
	own.end = max(own.end, lastEnd(own.entries[maps:]))
}

// fill places tasks on at most this many slots of a list.
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

// planGap is a time in which a slot is free; the last gap of a slot never ends.
type planGap struct{ from, to model.Time }

// planSlots are the free times of all slots, with a journal to undo the latest changes.
type planSlots struct {
	free    [][]planGap  // by slot, rising
	useful  []model.Time // by slot: no task is shorter there
	record  bool         // changes may be undone
	journal []planChange
	spare   []planGap // of the journal
}

// planChange is the state of a slot before a task was inserted.
type planChange struct {
	slot        int32
	first, last int // in spare
}

func newPlanSlots(useful []model.Time) *planSlots {
	p := &planSlots{free: make([][]planGap, len(useful)), useful: useful}
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

// insert removes a time from the gap that holds it. Gaps too short for any task are dropped.
func (p *planSlots) insert(slot int32, start, end model.Time) {
	list := p.free[slot]
	if p.record {
		first := len(p.spare)
		p.spare = append(p.spare, list...)
		p.journal = append(p.journal, planChange{slot, first, len(p.spare)})
	}
	k := len(list) - 1
	for list[k].from > start {
		k--
	}
	left, right := planGap{list[k].from, start}, planGap{end, list[k].to}
	keep := func(g planGap) bool { return g.to > g.from && g.to-g.from >= p.useful[slot] }
	keepLeft, keepRight := keep(left), keep(right)
	switch {
	case keepLeft && keepRight:
		list[k] = left
		list = slices.Insert(list, k+1, right)
	case keepLeft:
		list[k] = left
	case keepRight:
		list[k] = right
	default:
		list = slices.Delete(list, k, k+1)
	}
	p.free[slot] = list
}

// forget makes the changes so far final.
func (p *planSlots) forget() { p.journal, p.spare = p.journal[:0], p.spare[:0] }

// undo takes back the recorded changes except the first this many.
func (p *planSlots) undo(to int) {
	for k := len(p.journal) - 1; k >= to; k-- {
		c := p.journal[k]
		p.free[c.slot] = append(p.free[c.slot][:0], p.spare[c.first:c.last]...)
		p.spare = p.spare[:c.first]
	}
	p.journal = p.journal[:to]
}

func (p *planSlots) copyFrom(o *planSlots) {
	for s := range p.free {
		p.free[s] = append(p.free[s][:0], o.free[s]...)
	}
	p.forget()
}

// planTimes are the true times of tasks, looked up once.
type planTimes struct {
	in   *realtime.Instance
	row  []int32 // by task; nil: too many to keep
	list []model.Time
}

// planTable bounds the size of the table.
const planTable = 20_000_000

func newPlanTimes(in *realtime.Instance) *planTimes {
	p := &planTimes{in: in}
	row, rows := make([]int32, in.Tasks), int32(0)
	for t := range int32(in.Tasks) {
		if t == 0 || in.IsMap(t) != in.IsMap(t-1) || !in.Alike(t, t-1) {
			if rows++; int(rows) > planTable/in.Workers {
				return p
			}
		}
		row[t] = rows - 1
	}
	p.list = make([]model.Time, int(rows)*in.Workers)
	for t := range int32(in.Tasks) {
		if t > 0 && row[t] == row[t-1] {
			continue
		}
		own := p.list[int(row[t])*in.Workers:]
		for _, s := range in.SlotsFor(in.KindOf(t)) {
			own[in.WorkerOf[s]] = in.Time(t, in.WorkerOf[s])
		}
	}
	p.row = row
	return p
}

func (p *planTimes) at(task, worker int32) model.Time {
	if p.row == nil {
		return p.in.Time(task, worker)
	}
	return p.list[int(p.row[task])*p.in.Workers+int(worker)]
}

// alike says that two tasks of a kind share their times.
func (p *planTimes) alike(a, b int32) bool {
	if p.row == nil {
		return p.in.Alike(a, b)
	}
	return p.row[a] == p.row[b]
}

// useful is the least time of any task on each slot.
func (p *planTimes) useful() []model.Time {
	in := p.in
	least := make([]model.Time, in.Slots)
	if p.row == nil {
		return least
	}
	for s := range least {
		least[s] = realtime.NoDeadline
	}
	last := [2]int32{-1, -1}
	for t := range int32(in.Tasks) {
		kind := in.KindOf(t)
		if last[kind] == p.row[t] {
			continue
		}
		last[kind] = p.row[t]
		for _, s := range in.SlotsFor(kind) {
			least[s] = min(least[s], p.at(t, in.WorkerOf[s]))
		}
	}
	return least
}
