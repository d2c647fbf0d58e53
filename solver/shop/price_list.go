package shop

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

// guess is when jobs might end and tasks might run, in microseconds.
type guess struct {
	completion []float64 // by job
	middle     []float64 // by task
}

// midpoints are those of the bound by areas: jobs one after another, each with its share of the busiest resource of the
// whole cluster, but never before its critical path allows. The middle of a task is as late as its job's end allows.
//
// The order of jobs is, for Σ w_j C_j, that of Smith's rule; with due times, that of the later of the due time and the
// earliest end, jobs without due times last; and for the makespan, that of falling critical paths.
func midpoints(in *shop.Instance) *guess {
	g := &guess{make([]float64, in.Jobs), make([]float64, in.Tasks)}
	area := jobAreas(in)
	due := func(j int32) float64 {
		if in.Due[j] == shop.Never {
			return math.Inf(1)
		}
		return max(float64(in.Due[j]), float64(in.Alone[j]))
	}
	smith := func(a, b int32) int {
		return cmp.Compare(area[a]*float64(in.Weight[b]), area[b]*float64(in.Weight[a]))
	}
	order := model.Indices(in.Jobs)
	slices.SortStableFunc(order, func(a, b int32) int {
		switch in.Objective {
		case shop.Tardiness, shop.Late:
			return cmp.Or(cmp.Compare(due(a), due(b)), smith(a, b))
		case shop.Makespan:
			return cmp.Compare(in.Alone[b], in.Alone[a])
		}
		return smith(a, b)
	})
	var busy float64
	for _, j := range order {
		busy += area[j]
		g.completion[j] = max(float64(in.Alone[j]), float64(in.Release[j])+busy)
		if in.Objective == shop.Makespan {
			g.completion[j] = float64(slices.Max(in.Alone))
		}
	}
	for u := range g.middle {
		g.middle[u] = g.completion[in.Job[u]] - float64(in.Tail[u]) - float64(in.Least[u])/2
	}
	return g
}

// jobAreas are the least areas of the jobs, as times for which they need the whole of the resource that is busiest.
func jobAreas(in *shop.Instance) []float64 {
	total := totals(in)
	areas, sums := make([][]float64, in.Resources), make([]float64, in.Resources)
	for r := range areas {
		areas[r] = make([]float64, in.Jobs)
		if total[r] == 0 {
			continue
		}
		for u, p := range in.Least[:in.Tasks] {
			a := float64(in.Demands(int32(u))[r]) / total[r] * float64(p)
			areas[r][in.Job[u]] += a
			sums[r] += a
		}
	}
	busiest := 0
	for r := range sums {
		if sums[r] > sums[busiest] {
			busiest = r
		}
	}
	return areas[busiest]
}

// priceList schedules the tasks in the order of the bound's midpoints, twice: each where it ends first, gaps included,
// and by a dispatcher, which starts whatever fits. It keeps the cheaper schedule.
//
// Complexity: as heft and fifo; on large instances it skips the first way. Ties: the lower task, the lower node.
// Source: mrsched; the order is that of mars for identical machines (Ling et al., JPDC 2016).
func priceList(ctx context.Context, r *run, opt solver.Options) (*made, error) {
	in := r.in
	order := byKey(in, midpoints(in).middle)
	b := newBoard(in)
	s := dispatch(ctx, b, newInOrder(b, withFixed(in, order)), opt)
	if in.Tasks > pricedInsertTasks {
		return &made{schedule: s}, nil
	}
	if other := inserted(ctx, in, order, opt); other != nil && (s == nil ||
		priceOf(in, in.Completions(other)).less(priceOf(in, in.Completions(s)))) {
		s = other
	}
	return &made{schedule: s}, nil
}

// withFixed adds the fixed tasks to an order, at its end: policies know all tasks.
func withFixed(in *shop.Instance, order []int32) []int32 {
	order = slices.Clone(order)
	for u := range int32(in.Tasks) {
		if in.Fixed(u) {
			order = append(order, u)
		}
	}
	return order
}
