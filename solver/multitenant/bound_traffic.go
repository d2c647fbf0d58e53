package multitenant

import (
	"context"
	"errors"
	"math/big"
	"runtime"

	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
)

// Witness derives the bound on cross-rack bytes again.
func (r *run) Witness(_ context.Context, s *model.Schedule, _ bool) ([]string, any, error) {
	_, last := r.in.Ends(s)
	least, err := r.leastCrossing(last, runtime.GOMAXPROCS(0))
	return []string{"cross_rack_bytes_bound"}, TrafficFacts{least}, err
}

// TrafficFacts are the part of the facts that check derives again.
type TrafficFacts struct {
	// CrossingBound is a lower bound on the bytes that cross racks in any schedule that ends as early.
	CrossingBound model.Number `json:"cross_rack_bytes_bound"`
}

// leastCrossing bounds the bytes that cross racks in a schedule with a given makespan: the best plan of each job, with
// its maps and reduces where slots and links have time within the makespan. It ignores time limits, so that it can be
// derived again; its work is bounded, see dual.maximise.
func (r *run) leastCrossing(makespan model.Time, threads int) (model.Number, error) {
	in := r.in
	o := newOracle(in, threads)
	bytes := 0.0
	for j := range o.x.Jobs {
		bytes += float64(in.Shuffled[j])
	}
	for _, b := range in.Input {
		bytes += float64(b)
	}
	if bytes == 0 || makespan == 0 {
		return "0", nil
	}
	d := &dual{oracle: o, worth: o.idle(o.x.Window(0)), unit: bytes, time: makespan.Seconds(),
		most: 2 * bytes / makespan.Seconds()}
	for r := range d.worth {
		d.worth[r] -= makespan.Seconds()
	}
	lambda, err := d.maximise(context.Background())
	if err != nil {
		return "", err
	}
	price := &multitenant.Prices{}
	if lambda != nil {
		price = o.round(d.prices(lambda), 0)
	}
	// sizes are so large that prices round to 0: a byte that crosses costs 1, all else nothing
	if price.Cross == 0 {
		price = &multitenant.Prices{Cross: 1}
	}
	least, err := o.x.Crossing(price, makespan)
	if errors.Is(err, multitenant.ErrPrices) || err == nil && least.Sign() < 0 {
		least, err = new(big.Rat), nil // which needs no proof
	}
	if err != nil {
		return "", err
	}
	return model.LowerNumber(least), nil
}

// phaseCrossing is the phase that computes that bound.
const phaseCrossing = "bound on traffic"

// addCrossing adds the bound to an outcome.
func (r *run) addCrossing(ctx context.Context, out *solver.Outcome, opt solver.Options) error {
	if out.Schedule == nil {
		return nil
	}
	_, end := opt.Phase(ctx, phaseCrossing, 1)
	defer end()
	_, last := r.in.Ends(out.Schedule)
	least, err := r.leastCrossing(last, opt.Threads)
	if err != nil {
		return err
	}
	out.Facts.(*Facts).TrafficFacts = &TrafficFacts{least}
	return nil
}
