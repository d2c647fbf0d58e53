package msjo

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
)

// groupPaths bounds the nodes and arcs visited to find the groups of tasks before or after nodes.
const groupPaths = 300_000

// twoSidedTasks maximises the bound of msjo.TwoSidedTasks. Every node divides its weight among its edges: its own
// weight plus the weight that later nodes pass on. One edge keeps weight, one pays for the task's place, the others
// pass weight on to nodes before it. As in twoSided, a step multiplies shares by e^(step·(gain − mean gain)). The gain
// of an edge is the earning of a unit of weight on it and, on average, from there on.
//
// Complexity: O(E log E) per step, E the number of edges.   Source: mrsched.
type twoSidedTasks struct {
	in     *msjo.Instance
	weight []float64 // by node: its own
	first  []int32   // node u has edges first[u] … first[u+1]−1
	edges  []weightEdge
	items  []weightItem
	groups []weightGroup // the first one is all tasks by place; empty: no groups
	order  []int32       // 0 … len(items)−1

	share, flow, logs, gain, direction []float64 // by edge
	start, best                        []float64 // by edge: flows
	has, worth                         []float64 // by node: weight, and the earning of a unit of it
	from, p, price, mean               []float64 // by item
	machine                            *fluidMachine
}

// weightEdge takes weight from a node.
type weightEdge struct {
	to   int32   // the receiving node; None: it stays
	item int32   // None: none
	arc  int32   // None: none
	base float64 // seconds that it earns in addition to the mean of its item
}

// weightItem is a task in a group, and the edge that prices it.
type weightItem struct{ task, edge int32 }

// weightGroup are items from … to−1, sorted by the time at which they become available.
type weightGroup struct {
	from, to int32
	node     int32
	before   bool
}

func newTwoSidedTasks(in *msjo.Instance, heads []model.Time) *twoSidedTasks {
	s := &twoSidedTasks{in: in, first: make([]int32, in.Steps+1)}
	for u := range in.Steps {
		s.weight = append(s.weight, in.TaskWeight[u].Float())
	}
	s.group(in.Topo, weightGroup{node: model.None}, heads)
	path := make([]model.Time, in.Steps)
	into := func(u int32) int32 { return in.Preds[u] }
	out := func(u int32) int32 { return in.SuccFirst[u+1] - in.SuccFirst[u] }
	for j := range in.Jobs {
		for _, u := range meetings(in, j, groupPaths/in.Jobs, into) {
			in.PathsTo(u, path)
			path[u] = -1
			s.group(in.JobSteps(j), weightGroup{node: u, before: true}, path)
		}
		for _, u := range meetings(in, j, groupPaths/in.Jobs, out) {
			in.PathsFrom(u, path)
			s.group(in.JobSteps(j), weightGroup{node: u}, path)
		}
	}
	s.connect(heads)
	n, e := len(s.items), len(s.edges)
	for _, v := range []*[]float64{&s.share, &s.flow, &s.logs, &s.gain, &s.direction, &s.start, &s.best} {
		*v = make([]float64, e)
	}
	s.has, s.worth = make([]float64, in.Steps), make([]float64, in.Steps)
	s.price, s.mean, s.order, s.machine = make([]float64, n), make([]float64, n), upTo(n), newFluidMachine(in, n)
	return s
}

// group adds the tasks of positive length with their available times, which are negative for other tasks. A group with
// no more tasks than machines earns no more than arcs, so it is left out.
func (s *twoSidedTasks) group(nodes []int32, g weightGroup, available []model.Time) {
	g.from = int32(len(s.items))
	for _, u := range nodes {
		if u < int32(s.in.Tasks) && available[u] >= 0 && s.in.Least[u] > 0 {
			s.items = append(s.items, weightItem{task: u})
		}
	}
	g.to = int32(len(s.items))
	if g.node != model.None && int(g.to-g.from) <= s.in.Nodes {
		s.items = s.items[:g.from]
		return
	}
	slices.SortStableFunc(s.items[g.from:], func(a, b weightItem) int {
		return cmp.Compare(available[a.task], available[b.task])
	})
	for _, i := range s.items[g.from:] {
		s.from = append(s.from, available[i.task].Seconds())
		s.p = append(s.p, s.in.Least[i.task].Seconds())
	}
	s.groups = append(s.groups, g)
}

// connect makes the edges.
func (s *twoSidedTasks) connect(heads []model.Time) {
	in := s.in
	giver := func(g *weightGroup, i weightItem) int32 {
		if g.before {
			return g.node
		}
		return i.task
	}
	for u := range in.Steps {
		s.first[u+1] += 1 + in.Preds[u]
	}
	for k := range s.groups {
		g := &s.groups[k]
		for _, i := range s.items[g.from:g.to] {
			s.first[giver(g, i)+1]++
		}
	}
	for u := range in.Steps {
		s.first[u+1] += s.first[u]
	}
	s.edges = make([]weightEdge, s.first[in.Steps])
	next := slices.Clone(s.first[:in.Steps])
	add := func(u int32, e weightEdge) {
		s.edges[next[u]] = e
		next[u]++
	}
	for u := range int32(in.Steps) {
		add(u, weightEdge{model.None, model.None, model.None, (heads[u] + in.Least[u]).Seconds()})
	}
	for u := range int32(in.Steps) {
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			v := in.SuccStep[a]
			add(v, weightEdge{u, model.None, a, (in.SuccDelay[a] + in.Least[v]).Seconds()})
		}
	}
	for k := range s.groups {
		g := &s.groups[k]
		for i := g.from; i < g.to; i++ {
			u, to, half := giver(g, s.items[i]), g.node, s.p[i]/2
			if g.before {
				to, half = s.items[i].task, -half
			}
			s.items[i].edge = next[u]
			add(u, weightEdge{to, i, model.None, half})
		}
	}
}

// begin starts between the given prices and multipliers and none at all, with a small share of every edge.
func (s *twoSidedTasks) begin(t *taskPrices) {
	in := s.in
	s.weigh(func(u int32) {
		left, edges := s.has[u], s.first[u]
		for e := s.first[u]; e < s.first[u+1]; e++ {
			s.start[e], s.best[e] = 0, 0
			switch edge := s.edges[e]; {
			case edge.arc != model.None:
				s.start[e] = t.arc[edge.arc]
			case edge.item != model.None && edge.item < s.groups[0].to:
				s.start[e] = t.price[u] * in.Least[u].Seconds()
			}
			s.start[e] = min(s.start[e], left)
			left -= s.start[e]
		}
		s.start[edges] = left
		copy(s.flow[s.first[u]:s.first[u+1]], s.start[s.first[u]:s.first[u+1]])
	})
	for u := range in.Steps {
		s.best[s.first[u]] = s.weight[u]
	}
	s.between()
	copy(s.start, s.flow)
	s.weigh(func(u int32) {
		a, b := s.first[u], s.first[u+1]
		even := leastShare / float64(b-a)
		for e := a; e < b; e++ {
			share := 0.0
			if s.has[u] > 0 {
				share = s.start[e] / s.has[u]
			} else if e == a {
				share = 1
			}
			s.logs[e] = math.Log(even + (1-leastShare)*share)
			s.flow[e] = s.start[e]
		}
	})
}

// weigh computes the weights of the nodes, each after all nodes that pass weight to it. divide then sets the flows of
// its edges.
func (s *twoSidedTasks) weigh(divide func(u int32)) {
	copy(s.has, s.weight)
	for k := len(s.in.Topo) - 1; k >= 0; k-- {
		u := s.in.Topo[k]
		divide(u)
		for e := s.first[u]; e < s.first[u+1]; e++ {
			if to := s.edges[e].to; to != model.None {
				s.has[to] += s.flow[e]
			}
		}
	}
}

// scale converts logarithms to shares and flows.
func (s *twoSidedTasks) scale() {
	s.weigh(func(u int32) {
		a, b := s.first[u], s.first[u+1]
		logs, share, flow := s.logs[a:b], s.share[a:b], s.flow[a:b]
		top, sum := slices.Max(logs), 0.0
		for k := range logs {
			logs[k] -= top
			share[k] = solver.Exp(logs[k])
			sum += share[k]
		}
		for k := range share {
			share[k] /= sum
			flow[k] = s.has[u] * share[k]
		}
	})
}

// evaluate is the bound that flows prove.
func (s *twoSidedTasks) evaluate() (value float64) {
	for i := range s.items {
		s.price[i] = s.flow[s.items[i].edge] / s.p[i]
	}
	for _, g := range s.groups {
		s.machine.run(s.order[g.from:g.to], s.from, s.p, s.price, s.mean)
	}
	for e := range s.edges {
		value += s.flow[e] * s.earns(e)
	}
	return value
}

func (s *twoSidedTasks) earns(e int) float64 {
	if item := s.edges[e].item; item != model.None {
		return s.edges[e].base + s.mean[item]
	}
	return s.edges[e].base
}

// turn computes the gains, and mixes their excess over the mean gain of their node into the direction.
func (s *twoSidedTasks) turn(mix float64) {
	for _, u := range s.in.Topo {
		s.worth[u] = 0
		for e := s.first[u]; e < s.first[u+1]; e++ {
			s.gain[e] = s.earns(int(e))
			if to := s.edges[e].to; to != model.None {
				s.gain[e] += s.worth[to]
			}
			s.worth[u] += s.share[e] * s.gain[e]
		}
		for e := s.first[u]; e < s.first[u+1]; e++ {
			s.gain[e] -= s.worth[u]
			s.direction[e] += mix * (s.gain[e] - s.direction[e])
		}
	}
}

// climb adds the direction to the logarithms, relative to the largest gain or loss of the job.
func (s *twoSidedTasks) climb(rate float64) {
	for j := range s.in.Jobs {
		var top float64
		for _, u := range s.in.JobSteps(j) {
			for _, g := range s.gain[s.first[u]:s.first[u+1]] {
				top = max(top, math.Abs(g))
			}
		}
		if top == 0 {
			continue
		}
		for _, u := range s.in.JobSteps(j) {
			for e := s.first[u]; e < s.first[u+1]; e++ {
				s.logs[e] += rate * s.direction[e] / top
			}
		}
	}
}

// run climbs until the steps are used up, the step is tiny or ctx ends. It leaves the flows of the best bound.
func (s *twoSidedTasks) run(ctx context.Context, opt solver.Options) {
	kept := slices.Clone(s.logs)
	ascend(ctx, opt, len(s.items), ascent{
		evaluate: func() float64 { s.scale(); return s.evaluate() },
		turn:     s.turn, climb: s.climb,
		keep:   func() { copy(kept, s.logs) },
		revert: func() { copy(s.logs, kept) },
	})
	copy(s.logs, kept)
	s.scale()
	copy(s.best, s.flow)
	s.between()
}

// between looks for the highest bound between start and best, and leaves its flows.
func (s *twoSidedTasks) between() {
	highest(func(x float64) float64 {
		for e := range s.flow {
			s.flow[e] = x*s.best[e] + (1-x)*s.start[e]
		}
		return s.evaluate()
	})
}
