package realtime

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// tuned is skewtune's schedule under an expectation, sorted by task and start, and its number of splits.
func tuned(t tester, r *run, b expectation) ([]model.Entry, int) {
	t.Helper()
	r.expected = b
	out := solved(t, r, "skewtune")
	list := slices.Clone(out.Schedule.Entries)
	slices.SortFunc(list, func(a, b model.Entry) int {
		return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Machine, b.Machine))
	})
	return list, *factsOf(out).Resplits
}

// tunedRow is a row of a schedule; times are seconds.
type tunedRow struct {
	task, slot int
	start, end float64
}

// TestSkewtune is computed by hand; a byte takes a second at speed 1. Rows agree up to 3 µs: units and times are
// rounded, and further pieces start a microsecond later.
//
//   - 10 bytes on A, B idle, both of speed 1, a split costs 1 s: L + (L − 1) = 10, so both end at 5.5.
//   - B twice as fast: L + 2(L − 1) = 10, L = 4.
//   - A split of 5 s does not pay: the rest takes no more than twice that. One of 4.9 s does: 2L = 14.9.
//   - 8 and 2 bytes on A and B: B idles at 2, when A has 6 left: L + (L − 1) = 6, until 5.5.
//   - 6 and 4 bytes on A, 1 on B, two reducers: at 1 A has 5 and 4 left. A keeps 5, so B's L = 5 leaves no time for
//     more of it; the 4, not begun, go to B entirely at no cost.
//   - All three of equal speed and one partition of 9 bytes: L + 2(L − 1.5) = 9, L = 4.
func TestSkewtune(t *testing.T) {
	two := []float64{1, 1}
	for _, c := range []struct {
		name     string
		speeds   []float64
		reducers int64
		sizes    []float64
		cost     string
		want     []tunedRow
		resplits int
	}{
		{"two alike", two, 2, []float64{10}, "1", []tunedRow{{0, 0, 0, 5.5}, {0, 1, 0, 5.5}}, 1},
		{"a faster one", []float64{1, 2}, 2, []float64{10}, "1", []tunedRow{{0, 0, 0, 4}, {0, 1, 0, 4}}, 1},
		{"too dear", two, 2, []float64{10}, "5", []tunedRow{{0, 0, 0, 10}}, 0},
		{"just cheap enough", two, 2, []float64{10}, "4.9", []tunedRow{{0, 0, 0, 7.45}, {0, 1, 0, 7.45}}, 1},
		{"later", two, 2, []float64{8, 2}, "1", []tunedRow{{0, 0, 0, 5.5}, {0, 1, 2, 5.5}, {1, 1, 0, 2}}, 1},
		{"a whole one moves", two, 2, []float64{6, 1, 4}, "1", []tunedRow{{0, 0, 0, 6}, {1, 1, 0, 1}, {2, 1, 1, 5}}, 1},
		{"three", []float64{1, 1, 1}, 3, []float64{9}, "1.5", []tunedRow{{0, 0, 0, 4}, {0, 1, 0, 4}, {0, 2, 0, 4}}, 1},
		{"no reducer to spare", two, 1, []float64{9, 1}, "0", []tunedRow{{0, 0, 0, 9}, {1, 0, 9, 10}}, 0},
		{"nothing", two, 2, []float64{0, 0, 0}, "0", []tunedRow{{0, 0, 0, 0}, {1, 1, 0, 0}, {2, 0, 0, 0}}, 0},
	} {
		r := oneJob(c.speeds, c.reducers, c.sizes...).run(t, solver.Params{"goal": "partitions", "resplit-cost": c.cost})
		got, resplits := tuned(t, r, r.in)
		if !slices.EqualFunc(got, c.want, func(g model.Entry, w tunedRow) bool {
			return int(g.Task) == w.task && int(g.Machine) == w.slot && math.Abs(g.Start.Seconds()-w.start) < 3e-6 &&
				math.Abs(g.End.Seconds()-w.end) < 3e-6
		}) || resplits != c.resplits {
			t.Errorf("%s: %v, split %d times, want %v, %d", c.name, got, resplits, c.want, c.resplits)
		}
	}
}

// TestSkewtuneExpects: B is expected to be as fast as A but is half as fast. At 0 each gets 5 of 10 bytes. A ends at
// 5, when B has done 2.5 and is expected to need 2.5 s for the rest: each gets 1.25. A ends at 6.25, when B has done
// 3.125 …
func TestSkewtuneExpects(t *testing.T) {
	r := oneJob([]float64{1, 0.5}, 2, 10).run(t, inPieces)
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

// TestSkewtuneConserves: with any speeds, sizes, costs and expectations pieces cover their partitions, up to rounding.
// With true expectations no job ends later than by hash, up to the rounding of each split.
func TestSkewtuneConserves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cost := model.Time(rapid.Int64Range(0, 20_000_000).Draw(t, "cost"))
		r, sizes, b := drawAssign(t, solver.Params{"goal": "partitions", "resplit-cost": cost.String()})
		hash, err := r.assign("hash", 0, r.in, nil)
		if err != nil {
			t.Fatal(err)
		}
		list, resplits := tuned(t, r, r.in)
		last := r.in.Ends(&model.Schedule{Entries: list}).Last
		if _, most := loads(r.in, hash, r.in); last > model.Time(most)+model.Time(3*resplits) {
			t.Errorf("ends at %s, hash at %d, after %d splits", last, most, resplits)
		}
		for k := range b.overhead {
			b.overhead[k] = max(0, b.overhead[k])
		}
		list, _ = tuned(t, r, b)
		for k, v := range sizes {
			conserved(t, r.in, list, int32(k), int64(v), cost)
		}
	})
}

// conserved requires that the rows of a partition process all of its bytes, and at most a microsecond each beyond.
func conserved(t tester, in *realtime.Instance, list []model.Entry, task int32, bytes int64, cost model.Time) {
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

// TestSplits: with given times, a partition that takes no time on some worker is not cut.
func TestSplits(t *testing.T) {
	for k := range 200 {
		r := opened(t, small(t, 3, 2*k), solver.Params{"goal": "partitions", "sketch-delta": 0.5,
			"resplit-cost": []string{"0", "0.125"}[k%2]})
		list, _ := tuned(t, r, r.in)
		for i := 1; i < len(list); i++ {
			if task := int32(list[i].Task); list[i-1].Task == list[i].Task && r.in.Least(task) == 0 {
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
	}{{whole, model.MaxTime, model.MaxTime}, {whole / 2, 7, 4}, {1, 7, 1}, {0, 7, 0}, {whole / 4, 8, 2},
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
