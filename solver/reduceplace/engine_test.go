package reduceplace

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

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
	run := testRun(t, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, 99, jobs)
	run.p.window = 2
	f, err := algorithmOf(t, "rhc").Solve(context.Background(), run, solver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []int32{0, 1, 2, 3, 6, 7, 4, 5, 8, 9, 11, 12}; !slices.Equal(f.slot, want) {
		t.Errorf("slots %v, want %v", f.slot, want)
	}
}

// TestGreedy by hand: the second job gets the slots that the first leaves free; the third comes after the first has
// left.
func TestGreedy(t *testing.T) {
	run := testRun(t, []float64{1, 2, 3, 4}, 2, []testJob{{0, 2, 2, 1}, {1, 9, 1, 1}, {5, 1, 3, 1}})
	f, err := algorithmOf(t, "greedy").Solve(context.Background(), run, solver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []int32{0, 1, 2, 0, 1, 3}; !slices.Equal(f.slot, want) {
		t.Errorf("slots %v, want %v", f.slot, want)
	}
}

// TestUnevenTasks: the reduce that fetches most gets the cheapest of a job's slots.
func TestUnevenTasks(t *testing.T) {
	b := model.NewBuilder()
	for _, id := range []string{"a", "b", "c"} {
		b.ReduceSlot(model.ReduceSlot{ID: id, Cost: model.UnitCost}, model.Locus{})
	}
	b.Job(model.Job{ID: "j", MapWork: model.Some(model.Second)}, model.Locus{})
	for k, bytes := range []model.Bytes{2, 9, 4} {
		b.Task(model.Task{ID: string(rune('x' + k)), Kind: model.Reduce, InputBytes: model.Some(bytes)}, "j", "",
			model.Locus{})
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	opened, err := open(w, solver.Params{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := opened.Solve(context.Background(), "greedy", solver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []int32{2, 0, 1} {
		if e := out.Schedule.Entries[k]; e.Machine != want {
			t.Errorf("reduce %d is on slot %d, want %d", k, e.Machine, want)
		}
	}
}

// TestPoliciesPass: every policy places every job on free slots, also when jobs wait for slots, have no reduces or no
// work, and when it is stopped.
func TestPoliciesPass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 4).Draw(t, "max R")
		cost := make([]float64, rapid.IntRange(most, 12).Draw(t, "r"))
		for s := range cost {
			cost[s] = float64(rapid.IntRange(0, 9).Draw(t, "cost"))
		}
		slices.Sort(cost)
		var jobs []testJob
		at := 0.0
		for range rapid.IntRange(1, 20).Draw(t, "n") {
			at += float64(rapid.IntRange(0, 5).Draw(t, "between"))
			jobs = append(jobs, testJob{at, float64(rapid.IntRange(0, 9).Draw(t, "work")), rapid.IntRange(0, most).Draw(t, "R"),
				float64(rapid.IntRange(0, 99).Draw(t, "bytes"))})
		}
		run := testRun(t, cost, rapid.IntRange(1, 5).Draw(t, "K"), jobs)
		run.p.horizon = rapid.Int64Range(0, 9).Draw(t, "horizon")
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		if rapid.IntRange(0, 9).Draw(t, "stopped") == 0 {
			cancel()
		}
		for _, name := range []string{"greedy", "rhc", "random", "threshold", "lookahead"} {
			f, err := algorithmOf(t, name).Solve(ctx, run, solver.Options{Seed: 1})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if bad := run.in.Check(run.in.Schedule(f.slot)); len(bad) > 0 {
				t.Fatalf("%s: %v", name, bad)
			}
			if limit := f.status == model.StatusLimit; limit != (ctx.Err() != nil) {
				t.Fatalf("%s: status %s", name, f.status)
			}
		}
	})
}

// open opens a workload as the driver does.
func open(w *model.Workload, p solver.Params) (solver.Run, error) { return Problem().Open(w, p) }
