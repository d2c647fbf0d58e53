package reduceplace

import (
	"context"
	"fmt"
	"math/rand/v2"
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

// BenchmarkModel judges and checks a schedule of 50 000 jobs, and names its rows.
func BenchmarkModel(b *testing.B) {
	r := queue(b, 50_000, 1000, 0.6)
	in, s := r.in, solved(b, r, "greedy", 1).Schedule
	for name, f := range map[string]func(){
		"evaluate": func() { in.Evaluate(s) },
		"check":    func() { in.Check(s) },
		"rows": func() {
			for _, e := range s.Entries {
				in.TaskName(e.Task)
				in.Cells(e)
			}
		}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
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

// BenchmarkThresholds: K = 100 jobs of 1 to 10 reduces on 1000 slots, 50 000 jobs in the law.
func BenchmarkThresholds(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 4))
	u, v := make([]float64, 50000), make([]int32, 50000)
	for i := range u {
		u[i], v[i] = r.Float64(), int32(1+r.IntN(10))
	}
	law := EmpiricalLaw(u, v)
	for b.Loop() {
		thresholds(context.Background(), law, 100, 1000)
	}
}
