package msjo

import (
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
)

// lasting is the bound that remains proven if the task takes another time.
func (p *pricing) lasting(t model.Time) *big.Rat {
	times := slices.Clone(p.in.Least)
	times[p.u] = t
	return p.best(p.in.Lasting(times), p.c.Arcs, func(q int64, u int32) int64 {
		if u == p.u && t > 0 {
			return scaled(q, big.NewInt(int64(p.in.Least[u])), big.NewInt(int64(t)))
		}
		return q
	})
}

// weighing is the bound that remains proven if the job has another weight.
func (p *pricing) weighing(weight model.Weight) *big.Rat {
	in := *p.in
	in.Weight = slices.Clone(in.Weight)
	in.Weight[p.j] = weight
	in.TaskWeight = slices.Clone(in.TaskWeight)
	w := in.Workload()
	for u := range w.Tasks {
		if in.Job[u] == p.j && !w.Tasks[u].Weight.Known {
			in.TaskWeight[u] = weight
		}
	}
	ofJob := func(q int64, u int32) int64 {
		if p.in.Job[u] == p.j && p.in.Weight[p.j] > 0 {
			return scaled(q, big.NewInt(int64(weight)), big.NewInt(int64(p.in.Weight[p.j])))
		}
		return q
	}
	arcs := slices.Clone(p.c.Arcs)
	if len(arcs) > 0 { // otherwise the certificate is of another kind
		for u := range int32(in.Steps) {
			for k := in.SuccFirst[u]; k < in.SuccFirst[u+1]; k++ {
				arcs[k] = ofJob(arcs[k], u)
			}
		}
	}
	return p.best(&in, arcs, ofJob)
}

// scaled is ⌊q·up/down⌋, or q if that overflows.
func scaled(q int64, up, down *big.Int) int64 {
	x := new(big.Int).Mul(big.NewInt(q), up)
	if x.Quo(x, down); x.IsInt64() {
		return x.Int64()
	}
	return q
}

// best is the largest bound that the prices prove about a changed instance; nil if there is none. It tries the prices
// as they are, adapted one by one with the arcs' multipliers, and with the job's multipliers scaled to use up its
// weight.
func (p *pricing) best(in *msjo.Instance, arcs []int64, adapt func(q int64, u int32) int64) *big.Rat {
	if p.byTime() {
		c := p.c
		c.Ends, c.Starts, c.TwoSided = p.holding(in)
		v, _ := p.evaluate(in, &c)
		return v
	}
	paid := new(big.Int) // Σ p_u q_u of the job on the changed instance
	p.each(in, func(q int64, u int32) int64 {
		if in.Job[u] == p.j {
			paid.Add(paid, new(big.Int).Mul(big.NewInt(int64(in.Least[u])), big.NewInt(q)))
		}
		return q
	})
	budget := new(big.Int).Mul(big.NewInt(int64(in.Weight[p.j])), big.NewInt(p.c.Denominator))
	fitted := func(q int64, u int32) int64 {
		if in.Job[u] == p.j && paid.Sign() != 0 {
			return scaled(q, budget, paid)
		}
		return q
	}
	var most *big.Rat
	same := func(q int64, _ int32) int64 { return q }
	for _, way := range []struct {
		price func(q int64, u int32) int64
		arcs  []int64
	}{{same, p.c.Arcs}, {adapt, arcs}, {fitted, p.c.Arcs}} {
		c := p.each(in, way.price)
		c.Arcs = way.arcs
		if v, err := p.evaluate(in, c); err == nil && (most == nil || v.Cmp(most) > 0) {
			most = v
		}
	}
	return most
}

// each is the certificate with every price changed. It drops prices and bounds that the changed instance does not
// allow.
func (p *pricing) each(in *msjo.Instance, change func(q int64, u int32) int64) *msjo.Certificate {
	changed := func(prices []int64, threshold model.Time) []int64 {
		list := make([]int64, len(prices))
		for u, q := range prices {
			if q != 0 && in.Head[u] >= threshold {
				list[u] = change(q, int32(u))
			}
		}
		return list
	}
	c := p.c
	c.Terms = nil
	for _, t := range p.c.Terms {
		c.Terms = append(c.Terms, msjo.PriceTerm{Threshold: t.Threshold, Prices: changed(t.Prices, t.Threshold)})
	}
	if t := p.c.TwoSided; t != nil {
		c.TwoSided = &msjo.TwoSided{Both: changed(t.Both, 0), Forward: changed(t.Forward, 0),
			Backward: changed(t.Backward, 0)}
	}
	ends, starts, t := p.holding(in)
	c.Ends, c.Starts = ends, starts
	if t != nil {
		c.Alone = t.Alone
	}
	return &c
}

// holding returns the certificate's bounds of nodes and jobs that hold on a changed instance. Bounds by work always do.
func (p *pricing) holding(in *msjo.Instance) (ends, starts []msjo.NodeBound, jobs *msjo.TwoSided) {
	ends, starts = p.c.Ends, p.c.Starts
	if _, _, err := in.Windows(ends, starts); err != nil {
		other := func(b msjo.NodeBound) bool { return b.Count > 0 || b.Packing != nil }
		ends = slices.DeleteFunc(slices.Clone(ends), other)
		starts = slices.DeleteFunc(slices.Clone(starts), other)
	}
	if p.c.TwoSided == nil {
		return ends, starts, nil
	}
	jobs = &msjo.TwoSided{}
	for _, b := range p.c.Alone {
		if _, err := in.AloneBounds([]msjo.AloneBound{b}, in.Head, in.Tail); err == nil {
			jobs.Alone = append(jobs.Alone, b)
		}
	}
	return ends, starts, jobs
}
