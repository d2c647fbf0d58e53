package hta

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/solver"
	"mrsched/solver/flow"
)

// maxRackFlows is how many minimum-cost flows one sweep over loads may take.
const maxRackFlows = 8

// solveRackFlow is flow, also for three levels of locality. With racks it bisects between the bound and the makespan of
// the two-level algorithm: for a load L a minimum-cost flow (split) decides which tasks run on servers that hold their
// blocks and which in their racks; the others are balanced. The best assignment wins, two-level or not.
//
// Guarantee: makespan ≤ (c₃/c₂)·OPT + (1 − 1/(n−1))·c₃ for n ≥ 2 servers (guaranteeFlow). Complexity: at most
// maxRackFlows minimum-cost flows.   Ties: the earlier load, then lower indices. Source: after Fischer, Su, Yin, SPAA
// 2010, Algorithm 2.
func solveRackFlow(ctx context.Context, r *run, opt solver.Options) (*found, error) {
	f, err := solveFlow(ctx, r, opt)
	if err != nil || !r.in.Cost.Rack.Known {
		return f, err
	}
	best := r.in.Measure(f.server).Makespan
	step := r.in.PriceUnit()
	low, high := r.value, best // high is attained, loads below low are not tried
	for range maxRackFlows {
		if low >= high || ctx.Err() != nil {
			break
		}
		load := low + (high-low)/(2*step)*step
		x := r.split(ctx, load)
		if x == nil {
			break
		}
		server := r.settle(x)
		made := r.in.Measure(server).Makespan
		if made < best {
			best, f.server = made, server
		}
		if made <= load {
			high = min(made, load)
		} else {
			low = load + step
			high = min(high, best)
		}
	}
	if ctx.Err() != nil {
		f.status = model.StatusLimit
	}
	return f, nil
}

// partial is an assignment of some tasks; the others have server None.
type partial struct {
	server []int32
	loads  *loadTree
	rest   []int32 // tasks without a server, in order
}

func newPartial(in *hta.Instance) *partial {
	return &partial{server: slices.Repeat([]int32{model.None}, in.Tasks), loads: newLoadTree(in)}
}

func (p *partial) clone() *partial {
	loads := *p.loads
	loads.load, loads.best = slices.Clone(loads.load), slices.Clone(loads.best)
	return &partial{server: slices.Clone(p.server), loads: &loads, rest: p.rest}
}

// split places tasks for a load L by a minimum-cost flow from blocks to servers and racks; nil if ctx ends. Server s
// takes at most a_s local tasks, its load in the balanced semi-matching, but no more than ⌊L/c₁⌋. The time that is left
// makes ⌊(L − a_s·c₁)/c₂⌋ places for tasks from its rack, which the servers of a rack share. Other tasks stay off the
// racks, at c₃. So no load exceeds L, and the total cost of the tasks is least.
func (r *run) split(ctx context.Context, load model.Time) *partial {
	in := r.in
	own := slices.Clone(r.balance(ctx).Load)
	inRack := make([]int64, in.Racks) // places for tasks of the rack
	for s, a := range own {
		a = min(a, r.mostLocal(load))
		own[s] = a
		if k := in.Rack[s]; k != model.None {
			places := model.Time(in.Tasks)
			if c2 := in.Cost.Rack.Value; c2 > 0 {
				places = min(places, (load-model.Time(a)*in.Cost.Local)/c2)
			}
			inRack[k] += int64(places)
		}
	}
	n, local, toRack := r.splitNetwork(own, inRack)
	if n == nil {
		return nil
	}
	x, err := flow.MinCost(ctx, n)
	if err != nil || x.Status != flow.Optimal {
		return nil
	}
	return r.scatter(x.Flow, local, toRack)
}

// splitNetwork is split's network, with its arcs from blocks to servers, by replica, and to racks.
func (r *run) splitNetwork(own []int32, inRack []int64) (n *flow.Network, local, toRack []flow.Arc) {
	in := r.in
	var b flow.Builder
	sink := b.AddNode()
	servers, racks := b.AddNodes(in.Servers), b.AddNodes(in.Racks)
	blocks := b.AddNodes(in.Blocks)
	first, replica := in.ReplicaRows()
	local = make([]flow.Arc, len(replica))
	b.Grow(2*len(replica) + in.Blocks + in.Servers + in.Racks)
	c1, c2, c3 := int64(in.Cost.Local), int64(in.Cost.Rack.Value), int64(in.Cost.Remote.At(0))
	for block := range int32(in.Blocks) {
		node := blocks + flow.Node(block)
		for e := first[block]; e < first[block+1]; e++ {
			local[e] = b.AddArc(node, servers+flow.Node(replica[e]), flow.Infinite, c1)
		}
		for _, k := range in.ReplicaRacks(block) {
			toRack = append(toRack, b.AddArc(node, racks+flow.Node(k), flow.Infinite, c2))
		}
		b.AddArc(node, sink, flow.Infinite, c3)
		b.AddSupply(node, int64(in.Readers(block)))
	}
	for s, a := range own {
		b.AddArc(servers+flow.Node(s), sink, int64(a), 0)
	}
	for k, places := range inRack {
		b.AddArc(racks+flow.Node(k), sink, places, 0)
	}
	b.AddSupply(sink, -int64(in.Tasks))
	n, err := b.Build()
	if err != nil {
		return nil, nil, nil
	}
	return n, local, toRack
}

// scatter assigns tasks as in a flow; tasks for a rack go to its least loaded server, one after another.
func (r *run) scatter(x []int64, local, toRack []flow.Arc) *partial {
	in := r.in
	p := newPartial(in)
	type share struct{ task, rack int32 }
	var inRack []share
	first, replica := in.ReplicaRows()
	for block := range int32(in.Blocks) {
		tasks := in.Reader[in.ReaderFirst[block]:in.ReaderFirst[block+1]]
		for e := first[block]; e < first[block+1]; e++ {
			for range x[local[e]] {
				p.put(tasks[0], replica[e], in.Cost.Local)
				tasks = tasks[1:]
			}
		}
		for _, k := range in.ReplicaRacks(block) {
			for range x[toRack[0]] {
				inRack = append(inRack, share{tasks[0], k})
				tasks = tasks[1:]
			}
			toRack = toRack[1:]
		}
		p.rest = append(p.rest, tasks...)
	}
	for _, u := range inRack {
		p.put(u.task, p.loads.leastIn(u.rack), in.Cost.Rack.Value)
	}
	slices.Sort(p.rest)
	return p
}

func (p *partial) put(task, server int32, cost model.Time) {
	p.server[task] = server
	p.loads.add(server, cost)
}

// settle places the rest one after another where the load becomes least: on a holder, in a holder's rack or anywhere.
func (r *run) settle(p *partial) []int32 {
	in := r.in
	for _, t := range p.rest {
		best := p.loads.least()
		cost := in.Cost.Remote.At(0)
		try := func(s int32, c model.Time) {
			if p.loads.load[s]+c < p.loads.load[best]+cost {
				best, cost = s, c
			}
		}
		for _, s := range in.Replicas(in.Block[t]) {
			try(s, in.Cost.Local)
		}
		for _, k := range in.ReplicaRacks(in.Block[t]) {
			try(p.loads.leastIn(k), in.Cost.Rack.Value)
		}
		p.put(t, best, cost)
	}
	return p.server
}

// loadTree keeps the loads of servers and finds the least loaded one of all or of a rack in O(log servers). Ties: the
// first in the order of racks, then of servers.
type loadTree struct {
	load  []model.Time // by server
	order []int32      // servers by rack
	leaf  []int32      // by server: its place in order
	first []int32      // by rack: its servers are order[first[k]:first[k+1]]
	best  []int32      // a heap-shaped tree: best[1] of all, best[size+i] = order[i]; None: no server
	size  int
}

func newLoadTree(in *hta.Instance) *loadTree {
	t := &loadTree{load: make([]model.Time, in.Servers), order: model.Indices(in.Servers), leaf: make([]int32, in.Servers),
		first: make([]int32, in.Racks+1), size: 1}
	rack := func(s int32) int { // servers under no rack come last
		if in.Rack[s] == model.None {
			return in.Racks
		}
		return int(in.Rack[s])
	}
	slices.SortStableFunc(t.order, func(a, b int32) int { return cmp.Compare(rack(a), rack(b)) })
	for i, s := range t.order {
		t.leaf[s] = int32(i)
	}
	for k := range t.first {
		t.first[k] = int32(sort.Search(len(t.order), func(i int) bool { return rack(t.order[i]) >= k }))
	}
	for t.size < in.Servers {
		t.size *= 2
	}
	t.best = slices.Repeat([]int32{model.None}, 2*t.size)
	copy(t.best[t.size:], t.order)
	for i := t.size - 1; i > 0; i-- {
		t.best[i] = t.better(t.best[2*i], t.best[2*i+1])
	}
	return t
}

// better is the less loaded of two servers; ties: the first.
func (t *loadTree) better(a, b int32) int32 {
	if a == model.None || b != model.None && t.load[b] < t.load[a] {
		return b
	}
	return a
}

// add changes a server's load.
func (t *loadTree) add(s int32, cost model.Time) {
	t.load[s] += cost
	for i := (t.size + int(t.leaf[s])) / 2; i > 0; i /= 2 {
		t.best[i] = t.better(t.best[2*i], t.best[2*i+1])
	}
}

// least is the least loaded server.
func (t *loadTree) least() int32 { return t.best[1] }

// leastIn is the least loaded server of a rack that has one.
func (t *loadTree) leastIn(rack int32) int32 {
	low, high := t.size+int(t.first[rack]), t.size+int(t.first[rack+1])
	left, right := int32(model.None), int32(model.None)
	for ; low < high; low, high = low/2, high/2 {
		if low%2 == 1 {
			left = t.better(left, t.best[low])
			low++
		}
		if high%2 == 1 {
			high--
			right = t.better(t.best[high], right)
		}
	}
	return t.better(left, right)
}
