package hta

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

// fixture has servers A and B in rack 1, C in rack 2, without tasks of its own; tasks t1 and t2 read block x on A, t3
// reads y on A and B, r is a reduce and t4 reads nothing known. A local task costs 1, a remote one 2.5.
func fixture(t *testing.T, cost model.AssignmentCost) *Instance {
	t.Helper()
	b := model.NewBuilder()
	b.Scalars("fixture", "hta", model.Optional[int64]{}, nil)
	b.Cost(cost, model.Locus{})
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	for _, n := range [][2]string{{"rack1", "root"}, {"rack2", "root"}} {
		b.Node(model.Node{ID: n[0], Kind: model.RackNode}, n[1], model.Locus{})
	}
	for _, n := range [][2]string{{"A", "rack1"}, {"B", "rack1"}, {"C", "rack2"}} {
		b.Node(model.Node{ID: n[0], Kind: model.HostNode, MapSlots: 1}, n[1], model.Locus{})
	}
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
	for _, x := range [][2]string{{"t1", "x"}, {"t2", "x"}, {"t3", "y"}, {"t4", ""}} {
		b.Task(model.Task{ID: x[0], Kind: model.Map, InputBytes: model.Some(model.Bytes(1)), RecordedNode: "B"}, "j", x[1],
			model.Locus{})
	}
	b.Task(model.Task{ID: "r", Kind: model.Reduce}, "j", "", model.Locus{})
	for _, p := range [][2]string{{"x", "A"}, {"y", "B"}, {"y", "A"}, {"y", "B"}} {
		b.Placement(p[0], p[1], model.Locus{})
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := New(w)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

var uniform = model.AssignmentCost{Local: model.Second, Remote: model.RemoteCost{Base: 5 * model.Second / 2}}

// TestObjective is computed by hand: t1 local on A (1), t2 on C (off the rack of A: 2.5), t3 local on B (1).
func TestObjective(t *testing.T) {
	in := fixture(t, uniform)
	if in.Tasks != 3 || in.Servers != 3 || in.Blocks != 2 || in.Racks != 2 ||
		!slices.Equal(in.Replicas(1), []int32{0, 1}) {
		t.Fatalf("%d tasks, %d servers, %d blocks, %d racks, replicas of y %v", in.Tasks, in.Servers, in.Blocks, in.Racks,
			in.Replicas(1))
	}
	s := in.Schedule([]int32{0, 2, 1})
	if v := in.Check(s); len(v) > 0 {
		t.Fatal(v)
	}
	e := in.Evaluate(s)
	if e.Name != "makespan" || e.Value.Cmp(big.NewRat(5, 2)) != 0 {
		t.Errorf("%s = %s, want makespan = 2.5", e.Name, e.Value)
	}
	for name, want := range map[string]model.Number{"node_local": "2", "rack_local": "0", "off_rack": "1",
		"not_node_local": "1", "most_local": "1",
		"servers_used": "3", "remote_cost": "2.5", "total_load": "4.5", "maps_left_out": "1", "reduces_left_out": "1"} {
		if e.Metrics[name] != want {
			t.Errorf("%s = %v, want %s", name, e.Metrics[name], want)
		}
	}
}

// TestRemoteCosts: the cost of every remote task depends on their number; with a cost for racks t2 on B costs 1.5.
func TestRemoteCosts(t *testing.T) {
	table := []model.Time{1 * model.Second, 2 * model.Second, 4 * model.Second}
	for _, c := range []struct {
		cost   model.AssignmentCost
		server []int32
		want   model.Time
	}{
		{model.AssignmentCost{Local: model.Second, Remote: model.RemoteCost{Base: 2 * model.Second,
			PerRemote: model.Second / 2}}, []int32{2, 1, 0}, 3 * model.Second},
		{model.AssignmentCost{Local: model.Second, Remote: model.RemoteCost{Table: table}}, []int32{2, 1, 0},
			4 * model.Second},
		{model.AssignmentCost{Local: model.Second, Remote: model.RemoteCost{Table: table}}, []int32{2, 2, 2},
			12 * model.Second},
		{model.AssignmentCost{Local: model.Second, Rack: model.Some(3 * model.Second / 2),
			Remote: model.RemoteCost{Base: 9 * model.Second}}, []int32{0, 1, 1}, 5 * model.Second / 2},
		{model.AssignmentCost{Local: model.Second, Rack: model.Some(3 * model.Second / 2),
			Remote: model.RemoteCost{Base: 9 * model.Second}}, []int32{0, 1, 2}, 9 * model.Second},
	} {
		in := fixture(t, c.cost)
		if got := in.Measure(c.server).Makespan; got != c.want {
			t.Errorf("%v under %+v costs %s, want %s", c.server, c.cost, got, c.want)
		}
		if v := in.Check(in.Schedule(c.server)); len(v) > 0 {
			t.Error(v)
		}
	}
}

// TestRecorded: all four maps ran on B: t1 and t2 in the rack of their block, t3 on its node, t4 of unknown block.
func TestRecorded(t *testing.T) {
	in := fixture(t, uniform)
	tasks := in.workload.Tasks
	for _, c := range []struct {
		node   [4]string
		counts [3]int
		want   string
	}{
		{[4]string{"B", "B", "B", "B"}, [3]int{1, 2, 1}, "3 of 3 maps have a record; no makespan, because 1 map has a " +
			"record but no known replica: remote here"},
		{[4]string{"B", "B", "B", ""}, [3]int{1, 2, 0}, "3 of 3 maps have a record"},
		{[4]string{"A", "D", "", ""}, [3]int{1, 0, 1}, "2 of 3 maps have a record; no makespan, because 1 map has no " +
			"record, 1 map has a record on no server of the instance"},
	} {
		for u, node := range c.node {
			tasks[u].RecordedNode = node
		}
		r := in.Recorded(in.workload)
		if r == nil || r.Loads.Counts != c.counts || r.String() != c.want || r.Complete() == strings.Contains(c.want,
			"because") {
			t.Errorf("%v: %+v: %s", c.node, r, r)
		}
	}
	for u := range tasks {
		tasks[u].InputBytes = model.Optional[model.Bytes]{}
	}
	if r := in.Recorded(in.workload); r != nil {
		t.Errorf("no row was read: %+v", r)
	}
}

// TestSelection lists the tasks that are left out, and the rows of the others.
func TestSelection(t *testing.T) {
	in := fixture(t, uniform)
	if got, want := in.LeftOut(), []string{"1 map without a known replica is left out (t4)",
		"1 reduce is left out (hta schedules only maps)"}; !slices.Equal(got, want) || in.Scheduled() != 3 {
		t.Errorf("%d scheduled, %q, want %q", in.Scheduled(), got, want)
	}
	for _, c := range []struct {
		e    model.Entry
		want []string
	}{
		{model.Entry{Task: 0, Machine: 0}, []string{"x", "node"}},
		{model.Entry{Task: 0, Machine: 1}, []string{"x", "rack"}},
		{model.Entry{Task: 2, Machine: 2}, []string{"y", "remote"}},
		{model.Entry{Task: 4, Machine: 2}, []string{"", ""}},
	} {
		if got := in.Cells(c.e); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.e, got, c.want)
		}
	}
}

// TestCheckMutations breaks one constraint at a time; exactly its code must appear.
func TestCheckMutations(t *testing.T) {
	for _, c := range []struct {
		name string
		code model.Code
		do   func(s *model.Schedule)
	}{
		{"missing", model.CodeTaskMissing, func(s *model.Schedule) { s.Entries = s.Entries[:2] }},
		{"twice", model.CodeTaskTwice, func(s *model.Schedule) { s.Entries = append(s.Entries, s.Entries[0]) }},
		{"a reduce", model.CodeTaskUnknown, func(s *model.Schedule) { s.Entries = append(s.Entries, model.Entry{Task: 4}) }},
		{"a map of no block", model.CodeTaskUnknown, func(s *model.Schedule) {
			s.Entries = append(s.Entries,
				model.Entry{Task: 3})
		}},
		{"longer", model.CodeDuration, func(s *model.Schedule) { s.Entries[0].End++ }},
		{"later", model.CodeSequence, func(s *model.Schedule) { s.Entries[1].Start++; s.Entries[1].End++ }},
		{"earlier", model.CodeSequence, func(s *model.Schedule) { s.Entries[1].Start--; s.Entries[1].End-- }},
	} {
		in := fixture(t, uniform)
		s := in.Schedule([]int32{0, 0, 0})
		c.do(s)
		v := in.Check(s)
		if len(v) != 1 || v[0].Code != c.code {
			t.Errorf("%s: %v, want one %s", c.name, v, c.code)
		}
	}
	in := fixture(t, uniform)
	s := in.Schedule([]int32{0, 0, 1})
	s.Entries[2].Machine = 3
	if v := in.Check(s); len(v) == 0 || v[0].Code != model.CodeMachineUnknown {
		t.Errorf("unknown machine: %v", v)
	}
	// A local task moved to a server without its block has too short a duration.
	s = in.Schedule([]int32{0, 0, 1})
	s.Entries[2].Machine = 2
	if v := in.Check(s); len(v) != 1 || v[0].Code != model.CodeDuration {
		t.Errorf("moved: %v", v)
	}
}

// draw makes a random instance: up to 7 tasks on up to 4 servers under every shape of costs.
func draw(t *rapid.T) *Instance {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	b := model.NewBuilder()
	local := model.Time(r.IntN(4)) * model.Second / 2
	cost := model.AssignmentCost{Local: local, Remote: model.RemoteCost{Base: local +
		model.Time(r.IntN(6))*model.Second/2}}
	switch r.IntN(3) {
	case 1:
		cost.Remote.PerRemote = model.Time(r.IntN(3)) * model.Second / 4
	case 2:
		cost.Remote.Table = []model.Time{cost.Remote.Base, cost.Remote.Base + model.Time(r.IntN(3))*model.Second/2,
			cost.Remote.Base + 2*model.Second}
		cost.Remote.Base = 0
	}
	b.Cost(cost, model.Locus{})
	servers := 1 + r.IntN(4)
	none := r.IntN(4) // if not 0, servers from this number on have no map slots
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
	b.Node(model.Node{ID: "rack", Kind: model.RackNode}, "", model.Locus{})
	for s := range servers {
		n := model.Node{ID: fmt.Sprint("s", s), Kind: model.HostNode, MapSlots: 2}
		if none > 0 && s >= none {
			n.MapSlots = 0
		}
		b.Node(n, "rack", model.Locus{})
	}
	for k := range 1 + r.IntN(7) {
		b.Task(model.Task{ID: fmt.Sprint("t", k), Kind: model.Map}, "j", fmt.Sprint("b", k), model.Locus{})
		for _, s := range r.Perm(servers)[:1+r.IntN(min(2, servers))] {
			b.Placement(fmt.Sprint("b", k), fmt.Sprint("s", s), model.Locus{})
		}
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := New(w)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// optimum tries all assignments.
func optimum(in *Instance) model.Time {
	server := make([]int32, in.Tasks)
	best := in.Measure(server).Makespan
	for {
		k := 0
		for ; k < in.Tasks; k++ {
			if server[k]++; int(server[k]) < in.Servers {
				break
			}
			server[k] = 0
		}
		if k == in.Tasks {
			return best
		}
		best = min(best, in.Measure(server).Makespan)
	}
}

// TestCutBound: any levels prove a bound that no assignment beats.
func TestCutBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := draw(t)
		levels := rapid.SliceOfN(rapid.Int32Range(0, int32(in.Tasks)), in.Servers, in.Servers).Draw(t, "levels")
		if bound, best := in.CutBound(levels), optimum(in); bound > best {
			t.Fatalf("levels %v prove %s; the optimum is %s", levels, bound, best)
		}
	})
}

// TestRounding is the example of the specification: 46 tasks on 9 servers at costs 1 and 3; every task is local to one
// server; the first server holds 6 of them, the others 5. At τ = 5 one task is remote and the mean load is 48/9 = 5.33,
// but loads are whole: 6, as at τ = 6.
func TestRounding(t *testing.T) {
	b := model.NewBuilder()
	b.Cost(model.AssignmentCost{Local: model.Second, Remote: model.RemoteCost{Base: 3 * model.Second}}, model.Locus{})
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
	b.Node(model.Node{ID: "rack", Kind: model.RackNode}, "", model.Locus{})
	for s := range 9 {
		b.Node(model.Node{ID: fmt.Sprint("s", s), Kind: model.HostNode, MapSlots: 1}, "rack", model.Locus{})
	}
	for k := range 46 {
		b.Task(model.Task{ID: fmt.Sprint("t", k), Kind: model.Map}, "j", fmt.Sprint("b", k), model.Locus{})
		b.Placement(fmt.Sprint("b", k), fmt.Sprint("s", k%9), model.Locus{})
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := New(w)
	if err != nil {
		t.Fatal(err)
	}
	levels := slices.Repeat([]int32{5}, 9)
	levels[0] = 6
	if got := in.CutBound(levels); got != 6*model.Second {
		t.Errorf("bound %s, want 6", got)
	}
}

// TestCertificate: a certificate is read back as signed, and any changed number is detected.
func TestCertificate(t *testing.T) {
	in := fixture(t, uniform)
	c := Certificate{Claim: model.Claim{Method: "local-cuts", Kind: KindLocalCuts}, Levels: []int32{2, 1, 0}}
	if err := in.Sign(&c); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(&c)
	if err != nil {
		t.Fatal(err)
	}
	got, err := in.Certify(text)
	if err != nil || got.Value.Cmp(big.NewRat(2, 1)) != 0 || got.Method != "local-cuts" {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, change := range [][2]string{{`"2"`, `"3"`}, {"[2,1,0]", "[2,1]"}, {"[2,1,0]", "[-1,1,0]"},
		{"[2,1,0]", "[9,1,0]"}, {"hta", "msjo"}, {"local-cuts\",\"value", "cuts\",\"value"}, {"{", `{"x":1,`},
		{"levels", "Levels"}} {
		bad := strings.Replace(string(text), change[0], change[1], 1)
		if bad == string(text) {
			t.Fatalf("%q is not in %s", change[0], text)
		}
		if _, err := in.Certify([]byte(bad)); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

// TestNothingToAssign: inputs without servers, or without maps that have replicas.
func TestNothingToAssign(t *testing.T) {
	b := model.NewBuilder()
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
	b.Task(model.Task{ID: "t", Kind: model.Map}, "j", "x", model.Locus{})
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(w); err == nil || !strings.Contains(err.Error(), string(model.CodeNoMachines)) {
		t.Errorf("no servers: %v", err)
	}
	b = model.NewBuilder()
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
	b.Task(model.Task{ID: "t", Kind: model.Map}, "j", "x", model.Locus{})
	b.Node(model.Node{ID: "s", Kind: model.HostNode, MapSlots: 1}, "", model.Locus{})
	if w, err = b.Build(); err != nil {
		t.Fatal(err)
	}
	if _, err := New(w); err == nil || !strings.Contains(err.Error(), string(model.CodeNoReplicas)) {
		t.Errorf("no replicas: %v", err)
	}
	b = model.NewBuilder()
	b.Job(model.Job{ID: "j", Reduces: model.Some(int64(2))}, model.Locus{Pos: model.Position{File: "jobs.csv", Line: 2}})
	b.Node(model.Node{ID: "s", Kind: model.HostNode}, "", model.Locus{})
	if w, err = b.Build(); err != nil {
		t.Fatal(err)
	}
	if _, err := New(w); err == nil || !strings.HasPrefix(err.Error(), "S402 jobs.csv") {
		t.Errorf("implied reduces only: %v", err)
	}
}
