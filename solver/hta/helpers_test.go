package hta

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/solver"
)

var searching = solver.Options{Iterations: 50, Seed: 1, Threads: 1}

// opened is a run on a generated workload.
func opened(t rapid.TB, w *model.Workload, err error, p params) *run {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	in, err := hta.New(w)
	if err != nil {
		t.Fatal(err)
	}
	return &run{in: in, w: w, p: p}
}

// preset runs a generator with its defaults and some changes.
func preset(t testing.TB, name string, seed uint64, change solver.Params) *run {
	t.Helper()
	p, err := instances.FindPreset("hta", name)
	if err != nil {
		t.Fatal(err)
	}
	values := solver.Params{}
	for _, q := range p.Params {
		v, ok := change[q.Name]
		if !ok {
			v, err = defaultOf(q)
			if err != nil {
				t.Fatal(err)
			}
		}
		values[q.Name] = v
	}
	w, err := p.Generate(values, seed)
	return opened(t, w, err, params{tie: "first"})
}

func defaultOf(q solver.Param) (any, error) {
	switch q.Kind {
	case solver.IntParam:
		return model.ParseFixed(q.Default, 0)
	case solver.FloatParam:
		v, _ := new(big.Float).SetString(q.Default)
		f, _ := v.Float64()
		return f, nil
	case solver.BoolParam:
		return q.Default == "true", nil
	}
	return q.Default, nil
}

// uniform costs are in quarters of a second: of local tasks, of others, and what each of these adds to all of them.
func uniform(local, remote, more model.Time) model.AssignmentCost {
	const quarter = model.Second / 4
	return model.AssignmentCost{Local: local * quarter, Remote: model.RemoteCost{Base: remote * quarter,
		PerRemote: more * quarter}}
}

// laid has nodes named by letters, those in lower case without map slots. Each of its maps, m1, m2 and so on, reads the
// block that lies on the nodes given, whose name is theirs.
func laid(t rapid.TB, cost model.AssignmentCost, nodes string, maps ...string) *run {
	t.Helper()
	b := model.NewBuilder()
	b.Cost(cost, model.Locus{})
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	for _, n := range nodes {
		node := model.Node{ID: string(n), Kind: model.HostNode, MapSlots: 1}
		if unicode.IsLower(n) {
			node.MapSlots = 0
		}
		b.Node(node, "root", model.Locus{})
	}
	for i, holders := range maps {
		b.Task(model.Task{ID: fmt.Sprint("m", i+1), Kind: model.Map}, "j", "on"+holders, model.Locus{})
		for _, n := range holders {
			if slices.Index(maps, holders) == i {
				b.Placement("on"+holders, string(n), model.Locus{})
			}
		}
	}
	w, err := b.Build()
	return opened(t, w, err, params{tie: "first"})
}

// slotted makes a random instance of up to seven maps on up to five nodes in up to three racks; some nodes have no map
// slots. By k, costs grow, do not grow, or depend on racks.
func slotted(t rapid.TB, k uint64) *run {
	t.Helper()
	r, b := rand.New(rand.NewPCG(k, 12)), model.NewBuilder()
	half := func(n int) model.Time { return model.Time(r.IntN(n)) * model.Second / 2 }
	cost := model.AssignmentCost{Local: half(5)}
	cost.Remote.Base = cost.Local + half(5)
	switch k % 5 {
	case 1:
		cost.Remote.PerRemote = half(3) + model.Second/4
	case 2:
		cost.Remote.Table = []model.Time{cost.Remote.Base, cost.Remote.Base + half(3), cost.Remote.Base + 2*model.Second}
		cost.Remote.Base = 0
	case 3:
		cost.Rack = model.Some(cost.Local + (cost.Remote.Base-cost.Local)/2)
	case 4:
		cost.Rack = model.Some(cost.Remote.Base)
	}
	b.Cost(cost, model.Locus{})
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	parents := []string{"root"}
	for i := range r.IntN(4) {
		parents = append(parents, fmt.Sprint("rack", i))
		b.Node(model.Node{ID: parents[i+1], Kind: model.RackNode}, "root", model.Locus{})
	}
	nodes := 1 + r.IntN(5)
	runs := r.IntN(nodes) // always has map slots
	for i := range nodes {
		n := model.Node{ID: fmt.Sprint("n", i), Kind: model.HostNode, MapSlots: max(0, r.Int64N(4)-1), ReduceSlots: 1}
		if i == runs {
			n.MapSlots = 1
		}
		b.Node(n, parents[r.IntN(len(parents))], model.Locus{})
	}
	for i := range 1 + r.IntN(7) {
		block := fmt.Sprint("b", r.IntN(i+1))
		b.Task(model.Task{ID: fmt.Sprint("t", i), Kind: model.Map}, "j", block, model.Locus{})
		b.Placement(block, fmt.Sprint("n", r.IntN(nodes)), model.Locus{})
	}
	w, err := b.Build()
	return opened(t, w, err, params{tie: "first"})
}

// drawn is a tiny random instance: every second one has racks, and nodes without map slots.
func drawn(t rapid.TB, k uint64) *run {
	t.Helper()
	r := slotted(t, k/2)
	if k%2 == 0 {
		w, err := instances.SmallHTA(rand.New(rand.NewPCG(k, 7)), int(k/2))
		r = opened(t, w, err, params{})
	}
	r.p.tie = ties[k/2%uint64(len(ties))]
	return r
}

// makespan runs an algorithm, checks its schedule and its bound, and returns both.
func makespan(t rapid.TB, r *run, name string, opt solver.Options) (cost, bound *big.Rat) {
	t.Helper()
	return within(t, context.Background(), r, name, opt)
}

func within(t rapid.TB, ctx context.Context, r *run, name string, opt solver.Options) (cost, bound *big.Rat) {
	t.Helper()
	out, err := r.Solve(ctx, name, opt)
	if err != nil {
		t.Fatal(err)
	}
	if v := r.in.Check(out.Schedule); len(v) > 0 {
		t.Fatalf("%s: %v", name, v)
	}
	cost = r.in.Evaluate(out.Schedule).Value
	for _, b := range out.Bounds {
		v, ok := new(big.Rat).SetString(b.Certificate.(*hta.Certificate).Value)
		if !ok {
			t.Fatal("no value")
		}
		if bound == nil || v.Cmp(bound) > 0 {
			bound = v
		}
	}
	return cost, bound
}

// brute is the least makespan, and the fewest remote tasks of an assignment that has it. It is branch and bound over
// the tasks for each number of remote tasks.
func brute(in *hta.Instance) (best model.Time, remote int) {
	best = in.Measure(make([]int32, in.Tasks)).Makespan + 1
	for r := 0; r <= in.Tasks; r++ {
		if found := withRemote(in, r, best); found < best {
			best, remote = found, r
		}
	}
	return best, remote
}

// withRemote is the least makespan below best of assignments with at most r remote tasks, each at the cost of r remote
// tasks. Tasks of one block that follow each other go to servers in their order, since they are alike.
func withRemote(in *hta.Instance, r int, best model.Time) model.Time {
	load := make([]model.Time, in.Servers)
	at := make([]int, in.Tasks)
	var place func(task, left int, total model.Time)
	place = func(task, left int, total model.Time) {
		if task == in.Tasks {
			best = min(best, slices.Max(load))
			return
		}
		if total+model.Time(in.Tasks-task)*in.Cost.Local > (best-1)*model.Time(in.Servers) {
			return
		}
		first := 0
		if task > 0 && in.Block[task] == in.Block[task-1] {
			first = at[task-1]
		}
		for s := first; s < in.Servers; s++ {
			near, rest := in.Locality(in.Block[task], int32(s)), left
			if near != hta.NodeLocal {
				rest--
			}
			cost := in.Price(near, r)
			if rest < 0 || load[s]+cost >= best {
				continue
			}
			at[task] = s
			load[s] += cost
			place(task+1, rest, total+cost)
			load[s] -= cost
		}
	}
	place(0, r, 0)
	return best
}

func rat(x model.Time) *big.Rat { return big.NewRat(int64(x), int64(model.Second)) }
