package realtime

import (
	"context"
	"maps"
	"math/big"
	"math/rand/v2"
	"strconv"
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
	return packRun(in)
}

// TestLeastOfSets: raising only what may be the least of the sets' bounds finds the same, but for a rounding, as
// raising all.
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
				b, err := all.root(ctx, set)
				if err != nil {
					t.Fatal(err)
				}
				f, err := all.fractional(ctx, set)
				if err != nil {
					t.Fatal(err)
				}
				least, slots = min(least, b.value), min(slots, f.bound)
			}
			got := phases[j].Time
			if got < slots || got < least-least/100_000 || got > least+least/100_000 {
				t.Errorf("seed %d, job %d: %s, all %s, T* %s", seed, j, got, least, slots)
			}
		}
	}
}

// TestSetsOfUnlikeUnits: the loads of each set are multiples of a time of its own, so that none need reach the least
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
			if r.packing(set).unit != r.packing(r.in.SetsOf(0)[0]).unit {
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

// TestAdvance compares the limit that prices refute with the one found by trying all.
func TestAdvance(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		s := packSpec{times: make([][][]model.Time, 1), speeds: []float64{1, 1, 1}}
		for range 2 + random.IntN(6) {
			row := []model.Time{0, 0, 0}
			for w := range row {
				row[w] = model.Time(1 + random.IntN(30))
			}
			s.times[0] = append(s.times[0], row)
		}
		in := packInstance(t, s)
		p := newPacking(in, in.Sets[0])
		trial := make([]float64, p.n)
		for i := range trial {
			trial[i] = random.Float64()
		}
		d := p.newConfigs(p.largest(), trial, rootWork).dual()
		_, whole, _ := d.price(trial, 0)
		high, want := p.makespan(p.greedy(bySize)), p.largest()
		refutes := func(limit model.Time) bool {
			d.limit = limit
			v, _ := d.worth(whole, 0)
			return v > 0
		}
		for want < high && refutes(want) {
			want += p.unit
		}
		if want == p.largest() {
			continue
		}
		if got := d.advance(whole, p.largest(), random.Float64(), high, 0); got != want {
			t.Fatalf("%v: %d, want %d", s.times, got, want)
		}
		if got := d.advance(whole, p.largest(), 0, high, rootPart); got > want || got <= p.largest() {
			t.Fatalf("%v: about %d, want %d", s.times, got, want)
		}
	}
}

// TestPricesOfOtherSets: prices of equal partitions are equal, others lie on lines.
func TestPricesOfOtherSets(t *testing.T) {
	pack := func(base ...model.Time) *packing {
		in := packInstance(t, packSpec{base: [][]model.Time{base}, speeds: []float64{1, 1}})
		return newPacking(in, in.Sets[0])
	}
	c := pack(20, 10, 40, 20).curve([]float64{0.4, 0.1, 0.6, 0.5})
	for i, want := range []float64{0.05, 0.1, 0.3, 0.5, 0.55, 0.6, 0.9} {
		if got := c.at(pack(5, 10, 15, 20, 30, 40, 60))[i]; got < want-1e-12 || got > want+1e-12 {
			t.Errorf("partition %d: %v, want %v", i, got, want)
		}
	}
	if priceCurve(nil).at(pack(1)) != nil {
		t.Error("prices of nothing")
	}
}

// BenchmarkBoundPhases: some 400 partitions, for which the bounds took half a minute: with and without sketches, and
// where every partition has its own times.
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
				if err := packRun(in).prove(context.Background(), solver.Options{}, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
