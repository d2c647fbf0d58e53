package shop

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/list"
)

const (
	// smallTasks is the number of tasks up to which the search sometimes accepts worse schedules, and justifies them.
	smallTasks = 1500
	// coolest and hottest are the temperatures for accepting worse schedules, relative to the mean price of a job.
	hottest, coolest = 0.3, 0.001
	// mostMoved is how many tasks a step moves at most.
	mostMoved = 60
	// mostNodes is how many nodes a task of a large instance looks at.
	mostNodes = 48
)

// chain is one sequence of schedules.
type chain struct {
	in     *shop.Instance
	b      *board
	random *rand.Rand
	tasks  []int32     // that are not fixed
	preds  *list.Graph // the arcs into steps
	order  []int32     // by step: position in Topo
	ofJob  [][]int32
	ofNode [][]int32 // tasks on a node, in no order; only of large instances
	where  []int32   // by task: its place in ofNode
	middle []float64
	rank   []float64
	done   []model.Time // by job
	now    price

	each    model.Wide // the cost of one change to an earlier plan
	changes int

	bestPrice price
	bestNode  []int32
	bestStart []model.Time

	// The tasks that a step moves: in the order of Topo, where they were, and in the order in which they are placed.
	moved  []int32
	old    []spot
	turn   []int32
	moving []bool    // by task
	key    []float64 // by step
	memo   memo
	jobs   []int32      // of the moved tasks
	ended  []model.Time // when these ended before
}

// memo caches results for barriers during one step.
type memo struct {
	ready, limit            []model.Time // limit also for moved tasks
	readyAt, limitAt, keyAt []int32      // the step for which they are valid
	step                    int32
}

func newChain(in *shop.Instance, first *model.Schedule, random *rand.Rand) *chain {
	c := &chain{in: in, b: newBoard(in), random: random, preds: graph(in).Reversed(), order: positions(in.Topo),
		ofJob: make([][]int32, in.Jobs), ofNode: make([][]int32, in.Nodes), where: make([]int32, in.Tasks),
		each: changeCost(in), middle: midpoints(in).middle, rank: upwardRanks(in), done: make([]model.Time, in.Jobs),
		bestNode: make([]int32, in.Tasks), bestStart: make([]model.Time, in.Tasks), moving: make([]bool, in.Tasks),
		key: make([]float64, in.Steps)}
	c.memo = memo{ready: make([]model.Time, in.Steps), limit: make([]model.Time, in.Steps),
		readyAt: make([]int32, in.Steps), limitAt: make([]int32, in.Steps), keyAt: make([]int32, in.Steps)}
	for u := range int32(in.Tasks) {
		c.ofJob[in.Job[u]] = append(c.ofJob[in.Job[u]], u)
		if !in.Fixed(u) {
			c.tasks = append(c.tasks, u)
		}
	}
	for _, e := range first.Entries {
		if u := int32(e.Task); !in.Fixed(u) {
			c.put(u, e.Machine, e.Start)
		}
	}
	c.count()
	c.keep()
	return c
}

// put places a task, off takes it away.
func (c *chain) put(u, i int32, start model.Time) {
	c.b.place(u, i, start)
	c.where[u] = int32(len(c.ofNode[i]))
	c.ofNode[i] = append(c.ofNode[i], u)
}

func (c *chain) off(u int32) {
	i := c.b.node[u]
	list := c.ofNode[i]
	last := list[len(list)-1]
	list[c.where[u]], c.where[last] = last, c.where[u]
	c.ofNode[i] = list[:len(list)-1]
	c.b.remove(u)
}

// count computes the jobs' ends and the price from scratch.
func (c *chain) count() {
	clear(c.done)
	for u, t := range c.b.end {
		c.done[c.in.Job[u]] = max(c.done[c.in.Job[u]], t)
	}
	c.changes = 0
	for _, u := range c.tasks {
		if c.changed(u) {
			c.changes++
		}
	}
	c.now = c.charge(priceOf(c.in, c.done), c.changes)
	for u, t := range c.b.end {
		c.now = c.now.plus(taskPrice(c.in, u, t))
	}
}

// keep notes the current schedule as the best one.
func (c *chain) keep() {
	c.bestPrice = c.now
	copy(c.bestNode, c.b.node)
	copy(c.bestStart, c.b.start)
}

func (c *chain) cost() price { return c.bestPrice }

func (c *chain) adopt(better walk) {
	node, start := better.(*chain).bestNode, better.(*chain).bestStart
	var change []int32
	for _, u := range c.tasks {
		if c.b.node[u] != node[u] || c.b.start[u] != start[u] {
			change = append(change, u)
			c.off(u)
		}
	}
	for _, u := range change {
		c.put(u, node[u], start[u])
	}
	c.count()
	c.keep()
}

// schedule is the best one so far.
func (c *chain) schedule() *model.Schedule {
	s := &model.Schedule{Entries: make([]model.Entry, c.in.Tasks)}
	for u, i := range c.bestNode {
		start := c.bestStart[u]
		s.Entries[u] = model.Entry{Task: model.TaskIndex(u), Machine: i, Start: start,
			End: start + c.in.Length(int32(u), i)}
	}
	return s
}

// step moves some tasks and keeps the result if it is no worse or, on small instances, not much worse.
func (c *chain) step(heat float64) {
	c.choose()
	if len(c.moved) == 0 {
		return
	}
	c.memo.step++
	slices.SortFunc(c.moved, func(a, b int32) int { return cmp.Compare(c.order[a], c.order[b]) })
	c.old = c.old[:0]
	changes := c.changes
	for _, u := range c.moved {
		if c.changed(u) {
			changes--
		}
		c.moving[u] = true
		c.old = append(c.old, spot{c.b.node[u], c.b.start[u], c.b.end[u]})
	}
	for _, u := range c.moved {
		c.off(u)
	}
	for _, u := range slices.Backward(c.moved) {
		c.memo.limit[u] = c.limit(u)
	}
	c.arrange()
	placed := 0
	for _, u := range c.turn {
		if !c.insert(u) {
			break
		}
		placed++
	}
	for _, u := range c.moved {
		c.moving[u] = false
	}
	if placed < len(c.moved) {
		c.undo()
		return
	}
	before, after := c.change()
	kept := changes
	for _, u := range c.moved {
		if c.changed(u) {
			changes++
		}
	}
	next := c.charge(c.now.minus(before).plus(after), changes-kept)
	next = next.minus(c.charge(price{}, c.changes-kept))
	if c.in.Objective == shop.Makespan {
		next.first = c.charge(price{first: model.Wide{Low: uint64(slices.Max(c.done))}}, changes).first
	}
	if !c.accepts(next, heat) {
		c.restore()
		c.undo()
		return
	}
	c.now, c.changes = next, changes
	if len(c.tasks) <= smallTasks && c.in.Objective != shop.WeightedTaskEnds && // of which every shift costs something
		(c.now.less(c.bestPrice) || c.random.IntN(8) == 0) {
		c.justify()
	}
	if c.now.less(c.bestPrice) {
		c.keep()
	}
}

// accepts decides about the price of a changed schedule.
func (c *chain) accepts(next price, heat float64) bool {
	if !c.now.less(next) {
		return true
	}
	if len(c.tasks) > smallTasks {
		return false
	}
	unit := c.now.float() / float64(c.in.Jobs)
	if c.in.Objective == shop.Makespan {
		unit = c.now.float() / 10
	}
	temperature := unit * (coolest + (hottest-coolest)*heat*heat) / 10
	worse := next.float() - c.now.float()
	if worse == 0 { // the second part decides
		return c.random.Float64() < 0.1*heat
	}
	return temperature > 0 && c.random.Float64() < solver.Exp(-worse/temperature)
}

// undo puts the moved tasks back where they were.
func (c *chain) undo() {
	for _, u := range c.moved {
		if c.b.node[u] != model.None {
			c.off(u)
		}
	}
	for k, u := range c.moved {
		c.put(u, c.old[k].node, c.old[k].start)
	}
}

// change computes the ends of the moved tasks' jobs again, and what these jobs cost before and after.
func (c *chain) change() (before, after price) {
	c.jobs, c.ended = c.jobs[:0], c.ended[:0]
	for _, u := range c.moved {
		c.jobs = append(c.jobs, c.in.Job[u])
	}
	slices.Sort(c.jobs)
	c.jobs = slices.Compact(c.jobs)
	for _, j := range c.jobs {
		c.ended = append(c.ended, c.done[j])
		before = before.plus(jobPrice(c.in, j, c.done[j]))
		c.done[j] = 0
		for _, u := range c.ofJob[j] {
			c.done[j] = max(c.done[j], c.b.end[u])
		}
		after = after.plus(jobPrice(c.in, j, c.done[j]))
	}
	for k, u := range c.moved {
		before = before.plus(taskPrice(c.in, int(u), c.old[k].end))
		after = after.plus(taskPrice(c.in, int(u), c.b.end[u]))
	}
	return before, after
}

// restore reverts change.
func (c *chain) restore() {
	for k, j := range c.jobs {
		c.done[j] = c.ended[k]
	}
}

// insert puts a task where it ends first or, sometimes, where it ends first on a sample of nodes.
func (c *chain) insert(u int32) bool {
	from, limit := c.ready(u), c.memo.limit[u]
	if c.keepOld(u, from, limit) {
		return true
	}
	if c.random.IntN(6) == 0 {
		if at, ok := c.b.soonest(u, from, limit, c.someNodes(u, 1+c.random.IntN(3))); ok {
			c.put(u, at.node, at.start)
			return true
		}
	}
	var only []int32
	if c.in.Nodes > mostNodes {
		only = c.someNodes(u, mostNodes)
	}
	at, ok := c.b.soonest(u, from, limit, only)
	if !ok && only != nil {
		at, ok = c.b.soonest(u, from, limit, nil)
	}
	if ok {
		c.put(u, at.node, at.start)
	}
	return ok
}

// someNodes are nodes from which tasks were just moved, and random ones.
func (c *chain) someNodes(u int32, n int) []int32 {
	list := make([]int32, 0, n)
	for range n / 2 {
		list = append(list, c.old[c.random.IntN(len(c.old))].node)
	}
	for len(list) < n {
		if c.in.Reads(u) && c.random.IntN(2) == 0 {
			if r := c.in.Replicas(u); len(r) > 0 {
				list = append(list, r[c.random.IntN(len(r))])
				continue
			}
		}
		list = append(list, int32(c.random.IntN(c.in.Nodes)))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// ready is when task u may start. Tasks before it are placed.
func (c *chain) ready(u int32) model.Time {
	t := c.in.Earliest[u]
	for k := c.preds.SuccFirst[u]; k < c.preds.SuccFirst[u+1]; k++ {
		v := c.preds.SuccStep[k]
		if int(v) < c.in.Tasks {
			t = max(t, c.b.end[v]+c.preds.SuccDelay[k])
			continue
		}
		if c.memo.readyAt[v] != c.memo.step {
			c.memo.ready[v], c.memo.readyAt[v] = c.ready(v), c.memo.step
		}
		t = max(t, c.memo.ready[v]+c.preds.SuccDelay[k])
	}
	return t
}

// limit is when a step must end.
func (c *chain) limit(u int32) model.Time {
	t := shop.Never - 1
	for k := c.in.SuccFirst[u]; k < c.in.SuccFirst[u+1]; k++ {
		v := c.in.SuccStep[k]
		var next model.Time
		switch {
		case int(v) >= c.in.Tasks:
			if c.memo.limitAt[v] != c.memo.step {
				c.memo.limit[v], c.memo.limitAt[v] = c.limit(v), c.memo.step
			}
			next = c.memo.limit[v]
		case c.moving[v]:
			next = c.memo.limit[v] - c.in.Least[v]
		default:
			next = c.b.start[v]
		}
		t = min(t, next-c.in.SuccDelay[k])
	}
	return t
}
