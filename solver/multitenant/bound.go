package multitenant

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
)

const (
	// windowRounds is how often prices are sought for the jobs that the last prices bind most.
	windowRounds = 3
	// windowWork is the cost of a query above which prices are sought only once.
	windowWork = 20_000_000
)

// proven is a signed certificate and what it proves.
type proven struct {
	*multitenant.Certificate
	value *big.Rat
}

// bound proves bounds within its share of the time limit. Truncated bounds are not cached: the next algorithm has its
// own time.
func (r *run) bound(ctx context.Context, opt solver.Options) ([]solver.Bound, error) {
	if r.bounds == nil {
		ctx, end := opt.Phase(ctx, solver.PhaseBound, solver.BoundShare)
		defer end()
		bounds, err := r.prove(ctx, opt)
		if err != nil || ctx.Err() != nil {
			return bounds, err
		}
		r.bounds = bounds
	} else if len(r.bounds) > 0 { // another Watch saw them
		tell(opt, valueOf(r.bounds[0]))
	}
	return r.bounds, nil
}

func valueOf(b solver.Bound) *big.Rat {
	v, ok := new(big.Rat).SetString(b.Certificate.(*multitenant.Certificate).Value)
	if !ok {
		return new(big.Rat)
	}
	return v
}

// atLeast is the strongest bound as a time, rounded up: schedules end at whole microseconds.
func atLeast(bounds []solver.Bound) model.Time {
	if len(bounds) == 0 {
		return 0
	}
	v := valueOf(bounds[0])
	v.Mul(v, new(big.Rat).SetInt64(int64(model.Second)))
	up := new(big.Int).Add(v.Num(), new(big.Int).Sub(v.Denom(), big.NewInt(1)))
	return model.Time(up.Quo(up, v.Denom()).Int64())
}

// tell reports a bound to the Watch.
func tell(opt solver.Options, bound *big.Rat) {
	seconds, _ := bound.Float64()
	opt.Watch.Bound(seconds)
}

// prove computes the bounds, the strongest first; ties in the order of methods. They are deterministic unless ctx ends.
func (r *run) prove(ctx context.Context, opt solver.Options) ([]solver.Bound, error) {
	o := newOracle(r.in, opt.Threads)
	var signed []proven
	sign := func(c *multitenant.Certificate) {
		if r.in.Sign(c) != nil {
			return // without any work, prices prove nothing
		}
		// A bound of 0 counts too: it proves that a schedule of jobs without length is optimal.
		if v, ok := new(big.Rat).SetString(c.Value); ok && (v.Sign() > 0 || c.Method == multitenant.LongestJob) {
			signed = append(signed, proven{c, v})
			tell(opt, v)
		}
	}
	sign(o.longest())
	from, most := model.Time(0), math.Inf(-1)
	for _, x := range []struct {
		method string
		kind   model.TaskKind
	}{{multitenant.MapSlots, model.Map}, {multitenant.ReduceSlots, model.Reduce}} {
		if p, value := o.slotPrices(x.kind); p != nil {
			sign(&multitenant.Certificate{Claim: model.Claim{Method: x.method}, Prices: p})
			if value > most {
				from, most = p.From, value
			}
		}
	}
	o.report = opt.Report
	p, err := o.rackPrices(ctx, from, most, o.known(most))
	if err != nil {
		return nil, err
	}
	if p != nil {
		sign(&multitenant.Certificate{Claim: model.Claim{Method: multitenant.RackLP}, Prices: p})
	}
	slices.SortStableFunc(signed, func(a, b proven) int { return b.value.Cmp(a.value) })
	bounds := make([]solver.Bound, len(signed))
	for k, s := range signed {
		bounds[k] = solver.Bound{Method: s.Method, Certificate: s.Certificate}
	}
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

// longest is the certificate of that job.
func (o *oracle) longest() *multitenant.Certificate {
	return &multitenant.Certificate{Claim: model.Claim{Method: multitenant.LongestJob}, Job: o.in.JobID(o.longestJob())}
}

// known is the best bound without prices of all resources, in seconds; most is that by slots.
func (o *oracle) known(most float64) float64 { return max(most, o.x.Alone(o.longestJob()).Seconds()) }

// slotUnit is the price of the fastest slots if speeds differ.
const slotUnit = 1 << 20

// slotPrices are prices by speed for the slots of one kind, for the jobs that they bind most, and about what they
// prove; nil without such slots.
func (o *oracle) slotPrices(kind model.TaskKind) (*multitenant.Prices, float64) {
	var list []int64
	price, sum := make([]float64, o.crossAt()+1), 0.0
	fastest := slices.Max(o.in.Speed)
	alike := slices.Min(o.in.Speed) == fastest
	for k, p := range o.x.Places {
		speed, slots, at := o.in.Speed[p.Worker]/fastest, p.MapSlots, o.mapAt(int32(k))
		if kind == model.Reduce {
			slots, at = p.ReduceSlots, o.reduceAt(int32(k))
		}
		y := int64(1)
		if !alike {
			y = max(1, int64(math.Round(speed*slotUnit)))
		}
		list = append(list, y)
		price[at] = float64(y)
		sum += float64(y) * float64(slots)
	}
	if sum == 0 {
		return nil, 0
	}
	for r := range price {
		price[r] /= sum
	}
	from, value := o.binding(price)
	if kind == model.Map {
		return &multitenant.Prices{From: from, Map: list}, value
	}
	return &multitenant.Prices{From: from, Reduce: list}, value
}

// rackPrices looks for the best prices of all resources: for all jobs, and for those from a time on; each time again
// for the jobs that the prices bind most. most is what slots prove, in seconds, and has the order of magnitude of what
// prices prove; prices are useful only above known. It returns nil if it finds none.
func (o *oracle) rackPrices(ctx context.Context, from model.Time, most, known float64) (*multitenant.Prices, error) {
	var best *multitenant.Prices
	value, tried := math.Inf(-1), map[model.Time]bool{}
	for _, start := range []model.Time{slices.Min(o.in.Arrival), from} {
		for round := 0; round < windowRounds && !tried[start] && ctx.Err() == nil; round++ {
			tried[start] = true
			d := &dual{oracle: o, from: start, worth: o.idle(o.x.Window(start)), simplex: true,
				time: math.Max(1, most-start.Seconds()), known: known}
			lambda, err := d.maximise(ctx)
			if err != nil || lambda == nil {
				return best, err
			}
			price := d.prices(lambda)
			next, v := o.binding(price)
			if v > value {
				best, value = o.round(price, next), v
			}
			if start = next; o.work > windowWork {
				return best, nil
			}
		}
	}
	return best, nil
}

// idle is, by resource, for how many seconds it cannot be used, less what rounding may let through beyond its capacity.
func (o *oracle) idle(w multitenant.Windows) []float64 {
	list := make([]float64, o.resources())
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

// binding is the time such that the jobs from then on prove most by prices, and about what they prove, in seconds. All
// capacity of a second must cost 1 together. Ties: the latest.
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
