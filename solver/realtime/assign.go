package realtime

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
	"mrsched/solver/estimate"
	"mrsched/solver/list"
)

// sketchRows is the largest number of rows of a job's sketch.
func (r *run) sketchRows() (most int) {
	for j := range int32(r.in.Jobs) {
		most = max(most, len(r.in.SetsOf(j))-1)
	}
	return most
}

// solveAssign assigns the partitions of all jobs by a named algorithm.
func (r *run) solveAssign(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	var b expectation
	var err error
	if strings.HasPrefix(name, "dp") { // the others look at bytes only
		if b, err = r.expects(); err != nil {
			return nil, err
		}
	}
	out := &solver.Outcome{Status: model.StatusFeasible}
	list := make([]assignment, r.in.Jobs)
	for j := range list {
		opt.Report(j, len(list))
		if ctx.Err() != nil { // out of time: the fast algorithm for the rest
			out.Status, name = model.StatusLimit, "hash"
		}
		if list[j], err = r.assign(name, int32(j), b, nil); err != nil {
			return nil, err
		}
	}
	out.Schedule = phases(r.in, list)
	if strings.HasSuffix(name, sketched) {
		out.Facts = Facts{SketchRows: r.sketchRows()}
	}
	return out, nil
}

// placer puts the partitions of a set on reduce slots and returns a cost by its own measure; lower is better.
type placer func(r *run, set realtime.Set, b expectation, o *outlook) (slot []int32, cost int64)

// assign chooses a job's set of partitions and puts them on at most R reduce slots, by a named algorithm. Results
// depend on only the arguments.
//
// The algorithms with sketches try the rows of the job's sketch. As in the paper, only jobs without a sketch use
// Hadoop's hash. Ties: the first row.
func (r *run) assign(name string, job int32, b expectation, o *outlook) (assignment, error) {
	placers := map[string]placer{"hash": (*run).placeHash, "lb": (*run).placeLB, "dp": (*run).placeDP}
	base, rows := strings.CutSuffix(name, sketched)
	place, ok := placers[base]
	if !ok {
		return assignment{}, fmt.Errorf("there is no partitioner %q", name)
	}
	sets := r.in.SetsOf(job)
	if rows && len(sets) > 1 {
		sets = sets[1:]
	} else {
		sets = sets[:1]
	}
	var best assignment
	least := int64(0)
	for k, set := range sets {
		if slot, cost := place(r, set, b, o); k == 0 || cost < least {
			best, least = assignment{set, slot}, cost
		}
	}
	return best, nil
}

// assignment is the chosen set of a job and the reduce slot of each partition.
type assignment struct {
	set  realtime.Set
	slot []int32 // by partition of the set
}

// phases schedules the jobs' reduce phases one after another. Each slot takes the largest partition first; ties: the
// first.
func phases(in *realtime.Instance, list []assignment) *model.Schedule {
	var entries []model.Entry
	begin := model.Time(0)
	for _, a := range list {
		end, last := map[int32]model.Time{}, begin
		own := make([]model.Entry, len(a.slot))
		for _, k := range descending(in, a.set) {
			s, t := a.slot[k], a.set.First+k
			start, ok := end[s]
			if !ok {
				start = begin
			}
			end[s] = start + in.Time(t, in.WorkerOf[s])
			own[k] = model.Entry{Task: model.TaskIndex(t), Machine: s, Start: start, End: end[s]}
			last = max(last, end[s])
		}
		entries, begin = append(entries, own...), last
	}
	return &model.Schedule{Entries: entries}
}

// descending lists the partitions of a set, the largest first. Ties: the first.
func descending(in *realtime.Instance, set realtime.Set) []int32 {
	return sortBy(numbers(0, set.Count), func(k int32) model.Bytes { return -in.Bytes[set.First+k] })
}

// seats are the slots of a job's reducers: one on each slot, in the order in which slots are expected to be free, then
// another on each, and so on. It leaves out reducers beyond the number of partitions. Ties: the first slot.
func (r *run) seats(set realtime.Set, o *outlook) []int32 {
	slots := slices.Clone(r.in.ReduceSlots)
	if o != nil {
		sortBy(slots, func(s int32) model.Time { return o.free[s] })
	}
	seats := make([]int32, min(r.in.Reducers[set.Job], set.Count))
	for k := range seats {
		seats[k] = slots[k%len(slots)]
	}
	return seats
}

// placeHash gives partition i to reducer i mod R; see seats. With p = R that is hash mod R, as in Hadoop.
//
// Complexity: O(p), and sorting the slots where free is known.   Source: Dean, Ghemawat, OSDI 2004, §4.1.
func (r *run) placeHash(set realtime.Set, _ expectation, o *outlook) ([]int32, int64) {
	seats, slot := r.seats(set, o), make([]int32, set.Count)
	for k := range slot {
		slot[k] = seats[k%len(seats)]
	}
	return slot, 0
}

// placeLB gives each partition, the largest first, to the reducer that has the least data; see seats. Empty partitions
// go to the reducers in turn. The cost is the most data of a reducer. All rows of a sketch hold the same data, so the
// least cost has the best Balance.
//
// Complexity: O(p log p).   Ties: the first partition, the first reducer.
// Source: Gufler, Augsten, Reiser, Kemper, CLOSER 2011, fine partitioning; DynamicShare, §5, with sketches.
func (r *run) placeLB(set realtime.Set, _ expectation, o *outlook) ([]int32, int64) {
	seats, slot := r.seats(set, o), make([]int32, set.Count)
	least := make(list.Heap, len(seats)) // reducers, by bytes
	for k := range least {
		least[k].Index = int32(k)
	}
	most := model.Time(0)
	for i, k := range descending(r.in, set) {
		if r.in.Bytes[set.First+k] == 0 {
			slot[k] = seats[i%len(seats)]
			continue
		}
		x := least[0]
		slot[k] = seats[x.Index]
		x.Key += model.Time(r.in.Bytes[set.First+k])
		most = max(most, x.Key)
		least.ReplaceTop(x)
	}
	return slot, int64(most)
}

// placeDP gives each partition, the largest first, to the reduce slot that is expected to finish it first, among those
// where the job is expected to be on time and makes no other job late (see room); if there are none, among all. Any
// slot may become one of the job's until it has R. The cost is when the last slot is expected to finish.
//
// Complexity: O(p·m) for m reduce slots, O(p·R) once the job has R, apart from what room looks at.
// Ties: the first partition, the first slot.   Source: DynamicShare, §4.
// Differs: slots are chosen with the partitions; time adds up over a slot's partitions.
func (r *run) placeDP(set realtime.Set, b expectation, o *outlook) ([]int32, int64) {
	c := newColumns(r.in, set.Job, b, o)
	slot, last := make([]int32, set.Count), model.Time(0)
	for _, k := range descending(r.in, set) {
		c.fill(set.First + k)
		at, end := c.first()
		slot[k], last = c.list[at].slot, max(last, end)
		c.take(at, end)
	}
	return slot, int64(last)
}

// columns are the reduce slots that a job's partitions may still go to, in their order.
type columns struct {
	in   *realtime.Instance
	b    expectation
	room *room // nil: the deadlines of other jobs do not count
	left int   // how many more slots the job may have
	list []column
	// In lists of their own, because every partition goes through them: when a slot is expected to finish what it has,
	// how long the current partition is expected to take there, and how times depend on sizes if that is a line, else
	// nil.
	end, cost []model.Time
	lines     []estimate.Line
}

type column struct {
	slot, worker int32
	free         model.Time // when it is expected to be free for the job
	used         bool       // the job has it already
}

func newColumns(in *realtime.Instance, job int32, b expectation, o *outlook) *columns {
	n := len(in.ReduceSlots)
	c := &columns{in: in, b: b, left: int(in.Reducers[job]), list: make([]column, n), end: make([]model.Time, n),
		cost: make([]model.Time, n), lines: make([]estimate.Line, n)}
	if o != nil && o.room != nil {
		c.room = o.room
		c.room.clear()
	}
	expected, straight := b.(lined)
	for k, s := range in.ReduceSlots {
		c.list[k].slot, c.list[k].worker = s, in.WorkerOf[s]
		if o != nil {
			c.list[k].free, c.end[k] = o.free[s], o.free[s]
		}
		if straight {
			c.lines[k], straight = expected.line(job, c.list[k].worker)
		}
	}
	if !straight {
		c.lines = nil
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
	for k, x := range c.list {
		if k > 0 && x.worker == c.list[k-1].worker { // slots of a worker are adjacent
			c.cost[k] = c.cost[k-1]
		} else {
			c.cost[k] = c.b.Time(task, x.worker)
		}
	}
}

// first finds the slot that would finish first with the current partition, and when: a slot where it fits, if any.
func (c *columns) first() (at int, end model.Time) {
	end = math.MaxInt64
	cost := c.cost[:len(c.end)]
	if c.room != nil {
		for k, e := range c.end {
			if x := e + cost[k]; x < end && c.room.fits(c.list[k].worker, cost[k], x-c.list[k].free, x) {
				at, end = k, x
			}
		}
		if end < math.MaxInt64 {
			return at, end
		}
	}
	for k, e := range c.end {
		if x := e + cost[k]; x < end {
			at, end = k, x
		}
	}
	return at, end
}

// take records when a slot finishes. Once the job has R slots, the others are dropped.
func (c *columns) take(at int, end model.Time) {
	if c.room != nil {
		c.room.take(c.list[at].worker, c.cost[at], end-c.list[at].free)
	}
	c.end[at] = min(end, model.MaxHorizon) // sums of estimates stay finite
	if c.list[at].used {
		return
	}
	c.list[at].used = true
	if c.left--; c.left > 0 {
		return
	}
	n := 0
	for k, x := range c.list {
		if x.used {
			c.list[n], c.end[n] = x, c.end[k]
			if c.lines != nil {
				c.lines[n] = c.lines[k]
			}
			n++
		}
	}
	c.list, c.end, c.cost = c.list[:n], c.end[:n], c.cost[:n]
	if c.lines != nil {
		c.lines = c.lines[:n]
	}
}
