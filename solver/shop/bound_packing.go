package shop

import (
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
)

// Limits of the search for packings that do not fit.
const (
	// packingWork bounds the lengths that all dual feasible functions read, over all ends of an instance.
	packingWork = 400_000_000
	// packingCuts is the largest number of cuts tried, packingSteps that of steps, packingSides that of heads and that of
	// tails.
	packingCuts, packingSteps, packingSides = 12, 8, 6
	// packingFunctions is the largest number of functions tried for one time.
	packingFunctions = (packingCuts + 1) * (packingSteps + 1)
)

// packings tries sets of tasks that may not fit between their head and tail.
func (s *aloneSearch) packings(r int, heads, tails []model.Time) {
	for _, a := range sampled(heads, packingSides) {
		for _, b := range sampled(tails, packingSides) {
			if s.packing -= len(s.tasks) * packingFunctions; s.packing < 0 || s.ctx.Err() != nil {
				return
			}
			if lengths, lanes := s.lengths(r, a, b); lanes > 0 && int64(len(lengths)) > lanes {
				slices.Reverse(lengths)
				s.pack(shop.AloneSet{Head: a, Tail: b, Pool: int32(r)}, lengths, int(lanes))
			}
		}
	}
}

// pack looks for the longest time that a packing refutes, as long as this improves the bound. Lengths rise.
func (s *aloneSearch) pack(set shop.AloneSet, lengths []model.Time, lanes int) {
	low := max(0, s.value-set.Head-set.Tail)
	if set.Packing = refuted(low, lengths, lanes); set.Packing == nil {
		return
	}
	var total model.Time
	for _, p := range lengths {
		total += p
	}
	// At high a list schedule fits.
	for high := total/model.Time(lanes) + lengths[len(lengths)-1] + 1; low+1 < high && s.ctx.Err() == nil; {
		s.packing -= len(lengths) * packingFunctions
		middle := low + (high-low)/2
		if found := refuted(middle, lengths, lanes); found != nil {
			low, set.Packing = middle, found
		} else {
			high = middle
		}
	}
	s.offer(set.Head+set.Tail+low+1, set)
}

// refuted looks for a function that proves that the lengths, which rise, do not fit within a time.
func refuted(within model.Time, lengths []model.Time, lanes int) *shop.Packing {
	short, _ := slices.BinarySearch(lengths, within/2+1)
	cuts := append([]model.Time{0}, sampled(slices.Compact(slices.Clone(lengths[:short])), packingCuts)...)
	for _, cut := range cuts {
		for steps := range packingSteps + 1 {
			p := &shop.Packing{Within: within, Cut: cut, Steps: steps}
			if p.Refutes(lengths, lanes) {
				return p
			}
		}
	}
	return nil
}
