package reduceplace

import (
	"fmt"
	"strings"
	"testing"

	"mrsched/solver"
)

// BenchmarkAlgorithms: policies place 50 000 jobs on 1 000 slots; exact solves 36 jobs of some 200 tasks on 20 slots,
// of which few wait at the lowest load and most at the highest.
func BenchmarkAlgorithms(b *testing.B) {
	for _, c := range []struct {
		jobs, slots int
		lambda      float64
		names       string
	}{{50_000, 1000, 0.6, "greedy random rhc threshold"}, {50_000, 1000, 0.95, "greedy threshold"},
		{36, 20, 0.6, "exact"}, {36, 20, 0.95, "exact"}, {36, 20, 3, "exact"}} {
		r := queue(b, c.jobs, c.slots, c.lambda)
		for name := range strings.FieldsSeq(c.names) {
			b.Run(fmt.Sprintf("%s/λ=%g", name, c.lambda), func(b *testing.B) {
				for b.Loop() {
					solved(b, r, name, solver.DefaultIterations)
				}
			})
		}
	}
}
