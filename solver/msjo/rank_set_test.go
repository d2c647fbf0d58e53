package msjo

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRankSet compares random additions and removals with a sorted list, for sizes around those at which a level is
// added.
func TestRankSet(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 63, 64, 65, 4096, 4097, 300_000} {
		s, want := newRankSet(n), []int32(nil)
		for range 2000 {
			if rank := int32(r.IntN(n)); r.IntN(2) == 0 {
				s.add(rank)
				if k, found := slices.BinarySearch(want, rank); !found {
					want = slices.Insert(want, k, rank)
				}
			} else if len(want) > 0 {
				if got := s.pop(); got != want[0] {
					t.Fatalf("%d ranks: %d comes first, want %d", n, got, want[0])
				}
				want = want[1:]
			}
			if s.empty() != (len(want) == 0) {
				t.Fatalf("%d ranks: empty is %v with %d members", n, s.empty(), len(want))
			}
		}
	}
}
