package sizing

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mrsched/io/artifact"
	"mrsched/io/disk"
	"mrsched/io/engine"
	"mrsched/io/show"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/model/tier"
	"mrsched/solver"
)

// TestTimeLimit: without a deadline, sizes without remaining time are not solved, and the summary names them.
func TestTimeLimit(t *testing.T) {
	p := cluster(t)
	o := options(t, p, 0)
	o.Sizes, o.TimeLimit = sizes(1000, 9000), time.Millisecond
	a, err := Find(t.Context(), o)
	if err != nil {
		t.Fatal(p.Name, err)
	}
	n := len(a.Rows)
	if n == 0 || n >= len(o.Sizes) {
		t.Errorf("%s: %d sizes in a millisecond", p.Name, n)
	}
	want := fmt.Sprintf("no time was left for: %d to 9000", 1000+n)
	if got := a.Summary(o); len(got) != 1 || got[0] != want {
		t.Errorf("%s: %q, want %q", p.Name, got, want)
	}
}

// TestListOfSizes: only what is a range is written as one.
func TestListOfSizes(t *testing.T) {
	for want, list := range map[string][]int{"5, 9": {5, 9}, "5 to 7": {5, 6, 7}, "4": {4}} {
		if got := between(list); got != want {
			t.Errorf("%v: %s, want %s", list, got, want)
		}
	}
}

// sizes are those of a range.
func sizes(low, high int) (list []int) {
	for k := low; k <= high; k++ {
		list = append(list, k)
	}
	return list
}

// cluster is the problem with sizes.
func cluster(t *testing.T) engine.Problem {
	t.Helper()
	p, err := engine.FindProblem("cluster", nil)
	must(t, err)
	return p
}

// draws is the number of random instances of a problem.
var draws = tier.Draws(20, 60)

// options are those of a small random instance of a problem.
func options(t *testing.T, p engine.Problem, k int) Options {
	t.Helper()
	w, err := p.Small.Generate(rand.New(rand.NewPCG(3, uint64(k))), k)
	must(t, err)
	algorithms, _, err := p.SelectAlgorithms("", len(w.Tasks))
	must(t, err)
	params, err := engine.StatedParams(p.Params, nil)
	must(t, err)
	return Options{Problem: p, Workload: w, Params: params, Algorithm: algorithms[0], Sizes: sizes(1, 5),
		Threads: 1, Iterations: 20, Follow: func(int, time.Duration, *solver.Watch) func() { return func() {} }}
}

// TestSizes solves random instances: no cost and no bound rises with the size, no bound exceeds the cost of its size or
// of a smaller one, and check accepts every result.
func TestSizes(t *testing.T) {
	tier.Slow(t)
	instances, sizes := 0, 0
	p := cluster(t)
	for k := range draws {
		o := options(t, p, k)
		a, err := Find(t.Context(), o)
		var input *model.InputError
		if errors.As(err, &input) && input.Findings[0].Code != model.CodeNoTime {
			continue // a row needs a leaving node, or fixed tasks overlap
		}
		if err != nil {
			t.Fatal(p.Name, k, err)
		}
		instances++
		for i, r := range a.Rows {
			if r.Result == nil {
				continue
			}
			sizes++
			if r.Bound == nil || r.cost.Cmp(r.Bound) < 0 {
				t.Fatalf("%s %d, size %d: cost %v, bound %v", p.Name, k, r.Machines, r.cost, r.Bound)
			}
			if cost, _ := show.Rational(r.Result.Objective.Value); cost.Cmp(r.cost) != 0 {
				t.Fatalf("%s %d, size %d: the result costs %v, and %v was found", p.Name, k, r.Machines, cost, r.cost)
			}
			if i > 0 {
				falling(t, a.Rows[i-1], r)
			}
			path := filepath.Join(t.TempDir(), r.resultFile())
			must(t, disk.WriteFile(path, false, r.bundle.WriteLine))
			accepted(t, r.opened.W, path)
		}
	}
	if instances < draws || sizes < 3*draws {
		t.Errorf("only %d instances and %d sizes were tried", instances, sizes)
	}
}

// accepted fails unless check accepts a result.
func accepted(t *testing.T, w *model.Workload, path string) {
	t.Helper()
	b, found, err := artifact.ResultAt(path, path)
	if err == nil && len(found) == 0 {
		found, err = engine.Recheck(t.Context(), w, b, engine.DefaultMaxSearch)
	}
	if err != nil || len(found) > 0 {
		t.Fatal(path, found, err)
	}
}

// graham is Graham's anomaly (1969): in the order of the file, three machines end at 12 s, and four at 15 s.
func graham(t *testing.T) *model.Workload {
	t.Helper()
	b, at := model.NewBuilder(), model.Locus{}
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, at)
	for k, seconds := range []model.Time{3, 2, 2, 2, 4, 4, 4, 4, 9} {
		b.Task(model.Task{ID: fmt.Sprint(k + 1), Processing: model.Some(seconds * model.Second)}, "j", "", at)
	}
	for _, arc := range [][2]string{{"1", "9"}, {"4", "5"}, {"4", "6"}, {"4", "7"}, {"4", "8"}} {
		b.Delay(arc[0], arc[1], 0, at)
	}
	w, err := b.Build()
	must(t, err)
	return w
}

// without is a problem without exhaustive searches, which would decide small instances.
func without(p engine.Problem) engine.Problem {
	p.Algorithms = slices.DeleteFunc(slices.Clone(p.Algorithms), func(a solver.Algorithm) bool { return a.Exhaustive })
	return p
}

// TestAnomalies: where an algorithm does worse on more nodes, the schedule for fewer counts, in the table, the results
// and the answer, in whatever order the sizes were solved.
func TestAnomalies(t *testing.T) {
	tier.Slow(t)
	p := cluster(t)
	o := options(t, without(p), 0)
	o.Workload, o.Sizes, o.Params["objective"] = graham(t), sizes(1, 7), "makespan"
	o.Algorithm = o.Problem.Algorithms[slices.IndexFunc(o.Problem.Algorithms, func(a solver.Algorithm) bool {
		return a.Name == "fifo"
	})]
	o.Deadline = model.Some(14 * model.Second)
	a, err := Find(t.Context(), o)
	if err != nil || a.Least != 3 || a.Most != 2 {
		t.Fatalf("of Graham's instance, %d reach 14 s and %d do not, %v; want 3 and 2", a.Least, a.Most, err)
	}
	for _, r := range a.Rows {
		if r.Machines >= 3 && (r.Verdict != Reached || r.Result.Objective.Value != "12" ||
			r.status() != model.StatusOptimal) {
			t.Errorf("%d machines: %s, %s, %s", r.Machines, r.Verdict, r.Result.Objective.Value, r.status())
		}
	}
	anomalies := 0
	for k := range draws {
		o.Workload = options(t, p, k).Workload
		for due := range 12 {
			o.Problem = without(p)
			if due%4 == 0 {
				o.Problem = p // an exhaustive search says more of what is impossible
			}
			o.Deadline = model.Some(model.Time(due*due+1) * model.Second)
			a, err := Find(t.Context(), o)
			if err != nil {
				continue // a row needs a leaving node, or fixed tasks overlap
			}
			anomalies += agrees(t, a, o.Deadline.Value)
		}
	}
	if anomalies < draws/12 {
		t.Errorf("only %d schedules were carried", anomalies)
	}
}

// falling fails unless cost and bound fall, or stay, from a size to the next.
func falling(t *testing.T, was, r *Row) {
	t.Helper()
	if was.Result == nil {
		return
	}
	if was.cost != nil && (r.cost == nil || r.cost.Cmp(was.cost) > 0) || r.Bound.Cmp(was.Bound) > 0 {
		t.Fatalf("%d machines: cost or bound rises", r.Machines)
	}
}

// agrees fails unless an answer with a deadline says what its table says. It counts schedules of smaller sizes.
func agrees(t *testing.T, a *Answer, due model.Time) (carried int) {
	t.Helper()
	limit := big.NewRat(int64(due), int64(model.Second))
	for i, r := range a.Rows {
		reached := r.cost != nil && r.cost.Cmp(limit) <= 0
		if reached != (r.Verdict == Reached) || reached != (a.Least > 0 && r.Machines >= a.Least) ||
			(r.Verdict == Impossible) != (r.Machines <= a.Most) {
			t.Fatalf("%d machines: %s with cost %v, least %d, most %d", r.Machines, r.Verdict, r.cost, a.Least, a.Most)
		}
		if i == 0 || a.Rows[i-1].Result == nil {
			continue
		}
		was := a.Rows[i-1]
		falling(t, was, r)
		if was.cost != nil && slices.Equal(r.verified.Schedule.Entries, was.verified.Schedule.Entries) {
			carried++
		}
	}
	return carried
}

// TestInterrupted keeps the known answer when the context ends.
func TestInterrupted(t *testing.T) {
	o := options(t, cluster(t), 1)
	ctx, cancel := context.WithCancel(t.Context())
	o.Follow = func(machines int, _ time.Duration, _ *solver.Watch) func() {
		if machines == 3 {
			cancel()
		}
		return func() {}
	}
	a, err := Find(ctx, o)
	if err != nil || len(a.Rows) != 3 {
		t.Fatal(len(a.Rows), err)
	}
}

// TestNoInstance: a size without an instance gets no schedule of a smaller one.
func TestNoInstance(t *testing.T) {
	to := &Row{Machines: 2, Why: &model.Finding{}}
	if err := (&search{}).carry(&Row{Machines: 1, cost: big.NewRat(1, 1)}, to); err != nil || to.cost != nil {
		t.Error(to.cost, err)
	}
}

// TestWrite reads back what Write makes.
func TestWrite(t *testing.T) {
	p := cluster(t)
	o := options(t, p, 2)
	a, err := Find(t.Context(), o)
	must(t, err)
	dir := filepath.Join(t.TempDir(), "sizes")
	for _, force := range []bool{false, true} {
		must(t, errors.Join(Replaceable(dir), a.Write(dir, force, o)))
	}
	for _, r := range a.Rows {
		if r.Result == nil {
			continue
		}
		w, err := workload.Read(filepath.Join(dir, r.instanceFile()), nil, workload.Options{})
		must(t, err)
		accepted(t, w, filepath.Join(dir, r.resultFile()))
	}
	must(t, os.Remove(filepath.Join(dir, TableFile)))
	if Replaceable(dir) == nil {
		t.Error("a directory without its table may be replaced")
	}
}

// must fails a test at an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
