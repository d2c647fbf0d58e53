package shop_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
	"mrsched/model/shop"
)

// example has a job a of two tasks, in order, and a job b that waits for it, on two nodes.
func example(change func(b *model.Builder)) *model.Builder {
	b, at := model.NewBuilder(), model.Locus{}
	b.Scalars("example", "cluster", model.Optional[int64]{}, nil)
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", at)
	b.Node(model.Node{ID: "n1", Kind: model.HostNode, CPU: model.Some(4.0), MemoryBytes: model.Some(model.Bytes(100)),
		MapSlots: 3, ReduceSlots: 1}, "root", at)
	b.Node(model.Node{ID: "n2", Kind: model.HostNode, CPU: model.Some(2.0), Speed: model.Some(0.5), MapSlots: 3},
		"root", at)
	b.Job(model.Job{ID: "a", Weight: model.UnitWeight}, at)
	b.Job(model.Job{ID: "b", Weight: 3 * model.UnitWeight, Release: 2 * model.Second,
		Deadline: model.Some(20 * model.Second)},
		at)
	for _, x := range []struct {
		id, job string
		cpu     float64
	}{{"a1", "a", 2}, {"a2", "a", 2}, {"b1", "b", 1}, {"b2", "b", 1}} {
		b.Task(model.Task{ID: x.id, Processing: model.Some(4 * model.Second), CPU: model.Some(x.cpu),
			MemoryBytes: model.Some(model.Bytes(40))}, x.job, "", at)
	}
	b.Delay("a1", "a2", model.Second, at)
	if change != nil {
		change(b)
	}
	return b
}

func opened(t *testing.T, change func(b *model.Builder)) *shop.Instance {
	t.Helper()
	w, err := example(change).Build()
	if err != nil {
		t.Fatal(err)
	}
	return open(t, w)
}

func open(t *testing.T, w *model.Workload) *shop.Instance {
	t.Helper()
	in, err := shop.New(w)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// entries makes a schedule from triples of node, start and end.
func entries(rows ...[3]int) *model.Schedule {
	s := &model.Schedule{}
	for u, r := range rows {
		s.Entries = append(s.Entries, model.Entry{Task: model.TaskIndex(u), Machine: int32(r[0]),
			Start: model.Time(r[1]) * model.Second, End: model.Time(r[2]) * model.Second})
	}
	return s
}

// TestCheckMutations breaks one rule at a time and expects only its code.
func TestCheckMutations(t *testing.T) {
	fixed := func(b *model.Builder) {
		b.Dependency("b", "a", model.Second, model.Locus{})
		b.Eligible("", "a2", "n1", model.Locus{})
		b.Unavailable(model.Unavailable{From: 14 * model.Second, Until: model.Some(16 * model.Second)}, "n1", model.Locus{})
		b.FixedTask("a1", "n1", -model.Second, model.Locus{})
		b.Demand(model.TaskDemand{Resource: "gpu", Amount: model.UnitAmount}, "b1", model.Locus{})
		b.Capacity(model.Capacity{Resource: "gpu", Amount: model.UnitAmount}, "n1", model.Locus{})
	}
	in := opened(t, fixed)
	good := [][3]int{{0, -1, 3}, {0, 4, 8}, {0, 9, 13}, {1, 9, 17}}
	if found := in.Check(entries(good...)); len(found) > 0 {
		t.Fatal(found)
	}
	for _, c := range []struct {
		name   string
		code   model.Code
		change func(rows [][3]int)
	}{
		{"a moved fixed task", model.CodeFixedMoved, func(r [][3]int) { r[0] = [3]int{0, -2, 2} }},
		{"too early after a delay", model.CodePrecedence, func(r [][3]int) { r[1] = [3]int{0, 3, 7} }},
		{"too early after a job", model.CodePrecedence, func(r [][3]int) { r[2] = [3]int{0, 8, 12} }},
		{"another node", model.CodePlace, func(r [][3]int) {
			copy(r[1:], [][3]int{{1, 4, 12}, {0, 16, 20}, {1, 13, 21}})
		}},
		{"during maintenance", model.CodeAway, func(r [][3]int) { r[2] = [3]int{0, 12, 16} }},
		{"too short", model.CodeDuration, func(r [][3]int) { r[3] = [3]int{1, 9, 13} }},
		{"no gpu", model.CodeResource, func(r [][3]int) { r[2] = [3]int{1, 9, 17} }},
		{"no such node", model.CodeMachineUnknown, func(r [][3]int) { r[3] = [3]int{2, 9, 17} }},
	} {
		rows := slices.Clone(good)
		c.change(rows)
		found := in.Check(entries(rows...))
		if len(found) == 0 || slices.ContainsFunc(found, func(v model.Violation) bool { return v.Code != c.code }) {
			t.Errorf("%s: %v, expected %s", c.name, found, c.code)
		}
	}
	s := entries(good...)
	s.Entries = append(s.Entries[:3], s.Entries[2])
	if found := in.Check(s); len(found) != 2 || found[0].Code != model.CodeTaskTwice ||
		found[1].Code != model.CodeTaskMissing {
		t.Errorf("a row twice: %v", found)
	}
}

// TestCheckRoom fills nodes with independent tasks.
func TestCheckRoom(t *testing.T) {
	wide := func(cpu float64, memory model.Bytes) func(b *model.Builder) {
		return func(b *model.Builder) {
			b.Job(model.Job{ID: "c", Weight: model.UnitWeight}, model.Locus{})
			for _, id := range []string{"c1", "c2"} {
				b.Task(model.Task{ID: id, Processing: model.Some(4 * model.Second), CPU: model.Some(cpu),
					MemoryBytes: model.Some(memory), Release: model.Some(model.Second)}, "c", "", model.Locus{})
			}
		}
	}
	rest := [][3]int{{1, 0, 8}, {1, 9, 17}, {1, 17, 25}, {1, 17, 25}}
	for _, c := range []struct {
		code   model.Code
		cpu    float64
		memory model.Bytes
		rows   [][3]int
	}{
		{"", 2, 50, [][3]int{{0, 1, 5}, {0, 1, 5}}},
		{model.CodeCores, 2.5, 10, [][3]int{{0, 1, 5}, {0, 4, 8}}},
		{model.CodeMemory, 1, 60, [][3]int{{0, 1, 5}, {0, 4, 8}}},
		{"", 2.5, 60, [][3]int{{0, 1, 5}, {0, 5, 9}}},
		{model.CodeBeforeRelease, 1, 10, [][3]int{{0, 0, 4}, {0, 1, 5}}},
	} {
		found := opened(t, wide(c.cpu, c.memory)).Check(entries(append(slices.Clone(rest), c.rows...)...))
		if c.code == "" && len(found) > 0 || c.code != "" && (len(found) != 1 || found[0].Code != c.code) {
			t.Errorf("%g cores, %d bytes: %v, expected %s", c.cpu, c.memory, found, c.code)
		}
	}
}

// TestSharedCapacity: the root has two seats, which a1 and a2 take of one node; the rack of another node has one.
func TestSharedCapacity(t *testing.T) {
	at := model.Locus{}
	seats := func(b *model.Builder) {
		b.Node(model.Node{ID: "rack", Kind: model.RackNode}, "root", at)
		b.Node(model.Node{ID: "n3", Kind: model.HostNode, CPU: model.Some(4.0)}, "rack", at)
		b.Capacity(model.Capacity{Resource: "seat", Amount: 2 * model.UnitAmount}, "root", at)
		b.Capacity(model.Capacity{Resource: "seat", Amount: model.UnitAmount}, "rack", at)
		for _, id := range []string{"a2", "b1", "b2"} {
			b.Demand(model.TaskDemand{Resource: "seat", Amount: model.UnitAmount}, id, at)
		}
	}
	in := opened(t, seats)
	if in.Classes != 3 || len(in.Stands) != 3 || len(in.Groups) != 2 ||
		!slices.Equal(in.Groups[0].Nodes, []int32{0, 1, 2}) ||
		!slices.Equal(in.Above(2), []int32{1, 0}) || in.Capacities(in.Class[0])[in.Resources-1] != 2_000_000 {
		t.Fatal(in.Groups, in.Classes)
	}
	for _, c := range []struct {
		rows [][3]int
		want string
	}{
		{[][3]int{{0, 0, 4}, {0, 5, 9}, {0, 5, 9}, {1, 9, 17}}, ""},
		{[][3]int{{0, 0, 4}, {0, 5, 9}, {0, 5, 9}, {1, 8, 16}}, `root need more of seat than its 2`},
		{[][3]int{{0, 0, 4}, {1, 5, 13}, {2, 5, 9}, {2, 8, 12}}, `rack need more of seat than its 1`},
	} {
		found := in.Check(entries(c.rows...))
		for _, v := range found {
			if v.Code != model.CodePlaceFull || !strings.Contains(found[len(found)-1].What, c.want) {
				t.Errorf("%v: %v, expected %q", c.rows, found, c.want)
			}
		}
		if (c.want == "") != (len(found) == 0) {
			t.Errorf("%v: %v, expected %q", c.rows, found, c.want)
		}
	}
}

// TestFindings lists invalid instances, and the task that each finding is about.
func TestFindings(t *testing.T) {
	at := model.Locus{}
	for _, c := range []struct {
		name   string
		code   model.Code
		about  string
		change func(b *model.Builder)
	}{
		{"too large", model.CodeNoRoom, `"x"`, func(b *model.Builder) {
			b.Task(model.Task{ID: "x", Processing: model.Some(model.Second), CPU: model.Some(5.0)}, "a", "", at)
		}},
		{"no such resource", model.CodeNoRoom, `"a1"`, func(b *model.Builder) {
			b.Demand(model.TaskDemand{Resource: "map_slots", Amount: 1_000_000}, "a1", at)
		}},
		{"nowhere", model.CodeNoRoom, `"a1"`, func(b *model.Builder) {
			b.Eligible("a", "", "n1", at)
			b.Eligible("", "a1", "n2", at)
		}},
		{"no time", model.CodeNoTime, `"x"`, func(b *model.Builder) { b.Task(model.Task{ID: "x"}, "a", "", at) }},
		{"ended", model.CodeFixedTask, `"a1"`, func(b *model.Builder) { b.FixedTask("a1", "n1", -4*model.Second, at) }},
		{"away", model.CodeFixedTask, `"a1"`, func(b *model.Builder) {
			b.FixedTask("a1", "n1", 0, at)
			b.Unavailable(model.Unavailable{From: 2 * model.Second}, "n1", at)
		}},
		{"full", model.CodeFixedTask, `"b1"`, func(b *model.Builder) {
			b.FixedTask("a1", "n2", 0, at)
			b.FixedTask("b1", "n2", model.Second, at)
		}},
		{"a full place", model.CodeFixedTask, `than root has`, func(b *model.Builder) {
			b.Capacity(model.Capacity{Resource: "seat", Amount: 1}, "root", at)
			for i, id := range []string{"a1", "b1"} {
				b.Demand(model.TaskDemand{Resource: "seat", Amount: 1}, id, at)
				b.FixedTask(id, []string{"n1", "n2"}[i], 0, at)
			}
		}},
		{"more than a place has", model.CodeNoRoom, `the most there is 0.000001`, func(b *model.Builder) {
			b.Capacity(model.Capacity{Resource: "seat", Amount: 1}, "root", at)
			b.Demand(model.TaskDemand{Resource: "seat", Amount: 2}, "a1", at)
		}},
		{"for ever", model.CodeNoRoom, `"a1"`, func(b *model.Builder) {
			b.Unavailable(model.Unavailable{From: 3 * model.Second}, "n1", at)
			b.Unavailable(model.Unavailable{From: 7 * model.Second}, "n2", at)
		}},
		{"too late", model.CodeNoRoom, `"a2"`, func(b *model.Builder) {
			b.Unavailable(model.Unavailable{From: 8 * model.Second}, "n1", at)
			b.Unavailable(model.Unavailable{From: 12 * model.Second}, "n2", at)
		}},
	} {
		w, err := example(c.change).Build()
		if err != nil {
			t.Fatal(err)
		}
		_, err = shop.New(w)
		input, ok := errors.AsType[*model.InputError](err)
		if !ok || input.Findings[0].Code != c.code || !strings.Contains(input.Findings[0].What, c.about) {
			t.Errorf("%s: %v, expected %s about %s", c.name, err, c.code, c.about)
		}
	}
}

// TestObjectives are computed by hand: job a (weight 1) ends at 8 s, job b (weight 3) at 25 s, 3 s after it is due.
func TestObjectives(t *testing.T) {
	in := opened(t, nil)
	s := entries([3]int{0, 0, 4}, [3]int{0, 5, 8}, [3]int{0, 9, 13}, [3]int{1, 17, 25})
	for objective, want := range map[string]model.Number{"twjct": "83", "makespan": "25", "tardiness": "9", "late": "3",
		"flowtime": "77"} {
		x := in.Under(shop.Objective(objective)).Evaluate(s)
		if got := model.ExactNumber(x.Value); got != want || x.Metrics[objective] != want ||
			x.Metrics["late_jobs"] != model.Number("1") {
			t.Errorf("%s is %s, expected %s: %v", objective, got, want, x.Metrics)
		}
	}
	metrics := in.Under(shop.FlowTime).Evaluate(s).Metrics
	for name, want := range map[string]model.Number{"mean_wait": "3.5", "p95_wait": "6.65", "mean_turnaround": "15.5",
		"p95_turnaround": "22.25", "mean_bounded_slowdown": "1.21875", "p95_bounded_slowdown": "1.415625"} {
		if metrics[name] != want {
			t.Errorf("%s is %v, expected %s", name, metrics[name], want)
		}
	}
}

// TestDecimals: lengths follow the decimals of the file, not the nearest binary fractions.
func TestDecimals(t *testing.T) {
	in := opened(t, func(b *model.Builder) {
		b.Node(model.Node{ID: "n3", Kind: model.HostNode, Speed: model.Some(0.7)}, "root", model.Locus{})
		b.Task(model.Task{ID: "x", Processing: model.Some(7 * model.Second)}, "b", "", model.Locus{})
		b.Task(model.Task{ID: "y", Processing: model.Some(model.Time(1))}, "b", "", model.Locus{})
	})
	x, _ := in.FindTask("x")
	y, _ := in.FindTask("y")
	if got := in.Length(int32(x), 2); got != 10*model.Second {
		t.Errorf("7 s at speed 0.7 are %s s", got)
	}
	if got := in.Length(int32(y), 2); got != 2 {
		t.Errorf("1 µs at speed 0.7 is %d µs", got)
	}
}

// TestCertificates: without prices a certificate proves the cost of critical paths; a larger stated value is rejected.
func TestCertificates(t *testing.T) {
	in := opened(t, nil)
	for objective, want := range map[shop.Objective]string{shop.WeightedEnds: "27", shop.Makespan: "9", shop.FlowTime: "27"} {
		x := in.Under(objective)
		var c shop.Certificate
		c.Kind, c.Method = shop.KindTwoSided, shop.MethodAlone
		if err := x.Sign(&c); err != nil || c.Value != want {
			t.Errorf("%s: %s, %v; expected %s", objective, c.Value, err, want)
		}
		raw, _ := json.Marshal(c)
		proof, err := x.Certify(raw)
		if err != nil || objective == shop.FlowTime && proof.Value.RatString() != "21" {
			t.Error(proof, err)
		}
		c.Value = "1000"
		raw, _ = json.Marshal(c)
		if _, err := x.Certify(raw); err == nil {
			t.Errorf("%s proves 1000", c.Kind)
		}
	}
}
