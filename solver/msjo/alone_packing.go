package msjo

import (
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
)

// Limits of the search for packings that do not fit.
const (
	// packingWork bounds the lengths that all dual feasible functions look at, for all ends of an instance together.
	packingWork = 400_000_000
	// packingCuts is the most cuts that are tried, packingSides the most heads and the most tails.
	packingCuts, packingSides = 12, 6
	// packingFunctions is the most functions that are tried for one time.
	packingFunctions = (packingCuts + 1) * (countMost + 1)
)

// packings tries sets of tasks that do not fit between their head and tail.
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

// pack looks for the longest time that a packing refutes, if it betters the bound.
func (s *aloneSearch) pack(a, b model.Time, lengths []model.Time, total model.Time) {
	slices.Sort(lengths)
	low := max(0, s.value-a-b)
	best := s.refute(low, lengths)
	if best == nil {
		return
	}
	// a list schedule fits
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

// refute looks for a function that shows that lengths, which rise, do not fit within a time.
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
