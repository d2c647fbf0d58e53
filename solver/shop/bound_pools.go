package shop

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
)

// Settings of the choice of pools.
const (
	// mostPools is the most pools of a certificate; largePools the most on instances of more than largeTasks tasks.
	mostPools, largePools, largeTasks = 8, 4, 5000
	// mostGroups is how many groups are tried.
	mostGroups = 32
	// weakPool is the share of the largest load below which a resource gets no pool.
	weakPool = 0.25
	// poolGain is by how much a pool that counts tasks must exceed the resource itself.
	poolGain = 1.01
	// mostLevels is how many demands are tried as Least.
	mostLevels = 8
	// poolBits bounds what nodes add to a pool, so that areas fit.
	poolBits = 24
	// paceError is how much the additions of nodes may differ from whole numbers: lengths are rounded up, paces are
	// not.
	paceError = 1e-5
)

// scoredPool is a pool and the time that all work would take on it at full speed.
type scoredPool struct {
	pool   shop.Pool
	pooled *shop.Pooled
	score  float64
}

// choosePools lists the pools that are worth pricing, the most loaded first.
func choosePools(ctx context.Context, in *shop.Instance, e *shop.Evaluator) (pools []shop.Pool, pooled []*shop.Pooled) {
	if in.Identical { // machine time, which also counts tasks
		p := shop.Pool{Worth: []int64{1}, Least: 1}
		if s, ok := score(in, e, p); ok {
			return []shop.Pool{p}, []*shop.Pooled{s.pooled}
		}
		return nil, nil
	}
	pace := paces(in, e)
	even := slices.Repeat([]float64{1}, in.Classes)
	var list []scoredPool
	for r := range int32(in.Resources) {
		list = append(list, poolsOf(in, e, r, 0, pace)...)
		if slices.Min(pace) < 1 {
			list = append(list, poolsOf(in, e, r, 0, even)...)
		}
	}
	for _, g := range in.InUse(mostGroups) {
		list = append(list, poolsOf(in, e, in.Groups[g].Resource, g+1, even)...)
	}
	byScore := func(a, b scoredPool) int { return cmp.Compare(b.score, a.score) }
	slices.SortStableFunc(list, byScore)
	if in.Objective == shop.Makespan && in.Classes > 1 && in.Tasks <= twoSidedTasks && len(list) > 0 {
		if s, ok := pricedPool(ctx, in, e, list[0].pool.Resource, pace); ok {
			list = append(list, s)
			slices.SortStableFunc(list, byScore)
		}
	}
	most := mostPools
	if in.Tasks > largeTasks {
		most = largePools
	}
	for _, s := range list {
		if len(pools) == most || s.score < weakPool*list[0].score {
			break
		}
		pools, pooled = append(pools, s.pool), append(pooled, s.pooled)
	}
	return pools, pooled
}

// paces are the mean speeds at which classes run the work, relative to the fastest class of each task.
func paces(in *shop.Instance, e *shop.Evaluator) []float64 {
	fast, all := make([]float64, in.Classes), make([]float64, in.Classes)
	for u := range int32(in.Tasks) {
		least := in.Least[u].Seconds()
		if in.Fixed(u) || least == 0 {
			continue
		}
		for k, length := range e.Lengths(u) {
			if length > 0 {
				fast[k] += least * least / length.Seconds()
				all[k] += least
			}
		}
	}
	for k := range fast {
		if fast[k] /= all[k]; all[k] == 0 {
			fast[k] = 1
		}
	}
	return fast
}

// poolsOf lists the pools of one resource of the nodes or, one less than a number above 0, of a group: itself, with
// shares in steps, and counting tasks of some least demand.
func poolsOf(in *shop.Instance, e *shop.Evaluator, r, group int32, pace []float64) (list []scoredPool) {
	has := func(k int32) int64 {
		if group == 0 {
			return in.Capacities(k)[r]
		}
		if x := &in.Groups[group-1]; in.Class[x.Nodes[0]] == k {
			return x.Capacity
		}
		return 0
	}
	limited := func(k int32) bool { return has(k) > 0 && has(k) != shop.Unlimited }
	base, ok := score(in, e, shop.Pool{Resource: r, Group: group, Worth: worths(in, pace, func(k int32) float64 {
		if !limited(k) {
			return 0
		}
		return float64(has(k)) / float64(divisor(in, r))
	})})
	if !ok {
		return nil
	}
	list = append(list, base)
	try := func(p shop.Pool) {
		if s, ok := score(in, e, p); ok && s.score > base.score*poolGain {
			list = append(list, s)
		}
	}
	for steps := int64(1); steps <= 3; steps++ {
		try(shop.Pool{Resource: r, Group: group, Steps: steps, Worth: worths(in, pace, func(k int32) float64 {
			if !limited(k) {
				return 0
			}
			return float64(steps * (steps + 1))
		})})
	}
	for _, least := range levels(in, r) {
		try(shop.Pool{Resource: r, Group: group, Least: least, Worth: worths(in, pace, func(k int32) float64 {
			if !limited(k) {
				return 0
			}
			return float64(has(k) / least)
		})})
	}
	return list
}

// score computes a pool; it fails if no task takes anything of the pool or if its numbers are too large.
func score(in *shop.Instance, e *shop.Evaluator, p shop.Pool) (s scoredPool, ok bool) {
	x, err := e.Pool(&p)
	if err != nil || x.Most == 0 {
		return s, false
	}
	var area float64
	for _, a := range x.Area {
		area += float64(a)
	}
	return scoredPool{p, x, area / float64(x.Most)}, area > 0
}

// divisor divides all capacities and demands of a resource.
func divisor(in *shop.Instance, r int32) (d int64) {
	for k := int32(0); int(r) < in.Resources && int(k) < in.Classes; k++ {
		if c := in.Capacities(k)[r]; c != shop.Unlimited {
			d = model.GCD(c, d)
		}
	}
	for u := range int32(in.Tasks) {
		d = model.GCD(in.Needs(u, r), d)
	}
	return max(d, 1)
}

// worths turns what a node of each class adds, times its pace, into whole numbers: exact ones if small numbers allow
// it.
func worths(in *shop.Instance, pace []float64, adds func(k int32) float64) []int64 {
	list, top := make([]float64, in.Classes), 0.0
	for k := range list {
		list[k] = adds(int32(k)) * pace[k]
		top = max(top, list[k])
	}
	factor := math.Ldexp(1, poolBits) / max(top, 1)
	for whole := 1.0; whole <= 1000 && whole*top < math.Ldexp(1, poolBits); whole++ {
		if !slices.ContainsFunc(list, func(x float64) bool {
			return math.Abs(x*whole-math.Round(x*whole)) > paceError*max(1, x*whole)
		}) {
			factor = whole
			break
		}
	}
	worth := make([]int64, in.Classes)
	for k, x := range list {
		worth[k] = int64(math.Round(x * factor))
	}
	return worth
}

// levels lists some demands of a resource, spread over the tasks.
func levels(in *shop.Instance, r int32) []int64 {
	var all []int64
	for u := range int32(in.Tasks) {
		if d := in.Needs(u, r); d > 0 && !in.Fixed(u) && in.Least[u] > 0 {
			all = append(all, d)
		}
	}
	slices.Sort(all)
	if distinct := slices.Compact(slices.Clone(all)); len(distinct) <= mostLevels {
		return distinct
	}
	var list []int64
	for i := range mostLevels {
		list = append(list, all[i*len(all)/mostLevels])
	}
	return slices.Compact(list)
}
