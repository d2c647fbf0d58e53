package shop

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

var testOptions = solver.Options{Iterations: 60, Seed: 1, Threads: 1}

// hosts begins an instance with nodes n0, n1, … of so many cores; 0: they run one task at a time.
func hosts(cores ...float64) *model.Builder {
	b, at := model.NewBuilder(), model.Locus{}
	b.Node(model.Node{ID: "dc", Kind: model.RootNode}, "", at)
	for k, c := range cores {
		b.Node(model.Node{ID: fmt.Sprint("n", k), Kind: model.HostNode, CPU: model.Optional[float64]{Value: c, Known: c > 0}},
			"dc", at)
	}
	return b
}

// begun has a job j, too.
func begun(cores ...float64) *model.Builder {
	b := hosts(cores...)
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
	return b
}

// add adds a task to job j.
func add(b *model.Builder, id string, length model.Time, cores float64) {
	b.Task(model.Task{ID: id, Processing: model.Some(length * model.Second), CPU: model.Some(cores)}, "j", "",
		model.Locus{})
}

// built makes the dense view of a workload.
func built(t testing.TB, b *model.Builder, o shop.Objective) *shop.Instance {
	t.Helper()
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := shop.New(w)
	if err != nil {
		t.Fatal(err)
	}
	return in.Under(o)
}

// onUnrelated has jobs of one task with node-specific times, in whole seconds below 20.
func onUnrelated(t testing.TB, r *rand.Rand, jobs, nodes int) *shop.Instance {
	return built(t, unrelatedJobs(r, jobs, nodes, 1, 19), shop.WeightedEnds)
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

// small is a tiny random instance of all features.
func small(t *testing.T, r *rand.Rand, k int) *shop.Instance {
	t.Helper()
	w, err := instances.SmallCluster(r, k)
	if err != nil {
		t.Fatal(err)
	}
	in, err := shop.New(w)
	if err != nil {
		t.Fatal(err)
	}
	return in.Under(shop.Objective(shop.Objectives()[k%5]))
}

// medium has about forty tasks of all features.
func medium(t *testing.T, seed uint64) *shop.Instance {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 9))
	b, at := model.NewBuilder(), model.Locus{}
	b.Scalars("medium", "cluster", model.Optional[int64]{}, nil)
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", at)
	for i := range 6 {
		if i%3 == 0 {
			b.Node(model.Node{ID: fmt.Sprint("r", i/3), Kind: model.RackNode, Bandwidth: model.Some(1e8)}, "root", at)
		}
		n := model.Node{ID: fmt.Sprint("n", i), Kind: model.HostNode, CPU: model.Some(float64(4 + 4*(i%2))),
			Speed: model.Some(1 + float64(i%3)/2), Bandwidth: model.Some(5e7)}
		b.Node(n, fmt.Sprint("r", i/3), at)
		from := model.Time(40+r.IntN(100)) * model.Second
		b.Unavailable(model.Unavailable{From: from, Until: model.Some(from + 10*model.Second)}, n.ID, at)
	}
	b.FixedTask("j0.0", "n0", -model.Second, at)
	for j := range 6 {
		job := fmt.Sprint("j", j)
		b.Job(model.Job{ID: job, Release: model.Time(r.IntN(40)) * model.Second, Weight: model.Weight(1+r.IntN(5)) * model.UnitWeight,
			Deadline: model.Some(model.Time(40+r.IntN(60)) * model.Second), Tenant: fmt.Sprint("t", j%3)}, at)
		for u := range 7 {
			x := model.Task{ID: fmt.Sprintf("%s.%d", job, u), Processing: model.Some(model.Time(5+r.IntN(20)) * model.Second),
				CPU: model.Some(float64(1 + r.IntN(4))), InputBytes: model.Some(model.Bytes(r.IntN(1e9)))}
			if u > 4 {
				x.Kind = model.Reduce
			}
			if r.IntN(8) == 0 {
				x.Processing = model.Some(model.Time(0))
			}
			b.Task(x, job, fmt.Sprint("b", u), at)
			if j%3 == 1 && u > 1 {
				b.Delay(fmt.Sprintf("%s.%d", job, r.IntN(u)), x.ID, model.Second, at)
			}
		}
		if j > 3 {
			b.Dependency(job, "j1", model.Second, at)
		}
	}
	for u := range 5 {
		b.Placement(fmt.Sprint("b", u), fmt.Sprint("n", r.IntN(6)), at)
	}
	b.Eligible("j2", "", "r1", at)
	for i, place := range []string{"root", "r0", "r1"} { // licences, which a third of the tasks take
		if seed%3 == 0 {
			b.Capacity(model.Capacity{Resource: "licence", Amount: model.Amount(3-i) * model.UnitAmount}, place, at)
		}
	}
	for u := range 42 {
		if seed%3 == 0 && u%3 == 1 {
			b.Demand(model.TaskDemand{Resource: "licence", Amount: model.Amount(1+u%2) * model.UnitAmount / 2},
				fmt.Sprintf("j%d.%d", u/7, u%7), at)
		}
	}
	return built(t, b, shop.Objective(shop.Objectives()[seed%4]))
}

// outcome runs an algorithm and checks its schedule.
func outcome(t *testing.T, r *run, name string, opt solver.Options) *solver.Outcome {
	t.Helper()
	out, err := r.Solve(t.Context(), name, opt)
	if err != nil {
		t.Fatal(name, err)
	}
	if out.Schedule != nil {
		if found := r.in.Check(out.Schedule); len(found) > 0 {
			t.Fatalf("%s: %s", name, found[0])
		}
	}
	return out
}

// rounded is the bound that a certificate proves, rounded up.
func rounded(t testing.TB, in *shop.Instance, c *shop.Certificate) *big.Rat {
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

// atMost fails if a bound of an outcome exceeds the optimum.
func atMost(t *testing.T, in *shop.Instance, out *solver.Outcome, optimum *big.Rat, about any) {
	t.Helper()
	for _, b := range out.Bounds {
		if v := rounded(t, in, b.Certificate.(*shop.Certificate)); v.Cmp(optimum) > 0 {
			t.Errorf("%v: %s proves %s, the optimum is %s", about, b.Method, v, optimum)
		}
	}
}

// brute is the least price over all orders of tasks and all nodes, with each task as early as it fits. One of these
// schedules is optimal.
func brute(in *shop.Instance) (best price) {
	b, found := newBoard(in), false
	ready, waiting := slices.Clone(in.Earliest), slices.Clone(in.Preds)
	left := 0
	for u := range int32(in.Tasks) {
		if in.Fixed(u) {
			b.pass(u, b.end[u], ready, waiting)
		} else {
			left++
		}
	}
	var extend func(left int, ready []model.Time, waiting []int32)
	extend = func(left int, ready []model.Time, waiting []int32) {
		if left == 0 {
			if p := priceOf(in, in.Completions(b.schedule())); !found || p.less(best) {
				best, found = p, true
			}
			return
		}
		for u := range int32(in.Tasks) {
			if b.node[u] != model.None || waiting[u] > 0 {
				continue
			}
			for i := range int32(in.Nodes) {
				at, ok := b.soonest(u, ready[u], shop.Never-1, []int32{i})
				if !ok {
					continue
				}
				b.place(u, i, at.start)
				nextReady, nextWaiting := slices.Clone(ready), slices.Clone(waiting)
				b.pass(u, at.end, nextReady, nextWaiting)
				extend(left-1, nextReady, nextWaiting)
				b.remove(u)
			}
		}
	}
	extend(left, ready, waiting)
	return best
}
