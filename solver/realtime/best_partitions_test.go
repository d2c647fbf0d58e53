package realtime

import (
	"context"
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// phaseSpec describes a workload for goal partitions: one worker per column, with one reduce slot or with several.
type phaseSpec struct {
	times    [][][]model.Time // by job, by partition, by worker; nil: base over speed
	base     [][]model.Time   // by job, by partition, where times is nil
	speeds   []float64
	slots    []int64 // by worker; nil: 1
	reducers int64   // 0: as many as slots
	resplit  model.Optional[model.Time]
}

// phaseInstance builds the instance of a spec.
func phaseInstance(t testing.TB, s phaseSpec) *realtime.Instance {
	t.Helper()
	b := model.NewBuilder()
	b.Scalars("phases", "realtime", model.Optional[int64]{}, nil)
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	total := int64(0)
	for w, v := range s.speeds {
		n := int64(1)
		if s.slots != nil {
			n = s.slots[w]
		}
		total += n
		b.Node(model.Node{ID: "w" + strconv.Itoa(w), Kind: model.HostNode, ReduceSlots: n, Speed: model.Some(v)}, "root",
			model.Locus{})
	}
	reducers := s.reducers
	if reducers == 0 {
		reducers = total
	}
	jobs := max(len(s.times), len(s.base))
	for j := range jobs {
		id := "j" + strconv.Itoa(j)
		b.Job(model.Job{ID: id, Weight: model.UnitWeight, Reduces: model.Some(reducers), ReduceRate: model.Some(1e6)},
			model.Locus{})
		parts := 0
		if s.times != nil {
			parts = len(s.times[j])
		} else {
			parts = len(s.base[j])
		}
		for i := range parts {
			name := "p" + strconv.Itoa(i)
			size := model.Bytes(1)
			if s.times == nil {
				size = model.Bytes(s.base[j][i])
			}
			b.Part(model.Part{Partition: name, Bytes: size}, id, model.Locus{})
			if s.times != nil {
				for w, p := range s.times[j][i] {
					b.GivenTime(model.GivenTime{Task: name, Time: p}, id, "w"+strconv.Itoa(w), model.Locus{})
				}
			}
		}
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := realtime.New(w, realtime.Options{Goal: realtime.Partitions, Resplit: s.resplit})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// rcmaxInstance reads a matrix, one line a machine, times in seconds.
func rcmaxInstance(t testing.TB, name string) *realtime.Instance {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "bench", "rcmax", name))
	if err != nil {
		t.Skipf("no reference instance: %v", err)
	}
	var s phaseSpec
	var job [][]model.Time
	for w, line := range strings.Fields(string(raw)) {
		s.speeds = append(s.speeds, 1)
		for i, cell := range strings.Split(line, ",") {
			v, err := strconv.Atoi(cell)
			if err != nil {
				t.Fatal(err)
			}
			if w == 0 {
				job = append(job, nil)
			}
			job[i] = append(job[i], model.Time(v)*model.Second)
		}
	}
	s.times = [][][]model.Time{job}
	return phaseInstance(t, s)
}

var phaseOptions = solver.Options{Iterations: 200, Seed: 1, Threads: 1}

// phaseRun opens a run.
func phaseRun(in *realtime.Instance) *run {
	return newRun(in, solver.Bind[params](solver.Params{}))
}

// phaseSolve solves and checks, and gives the makespan and the best bound in microseconds.
func phaseSolve(t testing.TB, r *run, name string, opt solver.Options) (*solver.Outcome, model.Time, model.Time) {
	t.Helper()
	out, err := r.Solve(context.Background(), name, opt)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if found := r.in.Check(out.Schedule); len(found) > 0 {
		t.Fatalf("%s: %v", name, found)
	}
	return out, r.in.Ends(out.Schedule).Last, phaseBound(t, r.in, out.Bounds[0])
}

// phaseBound certifies a bound and gives its value in microseconds.
func phaseBound(t testing.TB, in *realtime.Instance, b solver.Bound) model.Time {
	t.Helper()
	raw, err := json.Marshal(b.Certificate)
	if err != nil {
		t.Fatal(err)
	}
	c, err := in.Certify(raw)
	if err != nil {
		t.Fatalf("%s: %v", b.Method, err)
	}
	v := new(big.Rat).Mul(c.Value, big.NewRat(int64(model.Second), 1))
	if !v.IsInt() {
		t.Fatalf("%s: a bound of %s", b.Method, c.Value)
	}
	return model.Time(v.Num().Int64())
}

// phaseBrute is the least makespan of one set over all assignments, in microseconds.
func phaseBrute(in *realtime.Instance, set realtime.Set, slots []int32, most int) model.Time {
	best := model.Time(math.MaxInt64)
	load, count := make([]model.Time, len(slots)), make([]int, len(slots))
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
		for k, s := range slots {
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
func phaseOptimum(in *realtime.Instance) (sum model.Time) {
	for j := range int32(in.Jobs) {
		best := model.Time(math.MaxInt64)
		for _, set := range in.SetsOf(j) {
			best = min(best, phaseBrute(in, set, in.ReduceSlots, int(in.Reducers[j])))
		}
		sum += best
	}
	return sum
}

// phaseTiny draws a spec for brute force: times unrelated or related, in small or large units; fewer reducers than
// slots or not; one or several slots per worker; one or two jobs.
func phaseTiny(r *rand.Rand) phaseSpec {
	var s phaseSpec
	workers := 1 + r.IntN(4)
	slots := 0
	for range workers {
		s.speeds = append(s.speeds, []float64{1, 1, 2, 0.5, 1.3}[r.IntN(5)])
		n := 1
		if r.IntN(4) == 0 {
			n = 2
		}
		slots += n
		s.slots = append(s.slots, int64(n))
	}
	s.reducers = int64(1 + r.IntN(slots))
	unit, span := model.Time(1), 1000
	if r.IntN(2) == 0 {
		unit, span = model.Second, 12
	}
	draw := func() model.Time { return unit * model.Time(r.IntN(span)) }
	for range 1 + r.IntN(2) {
		parts := 1 + r.IntN(7)
		job, base := make([][]model.Time, parts), make([]model.Time, parts)
		for i := range job {
			base[i] = draw()
			for range workers {
				job[i] = append(job[i], draw())
			}
		}
		s.times, s.base = append(s.times, job), append(s.base, base)
	}
	if r.IntN(2) == 0 {
		s.times = nil
	}
	return s
}

// TestPhaseOrder: T* ≤ bound by prices of partitions ≤ optimum = exact ≤ best, and lst ≤ 2·T*, over small instances
// that brute force solves. It also checks certificates.
func TestPhaseOrder(t *testing.T) {
	optimal := 0
	for seed := range uint64(400) {
		in := phaseInstance(t, phaseTiny(rand.New(rand.NewPCG(seed, 1))))
		r := phaseRun(in)
		want := phaseOptimum(in)
		out, exact, bound := phaseSolve(t, r, "exact", phaseOptions)
		if out.Status != model.StatusOptimal || exact != want || bound > want {
			t.Fatalf("seed %d: exact %s, %s, bound %s; brute force %s", seed, out.Status, exact, bound, want)
		}
		nodes := nodesOf(out)
		if ok, err := optimalPartitions(context.Background(), phaseRun(in), out.Schedule, nodes); !ok || err != nil {
			t.Fatalf("seed %d: not proven again: %v", seed, err)
		}
		out, best, bound := phaseSolve(t, r, "best", phaseOptions)
		if best < want || bound > want || (out.Status == model.StatusOptimal) != (best == bound) {
			t.Fatalf("seed %d: best %s, %s, bound %s; brute force %s", seed, out.Status, best, bound, want)
		}
		if out.Status == model.StatusOptimal {
			optimal++
		}
		last := phaseBound(t, in, r.bounds[len(r.bounds)-1])
		if first := phaseBound(t, in, r.bounds[0]); last > first || first > want {
			t.Fatalf("seed %d: bounds %s and %s, optimum %s", seed, first, last, want)
		}
		_, lst, _ := phaseSolve(t, r, "lst", phaseOptions)
		if g := r.Guarantee("lst", false); lst < want || g != nil && lst > 2*last {
			t.Fatalf("seed %d: lst %s, T* %s, optimum %s", seed, lst, last, want)
		}
		if ok, _ := optimalPartitions(context.Background(), r, out.Schedule, 0); ok != (best == want &&
			phaseBound(t, in, r.bounds[0]) == want) {
			t.Fatalf("seed %d: without nodes, optimality is %v; best %s, bound %s", seed, ok, best,
				phaseBound(t, in, r.bounds[0]))
		}
	}
	if optimal < 398 {
		t.Errorf("best is proven optimal %d times of 400", optimal)
	}
}

// TestRcmax: best proves its optimum on every reference matrix. This program computed T* and the optima; certificates
// prove both, and schedules that the checker accepts attain the optima.
func TestRcmax(t *testing.T) {
	for name, want := range map[string]struct{ slots, optimum model.Time }{"P10-10-5-1_t.txt": {14, 15},
		"P20-10-5-1_t.txt": {22, 25}, "P100-50-10-1_t.txt": {13, 14}} {
		r := phaseRun(rcmaxInstance(t, name))
		out, cost, bound := phaseSolve(t, r, "best", phaseOptions)
		if out.Status != model.StatusOptimal || cost != want.optimum*model.Second || bound != cost {
			t.Errorf("%s: %s, %s, bound %s", name, out.Status, cost, bound)
		}
		last := phaseBound(t, r.in, r.bounds[len(r.bounds)-1])
		if last != want.slots*model.Second {
			t.Errorf("%s: T* rounded up is %s", name, last)
		}
		if _, lst, _ := phaseSolve(t, r, "lst", phaseOptions); lst > 2*last {
			t.Errorf("%s: lst %s, T* %s", name, lst, last)
		}
	}
}

// skewed draws partitions of power-law sizes on workers of log-normal speeds.
func skewed(seed uint64, partitions, workers int, reducers int64) phaseSpec {
	r := rand.New(rand.NewPCG(seed, 3))
	s := phaseSpec{reducers: reducers, base: [][]model.Time{make([]model.Time, partitions)}}
	for range workers {
		s.speeds = append(s.speeds, math.Exp(0.5*r.NormFloat64()))
	}
	for i := range s.base[0] {
		s.base[0][i] = model.Time(min(1e6*math.Pow(1-r.Float64(), -1/1.2), 2e7))
	}
	return s
}

// TestPhaseSkewed: partitions like those of the paper's second workload end within one percent of the bound.
func TestPhaseSkewed(t *testing.T) {
	for seed := range uint64(3) {
		for _, size := range []struct {
			partitions, workers int
			reducers            int64
		}{{1000, 23, 23}, {1000, 82, 23}, {45, 82, 23}} {
			out, cost, bound := phaseSolve(t, phaseRun(phaseInstance(t, skewed(seed, size.partitions, size.workers,
				size.reducers))), "best", solver.Options{Iterations: 100, Seed: 1, Threads: 1})
			if float64(cost) > 1.01*float64(bound) {
				t.Errorf("seed %d, %v: %s, bound %s (%s)", seed, size, cost, bound, out.Bounds[0].Method)
			}
		}
	}
}

// TestPhaseSame: the same input and seed give the same schedule and certificate.
func TestPhaseSame(t *testing.T) {
	for _, s := range []phaseSpec{skewed(5, 60, 12, 9), phaseTiny(rand.New(rand.NewPCG(7, 7)))} {
		var first []byte
		for range 2 {
			out, _, _ := phaseSolve(t, phaseRun(phaseInstance(t, s)), "best",
				solver.Options{Iterations: 20, Seed: 3, Threads: 2})
			raw, err := json.Marshal(out)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = raw
			} else if string(first) != string(raw) {
				t.Error("two runs differ")
			}
		}
	}
}

// TestPhaseCancelled: an expired context still gives a schedule, and its claims hold.
func TestPhaseCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in := phaseInstance(t, phaseSpec{speeds: []float64{1, 1, 1},
		times: [][][]model.Time{{{4, 6, 9}, {6, 4, 9}, {5, 5, 9}, {7, 8, 9}}}})
	check := func(in *realtime.Instance, names ...string) {
		for _, name := range names {
			r := newRun(in, solver.Bind[params](solver.Params{estimatesParam: "true", neighboursParam: int64(256)}))
			out, err := r.Solve(ctx, name, phaseOptions)
			if err != nil || out.Schedule == nil || len(in.Check(out.Schedule)) > 0 {
				t.Fatalf("%s: %v", name, err)
			}
			if out.Status == model.StatusFeasible {
				t.Errorf("%s: %s", name, out.Status)
			}
		}
	}
	check(in, "best", "lst", "exact")
	check(phaseInstance(t, phaseSpec{speeds: []float64{1, 1, 2}, base: [][]model.Time{{9e6, 8e6, 7e6, 1e6}, {9e6, 1e6}},
		resplit: model.Some(model.Time(0))}), "best", "skewtune")
}

// TestPhasePieces: if partitions may be split, the bound allows for it: one of 10 s on two slots takes 5 s. Best's
// second piece starts a microsecond after the first. There is no claim about whole partitions.
func TestPhasePieces(t *testing.T) {
	in := phaseInstance(t, phaseSpec{speeds: []float64{1, 1}, base: [][]model.Time{{10 * model.Second}},
		resplit: model.Some(model.Time(0))})
	r := phaseRun(in)
	out, cost, bound := phaseSolve(t, r, "best", phaseOptions)
	if cost != 5*model.Second+1 || bound != 5*model.Second || out.Status != model.StatusFeasible {
		t.Errorf("%s, %s, bound %s", out.Status, cost, bound)
	}
	half := 5 * model.Second
	s := &model.Schedule{Entries: []model.Entry{{Task: 0, Machine: 0, End: half}, {Task: 0, Machine: 1, End: half}}}
	if found := in.Check(s); len(found) > 0 {
		t.Errorf("halves: %v", found)
	}
	if ok, err := optimalPartitions(context.Background(), r, s, 1000); ok || err != nil {
		t.Errorf("optimal: %v, %v", ok, err)
	}
	for _, name := range []string{"lst", "exact"} {
		if r.Excludes(name).Why == "" {
			t.Errorf("%s does not mind pieces", name)
		}
	}
}

// nodesOf is the size of an outcome's exhaustive search, 0 if it made none.
func nodesOf(out *solver.Outcome) int {
	if facts, ok := out.Facts.(Facts); ok && facts.Nodes != nil {
		return *facts.Nodes
	}
	return 0
}
