package hta

import (
	"cmp"
	"slices"
	"sort"

	"mrsched/model"
	"mrsched/model/hta"
)

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

func (p *partial) put(task, server int32, cost model.Time) {
	p.server[task] = server
	p.loads.add(server, cost)
}

// settle places the rest one after another where the load becomes least: on a holder, in a holder's rack or anywhere.
func (r *run) settle(p *partial, price [3]model.Time) []int32 {
	in := r.in
	for _, t := range p.rest {
		best := p.loads.least()
		cost := price[hta.Remote]
		try := func(s int32, c model.Time) {
			if p.loads.load[s]+c < p.loads.load[best]+cost {
				best, cost = s, c
			}
		}
		for _, s := range in.Replicas(in.Block[t]) {
			try(s, price[hta.NodeLocal])
		}
		for _, k := range in.ReplicaRacks(in.Block[t]) {
			try(p.loads.leastIn(k), price[hta.RackLocal])
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
