package reduceplace

import (
	"context"
	"math/rand/v2"
	"strconv"
	"testing"

	"mrsched/model"
	"mrsched/model/reduceplace"
	"mrsched/solver"
)

// queue is an instance like those of Tan et al. §V-B: exponential work, at most 100 jobs at a time, 1 to 10 reduces.
func queue(tb testing.TB, jobs, slots int, lambda float64) *reduceplace.Instance {
	tb.Helper()
	return queueOf(tb, 1, jobs, slots, lambda)
}

func queueOf(tb testing.TB, seed uint64, jobs, slots int, lambda float64) *reduceplace.Instance {
	tb.Helper()
	r, b, now := rand.New(rand.NewPCG(seed, 5)), model.NewBuilder(), 0.0
	for s := range slots {
		b.ReduceSlot(model.ReduceSlot{ID: "s" + strconv.Itoa(s), Cost: model.CostOf(1 + 99*r.Float64())}, model.Locus{})
	}
	for i := range jobs {
		now += r.ExpFloat64() / lambda
		b.Job(model.Job{ID: "j" + strconv.Itoa(i), Weight: model.UnitWeight, Release: model.TimeOf(now),
			Reduces:           model.Some(int64(1 + r.IntN(10))),
			IntermediateBytes: model.Some(model.Bytes(1e6 * (1 + 99*r.Float64()))),
			MapWork:           model.Some(model.TimeOf(r.ExpFloat64()))}, model.Locus{})
	}
	w, err := b.Build()
	if err != nil {
		tb.Fatal(err)
	}
	in, err := reduceplace.New(w, reduceplace.Options{MaxRunning: 100})
	if err != nil {
		tb.Fatal(err)
	}
	return in
}

// BenchmarkClairvoyantBound computes and signs the bound of 50 000 jobs on 1 000 slots, on two threads.
func BenchmarkClairvoyantBound(b *testing.B) {
	for _, lambda := range []float64{0.6, 0.9, 0.98} {
		in := queue(b, 50_000, 1000, lambda)
		b.Run("λ="+strconv.FormatFloat(lambda, 'g', -1, 64), func(b *testing.B) {
			for b.Loop() {
				r := &run{in: in}
				if err := r.prove(context.Background(), solver.Options{Threads: 2}, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkExact solves 36 jobs of some 200 tasks on 20 slots: few jobs wait at the lower load, most at the highest.
func BenchmarkExact(b *testing.B) {
	for _, lambda := range []float64{0.6, 0.95, 3} {
		in := queue(b, 36, 20, lambda)
		b.Run("λ="+strconv.FormatFloat(lambda, 'g', -1, 64), func(b *testing.B) {
			for b.Loop() {
				if out, err := (&run{in: in}).Solve(context.Background(), "exact",
					solver.Options{Iterations: solver.DefaultIterations, Threads: 1}); err != nil ||
					out.Status != model.StatusOptimal {
					b.Fatal(out, err)
				}
			}
		})
	}
}
