package reduceplace

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/model"
	draws "mrsched/model/tier"
	"mrsched/solver"
)

// TestFreeSlots compares the set of free slots with a naive one.
func TestFreeSlots(t *testing.T) {
	for _, n := range []int{1, 63, 64, 65, 200, 4096, 4097, 10000} {
		r := rand.New(rand.NewPCG(uint64(n), 9))
		f, free := newFreeSlots(n), make([]bool, n)
		for s := range free {
			free[s] = true
		}
		for step := range 300 {
			for range 1 + n/50 {
				s := r.IntN(n)
				if step > 200 {
					s = r.IntN(1 + n/3) // leave holes of whole words
				}
				if free[s] {
					f.take(int32(s))
				} else {
					f.release(int32(s))
				}
				free[s] = !free[s]
			}
			var members []int32
			for s, ok := range free {
				if ok {
					members = append(members, int32(s))
				}
			}
			if f.count != len(members) {
				t.Fatalf("%d slots: count %d, want %d", n, f.count, len(members))
			}
			if len(members) == 0 {
				continue
			}
			i := r.IntN(len(members))
			if got := f.at(i); got != members[i] {
				t.Fatalf("%d slots: member %d is %d, want %d", n, i, got, members[i])
			}
			k := r.IntN(len(members) - i + 1)
			if got := f.from([]int32{-5}, i, k); !slices.Equal(got, append([]int32{-5}, members[i:i+k]...)) {
				t.Fatalf("%d slots: %d members from number %d on are %v", n, k, i, got)
			}
		}
	}
}

// TestRHC by hand: two slots per job, K large, window 2. N̄ and x̄ are means over the last two arrivals, including this
// one.
//
//	job  N  x   N̄    x̄    p = N̄/(2N̄+1)  p·x̄   takes
//	0    0  1   0    1    0             0     the cheapest
//	1    1  9   0.5  5    1/4           1.25  the cheapest that is left
//	2    2  1   1.5  5    3/8           1.875 the second pair of those left
//	3    3  2   2.5  1.5  5/12          0.625 the cheapest left
//	4    4  1   3.5  1.5  7/16          0.656 the cheapest left
//	5    5  .1  4.5  .55  9/20          0.248 the second pair, but only three slots are left: the dearest two
func TestRHC(t *testing.T) {
	jobs := []testJob{{0, 1e6, 2, 20}, {1, 1e6, 2, 180}, {2, 1e6, 2, 20}, {3, 1e6, 2, 40}, {4, 1e6, 2, 20}, {5, 1e6, 2, 2}}
	r := testRun(t, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, 99, jobs)
	r.p.window = 2
	expectSlots(t, r, "rhc", 0, 1, 2, 3, 6, 7, 4, 5, 8, 9, 11, 12)
}

// TestGreedy by hand: the second job gets the slots that the first leaves free; the third comes after the first has
// left. The reduce that fetches most gets the cheapest of a job's slots.
func TestGreedy(t *testing.T) {
	r := testRun(t, []float64{1, 2, 3, 4}, 2, []testJob{{0, 2, 2, 1}, {1, 9, 1, 1}, {5, 1, 3, 1}})
	expectSlots(t, r, "greedy", 0, 1, 2, 0, 1, 3)
	b := model.NewBuilder()
	for _, id := range []string{"a", "b", "c"} {
		b.ReduceSlot(model.ReduceSlot{ID: id, Cost: model.UnitCost}, model.Locus{})
	}
	b.Job(model.Job{ID: "j", MapWork: model.Some(model.Second)}, model.Locus{})
	for k, bytes := range []model.Bytes{2, 9, 4} {
		b.Task(model.Task{ID: string(rune('x' + k)), Kind: model.Reduce, InputBytes: model.Some(bytes)}, "j", "",
			model.Locus{})
	}
	expectSlots(t, opened(t, built(t, b), solver.Params{}), "greedy", 2, 0, 1)
}

// TestEstimate by hand: job a's 4 maps have 10, 20, 40 and 50 of 120 bytes. After a quarter, the first one, X̂ = 4·10 =
// 40, which is 2/3 too small; after half, 10 + 20, X̂ = 60; after all it is exact. Job b lists no maps, so its data is
// known. Job c's first map gives no information.
func TestEstimate(t *testing.T) {
	build := func(maps bool) *model.Workload {
		b := model.NewBuilder()
		for s := range 3 {
			b.ReduceSlot(model.ReduceSlot{ID: fmt.Sprint("s", s), Cost: model.UnitCost}, model.Locus{})
		}
		for _, id := range []string{"a", "b", "c"} {
			b.Job(model.Job{ID: id, Reduces: model.Some[int64](2), IntermediateBytes: model.Some[model.Bytes](120),
				MapWork: model.Some(model.Second)}, model.Locus{})
		}
		if maps {
			for k, bytes := range []model.Bytes{10, 20, 40, 50} {
				b.Task(model.Task{ID: string(rune('A' + k)), Kind: model.Map, OutputBytes: model.Some(bytes)}, "a", "",
					model.Locus{})
			}
			b.Task(model.Task{ID: "c", Kind: model.Map}, "c", "", model.Locus{})
		}
		return built(t, b)
	}
	for _, c := range []struct{ share, expected, off float64 }{{0.01, 40, 2. / 3}, {0.25, 40, 2. / 3}, {0.5, 60, 0.5},
		{0.51, 4. / 3 * 70, 1 - 280./360}, {1, 120, 0}} {
		r := opened(t, build(true), solver.Params{"estimate": c.share})
		x, e := r.expected, r.estimates
		if math.Abs(x[0]-c.expected/2) > 1e-9 || x[1] != 60 || x[2] != 60 {
			t.Errorf("share %g: %v", c.share, x)
		}
		if e.Estimated != 1 || e.Known != 2 || e.ErrorMax != decimals(c.off) || e.ErrorMean != e.ErrorMax {
			t.Errorf("share %g: %+v", c.share, e)
		}
	}
	if _, err := Problem().Open(build(false), solver.Params{"estimate": 0.05}); err == nil {
		t.Error("an estimate without runs is accepted")
	}
}

// perJob plays a policy and returns its mean fetching cost per job.
func perJob(t testing.TB, r *run, p policy) float64 {
	t.Helper()
	slot, stopped := play(context.Background(), r.in, p, func(int, int) {})
	if stopped {
		t.Fatal("stopped")
	}
	cost, _ := r.in.Fetching(slot).Float64()
	return cost / float64(r.in.Jobs)
}

// TestLookaheadAtEveryLoad: on the paper's scenario lookahead costs no more than greedy and than receding horizon.
func TestLookaheadAtEveryLoad(t *testing.T) {
	draws.Slow(t)
	for _, rate := range []float64{0.2, 0.8, 0.98} {
		var better [2]float64
		for seed := range uint64(draws.Draws(1, 3)) {
			r := poisson(t, 20_000, 1000, 100, 10, rate, seed)
			ours := perJob(t, r, newLookahead(context.Background(), r))
			for k, p := range []policy{inRanks{greedy{}}, inRanks{newRHC(r)}} {
				better[k] += 1 - ours/perJob(t, r, p)
			}
		}
		if better[0] < 0 || better[1] < 0 {
			t.Errorf("rate %g: lookahead saves %.4f against greedy, %.4f against rhc", rate, better[0], better[1])
		}
	}
}

// TestFutureByHand: one reduce a job, jobs that all overlap. Job 0 leaves slots 1 and 2; jobs 1 and 2 place 5 and 7
// bytes there; job 1 leaves slot 2 and sees 7 there.
func TestFutureByHand(t *testing.T) {
	f := newFuture(testRun(t, []float64{1, 2, 3}, 0, []testJob{{0, 100, 1, 9}, {1, 100, 1, 5}, {2, 100, 1, 7}}))
	free := newFreeSlots(3)
	for job := range int32(3) {
		if y := f.offset(job, 1, free); y != 0 {
			t.Fatalf("job %d leaves %d slots: nothing was observed yet, and the prior is %v", job, y, f.classes[0].load)
		}
		own := free.from(nil, 0, 1)
		free.take(own[0])
		f.placed(job, own)
	}
	for k, want := range [][]float64{{5, 7, 0}, {7, 0, 0}, {0, 0, 0}} {
		if !slices.Equal(f.stays[k].used, want) {
			t.Errorf("job %d saw %v on the slots that it left, want %v", k, f.stays[k].used, want)
		}
	}
	f.departed(0)
	if c := f.classes[0]; c.stays != 1 || !slices.Equal(c.used, []float64{5, 7, 0}) {
		t.Errorf("class 0 holds %v of %g stays", c.used, c.stays)
	}
	// (20·prior + 5)/21, (0 + 7)/21 and 0 with prior N/(2N+1)·X̄, N = 1, X̄ = 7: 7/3 → 2.46, 0.33, 0.
	f.estimate(&f.classes[0])
	for k, want := range []float64{(20*7.0/3 + 5) / 21, 7.0 / 21, 0} {
		if math.Abs(f.classes[0].load[k]-want) > 1e-12 {
			t.Errorf("rank %d is expected to fetch %g, want %g", k, f.classes[0].load[k], want)
		}
	}
}

func TestMakeFalling(t *testing.T) {
	for _, c := range [][2][]float64{{{3, 2, 1}, {3, 2, 1}}, {{1, 2, 3}, {2, 2, 2}}, {{4, 1, 3, 0}, {4, 2, 2, 0}},
		{{}, {}}} {
		v := slices.Clone(c[0])
		if makeFalling(v); !slices.Equal(v, c[1]) {
			t.Errorf("%v becomes %v, want %v", c[0], v, c[1])
		}
	}
}

func TestClassOf(t *testing.T) {
	last := 0
	for n := range 10_000 {
		k := classOf(n)
		if k < last || k > last+1 || n <= 8 && k != n {
			t.Fatalf("%d running jobs are class %d after %d", n, k, last)
		}
		last = k
	}
}

// TestManyAtOnce: if thousands of jobs run at a time, only some of them are watched.
func TestManyAtOnce(t *testing.T) {
	r := poisson(t, 5_000, 5_000, 5_000, 1, 1e6, 1)
	f := newFuture(r)
	perJob(t, r, inRanks{f})
	if n := len(f.stays) + len(f.spare); n > maxStays || n == 0 {
		t.Errorf("%d jobs were watched at a time, want at most %d", n, maxStays)
	}
}
