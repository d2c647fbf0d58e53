package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"mrsched/model"
	"mrsched/model/cluster"
	"mrsched/solver"
)

// built makes the dense view of a workload.
func built(t testing.TB, b *model.Builder, o cluster.Objective) *cluster.Instance {
	t.Helper()
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cluster.New(w)
	if err != nil {
		t.Fatal(err)
	}
	return in.Under(o)
}

// unrelated has jobs of one task with node-specific times, in whole seconds below 20.
func unrelated(t testing.TB, r *rand.Rand, jobs, nodes int) *cluster.Instance {
	return built(t, unrelatedJobs(r, jobs, nodes, 1, 19), cluster.WeightedEnds)
}

// unrelatedJobs draws weights of 9 values and times of the given number of values, starting at least.
func unrelatedJobs(r *rand.Rand, jobs, nodes, least, lengths int) *model.Builder {
	b, at := model.NewBuilder(), model.Locus{}
	b.Node(model.Node{ID: "rack", Kind: model.RackNode}, "", at)
	for i := range nodes {
		b.Node(model.Node{ID: fmt.Sprint("n", i), Kind: model.HostNode}, "rack", at)
	}
	for j := range jobs {
		id := fmt.Sprint("j", j)
		b.Job(model.Job{ID: id, Weight: model.Weight(least+r.IntN(9)) * model.UnitWeight}, at)
		b.Task(model.Task{ID: "t" + id}, id, "", at)
		for i := range nodes {
			time := model.Time(least+r.IntN(lengths)) * model.Second
			b.GivenTime(model.GivenTime{Task: "t" + id, Time: time}, id, fmt.Sprint("n", i), at)
		}
	}
	return b
}

// rounded is the bound that a certificate proves, rounded up.
func rounded(t testing.TB, in *cluster.Instance, c *cluster.Certificate) *big.Rat {
	t.Helper()
	if c == nil {
		return new(big.Rat)
	}
	raw, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	proof, err := in.Certify(raw)
	if err != nil {
		t.Fatal(err)
	}
	return proof.Value
}

// bestBounds are the bounds by method, and the largest of all.
func bestBounds(t testing.TB, in *cluster.Instance, opt solver.Options) map[string]*big.Rat {
	t.Helper()
	r, out := &run{in: in}, &solver.Outcome{}
	if err := r.bounds(context.Background(), context.Background(), out, true, opt); err != nil {
		t.Fatal(err)
	}
	values := map[string]*big.Rat{"": new(big.Rat)}
	for _, b := range out.Bounds {
		values[b.Method] = rounded(t, in, b.Certificate.(*cluster.Certificate))
		if values[b.Method].Cmp(values[""]) > 0 {
			values[""] = values[b.Method]
		}
	}
	return values
}

// TestUnrelatedBounds: prices of cells and jobs prove the optimum of nearly every small instance of R||Σ wC. Prices of
// jobs prove no less than those of cells.
func TestUnrelatedBounds(t *testing.T) {
	met := 0
	for seed := range uint64(10) {
		in := unrelated(t, rand.New(rand.NewPCG(seed, 3)), 8, 2)
		opt := solver.Options{Iterations: 20, Threads: 1}
		out, err := (&run{in: in}).Solve(context.Background(), "exact", opt)
		if err != nil || out.Status != model.StatusOptimal {
			t.Fatal(err, out.Status)
		}
		optimum := in.Evaluate(out.Schedule).Value
		b, err := newPricing(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		cells, err := b.cells(context.Background(), nil, 0, opt)
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := b.jobPrices(context.Background(), cells, 0, opt)
		if err != nil {
			t.Fatal(err)
		}
		v := rounded(t, in, jobs)
		if v.Cmp(optimum) > 0 || v.Cmp(rounded(t, in, cells)) < 0 {
			t.Errorf("seed %d: prices of jobs prove %v, of cells %v, of %s", seed, jobs, cells, optimum)
		}
		if v.Cmp(optimum) == 0 {
			met++
		}
	}
	if met < 8 {
		t.Errorf("prices of jobs prove the optimum of %d instances of 10", met)
	}
}

// TestJobPricesStayExact: the target is a cost that late releases cause and prices of jobs cannot prove. Prices must
// stay small enough to be exact integers.
func TestJobPricesStayExact(t *testing.T) {
	opt := solver.Options{Iterations: 20, Threads: 1}
	for seed := range uint64(4) {
		b, err := newPricing(context.Background(), unrelated(t, rand.New(rand.NewPCG(seed, 3)), 8, 1))
		if err != nil {
			t.Fatal(err)
		}
		cells, err := b.cells(context.Background(), nil, 0, opt)
		if err != nil {
			t.Fatal(err)
		}
		if jobs, err := b.jobPrices(context.Background(), cells, 1e17, opt); err != nil || jobs == nil {
			t.Errorf("seed %d: %v, %v", seed, jobs, err)
		}
	}
}

// TestForty: forty tasks of 10 s and one core on a node of 16 cores end at 30 s, by counting. Five tasks of 3 cores run
// at a time on such a node, so ten take 20 s.
func TestForty(t *testing.T) {
	for _, c := range []struct {
		tasks int
		cores float64
		want  int64
	}{{40, 1, 30}, {10, 3, 20}, {11, 3, 30}} {
		b, at := model.NewBuilder(), model.Locus{}
		b.Node(model.Node{ID: "rack", Kind: model.RackNode}, "", at)
		b.Node(model.Node{ID: "n", Kind: model.HostNode, CPU: model.Some(16.0)}, "rack", at)
		b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, at)
		for u := range c.tasks {
			b.Task(model.Task{ID: fmt.Sprint("t", u), Processing: model.Some(10 * model.Second), CPU: model.Some(c.cores)}, "j",
				"", at)
		}
		p, err := newPricing(context.Background(), built(t, b, cluster.Makespan))
		if err != nil {
			t.Fatal(err)
		}
		cert, err := p.jobsAlone()
		if err != nil || rounded(t, p.in, cert).Cmp(big.NewRat(c.want, 1)) != 0 {
			t.Errorf("%d tasks: %s, %v", c.tasks, cert.Value, err)
		}
	}
}

// TestShaving: tasks a, b and c take 4 s, 4 s and 3 s with demands 2, 2 and 1 of 3; d takes 3 s with demand 1 after c.
// a and b never run together, but c and d fit beside them, so the makespan is 8. A release of c at 3 s makes it 9.
func TestShaving(t *testing.T) {
	for release, want := range map[model.Time]int64{0: 8, 3: 9} {
		b, at := model.NewBuilder(), model.Locus{}
		b.Node(model.Node{ID: "rack", Kind: model.RackNode}, "", at)
		b.Node(model.Node{ID: "n", Kind: model.HostNode, CPU: model.Some(3.0)}, "rack", at)
		b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, at)
		for _, x := range []struct {
			id     string
			length model.Time
			cores  float64
		}{{"a", 4, 2}, {"b", 4, 2}, {"c", 3, 1}, {"d", 3, 1}} {
			task := model.Task{ID: x.id, Processing: model.Some(x.length * model.Second), CPU: model.Some(x.cores)}
			if x.id == "c" {
				task.Release = model.Some(release * model.Second)
			}
			b.Task(task, "j", "", at)
		}
		b.Delay("c", "d", 0, at)
		p, err := newPricing(context.Background(), built(t, b, cluster.Makespan))
		if err != nil {
			t.Fatal(err)
		}
		cert, err := p.shaving(context.Background(), 0, 20e6, solver.Options{})
		if err != nil || rounded(t, p.in, cert).Cmp(big.NewRat(want, 1)) != 0 {
			t.Errorf("%v, %v", cert, err)
		}
	}
}

// TestShavingCrawls: three tasks of about 3 s on two nodes, of which one comes after 6 s, end at 9 s. Close to that,
// windows shrink by single microseconds, in millions of rounds. The bound gives up; a refutation also does if ctx ends.
func TestShavingCrawls(t *testing.T) {
	b, at := model.NewBuilder(), model.Locus{}
	b.Node(model.Node{ID: "rack", Kind: model.RackNode}, "", at)
	for _, n := range []string{"n0", "n1"} {
		b.Node(model.Node{ID: n, Kind: model.HostNode}, "rack", at)
	}
	b.Unavailable(model.Unavailable{Until: model.Some(6 * model.Second)}, "n0", at)
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, at)
	for id, more := range []model.Time{3, 1, 0} {
		b.Task(model.Task{ID: fmt.Sprint(id), Processing: model.Some(3*model.Second + more)}, "j", "", at)
	}
	p, err := newPricing(t.Context(), built(t, b, cluster.Makespan))
	if err != nil {
		t.Fatal(err)
	}
	millions := 0
	opt := solver.Options{Watch: &solver.Watch{OnChange: func(s solver.State) { millions = max(millions, s.Done) }}}
	cert, err := p.shaving(context.Background(), 7.5e6, 9e6, opt)
	value := rounded(t, p.in, cert)
	if err != nil || value.Cmp(big.NewRat(17, 2)) < 0 || value.Cmp(big.NewRat(9, 1)) > 0 || millions > 1 {
		t.Errorf("%v, %v, %d million steps", cert, err, millions)
	}
	r, err := p.e.NewRefuter(p.pools)
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	for ctx, want := range map[context.Context]bool{context.Background(): true, ended: false} {
		if refuted, _ := r.Try(ctx, cert.Due, cert.Work); refuted != want {
			t.Errorf("refuted: %v; expected %v", refuted, want)
		}
	}
}

// TestSameBounds: certificates do not depend on the number of threads. On medium instances of all features, bounds of
// several jobs with cells and two-sided prices exceed those of single jobs.
func TestSameBounds(t *testing.T) {
	better := 0
	for k := range 8 {
		in := medium(t, uint64(k)).Under(cluster.Objective(cluster.Objectives()[k%4]))
		var text [2]string
		for i := range text {
			r, out := &run{in: in}, &solver.Outcome{}
			opt := solver.Options{Iterations: 40, Threads: 1 + i}
			if err := r.bounds(context.Background(), context.Background(), out, true, opt); err != nil {
				t.Fatal(err)
			}
			raw, err := json.Marshal(out.Bounds)
			if err != nil {
				t.Fatal(err)
			}
			text[i] = string(raw)
		}
		if text[0] != text[1] {
			t.Errorf("instance %d: other bounds at two threads", k)
		}
		if v := bestBounds(t, in, solver.Options{Iterations: 40, Threads: 1}); v[""].Cmp(v[cluster.MethodAlone]) > 0 {
			better++
		}
	}
	if better == 0 {
		t.Errorf("no bound exceeds that of single jobs")
	}
}
