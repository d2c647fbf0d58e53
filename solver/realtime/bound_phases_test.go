package realtime

import (
	"context"
	"encoding/json"
	"maps"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// generated opens an instance of the preset twitter for goal partitions, with sketches.
func generated(t testing.TB, seed uint64, with map[string]any) *run {
	t.Helper()
	preset, err := instances.FindPreset("realtime", "twitter")
	if err != nil {
		t.Fatal(err)
	}
	p := solver.Params{}
	for _, param := range preset.Params {
		p[param.Name] = param.Default == "true"
		if v, err := strconv.ParseFloat(param.Default, 64); err == nil {
			p[param.Name] = v
			if param.Kind == solver.IntParam {
				p[param.Name] = int64(v)
			}
		}
	}
	maps.Copy(p, with)
	w, err := preset.Generate(p, seed)
	if err != nil {
		t.Fatal(err)
	}
	in, err := realtime.New(w, realtime.Options{Goal: realtime.Partitions, Delta: 0.0004, SketchSeed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return phaseRun(in)
}

// TestLeastOfSets: raising only bounds that may be the least gives the same result as raising all, apart from rounding.
func TestLeastOfSets(t *testing.T) {
	for seed := range uint64(3) {
		size := map[string]any{"jobs": int64(2), "workers": int64(9), "maps": int64(1), "reduces": int64(8),
			"partitions": int64(16), "keys": int64(200)}
		lazy, all := generated(t, seed, size), generated(t, seed, size)
		ctx := context.Background()
		if err := lazy.prove(ctx, solver.Options{}, 1); err != nil {
			t.Fatal(err)
		}
		phases := lazy.bounds[0].Certificate.(*realtime.Certificate).Phases
		for j := range int32(all.in.Jobs) {
			least, slots := model.MaxTime, model.MaxTime
			for _, set := range all.in.SetsOf(j) {
				b, err := all.phase(set).RootBound(ctx)
				if err != nil {
					t.Fatal(err)
				}
				f, err := all.phase(set).RelaxedBound(ctx)
				if err != nil {
					t.Fatal(err)
				}
				least, slots = min(least, b.Value), min(slots, f.Value)
			}
			got := phases[j].Time
			if got < slots || got < least-least/100_000 || got > least+least/100_000 {
				t.Errorf("seed %d, job %d: %s, all %s, T* %s", seed, j, got, least, slots)
			}
		}
	}
}

// unitOf is the greatest common divisor of the times of a set.
func unitOf(in *realtime.Instance, set realtime.Set) (unit model.Time) {
	for t := set.First; t < set.First+set.Count; t++ {
		for _, s := range in.Candidates(set).Slots {
			unit = model.GCD(unit, in.Time(t, in.WorkerOf[s]))
		}
	}
	return max(1, unit)
}

// TestSetsOfUnlikeUnits: the loads of each set are multiples of its own unit of time, so none needs to reach the least
// bound of another exactly. The bound is proven, and no assignment is better.
func TestSetsOfUnlikeUnits(t *testing.T) {
	units := 0
	for seed := range uint64(1000) {
		random := rand.New(rand.NewPCG(seed, 1))
		sizes := []int64{[]int64{1, 6, 10, 15}[random.IntN(4)], []int64{6, 10, 15}[random.IntN(3)]}
		r := assignRun(t, realtime.Options{Delta: 0.01, SketchSeed: int64(seed)}, func(b *model.Builder) {
			assignWorkers(b, []float64{1, 1, 0.5, 0.25}[:2+random.IntN(3)])
			b.Job(model.Job{ID: "j", Weight: model.UnitWeight, Reduces: model.Some(1 + random.Int64N(3)),
				Partitions: model.Some(2 + random.Int64N(6)), ReduceRate: model.Some(1.0)}, model.Locus{})
			for k := range 4 + random.IntN(8) {
				b.KeyData(model.KeyData{Key: strconv.Itoa(k), Bytes: model.Bytes(sizes[random.IntN(2)] * (1 + random.Int64N(4)))},
					"j", model.Locus{})
			}
		})
		for _, set := range r.in.SetsOf(0) {
			if unitOf(r.in, set) != unitOf(r.in, r.in.SetsOf(0)[0]) {
				units++
			}
		}
		out, err := r.Solve(context.Background(), "best", solver.Options{Iterations: 100, Seed: 1, Threads: 1})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		cost := new(big.Rat).Mul(r.in.Evaluate(out.Schedule).Value, big.NewRat(int64(model.Second), 1))
		if bound := r.bounds[0].Certificate.(*realtime.Certificate).Phases[0].Time; cost.Cmp(big.NewRat(int64(bound),
			1)) < 0 {
			t.Errorf("seed %d: bound %s, %s is reached", seed, bound, cost.FloatString(0))
		}
	}
	if units < 50 {
		t.Errorf("only %d sets have a unit of their own", units)
	}
}

// TestSketched: a job whose keys are hashed in several ways. The optimum is that of the best way, and the certificate
// covers all ways.
func TestSketched(t *testing.T) {
	b := model.NewBuilder()
	b.Scalars("sketched", "realtime", model.Some(int64(3)), nil)
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight, Reduces: model.Some(int64(3)), Partitions: model.Some(int64(5)),
		ReduceRate: model.Some(10.0)}, model.Locus{})
	r := rand.New(rand.NewPCG(3, 3))
	for k := range 40 {
		b.KeyData(model.KeyData{Key: strings.Repeat("k", k+1), Bytes: model.Bytes(1 + r.IntN(100))}, "j", model.Locus{})
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := realtime.New(w, realtime.Options{Goal: realtime.Partitions, Delta: 0.05, SketchSeed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(in.Sets) != 4 { // the hash and ⌈ln 20⌉ rows
		t.Fatalf("%d sets", len(in.Sets))
	}
	run := phaseRun(in)
	out, cost, bound := phaseSolve(t, run, "best", phaseOptions)
	if want := phaseOptimum(in); cost != want || bound != want || out.Status != model.StatusOptimal {
		t.Errorf("%s: %s, bound %s, brute force %s", out.Status, cost, bound, want)
	}
	if _, lst, _ := phaseSolve(t, run, "lst", phaseOptions); lst > 2*phaseBound(t, in, run.bounds[len(run.bounds)-1]) {
		t.Errorf("lst: %s", lst)
	}
	raw, err := json.Marshal(out.Bounds[0].Certificate)
	if err != nil {
		t.Fatal(err)
	}
	var c realtime.Certificate
	if err := json.Unmarshal(raw, &c); err != nil || len(c.Phases) != 1 || len(c.Phases[0].Sets) != 4 {
		t.Fatalf("%v: %s", err, raw)
	}
	c.Phases[0].Time++
	if in.Sign(&c) == nil {
		t.Error("more than the optimum is proven")
	}
}

// BenchmarkBoundPhases: about 400 partitions, for which the bounds once took half a minute: with and without sketches,
// and with separate times for every partition.
func BenchmarkBoundPhases(b *testing.B) {
	for _, x := range []struct {
		name string
		with map[string]any
	}{
		{"10x400sketches", map[string]any{"jobs": int64(10), "partitions": int64(400)}},
		{"10x400", map[string]any{"jobs": int64(10), "partitions": int64(400), "keys": int64(0)}},
		{"10x40sketches", map[string]any{"jobs": int64(10)}},
		{"4x100noise", map[string]any{"jobs": int64(4), "partitions": int64(100), "keys": int64(0), "noise": 0.2}},
	} {
		in := generated(b, 1, x.with).in
		b.Run(x.name, func(b *testing.B) {
			for range b.N {
				if err := phaseRun(in).prove(context.Background(), solver.Options{}, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
