package msjo

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/bound"
	solvershop "mrsched/solver/shop"
)

const (
	// twoSidedWork bounds steps times tasks.
	twoSidedWork = 6_000_000
	// leastShare is the share of a weight that is spread over all its prices at the start.
	leastShare = 0.003
)

// taskAscent maximises the preemptive bound on the task objective. Every node divides its weight among its edges: its
// own weight plus the weight that later nodes pass on. One edge keeps weight, one pays for the task's place among all
// tasks, the others pass weight on along arcs. As in twoSided, a step multiplies shares by e^(step·(gain − mean gain)).
// The gain of an edge is the earning of a unit of weight on it and, on average, from there on.
//
// Complexity: O(E log E) per step, E the number of edges.   Source: mrsched.
type taskAscent struct {
	in     *shop.Instance
	weight []float64 // by node: its own
	first  []int32   // node u has edges first[u] … first[u+1]−1
	edges  []weightEdge
	items  []int32 // tasks of positive length by head
	order  []int32 // 0 … len(items)−1

	share, flow, logs, gain, direction []float64 // by edge
	start, best                        []float64 // by edge: flows
	has, worth                         []float64 // by node: weight, and the earning of a unit of it
	from, p, price, mean               []float64 // by item
	machine                            *solvershop.Fluid
}

// weightEdge takes weight from a node.
type weightEdge struct {
	to   int32   // the receiving node; None: it stays
	item int32   // None: none
	arc  int32   // None: none
	base float64 // seconds that it earns in addition to the mean of its item
}

func newTaskAscent(in *shop.Instance, heads []model.Time) *taskAscent {
	s := &taskAscent{in: in, first: make([]int32, in.Steps+1)}
	for u := range in.Steps {
		s.weight = append(s.weight, in.TaskWeight[u].Float())
	}
	for _, u := range in.Topo {
		if u < int32(in.Tasks) && in.Least[u] > 0 {
			s.items = append(s.items, u)
		}
	}
	slices.SortStableFunc(s.items, func(a, b int32) int { return cmp.Compare(heads[a], heads[b]) })
	for _, u := range s.items {
		s.from = append(s.from, heads[u].Seconds())
		s.p = append(s.p, in.Least[u].Seconds())
	}
	s.connect(heads)
	n, e := len(s.items), len(s.edges)
	for _, v := range []*[]float64{&s.share, &s.flow, &s.logs, &s.gain, &s.direction, &s.start, &s.best} {
		*v = make([]float64, e)
	}
	s.has, s.worth = make([]float64, in.Steps), make([]float64, in.Steps)
	s.price, s.mean, s.order, s.machine = make([]float64, n), make([]float64, n), model.Indices(n), solvershop.NewFluid(n)
	return s
}

// connect makes the edges.
func (s *taskAscent) connect(heads []model.Time) {
	in := s.in
	for u := range in.Steps {
		s.first[u+1] += 1 + in.Preds[u]
	}
	for _, u := range s.items {
		s.first[u+1]++
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
	for i, u := range s.items {
		add(u, weightEdge{model.None, int32(i), model.None, s.p[i] / 2})
	}
}

// begin starts between the given prices and multipliers and none at all, with a small share of every edge.
func (s *taskAscent) begin(t *taskPrices) {
	in := s.in
	s.weigh(func(u int32) {
		left, edges := s.has[u], s.first[u]
		for e := s.first[u]; e < s.first[u+1]; e++ {
			s.start[e], s.best[e] = 0, 0
			switch edge := s.edges[e]; {
			case edge.arc != model.None:
				s.start[e] = t.arc[edge.arc]
			case edge.item != model.None:
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
func (s *taskAscent) weigh(divide func(u int32)) {
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
func (s *taskAscent) scale() {
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
func (s *taskAscent) evaluate() (value float64) {
	for i := range s.items {
		u := s.items[i]
		s.price[i] = s.flow[s.first[u+1]-1] / s.p[i]
	}
	s.machine.Run(s.order, s.from, func(i int32) float64 { return s.p[i] }, s.price,
		[]solvershop.FluidSpeed{{Speed: float64(s.in.Nodes)}}, s.mean)
	for e := range s.edges {
		value += s.flow[e] * s.earns(e)
	}
	return value
}

func (s *taskAscent) earns(e int) float64 {
	if item := s.edges[e].item; item != model.None {
		return s.edges[e].base + s.mean[item]
	}
	return s.edges[e].base
}

// turn computes the gains, and mixes their excess over the mean gain of their node into the direction.
func (s *taskAscent) turn(mix float64) {
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
func (s *taskAscent) climb(rate float64) {
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
func (s *taskAscent) run(ctx context.Context, opt solver.Options) {
	kept := slices.Clone(s.logs)
	a := bound.Ascent{Work: twoSidedWork / max(1, len(s.items)),
		Evaluate: func() float64 { s.scale(); return s.evaluate() }, Turn: s.turn, Climb: s.climb,
		Keep: func() { copy(kept, s.logs) }, Revert: func() { copy(s.logs, kept) },
		Better: func(v float64) { opt.Watch.Bound(v*(1-floatError), methodPreemptive) }}
	a.Run(ctx, opt)
	copy(s.logs, kept)
	s.scale()
	copy(s.best, s.flow)
	s.between()
}

// between looks for the highest bound between start and best, and leaves its flows.
func (s *taskAscent) between() {
	bound.Highest(func(x float64) float64 {
		for e := range s.flow {
			s.flow[e] = x*s.best[e] + (1-x)*s.start[e]
		}
		return s.evaluate()
	})
}
