package msjo

import (
	"context"
	"math"
	"math/bits"

	"golang.org/x/sync/errgroup"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/bound"
)

// Settings of the time-indexed Lagrangian bound.
const (
	// priceCells is the number of cells of λ.
	priceCells = 400
	// priceChunks is the number of parts of the jobs for parallel work, fixed so that sums do not depend on threads.
	priceChunks = 8
	// volumeScale is the scale of the first step.
	volumeScale = 0.3
	// spareBits are reserved for the growth of λ beyond its start.
	spareBits = 4
)

// volume maximises LB(λ), the time-indexed bound, by the volume algorithm: subgradient steps from the best λ found,
// along a moving average of the subgradients (machines in use minus m, by cell).
//
// Source: Barahona and Anbil, Math. Prog. 2000.   Complexity: O(N·cells) per iteration.
type volume struct {
	in     *shop.Instance
	prices *shop.MachinePrices
	lambda []float64 // by cell, in millionths of a weight
	best   []float64
	parts  []*pricePart
	start  []model.Time // by task, in the last evaluation
	mean   []float64    // moving average of start, in seconds: the fractional schedule that λ prices
	scale  float64      // units of an evaluator per millionth of a weight
}

// pricePart is the working memory for one part of the jobs.
type pricePart struct {
	eval     *shop.PriceEvaluator
	from, to int // jobs
	value    float64
	usage    []float64 // machines in use, by cell
}

// newVolume starts from prices λ in weights by cell.
func newVolume(in *shop.Instance, cell model.Time, lambda []float64) (*volume, error) {
	v := &volume{in: in, lambda: make([]float64, len(lambda)), best: make([]float64, len(lambda)),
		start: make([]model.Time, in.Tasks), mean: make([]float64, in.Tasks)}
	top := 1.0
	for k, x := range lambda {
		v.lambda[k] = x * float64(model.UnitWeight)
		top = max(top, v.lambda[k])
	}
	v.prices = &shop.MachinePrices{Cell: cell, Steps: make([]int64, len(lambda)),
		Shift: priceShift(in, cell, len(lambda), top)}
	v.scale = math.Ldexp(1, v.prices.Shift)
	for p := range priceChunks {
		part := &pricePart{from: in.Jobs * p / priceChunks, to: in.Jobs * (p + 1) / priceChunks,
			usage: make([]float64, len(lambda))}
		var err error
		if part.eval, err = shop.NewPriceEvaluator(in, v.prices); err != nil {
			return nil, err
		}
		v.parts = append(v.parts, part)
	}
	return v, nil
}

// priceShift is the finest unit in which prices up to top, and all their sums, are integers of 61 bits.
func priceShift(in *shop.Instance, cell model.Time, cells int, top float64) int {
	need := bits.Len64(uint64(cell) * uint64(cells)) // Λ
	last := uint64(cell) * uint64(cells)
	room := 61
	for j := range in.Jobs {
		var work, lag model.Time
		for _, u := range in.JobSteps(j) {
			work += in.Least[u]
			lag = max(lag, in.Tail[u]+in.Least[u])
		}
		need = max(need, bits.Len64(uint64(work)))
		at := max(uint64(in.Alone[j]), last+uint64(lag))
		room = min(room, 61-bits.Len64(at)-bits.Len64(uint64(in.Weight[j])))
	}
	_, e := math.Frexp(top)
	return min(61-need-e-spareBits, room)
}

// evaluate is LB(λ), up to the grid of completions. It also computes the usage of every cell.
func (v *volume) evaluate(threads int, usage []float64) (float64, error) {
	v.unit(v.lambda)
	var g errgroup.Group
	g.SetLimit(threads)
	for _, p := range v.parts {
		g.Go(func() error { return p.evaluate(v) })
	}
	if err := g.Wait(); err != nil {
		return 0, err
	}
	clear(usage)
	var total float64
	for _, p := range v.parts {
		total += p.value
		for k, x := range p.usage {
			usage[k] += x
		}
	}
	for _, x := range v.prices.Steps {
		total -= float64(v.in.Nodes) * float64(x) * float64(v.prices.Cell)
	}
	return total / v.scale, nil
}

// unit sets the prices of the evaluators.
func (v *volume) unit(lambda []float64) {
	for k, x := range lambda {
		v.prices.Steps[k] = int64(x * v.scale)
	}
}

func (p *pricePart) evaluate(v *volume) error {
	if err := p.eval.Reset(); err != nil {
		return err
	}
	p.value = 0
	clear(p.usage)
	for j := p.from; j < p.to; j++ {
		cost, c := p.eval.Coarse(j)
		p.value += float64(cost)
		for u := range tasksOf(v.in, j) {
			v.start[u] = max(v.in.Head[u], c-v.in.Tail[u]-v.in.Least[u])
			if length := v.in.Least[u]; length > 0 {
				v.start[u] = p.eval.Start(u, c)
				p.use(v.start[u], length, v.prices.Cell)
			}
		}
	}
	return nil
}

// use adds a run to usage.
func (p *pricePart) use(start, length, cell model.Time) {
	end := start + length
	for k := start / cell; int(k) < len(p.usage) && k*cell < end; k++ {
		p.usage[k] += float64(min(end, (k+1)*cell)-max(start, k*cell)) / float64(cell)
	}
}

// run makes at most the given number of iterations. target is the cost of a known schedule, in weight × seconds. The
// best λ is in prices afterwards.
func (v *volume) run(ctx context.Context, iterations int, target float64, opt solver.Options) error {
	const unit = float64(model.UnitWeight) * float64(model.Second)
	// evaluate looks at completions on its grid only, so it may exceed the bound. The grid bounds the error: every
	// completion is less than a cell before a grid point.
	var grid float64
	for _, w := range v.in.Weight {
		grid += float64(w) * float64(v.prices.Cell)
	}
	x := bound.Volume{Prices: v.lambda, Best: v.best, Scale: volumeScale, Average: v.average,
		Evaluate: func(excess []float64) (float64, error) {
			value, err := v.evaluate(opt.Threads, excess)
			for k := range excess {
				excess[k] = (excess[k] - float64(v.in.Nodes)) * float64(v.prices.Cell)
			}
			return value, err
		},
		Aim:    func(float64) float64 { return 1.02 * target * unit },
		Better: func(value float64) { opt.Watch.Bound((value-grid)/unit, methodTimeIndexed) }}
	if err := x.Run(ctx, iterations, opt); err != nil {
		return err
	}
	v.unit(v.best)
	return nil
}

// average adds the last starts to their moving average.
func (v *volume) average(share float64) {
	for u, s := range v.start {
		v.mean[u] += share * (s.Seconds() - v.mean[u])
	}
}

// plan is the moving average of the tasks' cheapest starts.
func (v *volume) plan() []model.Time {
	plan := make([]model.Time, len(v.mean))
	for u, s := range v.mean {
		plan[u] = model.TimeOf(s)
	}
	return plan
}

// startPrices derives λ from the LP: while the fluid schedule works on a task of price π per second, λ falls at the
// rate π.
func (c *collapsed) startPrices(r *relaxation, cell model.Time, cells int) []float64 {
	sep := separator{group: c.all()[0], c: c}
	price, minus := r.price, make([]float64, len(c.task))
	for k, u := range c.task {
		minus[k] = -price[u]
	}
	sep.sort(minus)
	lambda := make([]float64, cells)
	width := cell.Seconds()
	var a, current float64
	next := 0
	rate := make([]float64, cells)
	for k := range rate {
		for next < len(sep.order) && a <= (float64(k)+0.5)*width*c.m {
			current = -sep.order[next].x
			a += c.p[sep.order[next].k]
			next++
		}
		if a <= (float64(k)+0.5)*width*c.m {
			current = 0
		}
		rate[k] = current
	}
	var sum float64
	for k := cells - 1; k >= 0; k-- {
		lambda[k] = sum + rate[k]*width/2
		sum += rate[k] * width
	}
	return lambda
}
