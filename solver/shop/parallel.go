package shop

import (
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/search"
	"mrsched/solver/unrelated"
)

// This file is what makespans take from R||Cmax: the search for assignments, and prices of nodes.

const (
	// parallelMoves is how many moves an iteration tries, parallelWork its work on trees: the default iterations take
	// seconds where the gap is hard to close.
	parallelMoves, parallelWork = 30_000, 100_000
	// pricedLengths is of how many lengths, tasks by classes, the program of pricedPool makes prices.
	pricedLengths = 50_000
)

// parallel is an instance under makespan whose tasks need no order on nodes that run one task at a time: R||Cmax. Nodes
// are machines.
type parallel struct {
	in   *shop.Instance
	long model.Time // a multiple of all lengths' common divisor, in which all tasks fit anywhere one after another
	*unrelated.Instance
}

// parallelOf is nil if an instance is no R||Cmax.
func parallelOf(in *shop.Instance) *parallel {
	if in.Objective != shop.Makespan || in.Identical || !unordered(in) || !shop.NewEvaluator(in).OneAtATime() {
		return nil
	}
	p := &parallel{in: in}
	for u := range int32(in.Tasks) {
		most := model.Time(0)
		for i := range int32(in.Nodes) {
			if in.Runs(u, i) {
				most = max(most, in.Length(u, i))
			}
		}
		p.long += 2 * most
	}
	s := unrelated.Spec{Tasks: in.Tasks, Class: in.Class, Speed: slices.Repeat([]float64{1}, in.Classes), Most: in.Nodes,
		Time: func(u, k int) model.Time { return p.length(int32(u), in.ClassNodes(int32(k))[0]) }}
	if !p.alike() {
		s.Class, s.Speed = model.Indices(in.Nodes), slices.Repeat([]float64{1}, in.Nodes)
		s.Time = func(u, i int) model.Time { return p.length(int32(u), int32(i)) }
	}
	p.Instance = unrelated.New(s)
	return p
}

// length is how long a task takes on a node; long where it does not run.
func (p *parallel) length(u, i int32) model.Time {
	if !p.in.Runs(u, i) {
		return p.long
	}
	return p.in.Length(u, i)
}

// alike says that tasks take the same time on all nodes of a class. Places may tell nodes apart.
func (p *parallel) alike() bool {
	for i, k := range p.in.Class {
		first := p.in.ClassNodes(k)[0]
		for u := range int32(p.in.Tasks) {
			if p.length(u, int32(i)) != p.length(u, first) {
				return false
			}
		}
	}
	return true
}

// search improves a schedule until it costs no more than aim, in seconds, iterations are used up, or ctx ends. It
// returns the iterations.
func (p *parallel) search(ctx context.Context, first *model.Schedule, aim float64, opt solver.Options) (
	found *model.Schedule, done int, err error) {
	at := make(unrelated.Assignment, p.in.Tasks)
	for _, e := range first.Entries {
		at[e.Task] = e.Machine
	}
	cost := model.MaxTime
	var x *unrelated.Search
	tell := func() {
		if _, _, now := x.Best(); now < cost {
			cost = now
			opt.Watch.Incumbent(cost.Seconds(), "")
		}
	}
	x = unrelated.NewSearch([]*unrelated.Instance{p.Instance}, make([]unrelated.Bound, 1), tell)
	x.Offer(0, at)
	x.Start(ctx)
	for round, n := range search.Doubling(opt.Iterations) {
		tell()
		if ctx.Err() != nil || x.Done() || cost.Seconds() <= aim {
			break
		}
		moves := int(min(int64(n)*parallelMoves, math.MaxInt32))
		if _, err := x.Round(ctx, opt.Seed+uint64(round)<<32, moves, parallelWork*int64(n)); err != nil {
			return nil, done, err
		}
		done += n
		opt.Report(done, search.Known(opt.Iterations))
	}
	if done == opt.Iterations {
		opt.Watch.UsedUp()
	}
	_, best, _ := x.Best()
	return inSmithsOrder(p.in, best), done, nil
}

// pricedPool is a resource to which nodes add what the prices of a linear program say: those at which nothing is gained
// by splitting tasks among classes. No other Worth proves a larger makespan of all tasks together, but for rounding and
// the sample that the program sees.
func pricedPool(ctx context.Context, in *shop.Instance, e *shop.Evaluator, r int32, pace []float64) (s scoredPool,
	ok bool) {
	var tasks []int32
	long := model.Time(0)
	for u := range int32(in.Tasks) {
		if in.Demands(u)[r] > 0 && in.Least[u] > 0 && !in.Fixed(u) {
			tasks = append(tasks, u)
			long = max(long, slices.Max(e.Lengths(u))) // a task has room for its demand on some class
		}
	}
	every := len(tasks)*in.Classes/pricedLengths + 1
	times := func(i, k int) model.Time {
		u, c := tasks[i*every], in.Capacities(int32(k))[r]
		if length := e.Lengths(u)[k]; length >= 0 && c > 0 && c != shop.Unlimited {
			return model.Time(math.Ceil(float64(length) * float64(in.Demands(u)[r]) / float64(c)))
		}
		return long
	}
	b, err := unrelated.New(unrelated.Spec{Tasks: (len(tasks) + every - 1) / every, Class: in.Class, Speed: pace,
		Most: in.Nodes, Divisible: true, Time: times}).RelaxedBound(ctx)
	if err != nil || b.Proof.Machines == nil {
		return s, false
	}
	price := make([]float64, in.Classes)
	for i, k := range in.Class {
		price[k] = float64(b.Proof.Machines[i]) / unrelated.MaxPrice
	}
	return score(in, e, shop.Pool{Resource: r, Worth: worths(in, price, func(k int32) float64 {
		if c := in.Capacities(k)[r]; c == 0 || c == shop.Unlimited {
			return 0
		}
		return 1
	})})
}
