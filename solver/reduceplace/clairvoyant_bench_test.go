package reduceplace

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"mrsched/model"
	"mrsched/model/reduceplace"
)

// queue is an instance like those of Tan et al. §V-B: exponential work, at most 100 jobs at a time, 1 to 10 reduces.
func queue(tb testing.TB, jobs, slots int, lambda float64) *reduceplace.Instance {
	tb.Helper()
	r, b, now := rand.New(rand.NewPCG(1, 5)), model.NewBuilder(), 0.0
	for s := range slots {
		b.ReduceSlot(model.ReduceSlot{ID: "s" + strconv.Itoa(s), Cost: model.CostOf(1 + 99*r.Float64())}, model.Locus{})
	}
	for i := range jobs {
		now += r.ExpFloat64() / lambda
		b.Job(model.Job{ID: "j" + strconv.Itoa(i), Weight: model.UnitWeight, Release: model.TimeOf(now), Reduces: model.Some(int64(1 + r.IntN(10))),
			IntermediateBytes: model.Some(model.Bytes(1e6 * (1 + 99*r.Float64()))), MapWork: model.Some(model.TimeOf(r.ExpFloat64()))}, model.Locus{})
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
