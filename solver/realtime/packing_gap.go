package realtime

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mrsched/model"
)

// closeGap asks trees for limits between bound and makespan, with so much work in all, the set with the least bound
// first. It says how much work is left.
func (x *pursued) closeGap(ctx context.Context, work int64) (left int64, err error) {
	if x.in.Resplit.Known {
		return work, nil
	}
	order := make([]int, len(x.sets))
	for k := range order {
		order[k] = k
		s := &x.sets[k]
		if s.low >= x.cost || ctx.Err() != nil {
			continue
		}
		b, err := x.root(ctx, s.set)
		if err != nil {
			return work, err
		}
		s.raise(*b)
		x.tell()
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x.sets[a].low, x.sets[b].low) })
	for _, k := range order {
		s := &x.sets[k]
		tries := gapTries // where in the gap to ask next
		for s.low < x.cost && s.configurable() && len(tries) > 0 && ctx.Err() == nil {
			top, low := s.below(x.cost), (s.low+s.unit-1)/s.unit*s.unit
			limit := max(low, top-(top-low)/tries[0].of*tries[0].times/s.unit*s.unit)
			q := question{limit: min(limit, top), nodes: math.MaxInt, work: work / 2}
			if err := x.answer(ctx, s.packed, &q); err != nil {
				return work, err
			}
			work -= q.usedWork
			switch tries = tries[1:]; q.answer {
			case relaxed:
				x.take(k, q.slot)
				tries = gapTries
			case refuted:
				s.low, tries = q.limit+s.unit, gapTries
				if q.proof != nil {
					s.bound = bounded{s.low, *q.proof}
				}
			}
			x.tell()
		}
	}
	return work, nil
}

// gapTries are the places in a gap where questions are asked until one is answered: in the middle, near the bound,
// where it is easier to refute, and near the makespan, where it is easier to find something. They are shares of the way
// down.
var gapTries = []struct{ times, of model.Time }{{1, 2}, {7, 8}, {1, 8}}
