package msjo

import (
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
)

// Limits of the search for packings that do not fit.
const (
	// packingWork bounds the lengths that all dual feasible functions read, over all ends of an instance.
	packingWork = 400_000_000
	// packingCuts is the largest number of cuts tried, packingSides that of heads and that of tails.
	packingCuts, packingSides = 12, 6
	// packingFunctions is the largest number of functions tried for one time.
	packingFunctions = (packingCuts + 1) * (countMost + 1)
)

// packings tries sets of tasks that may not fit between their head and tail.
func (s *aloneSearch) packings(heads []model.Time) {
	tails := distinct(s.tasks, s.tail)
	for _, a := range sampled(heads, packingSides) {
		for _, b := range sampled(tails, packingSides) {
			if s.packing -= len(s.tasks) * packingFunctions; s.packing < 0 || s.ctx.Err() != nil {
				return
			}
			var lengths []model.Time
			var total model.Time
			for _, u := range s.tasks {
				if s.head[u] >= a && s.tail[u] >= b {
					lengths = append(lengths, s.p[u])
					total += s.p[u]
				}
			}
			if len(lengths) > s.machines {
				s.pack(a, b, lengths, total)
			}
		}
	}
}

// pack looks for the longest time that a packing refutes, as long as this improves the bound.
func (s *aloneSearch) pack(a, b model.Time, lengths []model.Time, total model.Time) {
	slices.Sort(lengths)
	low := max(0, s.value-a-b)
	best := s.refute(low, lengths)
	if best == nil {
		return
	}
	// At high a list schedule fits.
	for high := total/model.Time(s.machines) + lengths[len(lengths)-1] + 1; low+1 < high && s.ctx.Err() == nil; {
		s.packing -= len(lengths) * packingFunctions
		middle := low + (high-low)/2
		if found := s.refute(middle, lengths); found != nil {
			low, best = middle, found
		} else {
			high = middle
		}
	}
	s.offer(a+b+low+1, msjo.AloneSet{Head: a, Tail: b, Packing: best})
}

// refute looks for a function that proves that the lengths, which rise, do not fit within a time.
func (s *aloneSearch) refute(within model.Time, lengths []model.Time) *msjo.Packing {
	short, _ := slices.BinarySearch(lengths, within/2+1)
	cuts := append([]model.Time{0}, sampled(slices.Compact(slices.Clone(lengths[:short])), packingCuts)...)
	for _, cut := range cuts {
		for steps := range countMost + 1 {
			p := &msjo.Packing{Within: within, Cut: cut, Steps: steps}
			if p.Refutes(lengths, s.machines) {
				return p
			}
		}
	}
	return nil
}
