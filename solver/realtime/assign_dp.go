package realtime

import (
	"math"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver/estimate"
)

// placeDP gives each partition, the largest first, to the reduce slot that is expected to finish it first. Any slot may
// become one of the job's until it has R. The cost is when the last slot is expected to finish.
//
// The paper skips reducers that would break a deadline while another one fits. All partitions of a job share its
// deadline, so the slot that finishes first breaks it only if all slots do, and the rule adds nothing.
//
// Complexity: O(p·m) for m reduce slots, O(p·R) once the job has R.   Ties: the first partition, the first slot.
// Source: DynamicShare, §4.   Differs: slots are chosen with the partitions; time adds up over a slot's partitions.
func (r *run) placeDP(set realtime.Set, b belief, free []model.Time) ([]int32, int64) {
	c := newColumns(r.in, set.Job, b, free)
	slot, last := make([]int32, set.Count), model.Time(0)
	for _, k := range descending(r.in, set) {
		c.fill(set.First + k)
		at, end := c.first()
		slot[k], last = c.slot[at], max(last, end)
		c.take(at, end)
	}
	return slot, int64(last)
}

// columns are the reduce slots that a job's partitions may still go to, in their order.
type columns struct {
	in     *realtime.Instance
	b      belief
	slot   []int32
	worker []int32
	end    []model.Time // when the slot is expected to finish what it has
	used   []bool       // the job has it already
	left   int          // how many more slots the job may have
	cost   []model.Time // how long the current partition is expected to take

	lines []estimate.Line // nil unless times are expected to lie on lines
}

func newColumns(in *realtime.Instance, job int32, b belief, free []model.Time) *columns {
	n := len(in.ReduceSlots)
	c := &columns{in: in, b: b, slot: make([]int32, n), worker: make([]int32, n), end: make([]model.Time, n),
		used: make([]bool, n),
		left: int(in.Reducers[job]), cost: make([]model.Time, n)}
	believed, straight := b.(lined)
	lines := make([]estimate.Line, n)
	for k, s := range in.ReduceSlots {
		c.slot[k], c.worker[k] = s, in.WorkerOf[s]
		if free != nil {
			c.end[k] = free[s]
		}
		if straight {
			lines[k], straight = believed.line(job, c.worker[k])
		}
	}
	if straight {
		c.lines = lines
	}
	return c
}

// fill computes how long a partition is expected to take on each slot.
func (c *columns) fill(task int32) {
	if c.lines != nil {
		size, cost := float64(c.in.Bytes[task]), c.cost[:len(c.lines)]
		for k, l := range c.lines {
			cost[k] = l.At(size)
		}
		return
	}
	last := int32(-1)
	for k, w := range c.worker {
		if w == last { // slots of a worker stand together
			c.cost[k] = c.cost[k-1]
			continue
		}
		c.cost[k], last = c.b.Time(task, w), w
	}
}

// first finds the slot that would finish first with the current partition, and when.
func (c *columns) first() (at int, end model.Time) {
	end = math.MaxInt64
	cost := c.cost[:len(c.end)]
	for k, e := range c.end {
		if x := e + cost[k]; x < end {
			at, end = k, x
		}
	}
	return at, end
}

// take records when a slot finishes. Once the job has R slots, the others are dropped.
func (c *columns) take(at int, end model.Time) {
	c.end[at] = min(end, model.MaxHorizon) // sums of estimates stay finite
	if c.used[at] {
		return
	}
	c.used[at] = true
	if c.left--; c.left > 0 {
		return
	}
	n := 0
	for k, used := range c.used {
		if !used {
			continue
		}
		c.slot[n], c.worker[n], c.end[n], c.used[n] = c.slot[k], c.worker[k], c.end[k], true
		if c.lines != nil {
			c.lines[n] = c.lines[k]
		}
		n++
	}
	c.slot, c.worker, c.end, c.used, c.cost = c.slot[:n], c.worker[:n], c.end[:n], c.used[:n], c.cost[:n]
	if c.lines != nil {
		c.lines = c.lines[:n]
	}
}
