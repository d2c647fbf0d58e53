package shop

import (
	"context"
	"math"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/bound"
)

// Settings of the search for prices of jobs.
const (
	// jobSteps is the most steps; jobWork bounds steps times the steps of the dynamic programs.
	jobSteps, jobWork = 600, 12_000_000_000
	// mostChoices bounds the memory of choices.
	mostChoices = 100_000_000
)

// jobVolume maximises the bound of shop.JobPrices by the volume algorithm: subgradient steps along a moving
// average of 1 less the nodes that take a job. By duality the best prices prove as much as the linear program whose
// columns are the sets of jobs of each node.
//
// Source: Barahona and Anbil, Math. Prog. 2000; the pricing is that of van den Akker, Hoogeveen and van de Velde,
// Oper. Res. 1999, and Chen and Powell, INFORMS J. Comput. 1999.   Complexity: O(n·Σ lengths) per iteration and
// class.
type jobVolume struct {
	in          *shop.Instance
	x           *shop.Columns
	shift       int
	top         float64   // up to which prices are evaluated exactly
	price, best []float64 // by job, in units of the columns
	whole       []int64
	taken       []bool
}

// evaluate is the bound, and 1 less the nodes that take each job.
func (v *jobVolume) evaluate(gradient []float64) (total float64) {
	for j, p := range v.price {
		v.whole[j] = int64(math.Ldexp(max(0, p), v.shift))
		total += float64(v.whole[j])
		gradient[j] = 1
	}
	for k := range v.in.Classes {
		nodes := float64(len(v.in.ClassNodes(int32(k))))
		least, busy := v.x.Cheapest(k, v.whole, v.shift, v.taken)
		total += nodes * float64(least)
		v.x.Set(k, busy, v.taken, func(j int32) { gradient[j] -= nodes })
	}
	return math.Ldexp(total, -v.shift)
}

// run climbs from the first prices to the best ones; target is the cost of a known schedule in units of the
// columns, or 0.
func (v *jobVolume) run(ctx context.Context, steps int, target float64, opt solver.Options) {
	x := bound.Volume{Prices: v.price, Best: v.best, Top: v.top, Scale: 0.1,
		Evaluate: func(excess []float64) (float64, error) { return v.evaluate(excess), nil },
		Aim: func(best float64) float64 {
			if aim := 1.001 * target; aim > best {
				return aim
			}
			return best * 1.002
		}}
	_ = x.Run(ctx, steps, opt) // no evaluation fails
	copy(v.price, v.best)
}

// jobPrices is the bound of prices of jobs, started from prices of cells; nil if jobs or nodes do not meet its
// conditions. target is the cost of a known schedule in the objective's integers, or 0.
func (b *Pricing) jobPrices(ctx context.Context, from *shop.Certificate, target float64,
	opt solver.Options) (*shop.Certificate, error) {
	x, err := b.E.NewColumns()
	if err != nil || x.Choices() > mostChoices {
		return nil, nil
	}
	cells, err := b.E.NewCells(from)
	if err != nil {
		return nil, err
	}
	n := b.In.Jobs
	v := &jobVolume{in: b.In, x: x, price: make([]float64, n), best: make([]float64, n), whole: make([]int64, n),
		taken: make([]bool, x.Choices())}
	unit, top, walk := x.Unit(), 1.0, cells.NewWalk()
	for j := range v.price {
		v.price[j] = math.Ldexp(float64(walk.Exact(int32(j))), -from.Shift) / unit
		top = max(top, v.price[j])
	}
	v.top = 4 * top // releases and calendars, which columns ignore, may make prices rise without limit
	v.shift = x.MaxShift(v.top)
	v.run(ctx, min(jobSteps, jobWork/max(1, x.Work())), target/unit, opt)
	c := &shop.Certificate{Claim: model.Claim{Method: shop.MethodJobPrices, Kind: shop.KindJobPrices},
		Shift: v.shift, JobPrices: &shop.JobPrices{Prices: make([]int64, n)}}
	for j, p := range v.price {
		c.JobPrices.Prices[j] = int64(math.Ldexp(max(0, p), v.shift))
	}
	return c, b.E.Sign(c)
}
