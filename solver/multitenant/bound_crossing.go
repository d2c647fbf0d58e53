package multitenant

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"runtime"
	"slices"

	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
)

// crossingWindows is the number of windows that the bound on traffic prices. The first starts at the first arrival,
// each other one when a further equal part of the work has arrived.
const crossingWindows = 4

// Witness derives the bound on cross-rack bytes again.
func (r *run) Witness(_ context.Context, s *model.Schedule, _ bool) ([]string, any, error) {
	facts, err := r.leastCrossing(s, runtime.GOMAXPROCS(0))
	return []string{"cross_rack_bytes_bound", "cross_rack_certificate"}, facts, err
}

// TrafficFacts are the part of the facts that check derives again.
type TrafficFacts struct {
	// CrossingBound is a lower bound on the bytes that cross racks in any schedule that ends as early.
	CrossingBound model.Number `json:"cross_rack_bytes_bound"`
	// Certificate proves it; it is nil if the bound is just the bytes that reduces write
	Certificate *multitenant.Crossing `json:"cross_rack_certificate,omitempty"`
}

// leastCrossing bounds the bytes that cross racks in schedules with the makespan of s. Each job has its best plan, with
// maps and reduces where slots and links have time after its arrival. It ignores time limits, so that check can derive
// it again; dual.maximise bounds its work.
func (r *run) leastCrossing(s *model.Schedule, threads int) (TrafficFacts, error) {
	_, makespan := r.in.Ends(s)
	written := new(big.Rat).SetInt64(int64(r.in.Written))
	plain := TrafficFacts{CrossingBound: model.LowerNumber(written)}
	o := newOracle(r.in, threads)
	bytes := 0.0
	for _, b := range slices.Concat(r.in.Shuffled, r.in.Input) {
		bytes += float64(b)
	}
	if bytes == 0 || makespan == 0 {
		return plain, nil
	}
	span := makespan.Seconds()
	d := o.newDual(o.arrivalWindows()...)
	d.unit, d.time, d.most = bytes, span, 2*bytes/span
	for r := range d.worth {
		d.worth[r] -= span
	}
	lambda, err := d.maximise(context.Background())
	if err != nil {
		return plain, err
	}
	proof := &multitenant.Crossing{Makespan: makespan, Windows: o.roundAll(d, lambda)}
	if r.in.SignCrossing(proof) != nil { // numbers are too large
		return plain, nil
	}
	v, _ := new(big.Rat).SetString(proof.Value)
	if v.Cmp(written) <= 0 { // that bound needs no proof
		return plain, nil
	}
	return TrafficFacts{model.LowerNumber(v), proof}, nil
}

// arrivalWindows are the first arrival, and the arrivals at which a further part of the work on map slots has arrived.
func (o *oracle) arrivalWindows() []model.Time {
	var order []int32
	all := 0.0
	for j := range o.x.Jobs {
		if o.x.Jobs[j].MapCount+o.x.Jobs[j].ReduceCount > 0 {
			order = append(order, int32(j))
			all += o.x.Jobs[j].MapsTake.Seconds()
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(o.in.Arrival[a], o.in.Arrival[b]) })
	list, sum := []model.Time{o.in.Arrival[order[0]]}, 0.0
	for _, j := range order {
		if at := o.in.Arrival[j]; at > list[len(list)-1] && sum*crossingWindows >= all*float64(len(list)) &&
			len(list) < crossingWindows {
			list = append(list, at)
		}
		sum += o.x.Jobs[j].MapsTake.Seconds()
	}
	return list
}

// roundAll rounds the prices of all windows on one scale. Without λ, or if all round to 0, only crossing has a price.
func (o *oracle) roundAll(d *dual, lambda []float64) (list []multitenant.Prices) {
	if lambda == nil {
		return []multitenant.Prices{{From: d.windows[0], Cross: 1}}
	}
	n, shift := len(d.capacity), math.MaxInt
	sum := make([]float64, n)
	for k := range d.windows {
		for r := range sum {
			sum[r] += lambda[k*n+r]
		}
		shift = min(shift, o.scale(d.prices(sum)))
	}
	for k, from := range d.windows {
		p := o.scaled(d.prices(lambda[k*n:(k+1)*n]), from, shift)
		if p.Cross == 0 {
			return []multitenant.Prices{{From: d.windows[0], Cross: 1}}
		}
		if k == 0 || p.Map != nil || p.Reduce != nil || p.Out != nil || p.In != nil || p.Fabric != nil {
			list = append(list, *p)
		}
	}
	return list
}

// phaseCrossing is the phase that computes that bound.
const phaseCrossing = "bound on traffic"

// addCrossing adds the bound to an outcome.
func (r *run) addCrossing(ctx context.Context, out *solver.Outcome, opt solver.Options) error {
	_, end := opt.Phase(ctx, phaseCrossing, 1)
	defer end()
	facts, err := r.leastCrossing(out.Schedule, opt.Threads)
	out.Facts.(*Facts).TrafficFacts = &facts
	return err
}
