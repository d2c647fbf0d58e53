package realtime

import (
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/realtime"
)

// bruteLate tries every order of the tasks, each set of each job, and every slot, and returns the fewest misses.
func bruteLate(in *realtime.Instance) int {
	best := in.Jobs + 1
	free, ready, end, left := make([]model.Time, in.Slots), append([]model.Time(nil), in.Release...),
		append([]model.Time(nil), in.Release...), make([]int32, in.Jobs)
	set, used, done := make([]int, in.Jobs), make([]map[int32]int, in.Jobs), make([]bool, in.Tasks)
	for j := range in.Jobs {
		left[j], set[j], used[j] = in.FirstMap[j+1]-in.FirstMap[j], -1, map[int32]int{}
	}
	var visit func(todo int)
	visit = func(todo int) {
		if todo == 0 {
			missed := 0
			for j := range end {
				if end[j] > in.Due[j] {
					missed++
				}
			}
			best = min(best, missed)
			return
		}
		for t := range int32(in.Tasks) {
			j, k := in.JobOf(t), -1
			if done[t] || !in.IsMap(t) && left[j] > 0 {
				continue
			}
			if !in.IsMap(t) {
				for i, s := range in.SetsOf(j) {
					if t >= s.First && t < s.First+s.Count {
						k = i
					}
				}
				if set[j] >= 0 && set[j] != k {
					continue
				}
			}
			for _, s := range in.SlotsFor(in.KindOf(t)) {
				if !in.IsMap(t) && used[j][s] == 0 && len(used[j]) == int(in.Reducers[j]) {
					continue
				}
				f, r, e, chosen := free[s], ready[j], end[j], set[j]
				start := max(f, r, in.ReleaseOf(t))
				if in.IsMap(t) {
					start = max(f, in.ReleaseOf(t))
				}
				free[s] = start + in.Time(t, in.WorkerOf[s])
				end[j], done[t] = max(e, free[s]), true
				if in.IsMap(t) {
					ready[j] = max(r, free[s]+in.Shuffle[t])
					left[j]--
				} else {
					set[j] = k
					used[j][s]++
				}
				visit(todo - 1)
				if in.IsMap(t) {
					left[j]++
				} else if used[j][s]--; used[j][s] == 0 {
					delete(used[j], s)
				}
				free[s], ready[j], end[j], set[j], done[t] = f, r, e, chosen, false
			}
		}
	}
	visit(in.Scheduled())
	return best
}

// TestExactPlan: the bound does not exceed the optimum, exact finds it, and best lies between exact and the worst.
func TestExactPlan(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		workers := drawLateWorkers(rt)
		in := lateInstance(rt, rapid.SampledFrom([]model.Time{1, model.Second}).Draw(rt, "unit"), workers,
			drawLateJobs(rt, 3, 2, 2, 20, len(workers)), realtime.Options{Delta: 0.2})
		if in.Scheduled() > 5 || in.Tasks > 8 {
			rt.Skip("too many tasks")
		}
		want := bruteLate(in)
		best, bound, _ := solveLate(rt, in, bestPlan)
		exact, _, out := solveLate(rt, in, exactPlan)
		if bound > want || exact != want || best < want || out.Status != model.StatusOptimal {
			rt.Fatalf("bound %d, exact %d (%s), best %d; optimum %d", bound, exact, out.Status, best, want)
		}
		nodes, searched := nodesOf(out), out.Facts.(Facts).Nodes != nil
		r := newRun(in, params{})
		ok, err := optimalPlan(t.Context(), r, out.Schedule, nodes)
		if (searched || exact == 0) && (!ok || err != nil) {
			rt.Fatalf("not proven again in %d nodes: %v", nodes, err)
		}
	})
}

// TestExactPlanLarger: on instances too large to enumerate, exact finds no fewer misses than the bound and no more than
// best, and proves its result again.
func TestExactPlanLarger(t *testing.T) {
	limits := 0
	rapid.Check(t, func(rt *rapid.T) {
		in := lateInstance(rt, model.Second, drawLateWorkers(rt), drawLateJobs(rt, 5, 2, 2, 25, 0),
			realtime.Options{Delta: 0.5})
		best, bound, _ := solveLate(rt, in, bestPlan)
		exact, _, out := solveLate(rt, in, exactPlan)
		if bound > exact || exact > best {
			rt.Fatalf("bound %d, exact %d, best %d", bound, exact, best)
		}
		if out.Status == model.StatusLimit {
			limits++
			return
		}
		if nodes, searched := nodesOf(out), out.Facts.(Facts).Nodes != nil; searched {
			if ok, err := optimalPlan(t.Context(), newRun(in, params{}), out.Schedule, nodes); !ok || err != nil {
				rt.Fatalf("not proven again in %d nodes: %v", nodes, err)
			}
		}
	})
	t.Logf("%d searches reached their limit", limits)
}

// TestFarDeadline: the time of three slots until a deadline in the far future is more than fits into 64 bits.
// The job is on time all the same.
func TestFarDeadline(t *testing.T) {
	in := lateInstance(t, model.Second, []lateWorker{{1, 3, 1}}, []lateJob{{maps: []model.Time{4, 4, 4, 4},
		deadline: 4_000_000_000_000}}, realtime.Options{})
	x, err := newPlanSubsets(in, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if entries, complete := x.find(t.Context(), 0); len(entries) != 4 || !complete {
		t.Errorf("%v, %v", entries, complete)
	}
}

// TestOptimalPlanRefuses: a schedule with more misses than needed is not optimal, and a search without nodes proves
// nothing.
func TestOptimalPlanRefuses(t *testing.T) {
	in := lateInstance(t, model.Second, []lateWorker{{1, 1, 1}}, []lateJob{{maps: []model.Time{4}, deadline: 5},
		{maps: []model.Time{4}, deadline: 8}, {maps: []model.Time{3}, deadline: 8}}, realtime.Options{})
	row := func(t model.TaskIndex, start model.Time) model.Entry {
		return model.Entry{Task: t, Machine: 0, Start: start * model.Second,
			End: (start + []model.Time{4, 4, 3}[t]) * model.Second}
	}
	r := newRun(in, params{})
	for _, c := range []struct {
		rows  []model.Entry
		nodes int
		want  bool
	}{
		{[]model.Entry{row(0, 0), row(1, 4), row(2, 8)}, 1000, true},
		{[]model.Entry{row(0, 0), row(1, 4), row(2, 8)}, 0, false},
		{[]model.Entry{row(0, 8), row(1, 4), row(2, 0)}, 1000, true},
		{[]model.Entry{row(0, 7), row(1, 11), row(2, 0)}, 1000, false},
	} {
		if ok, err := optimalPlan(t.Context(), r, &model.Schedule{Entries: c.rows}, c.nodes); ok != c.want || err != nil {
			t.Errorf("%v with %d nodes: %v, %v", c.rows, c.nodes, ok, err)
		}
	}
}
