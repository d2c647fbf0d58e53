package realtime

import (
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
)

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

// undo takes back the recorded changes except the first so many.
func (p *planSlots) undo(to int) {
	for k := len(p.journal) - 1; k >= to; k-- {
		c := p.journal[k]
		p.free[c.slot] = append(p.free[c.slot][:0], p.spare[c.first:c.last]...)
		p.spare = p.spare[:c.first]
	}
	p.journal = p.journal[:to]
}

// copyFrom makes the free times those of another.
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

// planTable bounds the times that are kept.
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

// at is how long a task takes on a worker.
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
