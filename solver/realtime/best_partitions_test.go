package realtime

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/model/tier"
	"mrsched/solver"
)

// phaseBrute is the least makespan of one set over all assignments, in microseconds.
func phaseBrute(in *realtime.Instance, set realtime.Set) model.Time {
	best, most := model.Time(math.MaxInt64), int(in.Reducers[set.Job])
	load, count := make([]model.Time, len(in.ReduceSlots)), make([]int, len(in.ReduceSlots))
	used := 0
	var place func(i int32, cost model.Time)
	place = func(i int32, cost model.Time) {
		if cost >= best {
			return
		}
		if i == set.Count {
			best = cost
			return
		}
		for k, s := range in.ReduceSlots {
			if count[k] == 0 && used == most {
				continue
			}
			p := in.Time(set.First+i, in.WorkerOf[s])
			if count[k]++; count[k] == 1 {
				used++
			}
			load[k] += p
			place(i+1, max(cost, load[k]))
			load[k] -= p
			if count[k]--; count[k] == 0 {
				used--
			}
		}
	}
	place(0, 0)
	return best
}

// phaseOptimum is the optimum of an instance by brute force over all sets and slots.
func phaseOptimum(in *realtime.Instance) (sum int64) {
	for j := range int32(in.Jobs) {
		best := model.Time(math.MaxInt64)
		for _, set := range in.SetsOf(j) {
			best = min(best, phaseBrute(in, set))
		}
		sum += int64(best)
	}
	return sum
}

// phaseTiny draws a workload for brute force: times unrelated or related, in small or large units; data of partitions
// or, some with a unit of their own, of keys that are hashed in several ways; fewer reducers than slots or not; one or
// several slots per worker; one or two jobs.
func phaseTiny(r *rand.Rand) spec {
	x, slots := spec{unit: 1}, 0
	for range 1 + r.IntN(4) {
		n := 1 + r.IntN(4)/3
		slots += n
		x.workers = append(x.workers, worker{[]float64{1, 1, 2, 0.5, 1.3}[r.IntN(5)], 0, int64(n)})
	}
	span, related := 1000, r.IntN(2) == 0
	if r.IntN(2) == 0 {
		x.unit, span = model.Second, 12
	}
	reducers := int64(1 + r.IntN(slots))
	for range 1 + r.IntN(2) {
		j := job{reducers: reducers}
		if r.IntN(4) == 0 {
			j.partitions = 1 + r.Int64N(5)
			size := []int{[]int{1, 6, 10, 15}[r.IntN(4)], []int{6, 10, 15}[r.IntN(3)]}
			for range 4 + r.IntN(8) {
				j.keys = append(j.keys, float64(size[r.IntN(2)]*(1+r.IntN(4))))
			}
		} else {
			for range 1 + r.IntN(7) {
				j.parts = append(j.parts, float64(r.IntN(span)))
				var times []float64
				for range x.workers {
					times = append(times, float64(r.IntN(span)))
				}
				j.given = append(j.given, times)
			}
		}
		if related {
			j.given = nil
		}
		x.jobs = append(x.jobs, j)
	}
	return x
}

// TestPhaseOrder: T* ≤ bound by prices of partitions ≤ optimum = exact ≤ best, and lst ≤ 2·T*, over small instances
// that brute force solves. It also checks certificates. The mixed-integer program of a single job has that optimum.
func TestPhaseOrder(t *testing.T) {
	tier.Slow(t)
	optimal, draws := 0, tier.Draws(100, 1000)
	for seed := range uint64(draws) {
		x := phaseTiny(rand.New(rand.NewPCG(seed, 1)))
		r := x.run(t, inPhases)
		want := phaseOptimum(r.in)
		out, exact, bound := bounded(t, r, "exact")
		if out.Status != model.StatusOptimal || exact != want || bound > want {
			t.Fatalf("seed %d: exact %s, %d, bound %d; brute force %d", seed, out.Status, exact, bound, want)
		}
		ok, err := optimalPartitions(context.Background(), x.run(t, inPhases), out.Schedule, nodesOf(out))
		if !ok || err != nil {
			t.Fatalf("seed %d: not proven again: %v", seed, err)
		}
		out, best, bound := bounded(t, r, "best")
		if best < want || bound > want || (out.Status == model.StatusOptimal) != (best == bound) {
			t.Fatalf("seed %d: best %s, %d, bound %d; brute force %d", seed, out.Status, best, bound, want)
		}
		if out.Status == model.StatusOptimal {
			optimal++
		}
		last := certified(t, r, len(r.bounds)-1)
		if last > bound {
			t.Fatalf("seed %d: bounds %d and %d", seed, last, bound)
		}
		_, lst, _ := bounded(t, r, "lst")
		if g := r.Guarantee("lst", false); lst < want || g != nil && lst > 2*last {
			t.Fatalf("seed %d: lst %d, T* %d, optimum %d", seed, lst, last, want)
		}
		ok, _ = optimalPartitions(context.Background(), r, out.Schedule, 0)
		if ok != (best == want && bound == want) {
			t.Fatalf("seed %d: without nodes, optimality is %v; best %d, bound %d", seed, ok, best, bound)
		}
	}
	if optimal < draws-draws/50 {
		t.Errorf("best is proven optimal %d times of %d", optimal, draws)
	}
}

// TestRcmax: best proves its optimum on every reference matrix, a line a machine, in seconds. This program computed T*
// and the optima; certificates prove both, and schedules that the checker accepts attain the optima.
func TestRcmax(t *testing.T) {
	for name, want := range map[string]struct{ slots, optimum model.Time }{"P10-10-5-1_t.txt": {14, 15},
		"P20-10-5-1_t.txt": {22, 25}, "P100-50-10-1_t.txt": {13, 14}} {
		raw, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "bench", "rcmax", name))
		if err != nil {
			t.Skipf("no reference instance: %v", err)
		}
		x, j := spec{}, job{}
		for _, line := range strings.Fields(string(raw)) {
			x.workers = append(x.workers, worker{1, 0, 1})
			for i, cell := range strings.Split(line, ",") {
				v, err := strconv.ParseFloat(cell, 64)
				if err != nil {
					t.Fatal(err)
				}
				if i == len(j.given) {
					j.parts, j.given = append(j.parts, 1), append(j.given, nil)
				}
				j.given[i] = append(j.given[i], v)
			}
		}
		x.jobs = []job{j}
		r := x.run(t, inPhases)
		out, cost, bound := bounded(t, r, "best")
		if out.Status != model.StatusOptimal || cost != int64(want.optimum*model.Second) || bound != cost {
			t.Errorf("%s: %s, %d, bound %d", name, out.Status, cost, bound)
		}
		last := certified(t, r, len(r.bounds)-1)
		if _, lst, _ := bounded(t, r, "lst"); last != int64(want.slots*model.Second) || lst > 2*last {
			t.Errorf("%s: lst %d, T* rounded up %d", name, lst, last)
		}
	}
}

// skewed draws partitions of power-law sizes on workers of log-normal speeds.
func skewed(seed uint64, partitions, workers int, reducers int64) spec {
	r := rand.New(rand.NewPCG(seed, 3))
	x, j := spec{unit: 1}, job{reducers: reducers}
	for range workers {
		x.workers = append(x.workers, worker{math.Exp(0.5 * r.NormFloat64()), 0, 1})
	}
	for range partitions {
		j.parts = append(j.parts, min(1e6*math.Pow(1-r.Float64(), -1/1.2), 2e7))
	}
	x.jobs = []job{j}
	return x
}

// TestPhaseSkewed: partitions like those of the paper's second workload end within one percent of the bound.
func TestPhaseSkewed(t *testing.T) {
	tier.Slow(t)
	for seed := range uint64(tier.Draws(1, 3)) {
		for _, x := range []spec{skewed(seed, 1000, 23, 23), skewed(seed, 1000, 82, 23), skewed(seed, 45, 82, 23)} {
			if out, cost, bound := bounded(t, x.run(t, inPhases), "best"); float64(cost) > 1.01*float64(bound) {
				t.Errorf("seed %d, %d workers: %d, bound %d (%s)", seed, len(x.workers), cost, bound, out.Bounds[0].Method)
			}
		}
	}
}

// TestPhaseCancelled: an expired context still gives a schedule, and its claims hold.
func TestPhaseCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	three := []worker{{1, 0, 1}, {1, 0, 1}, {2, 0, 1}}
	whole := spec{0, three, []job{{parts: []float64{9, 8, 7, 1}}, {parts: []float64{9, 1}}}}
	for name, set := range map[string]solver.Params{"best": inPhases, "lst": inPhases, "exact": inPhases, "skewtune": inPieces} {
		r := whole.run(t, set)
		out, err := r.Solve(ctx, name, someSearch)
		if err != nil || out.Status == model.StatusFeasible || len(r.in.Check(out.Schedule)) > 0 {
			t.Fatalf("%s: %v, %v", name, out, err)
		}
	}
}

// TestPhasePieces: if partitions may be split, the bound allows for it: one of 10 s on two slots takes 5 s. Best's
// second piece starts a microsecond after the first. There is no claim about whole partitions.
func TestPhasePieces(t *testing.T) {
	r := oneJob([]float64{1, 1}, 0, 10).run(t, inPieces)
	out, cost, bound := bounded(t, r, "best")
	half := 5 * model.Second
	if cost != int64(half)+1 || bound != int64(half) || out.Status != model.StatusFeasible {
		t.Errorf("%s, %d, bound %d", out.Status, cost, bound)
	}
	s := &model.Schedule{Entries: []model.Entry{{Task: 0, Machine: 0, End: half}, {Task: 0, Machine: 1, End: half}}}
	if found := r.in.Check(s); len(found) > 0 {
		t.Errorf("halves: %v", found)
	}
	if ok, err := optimalPartitions(context.Background(), r, s, 1000); ok || err != nil {
		t.Errorf("optimal: %v, %v", ok, err)
	}
	if r.Excludes("lst").Why == "" || r.Excludes("exact").Why == "" {
		t.Error("lst and exact do not mind pieces")
	}
}

// nodesOf is the size of an outcome's exhaustive search, 0 if it made none.
func nodesOf(out *solver.Outcome) int {
	if facts, ok := out.Facts.(Facts); ok && facts.Nodes != nil {
		return *facts.Nodes
	}
	return 0
}

// TestLeastOfSets: raising only bounds that may be the least gives the same result as raising all, apart from rounding.
func TestLeastOfSets(t *testing.T) {
	random, ctx := rand.New(rand.NewPCG(3, 3)), context.Background()
	x := spec{unit: 1}
	for range 9 {
		x.workers = append(x.workers, worker{math.Exp(0.5 * random.NormFloat64()), 0, 1})
	}
	for range 2 {
		j := job{reducers: 8, partitions: 16}
		for range 200 {
			j.keys = append(j.keys, min(1e5*math.Pow(1-random.Float64(), -1/1.2), 2e6))
		}
		x.jobs = append(x.jobs, j)
	}
	set := solver.Params{"goal": "partitions", "sketch-delta": 0.02}
	lazy, all := x.run(t, set), x.run(t, set)
	if err := lazy.prove(ctx, solver.Options{}, 1); err != nil {
		t.Fatal(err)
	}
	for j := range int32(all.in.Jobs) {
		least, slots := model.MaxTime, model.MaxTime
		for _, set := range all.in.SetsOf(j) {
			b, err := all.phase(set).RootBound(ctx)
			if err != nil {
				t.Fatal(err)
			}
			f, err := all.phase(set).RelaxedBound(ctx)
			if err != nil {
				t.Fatal(err)
			}
			least, slots = min(least, b.Value), min(slots, f.Value)
		}
		got := lazy.bounds[0].Certificate.(*realtime.Certificate).Phases[j].Time
		if got < slots || got < least-least/100_000 || got > least+least/100_000 {
			t.Errorf("job %d: %s, all %s, T* %s", j, got, least, slots)
		}
	}
}

// BenchmarkPartitions: algorithms for one job's partitions, by prices, by loads and by cutting them.
func BenchmarkPartitions(b *testing.B) {
	w := skewed(1, 20_000, 500, 0).workload(b)
	for name, set := range map[string]solver.Params{"best": inPhases, "lb": inPhases, "dp": inPhases,
		"skewtune": inPieces} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := opened(b, w, set).Solve(context.Background(), name, someSearch); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
