package reduceplace

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/reduceplace"
	"mrsched/solver"
)

// testJob is a row of a test's workload: seconds and bytes.
type testJob struct {
	at, work float64
	reduces  int
	bytes    float64
}

// testRun opens a workload of slots and jobs with default parameters.
func testRun(t rapid.TB, cost []float64, k int, jobs []testJob) *run {
	t.Helper()
	b := model.NewBuilder()
	for s, c := range cost {
		b.ReduceSlot(model.ReduceSlot{ID: fmt.Sprint("s", s), Cost: model.CostOf(c)}, model.Locus{})
	}
	for i, j := range jobs {
		b.Job(model.Job{ID: fmt.Sprint("j", i), Weight: model.UnitWeight, Release: model.TimeOf(j.at),
			MapWork: model.Some(model.TimeOf(j.work)), Reduces: model.Some(int64(j.reduces)),
			IntermediateBytes: model.Some(model.Bytes(math.Round(j.bytes)))}, model.Locus{})
		b.Task(model.Task{ID: fmt.Sprint("m", i), Kind: model.Map}, fmt.Sprint("j", i), "", model.Locus{})
	}
	return opened(t, built(t, b), solver.Params{"max-running-jobs": int64(k)})
}

func built(t rapid.TB, b *model.Builder) *model.Workload {
	t.Helper()
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// opened opens a workload as the driver does, with default parameters and some others.
func opened(t rapid.TB, w *model.Workload, p solver.Params) *run {
	t.Helper()
	for _, q := range Problem().Params {
		switch {
		case p[q.Name] != nil:
		case q.Kind == solver.IntParam:
			var v int64
			fmt.Sscan(q.Default, &v)
			p[q.Name] = v
		case q.Kind == solver.FloatParam:
			var v float64
			fmt.Sscan(q.Default, &v)
			p[q.Name] = v
		default:
			p[q.Name] = q.Default
		}
	}
	r, err := Problem().Open(w, p)
	if err != nil {
		t.Fatal(err)
	}
	return r.(*run)
}

// poisson is the paper's scenario: Poisson arrivals, exponential work of mean 1 s, up to maxReduces reduces, 1 to 100
// megabytes a job, slots of cost 1 to 100.
func poisson(t testing.TB, jobs, slots, maxRunning, maxReduces int, rate float64, seed uint64) *run {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 5))
	cost, list, now := make([]float64, slots), make([]testJob, jobs), 0.0
	for s := range cost {
		cost[s] = 1 + 99*r.Float64()
	}
	for i := range list {
		now += r.ExpFloat64() / rate
		list[i].reduces, list[i].bytes = 1+r.IntN(maxReduces), 1e6*(1+99*r.Float64())
		list[i].at, list[i].work = now, r.ExpFloat64()
	}
	return testRun(t, cost, maxRunning, list)
}

// queue is an instance like those of Tan et al. §V-B: at most 100 jobs at a time, 1 to 10 reduces.
func queue(t testing.TB, jobs, slots int, lambda float64) *run {
	t.Helper()
	return poisson(t, jobs, slots, 100, 10, lambda, 1)
}

// runOf opens an instance again, with nothing proven.
func runOf(in *reduceplace.Instance) *run {
	r, _ := newRun(nil, in, solver.Bind[params](solver.Params{"window": int64(100)}))
	return r
}

// solved is the outcome of an algorithm and its bounds.
func solved(t testing.TB, r *run, name string, iterations int) *solver.Outcome {
	t.Helper()
	out, err := r.Solve(context.Background(), name, solver.Options{Iterations: iterations, Seed: 1, Threads: 2})
	if err != nil {
		t.Fatal(name, err)
	}
	return out
}

// policySlots are the slots that a policy chooses.
func policySlots(t rapid.TB, r *run, name string) []int32 {
	t.Helper()
	f, err := algorithmOf(t, name).Solve(context.Background(), r, solver.Options{Iterations: 50, Seed: 1, Threads: 1})
	if err != nil {
		t.Fatal(name, err)
	}
	return f.slot
}

func expectSlots(t *testing.T, r *run, name string, want ...int32) {
	t.Helper()
	if got := policySlots(t, r, name); !slices.Equal(got, want) {
		t.Errorf("%s: slots %v, want %v", name, got, want)
	}
}

func algorithmOf(t rapid.TB, name string) algorithm {
	t.Helper()
	a, err := algorithms().Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// tiny is a random instance of a few tasks, which has slots: equal ones, with jobs without data, without work or with
// uneven reduces, and equal arrivals.
func tiny(t testing.TB, seed uint64) *reduceplace.Instance {
	t.Helper()
	w, err := instances.SmallPlacement(rand.New(rand.NewPCG(seed, 11)), int(seed))
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, w, solver.Params{}).in
}

// proven is the value of the clairvoyant bound after a round trip through its text.
func proven(t rapid.TB, r *run) *big.Rat {
	t.Helper()
	if err := r.prove(context.Background(), solver.Options{Threads: 1}, 1); err != nil || len(r.bounds) != 1 {
		t.Fatal(r.bounds, err)
	}
	text, err := json.Marshal(r.bounds[0].Certificate)
	if err != nil {
		t.Fatal(err)
	}
	v, err := r.in.Certify(text)
	if err != nil {
		t.Fatal(err)
	}
	return v.Value
}

// cost checks an outcome's schedule and judges it.
func cost(t *testing.T, r *run, out *solver.Outcome) *big.Rat {
	t.Helper()
	if found := r.in.Check(out.Schedule); len(found) > 0 {
		t.Fatal(out.Algorithm, found)
	}
	return r.in.Evaluate(out.Schedule).Value
}

// claimed is the value of the bound that a run has proven.
func claimed(r *run) *big.Rat {
	v, _ := new(big.Rat).SetString(r.bounds[0].Certificate.(*reduceplace.Certificate).Value)
	return v
}
