package multitenant

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
)

// bound proves bounds within its share of the time limit. Truncated bounds are not kept: each algorithm has its own
// time.
func (r *run) bound(ctx context.Context, opt solver.Options) ([]solver.Bound, error) {
	if r.bounds == nil {
		ctx, end := opt.Phase(ctx, solver.PhaseBound, solver.BoundShare)
		defer end()
		bounds, err := r.prove(ctx, opt)
		if err != nil || ctx.Err() != nil {
			return bounds, err
		}
		r.bounds = bounds
	} else if len(r.bounds) > 0 { // another Watch has already shown them
		opt.Tell(r.bounds[0])
	}
	return r.bounds, nil
}

// atLeast is the strongest bound as a time, rounded up: schedules end at whole microseconds.
func atLeast(bounds []solver.Bound) model.Time {
	if len(bounds) == 0 {
		return 0
	}
	v := bounds[0].Value()
	v.Mul(v, new(big.Rat).SetInt64(int64(model.Second)))
	up := new(big.Int).Add(v.Num(), new(big.Int).Sub(v.Denom(), big.NewInt(1)))
	return model.Time(up.Quo(up, v.Denom()).Int64())
}

// prove computes the bounds, the strongest first; ties in the order of computation. The result is deterministic unless
// ctx ends.
func (r *run) prove(ctx context.Context, opt solver.Options) ([]solver.Bound, error) {
	o := newOracle(r.in, opt.Threads)
	o.report = opt.Report
	bounds := []solver.Bound{}
	sign := func(c *multitenant.Certificate) {
		if r.in.Sign(c) != nil {
			return // without any work, prices prove nothing
		}
		// The longest job counts even with length 0: then it proves a schedule of jobs of length 0 optimal.
		b := solver.Bound{Method: c.Method, Certificate: c}
		if b.Value().Sign() > 0 || c.Method == multitenant.LongestJob {
			bounds = append(bounds, b)
			opt.Tell(b)
		}
	}
	longest := o.in.JobID(o.longestJob())
	sign(&multitenant.Certificate{Claim: model.Claim{Method: multitenant.LongestJob}, Job: longest})
	slots, most := o.slotBounds()
	for _, c := range slots {
		sign(c)
	}
	p, err := o.rackPrices(ctx, most, o.known(most))
	if err != nil {
		return nil, err
	}
	if p != nil {
		sign(&multitenant.Certificate{Claim: model.Claim{Method: multitenant.RackLP}, Prices: p})
	}
	slices.SortStableFunc(bounds, func(a, b solver.Bound) int { return b.Value().Cmp(a.Value()) })
	return bounds, nil
}

// longestJob is the job that would end last with the cluster to itself. Ties: the lower index.
func (o *oracle) longestJob() (at int32) {
	for j := range int32(o.in.Jobs) {
		if o.x.Alone(j) > o.x.Alone(at) {
			at = j
		}
	}
	return at
}

// known is the best bound without prices, in seconds; most is the bound by slots.
func (o *oracle) known(most float64) float64 { return max(most, o.x.Alone(o.longestJob()).Seconds()) }

// slotUnit is the price of the fastest slots if speeds differ.
const slotUnit = 1 << 20

// slotBounds returns the unsigned bounds by map slots alone and by reduce slots alone. Each slot has a price by its
// speed. most is about the higher bound, in seconds.
func (o *oracle) slotBounds() (list []*multitenant.Certificate, most float64) {
	most = math.Inf(-1)
	fastest := slices.Max(o.in.Speed)
	alike := slices.Min(o.in.Speed) == fastest
	for k, method := range []string{multitenant.MapSlots, multitenant.ReduceSlots} {
		prices, price, all := make([]int64, len(o.capacity)), make([]float64, o.crossAt()+1), 0.0
		for i := range o.x.Places {
			r, y := k*o.places+i, int64(1)
			if !alike {
				y = max(1, int64(math.Round(o.in.Speed[o.x.Places[i].Worker]/fastest*slotUnit)))
			}
			prices[r], price[r] = y, float64(y)
			all += price[r] * o.capacity[r]
		}
		if all == 0 {
			continue // there are no such slots
		}
		for r := range price {
			price[r] /= all
		}
		from, value := o.binding(price)
		most = max(most, value)
		list = append(list, &multitenant.Certificate{Claim: model.Claim{Method: method},
			Prices: o.x.PricesOf(prices, from, 0)})
	}
	return list, most
}

// rackPrices looks for the best prices of all resources. It returns nil if it finds none. most is the bound by slots,
// in seconds, and sets the order of magnitude. Prices are useful only above known.
func (o *oracle) rackPrices(ctx context.Context, most, known float64) (*multitenant.Prices, error) {
	start := slices.Min(o.in.Arrival)
	d := o.newDual(start)
	d.simplex, d.time, d.known = true, max(1, most-start.Seconds()), known
	d.unit = d.time
	lambda, err := d.maximise(ctx)
	if err != nil || lambda == nil {
		return nil, err
	}
	price := d.prices(lambda)
	from, _ := o.binding(price)
	return o.scaled(price, from, o.scale(price)), nil
}

// idle is, by resource, its unusable seconds, less the amount by which rounding may exceed its capacity.
func (o *oracle) idle(w multitenant.Windows) []float64 {
	list := make([]float64, len(o.capacity))
	for r := range list {
		span := w.Link
		switch {
		case r < o.places:
			span = w.Map
		case r < 2*o.places:
			span = w.Reduce
		case o.capacity[r] > 0:
			list[r] = -float64(o.x.Loads+1) / o.capacity[r]
		}
		list[r] += (span.Head + span.Tail).Seconds()
	}
	return list
}

// binding returns the arrival from which on jobs prove most by prices, and approximately this bound in seconds. All
// capacity of a second must cost 1 in total. Ties: the latest.
func (o *oracle) binding(price []float64) (model.Time, float64) {
	paid := o.pays(price)
	var order []int32
	for j := range o.x.Jobs {
		if o.x.Jobs[j].MapCount+o.x.Jobs[j].ReduceCount > 0 {
			order = append(order, int32(j))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(o.in.Arrival[b], o.in.Arrival[a]) })
	uses, sum := multitenant.NewUses(), 0.0
	from, most := model.Time(0), math.Inf(-1)
	for i, j := range order {
		sum += paid[j]
		uses.Add(o.x, j)
		if i+1 < len(order) && o.in.Arrival[order[i+1]] == o.in.Arrival[j] {
			continue
		}
		value := sum
		for r, idle := range o.idle(uses.Windows()) {
			value += price[r] * o.capacity[r] * idle
		}
		if value > most {
			from, most = o.in.Arrival[j], value
		}
	}
	return from, most
}

const (
	// priceBits is the size of the largest integer price. With 40 bits a bound loses less than 1e-9, and every number is
	// exact in JSON readers that use doubles.
	priceBits = 40
	// productBits is the size of products of a price with a time or with bytes. It leaves room for sums of them.
	productBits = 57
)

// prices converts λ from capacity to use of a resource.
func (d *dual) prices(lambda []float64) []float64 {
	price := make([]float64, d.crossAt()+1)
	for r, c := range d.capacity {
		if c > 0 {
			price[r] = lambda[r] / c
		}
	}
	if !d.simplex {
		price[d.crossAt()] = 1
	}
	return price
}

// perMicrosecond turns prices of a second of a slot into those of a microsecond.
func (o *oracle) perMicrosecond(price []float64) []float64 {
	exact := slices.Clone(price)
	for r := range exact[:2*o.places] {
		exact[r] /= float64(model.Second)
	}
	return exact
}

// scale is the power of two by which prices may be multiplied.
func (o *oracle) scale(price []float64) int {
	most := slices.Max(o.perMicrosecond(price))
	if most == 0 {
		return 0
	}
	_, e := math.Frexp(most)
	return min(priceBits, productBits-o.largest()) - e
}

// whole multiplies prices by a power of two and rounds them down.
func (o *oracle) whole(price []float64, scale int) []int64 {
	list := make([]int64, len(price))
	for r, v := range o.perMicrosecond(price) {
		list[r] = int64(math.Ldexp(v, scale))
	}
	return list
}

// scaled are prices in whole numbers.
func (o *oracle) scaled(price []float64, from model.Time, scale int) *multitenant.Prices {
	whole := o.whole(price, scale)
	return o.x.PricesOf(whole[:o.crossAt()], from, whole[o.crossAt()])
}

// largest is the number of bits of the largest time (in microseconds) or size that is multiplied by a price.
func (o *oracle) largest() int {
	most := int64(1)
	for j := range o.x.Jobs {
		job := &o.x.Jobs[j]
		for i := range job.Kinds {
			m := &job.Kinds[i]
			most = max(most, int64(m.Input), int64(m.Output))
			for k := range o.x.Places {
				most = max(most, int64(o.x.MapTime(m, &o.x.Places[k], true)))
			}
		}
		for i := range job.Reduces {
			for k := range o.x.Places {
				most = max(most, int64(o.x.ReduceTime(&job.Reduces[i], &o.x.Places[k])))
			}
		}
	}
	return bits.Len64(uint64(most))
}
