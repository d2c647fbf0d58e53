package realtime

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// tuned is skewtune's schedule for one job under an expectation, sorted by task and start, and its number of splits.
func tuned(t interface {
	Helper()
	Fatal(args ...any)
	Errorf(format string, args ...any)
}, r *run, b expectation) ([]model.Entry, int) {
	t.Helper()
	r.expected = b
	out, err := solveSkewtune(context.Background(), r, solver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v := r.in.Check(out.Schedule); len(v) > 0 {
		t.Errorf("%v", v)
	}
	list := slices.Clone(out.Schedule.Entries)
	slices.SortFunc(list, func(a, b model.Entry) int {
		return cmp.Or(cmp.Compare(a.Task, b.Task),
			cmp.Compare(a.Start, b.Start))
	})
	return list, *out.Facts.(Facts).Resplits
}

// tunedRow is a row of a schedule; times are seconds.
type tunedRow struct {
	task, slot int
	start, end float64
}

// near compares rows with expected ones up to 3 µs: units and times are rounded, and further pieces start a microsecond
// later.
func near(t *testing.T, name string, got []model.Entry, want []tunedRow) {
	t.Helper()
	off := func(a model.Time, b float64) bool { return math.Abs(a.Seconds()-b) > 3e-6 }
	got = slices.Clone(got)
	slices.SortFunc(got, func(a, b model.Entry) int {
		return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.Start, b.Start))
	})
	same := len(got) == len(want)
	for k := range min(len(got), len(want)) {
		g, w := got[k], want[k]
		same = same && int(g.Task) == w.task && int(g.Machine) == w.slot && !off(g.Start, w.start) && !off(g.End, w.end)
	}
	if !same {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

// TestSkewtune is computed by hand; a byte takes a second at speed 1.
//
//   - 10 bytes on A, B idle, both of speed 1, a split costs 1 s: L + (L − 1) = 10, so both end at 5.5.
//   - B twice as fast: L + 2(L − 1) = 10, L = 4.
//   - A split of 5 s does not pay: the rest takes no more than twice that. One of 4.9 s does: 2L = 14.9.
//   - 8 and 2 bytes on A and B: B idles at 2, when A has 6 left: L + (L − 1) = 6, until 5.5.
//   - 6 and 4 bytes on A, 1 on B, two reducers: at 1 A has 5 and 4 left. A keeps 5, so B's L = 5 leaves no time for
//     more of it; the 4, not begun, go to B entirely at no cost.
//   - All three of equal speed and one partition of 9 bytes: L + 2(L − 1.5) = 9, L = 4.
func TestSkewtune(t *testing.T) {
	for _, c := range []struct {
		name     string
		speeds   []float64
		reducers int64
		sizes    []int64
		cost     float64
		want     []tunedRow
		resplits int
	}{
		{"two alike", []float64{1, 1}, 2, []int64{10}, 1, []tunedRow{{0, 0, 0, 5.5}, {0, 1, 0, 5.5}}, 1},
		{"a faster one", []float64{1, 2}, 2, []int64{10}, 1, []tunedRow{{0, 0, 0, 4}, {0, 1, 0, 4}}, 1},
		{"too dear", []float64{1, 1}, 2, []int64{10}, 5, []tunedRow{{0, 0, 0, 10}}, 0},
		{"just cheap enough", []float64{1, 1}, 2, []int64{10}, 4.9, []tunedRow{{0, 0, 0, 7.45}, {0, 1, 0, 7.45}}, 1},
		{"later", []float64{1, 1}, 2, []int64{8, 2}, 1, []tunedRow{{0, 0, 0, 5.5}, {0, 1, 2, 5.5}, {1, 1, 0, 2}}, 1},
		{"a whole one moves", []float64{1, 1}, 2, []int64{6, 1, 4}, 1, []tunedRow{{0, 0, 0, 6}, {1, 1, 0, 1}, {2, 1, 1, 5}},
			1},
		{"three", []float64{1, 1, 1}, 3, []int64{9}, 1.5, []tunedRow{{0, 0, 0, 4}, {0, 1, 0, 4}, {0, 2, 0, 4}}, 1},
		{"no reducer to spare", []float64{1, 1}, 1, []int64{9, 1}, 0, []tunedRow{{0, 0, 0, 9}, {1, 0, 9, 10}}, 0},
		{"nothing", []float64{1, 1}, 2, []int64{0, 0, 0}, 0, []tunedRow{{0, 0, 0, 0}, {1, 1, 0, 0}, {2, 0, 0, 0}}, 0},
	} {
		r := assignLab(t, c.speeds, c.reducers, c.sizes, realtime.Options{Resplit: model.Some(model.TimeOf(c.cost))})
		got, resplits := tuned(t, r, r.in)
		near(t, c.name, got, c.want)
		if resplits != c.resplits {
			t.Errorf("%s: split %d times, want %d", c.name, resplits, c.resplits)
		}
	}
}

// TestSkewtuneExpects: B is expected to be as fast as A but is half as fast. At 0 each gets 5 of 10 bytes. A ends at
// 5, when B has done 2.5 and is expected to need 2.5 s for the rest: each gets 1.25. A ends at 6.25, when B has done
// 3.125 …
func TestSkewtuneExpects(t *testing.T) {
	r := assignLab(t, []float64{1, 0.5}, 2, []int64{10}, realtime.Options{Resplit: model.Some(model.Time(0))})
	got, resplits := tuned(t, r, wrong{r.in, []float64{0, 0}, []float64{1e6, 1e6}})
	first := got[0]
	if first.Machine != 0 || first.End > 5*model.Second+3 || first.End < 5*model.Second-3 || got[2].Machine != 0 ||
		resplits < 5 {
		t.Errorf("%v, split %d times", got, resplits)
	}
	if end := got[len(got)-1].End; end > 6_700_000 || end < 6_666_666 { // together they do 1.5 bytes a second
		t.Errorf("ends at %s", end)
	}
}

// TestSkewtuneConserves: with any speeds, sizes, costs and expectations the checker accepts that pieces cover their
// partitions, and they do so up to rounding. With true expectations no job ends later than by hash, up to the rounding
// of each split.
func TestSkewtuneConserves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		speeds := rapid.SliceOfN(rapid.Float64Range(0.1, 10), 1, 6).Draw(t, "speeds")
		sizes := rapid.SliceOfN(rapid.Int64Range(0, 1000), 1, 12).Draw(t, "sizes")
		cost := model.Time(rapid.Int64Range(0, 20_000_000).Draw(t, "cost"))
		r := assignLab(t, speeds, int64(rapid.IntRange(1, 8).Draw(t, "reducers")), sizes,
			realtime.Options{Resplit: model.Some(cost)})
		hash, err := r.assign("hash", 0, r.in, nil)
		if err != nil {
			t.Fatal(err)
		}
		list, resplits := tuned(t, r, r.in)
		last := r.in.Ends(&model.Schedule{Entries: list}).Last
		if most := hash.finish(r.in, r.in); last > most+model.Time(3*resplits) {
			t.Errorf("ends at %s, hash at %s, after %d splits", last, most, resplits)
		}
		b := wrong{in: r.in}
		for range speeds {
			b.overhead = append(b.overhead, rapid.Float64Range(0, 1e6).Draw(t, "overhead"))
			b.rate = append(b.rate, rapid.Float64Range(0, 1e7).Draw(t, "rate"))
		}
		list, _ = tuned(t, r, b)
		for k, v := range sizes {
			conserved(t, r.in, list, int32(k), v, cost)
		}
	})
}

// conserved requires that the rows of a partition process all of its bytes, and at most a microsecond each beyond.
func conserved(t interface {
	Errorf(format string, args ...any)
}, in *realtime.Instance, list []model.Entry, task int32, bytes int64, cost model.Time) {
	done, slack, first := new(big.Rat), new(big.Rat), true
	for _, e := range list {
		p := in.Time(task, in.WorkerOf[e.Machine])
		if int32(e.Task) != task || p == 0 {
			continue
		}
		length := e.End - e.Start
		if !first {
			length -= cost
		}
		first = false
		done.Add(done, new(big.Rat).Mul(big.NewRat(bytes, 1), big.NewRat(int64(length), int64(p))))
		slack.Add(slack, new(big.Rat).Mul(big.NewRat(bytes, 1), big.NewRat(1, int64(p))))
	}
	more := new(big.Rat).Sub(done, big.NewRat(bytes, 1))
	if !first && (more.Sign() < 0 || more.Cmp(slack) > 0) {
		t.Errorf("%s of %d bytes of partition %d are worked off", done.FloatString(3), bytes, task+1)
	}
}

// TestSkewtuneGivenTimes: a partition that takes no time on some worker is not cut, whatever its times elsewhere.
func TestSkewtuneGivenTimes(t *testing.T) {
	for k := range 600 {
		w, err := instances.SmallRealtime(rand.New(rand.NewPCG(3, uint64(k))), 2*k)
		if err != nil {
			t.Fatal(err)
		}
		in, err := realtime.New(w, realtime.Options{Delta: 0.5, Resplit: model.Some(model.Time(k%2) * model.Second / 8)})
		if err != nil {
			t.Fatal(err)
		}
		list, _ := tuned(t, newRun(in, params{}), in)
		for i := 1; i < len(list); i++ {
			if task := int32(list[i].Task); list[i-1].Task == list[i].Task && in.Least(task) == 0 {
				t.Errorf("%d: task %d is cut", k, task)
			}
		}
	}
}

// TestPieceTime: rounded up to microseconds; a whole partition takes exactly p, however long.
func TestPieceTime(t *testing.T) {
	for _, c := range []struct {
		units int64
		p     model.Time
		want  model.Time
	}{{whole, 7, 7}, {whole, model.MaxTime, model.MaxTime}, {whole / 2, 7, 4}, {1, 7, 1}, {0, 7, 0}, {whole / 4, 8, 2},
		{whole/4 + 1, 8, 3}, {5, 0, 0}} {
		if got := pieceTime(c.units, c.p); got != c.want {
			t.Errorf("%d units of %d µs take %d, want %d", c.units, c.p, got, c.want)
		}
	}
	for _, c := range []struct {
		t, p  model.Time
		units int64
		want  int64
	}{{4, 8, whole, whole / 2}, {8, 8, whole, whole}, {9, 8, whole, whole}, {9, 0, 5, 5}, {0, 0, 5, 0}, {-1, 8, whole, 0},
		{4, 8, 3, 3}, {model.MaxHorizon, model.MaxTime, whole, whole / 4}} {
		if got := unitsIn(c.t, c.p, c.units); got != c.want {
			t.Errorf("%d of %d units fit into %d of %d µs, want %d", got, c.units, c.t, c.p, c.want)
		}
	}
}

// BenchmarkSkewtune splits 20 000 partitions on 500 unequal workers.
func BenchmarkSkewtune(b *testing.B) {
	r := assignRun(b, realtime.Options{Resplit: model.Some(model.Time(100_000))}, func(b *model.Builder) {
		random := rand.New(rand.NewPCG(1, 1))
		b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
		for k := range 500 {
			b.Node(model.Node{ID: "w" + big.NewInt(int64(k)).String(), Kind: model.HostNode, ReduceSlots: 1,
				Speed: model.Some(0.5 + random.Float64())}, "root", model.Locus{})
		}
		b.Job(model.Job{ID: "j", Weight: model.UnitWeight, Reduces: model.Some(int64(500)), ReduceRate: model.Some(1000.0)},
			model.Locus{})
		for k := range 20_000 {
			b.Part(model.Part{Partition: big.NewInt(int64(k)).String(), Bytes: model.Bytes(1e7 / (k + 1))}, "j", model.Locus{})
		}
	})
	r.expected = r.in
	for b.Loop() {
		if _, err := solveSkewtune(context.Background(), r, solver.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// finish is the expected end of an assignment's last slot, if the job is alone.
func (a assignment) finish(in *realtime.Instance, b expectation) (last model.Time) {
	end := map[int32]model.Time{}
	for k, s := range a.slot {
		end[s] += b.Time(a.set.First+int32(k), in.WorkerOf[s])
		last = max(last, end[s])
	}
	return last
}
