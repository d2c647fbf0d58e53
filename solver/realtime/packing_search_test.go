package realtime

import (
	"math/rand/v2"
	"testing"

	"mrsched/model"
)

// TestPackMany: a step of the search looks at a bounded number of swaps however many partitions share a slot, so that
// its moves are not exceeded by orders of magnitude: 40 000 partitions on three slots have 10⁸ swaps for each two of
// them.
func TestPackMany(t *testing.T) {
	s := packSpec{speeds: []float64{1, 1.3, 0.7}, base: [][]model.Time{make([]model.Time, 40_000)}}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range s.base[0] {
		s.base[0][i] = 1000 + model.Time(r.IntN(1000))
	}
	in := packInstance(t, s)
	p := newPacking(in, in.SetsOf(0)[0])
	x := p.newSearch(1, 0)
	x.start(p.greedy(bySize), 0)
	for from := range int32(3) {
		for to := range int32(3) {
			if leave, take := x.some(from, to); from != to && (len(leave)*len(take) > searchPairs ||
				len(leave)*len(take) < searchPairs/2) {
				t.Errorf("%d swaps of %d", len(leave)*len(take), len(x.on[from])*len(x.on[to]))
			}
		}
	}
	x.moves = 3 * searchPairs
	if x.advance(x.excess); x.moves < 0 {
		t.Errorf("a step looks at %d moves too many", -x.moves)
	}
}
