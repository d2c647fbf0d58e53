package shop

import (
	"cmp"
	"context"
	"slices"

	"mrsched/model"
	"mrsched/model/heap"
	"mrsched/model/shop"
	"mrsched/solver"
)

// policy chooses among the waiting tasks.
type policy interface {
	// wait announces a task that may start from now on, park one that may not until wait announces it again, start one
	// that starts, end one that ends.
	wait(u int32)
	park(u int32)
	start(u int32)
	end(u int32)
	// pick is the waiting task for which may is true that node i starts now; None if there is none. Free is what node i
	// has free; may must not be called for tasks that need more.
	pick(i int32, free []int64, may func(u int32) bool) int32
}

// dispatcher starts tasks in the order of time, as a real cluster's scheduler does: whenever a task ends or becomes
// ready, it starts whatever fits. No waiting task stays waiting while a node has room for it that lasts until the node
// becomes unavailable or a fixed task starts there.
//
// Complexity: O(N · log(N · nodes)) and what the policy takes; but tasks that read, and those that the table eligible
// restricts, look at all their nodes when they become ready.
type dispatcher struct {
	ctx      context.Context
	in       *shop.Instance
	b        *board
	policy   policy
	free     []int64 // by node and resource, now
	row      []int64 // of a node with groups
	idle     idle
	parked   [][]int32 // by group: waiting tasks that the policy does not see, as it has too little for them
	most     []int64   // by group: the most that a task takes of its resource
	reserved []bool    // by node, then by group: the board's profile decides, because of a future fixed task or absence
	now      model.Time
	ready    []model.Time // by step
	waiting  []int32      // by step: predecessors that have not started
	waits    []bool       // by task: the policy knows it
	future   heap.Heap[model.Time]
	running  heap.Heap[model.Time]
	wakes    []wake
	started  int
	tries    [][]model.Time       // by task: what its next tries take, as the one under way fails; empty: no task fails
	pause    model.Time           // before the next try
	began    map[int32]model.Time // the first tries of tasks that failed
}

// wake is a time at which a reserved node or group has more room than before.
type wake struct {
	at   model.Time
	node int32
}

// dispatch adds all tasks to a board with the fixed ones; nil if some task never finds a place, or if ctx ends.
func dispatch(ctx context.Context, b *board, p policy, opt solver.Options) *model.Schedule {
	if !newDispatcher(ctx, b, p).all(opt) {
		return nil
	}
	return b.schedule()
}

func newDispatcher(ctx context.Context, b *board, p policy) *dispatcher {
	in := b.in
	d := &dispatcher{ctx: ctx, in: in, b: b, policy: p, free: make([]int64, in.Nodes*b.resources),
		reserved: make([]bool, in.Nodes+len(in.Groups)), ready: slices.Clone(in.Earliest), waiting: slices.Clone(in.Preds),
		waits: make([]bool, in.Tasks)}
	for i := range b.profiles {
		x := &b.profiles[i]
		copy(d.free[i*b.resources:], x.free[len(x.free)-b.resources:])
		d.reserve(i, x)
	}
	most := make([]int64, len(in.Resource))
	for u := range int32(in.Tasks) {
		in.EachTake(u, func(r int32, x int64) { most[r] = max(most[r], x) })
	}
	for g := range b.shared {
		d.reserve(in.Nodes+g, &b.shared[g])
		d.most = append(d.most, most[in.Groups[g].Resource])
	}
	d.watchRoom()
	d.parked = make([][]int32, len(in.Groups))
	slices.SortFunc(d.wakes, func(a, b wake) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.node, b.node)) })
	return d
}

// all starts all tasks; false: some never find a place, or ctx ended.
func (d *dispatcher) all(opt solver.Options) bool {
	for u := range int32(d.in.Tasks) {
		if d.in.Fixed(u) {
			d.enter(u)
		} else if d.in.Preds[u] == 0 {
			d.future.Push(heap.Item[model.Time]{Key: d.in.Earliest[u], Index: u})
		}
	}
	for told := 0; d.started < d.in.Tasks; {
		if !d.step() || d.ctx.Err() != nil {
			return false
		}
		if d.started >= told {
			opt.Report(d.started, d.in.Tasks)
			told = d.started + d.in.Tasks/100
		}
	}
	return true
}

// reserve notes the future of a node or a group.
func (d *dispatcher) reserve(i int, x *profile) {
	d.reserved[i] = len(x.at) > 1
	for _, t := range x.at[1:] {
		if t >= 0 {
			d.wakes = append(d.wakes, wake{t, int32(i)})
		}
	}
}

// step goes to the next time at which something changes, and starts what fits. It reports whether there was such a
// time.
func (d *dispatcher) step() bool {
	d.now = model.MaxTime
	if len(d.future) > 0 {
		d.now = d.future[0].Key
	}
	if len(d.running) > 0 {
		d.now = min(d.now, d.running[0].Key)
	}
	if len(d.wakes) > 0 {
		d.now = min(d.now, d.wakes[0].at)
	}
	if d.now >= model.MaxTime {
		return false
	}
	var touched, fresh []int32
	for len(d.wakes) > 0 && d.wakes[0].at == d.now {
		touched, d.wakes = append(touched, d.wakes[0].node), d.wakes[1:]
	}
	for len(d.running) > 0 && d.running[0].Key == d.now {
		u := d.running.Pop().Index
		d.policy.end(u)
		i := d.b.node[u]
		if !d.reserved[i] {
			d.give(i, u, 1)
		}
		d.eachUsed(u, func(k int32) { touched = append(touched, k) })
		if d.fails(u) {
			if _, ok := d.began[u]; !ok {
				d.began[u] = d.b.start[u]
			}
			d.in.Work(u, d.tries[u][0])
			d.tries[u] = d.tries[u][1:]
			d.future.Push(heap.Item[model.Time]{Key: d.now + d.pause, Index: u})
		}
	}
	slices.Sort(touched)
	touched = slices.Compact(touched)
	for _, k := range touched {
		if d.changed(k); int(k) >= d.in.Nodes {
			d.reopen(k - int32(d.in.Nodes))
		}
	}
	line, inLine := d.policy.(*inLine)
	for len(d.future) > 0 && d.future[0].Key <= d.now {
		u := d.future.Pop().Index
		if d.in.Least[u] == 0 && !inLine {
			if i := d.nearest(u); i != model.None && d.in.Length(u, i) == 0 {
				d.run(u, i)
				continue
			}
		}
		d.policy.wait(u)
		d.waits[u] = true
		fresh = append(fresh, u)
	}
	if inLine {
		d.sweep(line)
		return true
	}
	for _, i := range touched {
		if g := i - int32(d.in.Nodes); g >= 0 {
			d.refill(g)
		} else {
			d.fill(i)
		}
	}
	d.spread(fresh)
	return true
}

// eachUsed passes the node of task u, and a number of nodes further on the groups of which it takes something.
func (d *dispatcher) eachUsed(u int32, pass func(k int32)) {
	i := d.b.node[u]
	pass(i)
	for _, g := range d.in.GroupsOf(u, i) {
		if d.b.part(u, g)[0] > 0 {
			pass(int32(d.in.Nodes) + g)
		}
	}
}

// give adds sign × the demand of task u to what node i has free.
func (d *dispatcher) give(i, u int32, sign int64) {
	row := d.free[int(i)*d.b.resources:]
	for r, x := range d.b.demands(u) {
		row[r] += sign * x
	}
}

// freeNow is what node i has free, at most what its groups have.
func (d *dispatcher) freeNow(i int32) []int64 {
	groups := d.in.Above(i)
	if len(groups) == 0 {
		return d.ownNow(i)
	}
	d.row = append(d.row[:0], d.ownNow(i)...)
	for _, g := range groups {
		free := &d.row[d.in.Groups[g].Resource]
		*free = min(*free, d.b.shared[g].freeAt(d.now))
	}
	return d.row
}

// ownNow is what node i has free, whatever others share with it.
func (d *dispatcher) ownNow(i int32) []int64 {
	if d.reserved[i] {
		p := &d.b.profiles[i]
		k := p.find(d.now)
		return p.free[k*d.b.resources : (k+1)*d.b.resources]
	}
	return d.free[int(i)*d.b.resources : (int(i)+1)*d.b.resources]
}

// may says whether task u can start on node i now, where it has room at this moment.
func (d *dispatcher) may(u, i int32) bool {
	if !d.in.Runs(u, i) {
		return false
	}
	length := d.in.Length(u, i)
	if length == 0 {
		return true
	}
	for _, g := range d.in.GroupsOf(u, i) {
		part, x := d.b.part(u, g), &d.b.shared[g]
		if int(d.in.Groups[g].Resource) >= d.in.Resources && part[0] > x.freeAt(d.now) ||
			d.reserved[d.in.Nodes+int(g)] && x.earliest(d.now, length, d.now, part) > d.now {
			return false
		}
	}
	return !d.reserved[i] || d.b.profiles[i].earliest(d.now, length, d.now, d.b.demands(u)) == d.now
}

// refill starts tasks that a group had too little room for, each on the best node, until it has none left.
func (d *dispatcher) refill(g int32) {
	p, nodes := &d.b.shared[g], d.in.Groups[g].Nodes
	if len(nodes) == 0 || !d.reserved[d.in.Nodes+int(g)] && p.freeAt(d.now-1) >= d.most[g] {
		return // nothing waited for it
	}
	for d.ctx.Err() == nil && p.freeAt(d.now) > 0 {
		u := d.pick(nodes[0], d.anywhere(), func(u int32) bool { return d.nearest(u) != model.None })
		if u == model.None {
			return
		}
		d.run(u, d.nearest(u))
	}
}

// fill starts tasks on one node until none fits.
func (d *dispatcher) fill(i int32) {
	for d.ctx.Err() == nil {
		u := d.pick(i, d.freeNow(i), func(u int32) bool { return d.may(u, i) })
		if u == model.None {
			return
		}
		d.run(u, i)
	}
}

// run starts task u on node i now.
func (d *dispatcher) run(u, i int32) {
	b := d.b
	length := d.in.Length(u, i)
	if d.reserved[i] {
		b.place(u, i, d.now)
	} else {
		b.node[u], b.start[u], b.end[u] = i, d.now, d.now+length
		if length > 0 {
			d.give(i, u, -1)
			b.share(u, i, d.now, d.now+length, -1)
		}
	}
	if length > 0 {
		d.eachUsed(u, d.changed)
	}
	d.waits[u] = false
	d.enter(u)
}

// fails says that the try of task u that is under way fails.
func (d *dispatcher) fails(u int32) bool { return len(d.tries) > 0 && len(d.tries[u]) > 0 }

// enter records that a task is placed. Policies do not see tasks of length 0, which take nothing.
func (d *dispatcher) enter(u int32) {
	if d.b.end[u] > d.b.start[u] {
		d.policy.start(u)
		d.running.Push(heap.Item[model.Time]{Key: d.b.end[u], Index: u})
	}
	if d.fails(u) {
		return
	}
	d.started++
	d.b.graph.Release(u, d.b.end[u], d.ready, d.waiting, func(v int32) {
		d.future.Push(heap.Item[model.Time]{Key: d.ready[v], Index: v})
	})
}

// spread considers tasks that have just become ready, and starts whatever the policy picks first on the node with room
// where such a task ends first.
func (d *dispatcher) spread(fresh []int32) {
	for _, u := range fresh {
		for d.waits[u] && d.ctx.Err() == nil {
			i := d.nearest(u)
			if i == model.None {
				break
			}
			v := d.pick(i, d.freeNow(i), func(v int32) bool { return d.may(v, i) })
			d.run(v, i)
		}
	}
}

// room says whether node i has at this moment what task u takes.
func (d *dispatcher) room(u, i int32) bool {
	demand := d.b.demands(u)
	for r, f := range d.freeNow(i) {
		if demand[r] > f {
			return false
		}
	}
	return true
}
