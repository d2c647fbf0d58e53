package realtime

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
	"mrsched/solver/estimate"
)

// oneJob has a worker with one reduce slot for each speed, and a job with reducers and partitions of the given sizes.
func oneJob(speeds []float64, reducers int64, sizes ...float64) spec {
	x := spec{jobs: []job{{reducers: reducers, parts: sizes}}}
	for _, v := range speeds {
		x.workers = append(x.workers, worker{v, 0, 1})
	}
	return x
}

// TestAssign is computed by hand: partitions of 2, 6, 4, 1 and 3 bytes; A has speed 1, B 2 and C ½, so that a byte
// takes 1, ½ and 2 s.
//
// hash: in turn to A, B, C, A, B. lb: 6 to A, 4 to B, 3 to C, then 2 to C (5) and 1 to B (5). dp: 6 to B (3 s); 4 to A
// (4; B 5); 3 to B (4.5; C 6); 2 to C (4; B 5.5); 1 to A (5, as B; C 6). dp with two reducers: B and A are taken; 3 to
// B (4.5), 2 to B (5.5; A 6), 1 to A (5). If B is only free at 10 s: hash: reducers on A, C, B. dp: 6 to A (6); 4 to C
// (8; A 10); 3 to A (9; B 11.5); 2 to A (11, as B); 1 to C (10; B 10.5). Nine reducers are on A, B, C, A, …: lb gives
// one partition to each, 6 to A, 4 to B, 3 to C, 2 to A, 1 to B.
func TestAssign(t *testing.T) {
	late := []model.Time{0, 10 * model.Second, 0}
	for _, c := range []struct {
		name     string
		reducers int64
		free     []model.Time
		want     string // the slot of each partition
	}{
		{"hash", 3, nil, "ABCAB"}, {"lb", 3, nil, "CABBC"}, {"dp", 3, nil, "CBAAB"},
		{"hash", 2, nil, "ABABA"}, {"lb", 2, nil, "AABBB"}, {"dp", 2, nil, "BBAAB"}, {"dp", 1, nil, "BBBBB"},
		{"hash", 3, late, "ACBAC"}, {"lb", 3, late, "BACCB"}, {"dp", 3, late, "AACCA"},
		{"hash", 2, late, "ACACA"}, {"hash", 9, nil, "ABCAB"}, {"lb", 9, nil, "AABBC"}, {"dp", 9, nil, "CBAAB"},
		{"lb-sketch", 3, nil, "CABBC"}, {"dp-sketch", 3, nil, "CBAAB"}, // no sketch
	} {
		r := oneJob([]float64{1, 2, 0.5}, c.reducers, 2, 6, 4, 1, 3).run(t, inPhases)
		var o *outlook
		if c.free != nil {
			o = &outlook{free: c.free}
		}
		a, err := r.assign(c.name, 0, r.in, o)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, s := range a.slot {
			got += string('A' + s)
		}
		if got != c.want || a.set != r.in.Sets[0] {
			t.Errorf("%s, %d reducers, free %v: %s, want %s", c.name, c.reducers, c.free, got, c.want)
		}
	}
	r := oneJob([]float64{1, 2}, 2, 0, 0, 0).run(t, inPhases)
	// lb spreads partitions without data, and dp has no cost for them anywhere.
	for name, want := range map[string][]int32{"hash": {0, 1, 0}, "lb": {0, 1, 0}, "dp": {0, 0, 0}} {
		if a, err := r.assign(name, 0, r.in, nil); err != nil || !slices.Equal(a.slot, want) {
			t.Errorf("%s: %v, %v", name, a.slot, err)
		}
	}
	if _, err := r.assign("none", 0, r.in, nil); err == nil {
		t.Error("an unknown partitioner assigns")
	}
}

// wrong is an expectation with wrong worker speeds. Times lie on lines over the partitions' bytes; wrongLine returns
// the lines.
type wrong struct {
	in       *realtime.Instance
	overhead []float64 // by worker, microseconds
	rate     []float64 // microseconds a byte
}

func (w wrong) Time(task, worker int32) model.Time {
	return estimate.Line{Overhead: w.overhead[worker], PerByte: w.rate[worker]}.At(float64(w.in.Bytes[task]))
}

type wrongLine struct{ wrong }

func (w wrongLine) line(_, worker int32) (line estimate.Line, ok bool) {
	return estimate.Line{Overhead: w.overhead[worker], PerByte: w.rate[worker]}, true
}

// TestDPExpects: dp follows its expectation, not the truth. B, twice as fast as A, is expected to be four times slower:
// 6 to A, 4 to A (10; B 16), 3 to B (12; A 13).
func TestDPExpects(t *testing.T) {
	r := oneJob([]float64{1, 2}, 2, 6, 4, 3).run(t, inPhases)
	a, err := r.assign("dp", 0, wrong{r.in, []float64{0, 0}, []float64{1e6, 4e6}}, nil)
	if err != nil || !slices.Equal(a.slot, []int32{0, 0, 1}) {
		t.Errorf("%v, %v", a.slot, err)
	}
}

// drawAssign draws a job, and an expectation that is wrong.
func drawAssign(t *rapid.T, set solver.Params) (*run, []float64, wrong) {
	speeds := rapid.SliceOfN(rapid.Float64Range(0.1, 10), 1, 6).Draw(t, "speeds")
	whole := rapid.Map(rapid.IntRange(0, 1000), func(v int) float64 { return float64(v) })
	sizes := rapid.SliceOfNDistinct(whole, 1, 20, rapid.ID).Draw(t, "sizes")
	r := oneJob(speeds, int64(rapid.IntRange(1, 8).Draw(t, "reducers")), sizes...).run(t, set)
	b := wrong{in: r.in}
	for range speeds {
		b.overhead = append(b.overhead, rapid.Float64Range(-1e5, 1e6).Draw(t, "overhead"))
		b.rate = append(b.rate, rapid.Float64Range(0, 1e7).Draw(t, "rate"))
	}
	return r, sizes, b
}

// TestAssignProperties: dp's assignment does not depend on how times are computed. Neither lb nor dp depends on the
// order of partitions. With lb no reducer has more than the mean plus the largest partition. dp ends no later than all
// partitions on the fastest slot.
func TestAssignProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, sizes, b := drawAssign(t, inPhases)
		one, _ := r.assign("dp", 0, b, nil)
		if other, err := r.assign("dp", 0, wrongLine{b}, nil); err != nil || !slices.Equal(one.slot, other.slot) {
			t.Errorf("%v and %v, %v", one.slot, other.slot, err)
		}
		x, order := spec{}, rapid.Permutation(sizes).Draw(t, "order")
		for w := range r.in.Workers {
			x.workers = append(x.workers, worker{r.in.Speed[w], 0, 1})
		}
		x.jobs = []job{{reducers: int64(r.in.Reducers[0]), parts: order}}
		again := x.run(t, inPhases)
		for _, name := range []string{"lb", "dp"} {
			a, _ := r.assign(name, 0, r.in, nil)
			b, _ := again.assign(name, 0, again.in, nil)
			for k, s := range b.slot {
				if first := a.slot[slices.Index(sizes, order[k])]; s != first {
					t.Errorf("%s: %g bytes on slot %d and %d", name, order[k], first, s)
				}
			}
		}
		sum := 0.0
		for _, v := range sizes {
			sum += v
		}
		set := r.in.SetsOf(0)[0]
		if _, most := r.placeLB(set, nil, nil); float64(most) > sum/float64(r.in.Reducers[0])+slices.Max(sizes) {
			t.Errorf("lb gives a reducer %d of %g bytes", most, sum)
		}
		_, last := r.placeDP(set, r.in, nil)
		for w := range int32(r.in.Workers) {
			all := model.Time(0)
			for task := set.First; task < set.First+set.Count; task++ {
				all += r.in.Time(task, w)
			}
			if int(r.in.Reducers[0]) >= r.in.Workers && model.Time(last) > all {
				t.Errorf("dp ends at %s, worker %d alone at %s", model.Time(last), w, all)
			}
		}
	})
}

// loads returns the most bytes and the last expected end of the slots that an assignment uses.
func loads(in *realtime.Instance, a assignment, b expectation) (most, last int64) {
	bytes, end := map[int32]int64{}, map[int32]int64{}
	for k, s := range a.slot {
		task := a.set.First + int32(k)
		bytes[s] += int64(in.Bytes[task])
		end[s] += int64(b.Time(task, in.WorkerOf[s]))
	}
	return slices.Max(slices.Collect(maps.Values(bytes))), slices.Max(slices.Collect(maps.Values(end)))
}

// TestSketchesChoose: the row of the sketch with the best balance, or the least expected end, is chosen; ties: the
// first.
func TestSketchesChoose(t *testing.T) {
	better := 0
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 0))
		j := job{reducers: 3, partitions: 1 + random.Int64N(8)}
		for range 20 {
			j.keys = append(j.keys, float64(random.IntN(100)))
		}
		r := spec{0, []worker{{1, 0, 1}, {2, 0, 1}, {0.5, 0, 1}, {1.5, 0, 1}}, []job{j}}.run(t,
			solver.Params{"goal": "partitions", "sketch-delta": 0.0004, "sketch-seed": int64(seed)})
		lb, _ := r.assign("lb-sketch", 0, r.in, nil)
		dp, _ := r.assign("dp-sketch", 0, r.in, nil)
		least, first := [2]int64{math.MaxInt64, math.MaxInt64}, [2]int32{}
		for _, set := range r.in.SetsOf(0)[1:] {
			slot, _ := r.placeLB(set, r.in, nil)
			most, _ := loads(r.in, assignment{set, slot}, r.in)
			slot, cost := r.placeDP(set, r.in, nil)
			if _, last := loads(r.in, assignment{set, slot}, r.in); last != cost {
				t.Errorf("dp expects %d, its slots end at %d", cost, last)
			}
			for k, v := range []int64{most, cost} {
				if v < least[k] {
					least[k], first[k] = v, set.Row
				}
			}
		}
		if lb.set.Row != first[0] || dp.set.Row != first[1] {
			t.Errorf("%d: rows %d and %d, want %v", seed, lb.set.Row, dp.set.Row, first)
		}
		if _, cost := r.placeDP(r.in.SetsOf(0)[0], r.in, nil); least[1] < cost {
			better++
		}
	}
	if better == 0 {
		t.Error("no row is ever better than Hadoop's hash")
	}
}

// TestAssignNeeds: sketches need keys, skewtune the cost of a split. Two maps sketch one counter of 8 bytes each. Jobs
// without partitions get no assignment.
func TestAssignNeeds(t *testing.T) {
	x := oneJob([]float64{1}, 1, 1)
	b := model.NewBuilder()
	b.Scalars("", "", model.Some(int64(1)), nil)
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight, Reduces: model.Some(int64(1)), ReduceRate: model.Some(1.0)},
		model.Locus{})
	for _, m := range []string{"m1", "m2", "m1"} {
		b.KeyData(model.KeyData{Map: m, Key: "k", Bytes: 1}, "j", model.Locus{})
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	keys := opened(t, w, solver.Params{"goal": "partitions", "sketch-delta": 0.5})
	maps := spec{0, []worker{{1, 1, 1}}, []job{{maps: []float64{1}}}}.run(t, solver.Params{"resplit-cost": "1"})
	for _, m := range assignments() {
		sketch, tunes := m.Name == "lb-sketch" || m.Name == "dp-sketch", m.Name == "skewtune"
		for r, excluded := range map[*run]bool{x.run(t, inPhases): sketch || tunes, x.run(t, inPieces): sketch, keys: tunes} {
			if why := r.Excludes(m.Name).Why; (why != "") != excluded {
				t.Errorf("%s: %q", m.Name, why)
			}
		}
		if out, err := m.Solve(context.Background(), maps, solver.Options{}); err != nil || len(out.Schedule.Entries) > 0 {
			t.Errorf("%s: %v, %v", m.Name, out, err)
		}
	}
	if out := solved(t, keys, "dp-sketch"); factsOf(out).SketchRows != 1 {
		t.Errorf("%+v", out.Facts)
	}
}
