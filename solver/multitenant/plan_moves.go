package multitenant

import (
	"math/rand/v2"
	"slices"
)

// planMoves changes plans at random.
type planMoves struct{ rng *rand.Rand }

func newPlanMoves(seed uint64) planMoves { return planMoves{rand.New(rand.NewPCG(seed, 701))} }

// moves are variants of the leading plan in which a job has other racks, as they are chosen in an idle cluster, or another
// place in the order.
func (m planMoves) moves(s *planSearch) (list []config) {
	for range planBatch {
		p := *s.lead.c.plan
		p.moved++
		j := int32(m.rng.IntN(s.r.in.Jobs))
		if p.rank != nil && m.rng.IntN(2) == 0 && s.r.in.Jobs > 1 {
			p.rank = moveRank(p.rank, j, int32(m.rng.IntN(s.r.in.Jobs)))
		} else {
			p.choice = slices.Clone(p.choice)
			options := s.p.idle(j)
			p.choice[j] = options[m.rng.IntN(len(options))].choice
		}
		list = append(list, s.with(&p))
	}
	return list
}

// idle are the choices of a job in an idle cluster.
func (p *placer) idle(j int32) []*forecast {
	clear(p.mapFree)
	clear(p.reduceFree)
	clear(p.outFree)
	clear(p.inFree)
	return p.forecasts(j)
}

// moveRank gives a job another rank; those in between move up or down by one.
func moveRank(rank []int32, j, to int32) []int32 {
	rank = slices.Clone(rank)
	from := rank[j]
	for k, r := range rank {
		switch {
		case r > from && r <= to:
			rank[k]--
		case r < from && r >= to:
			rank[k]++
		}
	}
	rank[j] = to
	return rank
}
