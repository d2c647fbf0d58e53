package reduceplace

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/model"
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
