package sim

// Demand is a number of equal flows over the same links.
type Demand struct {
	Links  []int // each at most once
	Weight int64 // number of flows, at least 1
	Limit  Rate  // of one flow, at least 1; Unlimited: none
}

// MaxMin returns the max-min fair rates of one flow of each demand, Unlimited for a demand without a limit that crosses
// no link. Capacities are those of the links, from 1 to [MaxRate]. An index outside the links is a programming error.
//
// Guarantee: no link is over capacity; every flow is at its limit or crosses a link on which no flow has a higher rate
// and that has no room for one more unit for each flow that is not faster elsewhere. Of all such rates it is those of
// progressive filling in integers, which fills links that are full at the same level in the order of their indices.
// Complexity: O(u + m log m) for u uses of m links, without limits.
func MaxMin(capacities []Rate, demands []Demand) []Rate {
	a := newAllocator(capacities)
	for _, d := range demands {
		uses := make([]use, len(d.Links))
		for k, l := range d.Links {
			uses[k] = use{link: int32(l), share: whole}
		}
		a.weigh(a.add(uses, d.Limit), d.Weight)
	}
	a.fill(func(c int32, level Rate) { a.classes[c].level = level })
	levels := make([]Rate, len(demands))
	for c := range demands {
		levels[c] = a.classes[c].level
	}
	return levels
}
