package shop

import (
	"context"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

// MachineTime finds the best prices of the time of identical machines, from first ones in weights by cell, and the mean
// of the tasks' cheapest starts on the way. Target is the cost of a known schedule in the objective's integers; better,
// if set, is told nearly each better bound in them.
func (b *Pricing) MachineTime(ctx context.Context, cell model.Time, first []float64, target float64,
	better func(value float64), opt solver.Options) (prices *shop.MachinePrices, plan []model.Time, err error) {
	v, err := newVolume(b, cell, len(first))
	if err != nil {
		return nil, nil, err
	}
	for n, x := range first {
		v.lambda[n] = x * float64(model.UnitWeight)
	}
	if v.better, err = better, v.prepare(b); err != nil {
		return nil, nil, err
	}
	if err := v.run(ctx, opt.Iterations, target, opt); err != nil {
		return nil, nil, err
	}
	for _, t := range v.mean {
		plan = append(plan, model.TimeOf(t))
	}
	return &shop.MachinePrices{Cell: cell, Shift: v.cert.Shift, Steps: v.cert.Steps[0][0]}, plan, nil
}

// start derives prices from payments of the two-sided bound: where the fluid schedule of a pool works on a task of
// price π a second, the price of the pool falls at the rate π.
func (v *volume) start(b *Pricing, s *twoSided, from *payments) {
	clear(v.lambda)
	cell := v.cert.Cell.Seconds()
	for r, p := range v.cert.Pools[:v.pools] {
		for o, q := range b.Pools {
			if q.Resource != p.Resource || q.Group != p.Group || q.Least != p.Least || q.Steps != p.Steps {
				continue
			}
			rate := s.rates(from, o, cell, v.n)
			sum := 0.0
			for n := v.n - 1; n >= 0; n-- {
				for k := range v.in.Classes {
					if p.Worth[k] > 0 { // a unit of the other pool is as much as its nodes add
						unit := float64(q.Worth[k]) / float64(p.Worth[k])
						v.lambda[(r*v.in.Classes+k)*v.n+n] += (sum + rate[n]/2) * unit
					}
				}
				sum += rate[n]
			}
		}
	}
	copy(v.best, v.lambda)
}

// rates are how much a pool's price falls in each cell, in the objective's integers per unit and microsecond.
func (s *twoSided) rates(from *payments, r int, cell float64, n int) []float64 {
	rate := make([]float64, n)
	area := s.area[r]
	for k := range s.task {
		if s.price[k] = 0; area[k] > 0 {
			s.price[k] = from.forth[k*s.options+r] / area[k]
		}
	}
	s.fluid.On = func(k int32, from, until float64) {
		for i := int(from / cell); i < n && float64(i)*cell < until; i++ {
			rate[i] += s.price[k] * (min(until, float64(i+1)*cell) - max(from, float64(i)*cell))
		}
	}
	s.fluid.Run(s.byHead, s.head, func(k int32) float64 { return area[k] }, s.price, s.speeds[r], s.mean[r])
	s.fluid.On = nil
	return rate
}
