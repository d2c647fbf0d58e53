package reduceplace

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"mrsched/model"
	"mrsched/model/reduceplace"
	"mrsched/solver"
)

func zzInstance(jobs, slots int, lambda float64, k int64, maxR int, seed uint64) *reduceplace.Instance {
	r := rand.New(rand.NewPCG(seed, 5))
	b := model.NewBuilder()
	for s := range slots {
		b.ReduceSlot(model.ReduceSlot{ID: fmt.Sprint("s", s), Cost: model.CostOf(1 + 99*r.Float64())}, model.Locus{})
	}
	t := 0.0
	for i := range jobs {
		t += r.ExpFloat64() / lambda
		b.Job(model.Job{ID: fmt.Sprint("j", i), Weight: model.UnitWeight, Release: model.TimeOf(t), Reduces: model.Some(int64(1 + r.IntN(maxR))),
			IntermediateBytes: model.Some(model.Bytes(1e6 * (1 + 99*r.Float64()))), MapWork: model.Some(model.TimeOf(r.ExpFloat64()))}, model.Locus{})
	}
	w, err := b.Build()
	if err != nil {
		panic(err)
	}
	in, err := reduceplace.New(w, reduceplace.Options{MaxRunning: k})
	if err != nil {
		panic(err)
	}
	return in
}

func zzRun(in *reduceplace.Instance) *run {
	r := &run{in: in, p: solver.Params{"window": int64(100)}, believed: make([]float64, in.Jobs)}
	for i := range r.believed {
		if n := in.Reduces[i]; n > 0 {
			r.believed[i] = float64(in.Bytes[i]) / float64(n)
		}
	}
	return r
}

func zzCost(in *reduceplace.Instance, slot []int32) float64 {
	sum := 0.0
	for i := range in.Jobs {
		for t := in.First[i]; t < in.First[i+1]; t++ {
			sum += float64(in.Bytes[i]) / float64(in.Reduces[i]) * in.Cost[slot[t]].Float()
		}
	}
	return sum / float64(in.Jobs) / 1e6
}

func TestZZ(t *testing.T) {
	for _, c := range []struct {
		l     float64
		slots int
		k     int64
		maxR  int
	}{{0.2, 1000, 100, 10}, {0.5, 1000, 100, 10}, {0.7, 1000, 100, 10}, {0.8, 1000, 100, 10}, {0.9, 1000, 100, 10}, {0.95, 1000, 100, 10}, {0.98, 1000, 100, 10}, {0.6, 4, 2, 2}, {0.9, 4, 2, 2}, {0.9, 3, 3, 1}} {
		in := zzInstance(50000, c.slots, c.l, c.k, c.maxR, 1)
		r := zzRun(in)
		var g float64
		for _, p := range []struct {
			n string
			p policy
		}{{"greedy", inRanks{greedy{in}, in}}, {"rhc", inRanks{newRHC(r), in}}, {"lookahead", newLookahead(r)}} {
			a := time.Now()
			slot, _ := play(context.Background(), in, p.p, func(int, int) {})
			cost := zzCost(in, slot)
			if p.n == "greedy" {
				g = cost
			}
			fmt.Printf("λ=%g slots %d %s: %.4f  saves %.2f %%  (%v)\n", c.l, c.slots, p.n, cost, 100*(1-cost/g), time.Since(a))
		}
	}
}
