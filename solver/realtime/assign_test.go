package realtime

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
	"mrsched/solver/estimate"
)

// assignLab has a worker with one reduce slot for each speed, and a job with reducers. Its partitions have the given
// sizes and are processed at a byte per second at speed 1.
func assignLab(t interface {
	Helper()
	Fatal(args ...any)
}, speeds []float64, reducers int64, sizes []int64, o realtime.Options) *run {
	t.Helper()
	return assignRun(t, o, func(b *model.Builder) {
		assignWorkers(b, speeds)
		b.Job(model.Job{ID: "j", Weight: model.UnitWeight, Reduces: model.Some(reducers), ReduceRate: model.Some(1.0)},
			model.Locus{})
		for k, v := range sizes {
			b.Part(model.Part{Partition: fmt.Sprintf("p%d", k+1), Bytes: model.Bytes(v)}, "j", model.Locus{})
		}
	})
}

func assignWorkers(b *model.Builder, speeds []float64) {
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	for k, v := range speeds {
		b.Node(model.Node{ID: string(rune('A' + k)), Kind: model.HostNode, ReduceSlots: 1, Speed: model.Some(v)}, "root",
			model.Locus{})
	}
}

func assignRun(t interface {
	Helper()
	Fatal(args ...any)
}, o realtime.Options, rows func(b *model.Builder)) *run {
	t.Helper()
	b := model.NewBuilder()
	rows(b)
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := realtime.New(w, o)
	if err != nil {
		t.Fatal(err)
	}
	return newRun(in, solver.Bind[params](solver.Params{estimatesParam: "true"}))
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
		{"hash", 2, nil, "ABABA"}, {"lb", 2, nil, "AABBB"}, {"dp", 2, nil, "BBAAB"},
		{"hash", 1, nil, "AAAAA"}, {"lb", 1, nil, "AAAAA"}, {"dp", 1, nil, "BBBBB"},
		{"hash", 3, late, "ACBAC"}, {"lb", 3, late, "BACCB"}, {"dp", 3, late, "AACCA"},
		{"hash", 2, late, "ACACA"}, {"hash", 9, nil, "ABCAB"}, {"lb", 9, nil, "AABBC"}, {"dp", 9, nil, "CBAAB"},
		{"lb-sketch", 3, nil, "CABBC"}, {"dp-sketch", 3, nil, "CBAAB"}, // no sketch
	} {
		r := assignLab(t, []float64{1, 2, 0.5}, c.reducers, []int64{2, 6, 4, 1, 3}, realtime.Options{})
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
			got += r.in.MachineName(s)
		}
		if got != c.want || a.set != r.in.Sets[0] {
			t.Errorf("%s, %d reducers, free %v: %s, want %s", c.name, c.reducers, c.free, got, c.want)
		}
	}
	r := assignLab(t, []float64{1}, 1, []int64{1}, realtime.Options{})
	if _, err := r.assign("none", 0, r.in, nil); err == nil {
		t.Error("an unknown partitioner assigns")
	}
}

// TestAssignDegenerate: lb spreads partitions without data, and dp has no cost for them anywhere. A job without
// partitions gets no assignment.
func TestAssignDegenerate(t *testing.T) {
	r := assignLab(t, []float64{1, 2}, 2, []int64{0, 0, 0}, realtime.Options{})
	for name, want := range map[string][]int32{"hash": {0, 1, 0}, "lb": {0, 1, 0}, "dp": {0, 0, 0}} {
		if a, err := r.assign(name, 0, r.in, nil); err != nil || !slices.Equal(a.slot, want) {
			t.Errorf("%s: %v, %v", name, a.slot, err)
		}
	}
	r = assignRun(t, realtime.Options{Goal: realtime.Deadlines, Resplit: model.Some(model.Second)},
		func(b *model.Builder) {
			b.Scalars("", "", model.Some(int64(1)), nil)
			b.Job(model.Job{ID: "maps", Weight: model.UnitWeight}, model.Locus{})
			b.Task(model.Task{ID: "m", Kind: model.Map, Processing: model.Some(model.Second)}, "maps", "", model.Locus{})
		})
	for _, m := range assignments() {
		if m.Name == "skewtune" {
			continue
		}
		if a, err := r.assign(m.Name, 0, r.in, nil); err != nil || len(a.slot) != 0 {
			t.Errorf("%s: %v, %v", m.Name, a.slot, err)
		}
	}
	if out, err := solveSkewtune(context.Background(), r, solver.Options{}); err != nil || len(out.Schedule.Entries) != 0 {
		t.Errorf("skewtune: %v", err)
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
	r := assignLab(t, []float64{1, 2}, 2, []int64{6, 4, 3}, realtime.Options{})
	a, err := r.assign("dp", 0, wrong{r.in, []float64{0, 0}, []float64{1e6, 4e6}}, nil)
	if err != nil || !slices.Equal(a.slot, []int32{0, 0, 1}) {
		t.Errorf("%v, %v", a.slot, err)
	}
}

// TestDPLines: an assignment does not depend on how times are computed.
func TestDPLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		speeds := rapid.SliceOfN(rapid.Float64Range(0.1, 10), 1, 6).Draw(t, "speeds")
		sizes := rapid.SliceOfN(rapid.Int64Range(0, 1000), 1, 30).Draw(t, "sizes")
		r := assignLab(t, speeds, int64(rapid.IntRange(1, 8).Draw(t, "reducers")), sizes, realtime.Options{})
		b := wrong{in: r.in}
		for range speeds {
			b.overhead = append(b.overhead, rapid.Float64Range(-1e5, 1e6).Draw(t, "overhead"))
			b.rate = append(b.rate, rapid.Float64Range(0, 1e6).Draw(t, "rate"))
		}
		one, err := r.assign("dp", 0, b, nil)
		if err != nil {
			t.Fatal(err)
		}
		other, err := r.assign("dp", 0, wrongLine{b}, nil)
		if err != nil || !slices.Equal(one.slot, other.slot) {
			t.Errorf("%v and %v, %v", one.slot, other.slot, err)
		}
	})
}

// loads returns the bytes and the expected ends of the slots that an assignment uses.
func loads(in *realtime.Instance, a assignment, b expectation) (bytes map[int32]model.Bytes, end map[int32]model.Time) {
	bytes, end = map[int32]model.Bytes{}, map[int32]model.Time{}
	for k, s := range a.slot {
		task := a.set.First + int32(k)
		bytes[s] += in.Bytes[task]
		end[s] += b.Time(task, in.WorkerOf[s])
	}
	return bytes, end
}

func mostOf[K, V comparable](list map[K]V, less func(a, b V) bool) (most V) {
	for _, v := range list {
		if less(most, v) {
			most = v
		}
	}
	return most
}

// TestSketchesChoose: the row of the sketch with the best balance, or the least expected end, is chosen; ties: the
// first.
func TestSketchesChoose(t *testing.T) {
	better := 0
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 0))
		r := assignRun(t, realtime.Options{Delta: 0.0004, SketchSeed: int64(seed)}, func(b *model.Builder) {
			assignWorkers(b, []float64{1, 2, 0.5, 1.5})
			b.Job(model.Job{ID: "j", Weight: model.UnitWeight, Reduces: model.Some(int64(3)),
				Partitions: model.Some(1 + random.Int64N(8)), ReduceRate: model.Some(1.0)}, model.Locus{})
			for k := range 20 {
				b.KeyData(model.KeyData{Key: fmt.Sprint(k), Bytes: model.Bytes(random.IntN(100))}, "j", model.Locus{})
			}
		})
		b := r.in
		lb, _ := r.assign("lb-sketch", 0, b, nil)
		dp, _ := r.assign("dp-sketch", 0, b, nil)
		least, first := [2]int64{math.MaxInt64, math.MaxInt64}, [2]int32{}
		for _, set := range r.in.SetsOf(0)[1:] {
			slot, _ := r.placeLB(set, b, nil)
			bytes, _ := loads(r.in, assignment{set, slot}, b)
			slot, cost := r.placeDP(set, b, nil)
			_, end := loads(r.in, assignment{set, slot}, b)
			last := mostOf(end, func(a, b model.Time) bool { return a < b })
			if int64(last) != cost {
				t.Errorf("dp expects %d, its slots end at %d", cost, last)
			}
			for k, v := range []int64{int64(mostOf(bytes, func(a, b model.Bytes) bool { return a < b })), cost} {
				if v < least[k] {
					least[k], first[k] = v, set.Row
				}
			}
		}
		if lb.set.Row != first[0] || dp.set.Row != first[1] {
			t.Errorf("%d: rows %d and %d, want %v", seed, lb.set.Row, dp.set.Row, first)
		}
		plain, cost := r.placeDP(r.in.SetsOf(0)[0], b, nil)
		if plain != nil && least[1] < cost {
			better++
		}
	}
	if better == 0 {
		t.Error("no row is ever better than Hadoop's hash")
	}
}

// TestAssignProperties: every algorithm's schedules of small instances violate nothing and are repeatable. With lb no
// reducer has more than the mean plus the largest partition. dp ends no later than all partitions on the fastest slot.
func TestAssignProperties(t *testing.T) {
	for k := range 400 {
		w, err := instances.SmallRealtime(rand.New(rand.NewPCG(2, uint64(k))), k)
		if err != nil {
			t.Fatal(err)
		}
		in, err := realtime.New(w, realtime.Options{Goal: realtime.Partitions, Delta: 0.05, SketchSeed: int64(k),
			Resplit: model.Some(model.Time(k%3) * model.Second / 4)})
		if err != nil {
			continue // an instance without partitions
		}
		r := newRun(in, solver.Bind[params](solver.Params{estimatesParam: "true"}))
		for _, m := range assignments() {
			out, err := m.Solve(context.Background(), r, solver.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if v := in.Check(out.Schedule); len(v) > 0 {
				t.Errorf("%d: %s: %v", k, m.Name, v)
			}
			if !slices.IsSortedFunc(out.Schedule.Entries, func(a, b model.Entry) int { return cmp.Compare(a.Task, b.Task) }) {
				t.Errorf("%d: %s: rows are not in the order of tasks", k, m.Name)
			}
			again, _ := m.Solve(context.Background(), r, solver.Options{Threads: 2, Seed: 9})
			if !slices.Equal(out.Schedule.Entries, again.Schedule.Entries) {
				t.Errorf("%d: %s depends on something", k, m.Name)
			}
		}
		for j := range int32(in.Jobs) {
			set := in.SetsOf(j)[0]
			if set.Count == 0 {
				continue
			}
			_, most := r.placeLB(set, nil, nil)
			sum, largest := 0.0, model.Bytes(0)
			for _, v := range in.Bytes[set.First : set.First+set.Count] {
				sum, largest = sum+float64(v), max(largest, v)
			}
			if float64(most) > sum/float64(in.Reducers[j])+float64(largest) {
				t.Errorf("%d: lb gives a reducer %d of %g bytes", k, most, sum)
			}
			_, last := r.placeDP(set, in, nil)
			for _, s := range in.ReduceSlots {
				all := model.Time(0)
				for task := set.First; task < set.First+set.Count; task++ {
					all += in.Time(task, in.WorkerOf[s])
				}
				if in.Reducers[j] >= int32(len(in.ReduceSlots)) && model.Time(last) > all {
					t.Errorf("%d: dp ends at %s, slot %d alone at %s", k, model.Time(last), s, all)
				}
			}
		}
	}
}

// TestAssignRelabelled: lb and dp do not depend on the order of partitions of different sizes.
func TestAssignRelabelled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		speeds := rapid.SliceOfN(rapid.Float64Range(0.1, 10), 1, 5).Draw(t, "speeds")
		sizes := rapid.SliceOfNDistinct(rapid.Int64Range(1, 1000), 1, 12, rapid.ID).Draw(t, "sizes")
		reducers := int64(rapid.IntRange(1, 5).Draw(t, "reducers"))
		order := rapid.Permutation(sizes).Draw(t, "order")
		one, other := assignLab(t, speeds, reducers, sizes, realtime.Options{}),
			assignLab(t, speeds, reducers, order, realtime.Options{})
		for _, name := range []string{"lb", "dp"} {
			a, _ := one.assign(name, 0, one.in, nil)
			b, _ := other.assign(name, 0, other.in, nil)
			slot := map[int64]int32{}
			for k, s := range a.slot {
				slot[sizes[k]] = s
			}
			for k, s := range b.slot {
				if slot[order[k]] != s {
					t.Errorf("%s: %d bytes on slot %d and %d", name, order[k], slot[order[k]], s)
				}
			}
		}
	})
}

// TestAssignNeeds: sketches need keys, skewtune the cost of a split.
func TestAssignNeeds(t *testing.T) {
	plain, split := assignLab(t, []float64{1}, 1, []int64{1}, realtime.Options{}),
		assignLab(t, []float64{1}, 1, []int64{1}, realtime.Options{Resplit: model.Some(model.Time(0))})
	keys := assignRun(t, realtime.Options{Delta: 0.5}, func(b *model.Builder) {
		assignWorkers(b, []float64{1})
		b.Job(model.Job{ID: "j", Weight: model.UnitWeight, Reduces: model.Some(int64(1)), ReduceRate: model.Some(1.0)},
			model.Locus{})
		for _, m := range []string{"m1", "m2", "m1"} { // two sketches of one counter of 8 bytes
			b.KeyData(model.KeyData{Map: m, Key: "k", Bytes: 1}, "j", model.Locus{})
		}
	})
	for _, c := range []struct {
		r        *run
		excluded []string
	}{{plain, []string{"lb-sketch", "dp-sketch", "skewtune"}}, {split, []string{"lb-sketch", "dp-sketch"}},
		{keys, []string{"skewtune"}}} {
		for _, m := range assignments() {
			if why := c.r.Excludes(m.Name).Why; (why != "") != slices.Contains(c.excluded, m.Name) {
				t.Errorf("%s: %q", m.Name, why)
			}
		}
	}
	out, err := keys.solveAssign(context.Background(), "dp-sketch", solver.Options{})
	if err != nil || *out.Facts.(Facts).SketchFacts != (SketchFacts{1, "2.718281", 2, 16}) {
		t.Errorf("%+v, %v", out.Facts, err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, m := range assignments() {
		// The rest runs as with hash; skewtune stops splitting.
		out, err := m.Solve(ended, split, solver.Options{})
		if err != nil || out.Status != model.StatusLimit || m.Name == "skewtune" && *out.Facts.(Facts).Resplits != 0 {
			t.Errorf("%s goes on: %v", m.Name, err)
		} else if found := split.in.Check(out.Schedule); len(found) > 0 {
			t.Errorf("%s: %v", m.Name, found)
		}
	}
}
