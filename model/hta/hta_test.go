package hta

import (
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

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
	return opened(t, b)
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
		{[4]string{"B", "B", "B", "B"}, [3]int{1, 2, 1}, "3 of 3 maps have a record; no makespan, because of all maps " +
			"with one 0 ran on no server of the instance, and 1 have no known replica: remote here"},
		{[4]string{"B", "B", "B", ""}, [3]int{1, 2, 0}, "3 of 3 maps have a record"},
		{[4]string{"A", "D", "", ""}, [3]int{1, 0, 1}, "2 of 3 maps have a record; no makespan, because of all maps " +
			"with one 1 ran on no server of the instance, and 0 have no known replica: remote here"},
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

// TestCheckMutations breaks one constraint at a time; its code must appear.
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
			s.Entries = append(s.Entries, model.Entry{Task: 3})
		}},
		{"moved away from its block", model.CodeDuration, func(s *model.Schedule) { s.Entries[2].Machine = 2 }},
		{"an unknown machine", model.CodeMachineUnknown, func(s *model.Schedule) { s.Entries[2].Machine = 3 }},
		{"longer", model.CodeDuration, func(s *model.Schedule) { s.Entries[0].End++ }},
		{"later", model.CodeSequence, func(s *model.Schedule) { s.Entries[1].Start++; s.Entries[1].End++ }},
		{"earlier", model.CodeSequence, func(s *model.Schedule) { s.Entries[1].Start--; s.Entries[1].End-- }},
	} {
		in := fixture(t, uniform)
		s := in.Schedule([]int32{0, 0, 1})
		c.do(s)
		v := in.Check(s)
		if len(v) == 0 || v[0].Code != c.code || len(v) > 1 && c.code != model.CodeMachineUnknown {
			t.Errorf("%s: %v, want %s", c.name, v, c.code)
		}
	}
}

// TestSlotlessHolders by hand: A has no map slots, C and D neither. x lies on A, y on A and B, z on C. So B is the only
// server, x is rack-local there, y local, and z remote: neither it nor any other server is in z's rack.
func TestSlotlessHolders(t *testing.T) {
	in := laid(t, racks(1, 2, 4), []string{"", "aB", "cd"}, "a", "aB", "c")
	if in.Servers != 1 || in.Tasks != 3 || in.Unheld != 2 || in.Racks != 2 {
		t.Fatalf("%d servers, %d tasks, %d without a holder, %d racks", in.Servers, in.Tasks, in.Unheld, in.Racks)
	}
	for b, want := range []Locality{RackLocal, NodeLocal, Remote} {
		if got := in.Locality(int32(b), 0); got != want {
			t.Errorf("block %d: %s, want %s", b, got, want)
		}
	}
	if !slices.Equal(in.ReplicaRacks(0), []int32{0}) || len(in.Replicas(0)) != 0 || len(in.ReplicaRacks(2)) != 0 {
		t.Errorf("racks of x %v, holders %v; racks of z %v", in.ReplicaRacks(0), in.Replicas(0), in.ReplicaRacks(2))
	}
	if _, ok := in.Machine("a"); ok {
		t.Error("a is a server")
	}
	e := in.Evaluate(in.Schedule([]int32{0, 0, 0}))
	if e.Value.RatString() != "7" || e.Metrics["maps_held_nowhere"] != model.Number("2") ||
		e.Metrics["off_rack"] != model.Number("1") {
		t.Errorf("%s, %v; want 2 + 1 + 4", e.Value, e.Metrics)
	}
	if in.CutBound([]int32{1}) != 5*model.Second || in.PriceBound([][]int64{{1}}) != 7*model.Second {
		t.Errorf("cuts prove %s, want 1 + 2 + 2, prices %s, want 7", in.CutBound([]int32{1}), in.PriceBound([][]int64{{1}}))
	}
	if v := in.Check(in.Schedule([]int32{0, 0, 0})); len(v) > 0 {
		t.Error(v)
	}
}

// TestNothingToAssign: workloads without servers, without map slots, or without maps that have replicas. Without a
// topology all nodes that placements name run maps.
func TestNothingToAssign(t *testing.T) {
	at := model.Locus{}
	task := func(b *model.Builder) { b.Task(model.Task{ID: "t", Kind: model.Map}, "j", "x", at) }
	for name, c := range map[string]struct {
		add  func(b *model.Builder)
		want model.Code
	}{
		"no servers": {task, model.CodeNoMachines},
		"no replicas": {func(b *model.Builder) {
			task(b)
			b.Node(model.Node{ID: "s", Kind: model.HostNode, MapSlots: 1}, "", at)
		}, model.CodeNoReplicas},
		"no slots": {func(b *model.Builder) {
			task(b)
			b.Node(model.Node{ID: "s", Kind: model.HostNode}, "", at)
			b.Placement("x", "s", at)
		}, model.CodeNoMachines},
		"no map slots": {func(b *model.Builder) {
			task(b)
			b.Node(model.Node{ID: "s", Kind: model.HostNode, ReduceSlots: 2}, "", at)
			b.Placement("x", "s", at)
		}, model.CodeFewSlots},
		"implied reduces only": {func(b *model.Builder) {
			b.Job(model.Job{ID: "k", Reduces: model.Some(int64(2))}, at)
			b.Node(model.Node{ID: "s", Kind: model.HostNode}, "", at)
		}, "S402"},
		"no topology": {func(b *model.Builder) { task(b); b.Placement("x", "s", at) }, ""},
	} {
		b := model.NewBuilder()
		if name != "implied reduces only" {
			b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, at)
		}
		c.add(b)
		w, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		in, err := New(w)
		input, ok := errors.AsType[*model.InputError](err)
		if ok != (c.want != "") || ok && input.Findings[0].Code != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		} else if !ok && (err != nil || in.Servers != 1 || in.Unheld != 0) {
			t.Errorf("%s: %+v, %v", name, in, err)
		}
	}
}
