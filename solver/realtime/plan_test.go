package realtime

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/model/tier"
	"mrsched/solver"
)

// mapsBy is a job of maps of some lengths, due after its arrival.
func mapsBy(due float64, lengths ...float64) job { return job{maps: lengths, due: due} }

// at is a job that arrives at some time.
func (j job) at(release float64) job {
	j.release = release
	return j
}

// reducing is a job with reduces, too.
func (j job) reducing(lengths ...float64) job {
	j.reduces = lengths
	return j
}

// TestPlanByHand: the bound and the optimum of instances that are solved by hand.
func TestPlanByHand(t *testing.T) {
	one, split := []worker{{1, 1, 1}}, solver.Params{"resplit-cost": "0"}
	keys := []job{{reducers: 2, keys: []float64{3, 3, 3, 3}, due: 5}}
	late := job{maps: []float64{2}, reduces: []float64{3}, late: []float64{0, 3}}
	var stream []job
	for k := range 60 {
		stream = append(stream, mapsBy(4, 2).at(float64(k)))
	}
	for name, c := range map[string]struct {
		workers []worker
		jobs    []job
		set     solver.Params
		want    int64
	}{
		// Two of them fit, but never all.
		"three jobs": {one, []job{mapsBy(4, 4), mapsBy(6, 3), mapsBy(6, 2)}, nil, 1},
		// 2 + 2 s fit before 4, 3 more do not before 6.
		"short ones first": {one, []job{mapsBy(6, 3), mapsBy(4, 2), mapsBy(4, 2)}, nil, 1},
		// One of two jobs misses in each of two bursts that do not touch.
		"two bursts": {one, []job{mapsBy(5, 4), mapsBy(5, 4), mapsBy(5, 4).at(10), mapsBy(5, 4).at(10)}, nil, 2},
		// 2 s of maps, then 3 s of reduces, due after 4.
		"critical path": {one, []job{mapsBy(4, 2).reducing(3), mapsBy(9, 1)}, nil, 1},
		// The shuffle's second makes it late.
		"shuffle": {one, []job{{maps: []float64{2}, reduces: []float64{3}, shuffle: []float64{1}, due: 5}}, nil, 1},
		// Two maps of 3 s on slots of speed 1 and ½ take 6 s one after another or at once; work alone says 4.
		"slow slot": {[]worker{{1, 1, 0}, {0.5, 1, 0}}, []job{mapsBy(5, 3, 3)}, nil, 1},
		// A reduce phase that fits into the free time of a slot before a more urgent job uses it.
		"gap": {one, []job{mapsBy(9, 6).reducing(2), mapsBy(15, 1).at(1).reducing(2)}, nil, 0},
		// The map ends at 2, the reduce comes at 3 and takes 3 s: just too long, and just in time.
		"own release of a reduce": {one, []job{{maps: late.maps, reduces: late.reduces, late: late.late, due: 5}}, nil, 1},
		"and in time":             {one, []job{{maps: late.maps, reduces: late.reduces, late: late.late, due: 6}}, nil, 0},
		// Reduces of 1 s come at 5 and 0: the second goes first.
		"reduces in turn": {one, []job{{reduces: []float64{1, 5}, late: []float64{5, 0}, due: 6}}, nil, 0},
		// A job without a deadline is never late. A job without work is not late even if it is due on arrival.
		"free": {one, []job{mapsBy(0, 9), mapsBy(-1, 0), mapsBy(-1, 0).at(3).reducing(0)}, nil, 0},
		// A job of 2 s arrives each second. All work of 60 jobs runs until 63 s, so at least 60 − 31 miss.
		"overload": {one, stream, nil, 29},
		// Speeds 1 and 2 do 3 units a second, 30 before 10: two of three jobs of 2 × 6.
		"speeds": {[]worker{{1, 1, 0}, {2, 1, 0}}, []job{mapsBy(10, 6, 6), mapsBy(10, 6, 6), mapsBy(10, 6, 6)}, nil, 1},
		// A slot of speed 0.1 cannot run a map of 6 by 10 at all, so 10 + 1 units are 10: one of two.
		"unusable": {[]worker{{1, 1, 0}, {0.1, 2, 0}}, []job{mapsBy(10, 6), mapsBy(10, 6)}, nil, 1},
		// Two slots have room for 20 s, and three jobs of one map of 6 s take 18; but each slot runs one map in time.
		"whole tasks": {[]worker{{1, 2, 0}}, []job{mapsBy(10, 6), mapsBy(10, 6), mapsBy(10, 6)}, nil, 1},
		// Reduces run from 1 on: 7 s are less than 8.
		"reduce stage": {one, []job{mapsBy(8, 1).reducing(4), mapsBy(8, 1).reducing(4)}, nil, 1},
		// Four partitions of 3 s on two of four slots take 6 s. Their work alone is more than two slots do in 5 s.
		"reducers":        {[]worker{{1, 0, 4}}, keys, solver.Params{"partitions": int64(4)}, 1},
		"reducers, split": {[]worker{{1, 0, 4}}, keys, split, 1},
		// A partition of 6 s takes 3 in two pieces, one of 7 s more; whole, it takes 6.
		"not split":     {[]worker{{1, 0, 2}}, []job{{reduces: []float64{6, 0}, due: 3}}, nil, 1},
		"split too far": {[]worker{{1, 0, 2}}, []job{{reduces: []float64{7, 0}, due: 3}}, split, 1},
		// Each map has one worker on which it ends in time; two of them have the same worker.
		"unrelated": {[]worker{{1, 1, 0}, {1, 1, 0}}, []job{{maps: []float64{1}, given: [][]float64{{4, 9}}, due: 5},
			{maps: []float64{1}, given: [][]float64{{4, 9}}, due: 5}, {maps: []float64{1}, given: [][]float64{{9, 4}}, due: 5}},
			nil, 1},
	} {
		r := spec{0, c.workers, c.jobs}.run(t, c.set)
		out, missed, bound := bounded(t, r, "best")
		if missed != c.want || bound != c.want || out.Status != model.StatusOptimal {
			t.Errorf("%s: %d missed, bound %d, %s; expected %d", name, missed, bound, out.Status, c.want)
		}
	}
	// A partition of 6 s ends by 3 in two pieces that the bound must allow for.
	r := spec{0, []worker{{1, 0, 2}}, []job{{reduces: []float64{6, 0}, due: 3}}}.run(t, split)
	if _, _, bound := bounded(t, r, "best"); bound != 0 {
		t.Errorf("split in time: bound %d", bound)
	}
}

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

// TestPlan: the bound does not exceed the optimum, which brute force finds for few tasks and exact for more. Best
// misses no more deadlines than any policy that knows the true times, and has more total lateness only if it misses
// fewer.
func TestPlan(t *testing.T) {
	tier.Slow(t)
	rapid.Check(t, func(t *rapid.T) {
		for range 8 {
			checkPlan(t, rapid.SampledFrom([]int{3, 7, 7, 12}).Draw(t, "most jobs"))
		}
	})
}

// checkPlan draws up to n jobs. It leaves policies out where n is small, and exact where n is large.
func checkPlan(t *rapid.T, n int) {
	x := spec{workers: drawWorkers(t, 3, 1)}
	x.unit = rapid.SampledFrom([]model.Time{1, model.Second}).Draw(t, "unit")
	x.jobs = drawJobs(t, n, 2+n/7, 2+n/7, 25, len(x.workers)*rapid.IntRange(0, 1).Draw(t, "unrelated"))
	r := x.run(t, solver.Params{"sketch-delta": 0.4})
	best, missed, bound := bounded(t, r, "best")
	if missed < bound {
		t.Fatalf("bound %d, best %d", bound, missed)
	}
	if n < 12 {
		opt := solver.Options{Iterations: rapid.SampledFrom([]int{1, 200}).Draw(t, "iterations"), Seed: 1, Threads: 1}
		out, err := r.Solve(t.Context(), "exact", opt)
		if err != nil || len(r.in.Check(out.Schedule)) > 0 {
			t.Fatalf("%v, %v", out, err)
		}
		exact := int64(r.in.Ends(out.Schedule).Missed)
		if few := r.in.Scheduled() <= 5 && r.in.Tasks <= 8; few && (exact != int64(bruteLate(r.in)) ||
			out.Status != model.StatusOptimal) || bound > exact || opt.Iterations > 1 && exact > missed {
			t.Fatalf("bound %d, exact %d (%s), best %d", bound, exact, out.Status, missed)
		}
		if out.Status == model.StatusOptimal && (exact > bound || exact == 0) {
			if ok, err := optimalPlan(t.Context(), r, out.Schedule, nodesOf(out)); !ok || err != nil {
				t.Fatalf("not proven again in %d nodes: %v", nodesOf(out), err)
			}
		}
		return
	}
	cost := r.costOf(best.Schedule)
	for _, p := range policyList() {
		if c := r.costOf(solved(t, r, p.Name).Schedule); cost.missed > c.missed || best.Status != model.StatusOptimal &&
			cost.compare(c) > 0 {
			t.Fatalf("%s %v, best %v, bound %d", p.Name, c, cost, bound)
		}
	}
}

// TestFarDeadline: the time of three slots until a deadline in the far future is more than fits into 64 bits. The job
// is on time all the same.
func TestFarDeadline(t *testing.T) {
	r := spec{0, []worker{{1, 3, 1}}, []job{mapsBy(4e12, 4, 4, 4, 4)}}.run(t, nil)
	x, err := newPlanSubsets(r.in, 1000)
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
	r := spec{0, []worker{{1, 1, 1}}, []job{mapsBy(5, 4), mapsBy(8, 4), mapsBy(8, 3)}}.run(t, nil)
	for _, c := range []struct {
		start [3]model.Time
		nodes int
		want  bool
	}{{[3]model.Time{0, 4, 8}, 1000, true}, {[3]model.Time{0, 4, 8}, 0, false}, {[3]model.Time{8, 4, 0}, 1000, true},
		{[3]model.Time{7, 11, 0}, 1000, false}} {
		s := &model.Schedule{}
		for k, at := range c.start {
			s.Entries = append(s.Entries, model.Entry{Task: model.TaskIndex(k), Start: at * model.Second,
				End: at*model.Second + r.in.Time(int32(k), 0)})
		}
		if ok, err := optimalPlan(t.Context(), r, s, c.nodes); ok != c.want || err != nil {
			t.Errorf("%+v: %v, %v", c, ok, err)
		}
	}
}

// TestLateBoundProperties: multiplying times, releases and deadlines by 2²⁸ changes nothing, though prices need larger
// units. The bound with split partitions does not exceed the one without. The claims of the search do not exceed what
// the certificate proves.
func TestLateBoundProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bound := func(x spec, set solver.Params) (*realtime.Instance, int64) {
			r := x.run(t, set)
			if err := r.prove(t.Context(), solver.Options{}, 1); err != nil {
				t.Fatal(err)
			}
			return r.in, certified(t, r, 0)
		}
		x := spec{workers: drawWorkers(t, 3, 1), jobs: drawJobs(t, 12, 3, 3, 25, 0)}
		for k := range x.workers {
			x.workers[k].speed = []float64{1, 0.5, 2}[k]
		}
		_, whole := bound(x, nil)
		in, split := bound(x, solver.Params{"resplit-cost": "0"})
		if split > whole {
			t.Fatalf("split %d, whole %d", split, whole)
		}
		prices, err := latePrices(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		l, err := in.Lateness(prices)
		if err != nil {
			t.Fatal(err)
		}
		s := newLateSearch(in, l, prices)
		s.run(t.Context(), solver.Options{})
		most := 0
		for _, x := range s.best {
			most = max(most, x.late)
		}
		if claimed := int64(most) + int64(l.SureMisses()); claimed > split {
			t.Fatalf("the search claims %d, the certificate proves %d", claimed, split)
		}
		x.unit = model.Second << 28
		if _, large := bound(x, nil); large != whole {
			t.Fatalf("%d, and %d with longer times", whole, large)
		}
	})
}

// TestEvenlyThinned: the first is kept, and the others are evenly spread.
func TestEvenlyThinned(t *testing.T) {
	list := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	for n, want := range map[int][]int{0: {0}, 1: {0}, 3: {0, 3, 6}, 4: {0, 2, 5, 7}, 10: list, 20: list} {
		if got := thinned(list, n); !slices.Equal(got, want) {
			t.Errorf("%d: %v", n, got)
		}
	}
}
