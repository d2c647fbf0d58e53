package shop

import (
	"context"
	"math/bits"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

// shavingWork is the most steps of one refutation, and shavingTotal of all of them.
const shavingWork, shavingTotal = 300_000_000, 1_200_000_000

// shavingRounds is how many rounds of propagation a refutation may take for each task and each halving of its window:
// several times as many as needed, unless windows shrink by one unit after another.
const shavingRounds = 32

// shaving is the bound of the latest end that windows, energy and shaving refute: it bisects between the proven bound
// and the end of a known schedule. It is nil if it proves nothing more, or under other objectives. It checks ctx.
func (b *Pricing) shaving(ctx context.Context, least, target float64,
	opt solver.Options) (*shop.Certificate, error) {
	if b.In.Objective != shop.Makespan || b.In.Tasks > shop.MaxRefuteTasks || target <= least {
		return nil, nil
	}
	r, err := b.E.NewRefuter(b.Pools)
	if err != nil {
		return nil, err
	}
	var done int64
	var best *shop.Refuted
	unit := r.Next(0)
	low, high := model.Time(least)/unit, model.Time(target)/unit // low is refuted, or one before it is proven; high is met
	r.Patience = int64(shavingRounds * b.In.Tasks * bits.Len64(uint64(high)))
	for begin := low; low < high && done < shavingTotal && ctx.Err() == nil; {
		middle := low + (high-low)/2
		if best == nil && middle > begin { // the proven bound is mostly near the optimum
			middle = begin
		}
		due := (middle+1)*unit - 1
		refuted, work := r.Try(ctx, due, min(shavingWork, shavingTotal-done))
		done += work
		opt.Report(int(done/1_000_000), shavingTotal/1_000_000)
		switch {
		case refuted:
			best, low = &shop.Refuted{Due: due, Work: work}, middle+1
		default:
			high = middle
		}
	}
	if best == nil {
		return nil, nil
	}
	c := &shop.Certificate{Claim: model.Claim{Method: shop.MethodShaving, Kind: shop.KindRefuted},
		Bounds: shop.Bounds{Pools: b.Pools}, Refuted: best}
	return c, b.E.Sign(c)
}
