package reduceplace

import (
	"context"
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
	}{{50_000, 1000, 0.6, "greedy random rhc threshold lookahead"}, {50_000, 1000, 0.95, "greedy threshold lookahead"},
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

// BenchmarkClairvoyantBound computes and signs the bound of 50 000 jobs on 1 000 slots, on two threads.
func BenchmarkClairvoyantBound(b *testing.B) {
	for _, lambda := range []float64{0.6, 0.9, 0.98} {
		in := queue(b, 50_000, 1000, lambda).in
		b.Run(fmt.Sprintf("λ=%g", lambda), func(b *testing.B) {
			for b.Loop() {
				if err := runOf(in).prove(context.Background(), solver.Options{Threads: 2}, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStationary: small systems, and one near the largest allowed.
func BenchmarkStationary(b *testing.B) {
	for _, c := range []struct{ slots, k, reduces int }{{8, 3, 1}, {8, 2, 2}, {15, 4, 1}} {
		b.Run(fmt.Sprint(c), func(b *testing.B) {
			cost := make([]float64, c.slots)
			for i := range cost {
				cost[i] = float64(i * i)
			}
			for b.Loop() {
				if _, err := stationaryValues(cost, UniformReduces(Exponential(1), c.reduces), c.k, 0.9); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
