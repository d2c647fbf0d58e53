package cluster

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"mrsched/model"
	"mrsched/model/cluster"
	"mrsched/solver"
)

func large(t testing.TB, tasks, nodes int) *cluster.Instance {
	r := rand.New(rand.NewPCG(1, 2))
	b, at := model.NewBuilder(), model.Locus{}
	b.Node(model.Node{ID: "rack", Kind: model.RackNode}, "", at)
	cpu := []float64{16, 32, 32, 64, 96}
	mem := []int64{64, 128, 256, 256, 512}
	speed := []float64{1, 1, 1.25, 1.5, 2}
	for i := range nodes {
		k := i % 5
		b.Node(model.Node{ID: fmt.Sprint("n", i), Kind: model.HostNode, CPU: model.Some(cpu[k]), MemoryBytes: model.Some(model.Bytes(mem[k] << 30)), Speed: model.Some(speed[k])}, "rack", at)
	}
	per := 10
	for j := range tasks / per {
		jb := model.Job{ID: fmt.Sprint("j", j), Weight: model.UnitWeight * model.Weight(1+r.IntN(5)), Release: model.TimeOf(180 * r.Float64())}
		b.Job(jb, at)
		if r.IntN(10) == 0 && j > 0 {
			b.Dependency(jb.ID, fmt.Sprint("j", r.IntN(j)), 0, at)
		}
		dag := r.IntN(3) == 0
		for i := range per {
			id := fmt.Sprintf("t%d_%d", j, i)
			b.Task(model.Task{ID: id, Kind: model.Map, Processing: model.Some(model.TimeOf(60 * math.Exp(0.5*r.NormFloat64()-0.125))),
				CPU: model.Some(float64(1 + r.IntN(8))), MemoryBytes: model.Some(model.Bytes(1+r.IntN(32)) << 30)}, jb.ID, "", at)
			if dag && i > 0 {
				b.Delay(fmt.Sprintf("t%d_%d", j, r.IntN(i)), id, 0, at)
			}
		}
	}
	return build(t, b)
}

func TestMeasureLarge(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("LARGE"))
	if n == 0 {
		t.Skip()
	}
	for _, o := range []cluster.Objective{cluster.WeightedEnds} {
		start := time.Now()
		in := large(t, n, n/100).Under(o)
		t.Log("built", time.Since(start))
		start = time.Now()
		b, err := newPricing(in)
		if err != nil {
			t.Fatal(err)
		}
		t.Log("bounder", time.Since(start), len(b.pools))
		for _, p := range b.pools {
			t.Log(p)
		}
		start = time.Now()
		c, err := b.jobsAlone()
		if err != nil {
			t.Fatal(err)
		}
		t.Log("alone", value(t, c), time.Since(start))
		start = time.Now()
		c, s, err := b.twoSided(context.Background(), solver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Log("two-sided", value(t, c), time.Since(start))
		start = time.Now()
		c2, err := b.cells(context.Background(), s, 0, solver.Options{Threads: 2, Iterations: 100})
		if err != nil {
			t.Log(err)
		} else {
			t.Log("cells", value(t, c2), time.Since(start))
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		t.Log("sys MB", m.Sys>>20)
	}
}
