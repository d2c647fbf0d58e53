package msjo

import (
	"errors"
	"math/big"
	"slices"
	"testing"

	"mrsched/model"
)

// slotted has one task, and a topology with the given nodes and slots.
func slotted(t *testing.T, machines model.Optional[int64], nodes ...model.Node) *model.Workload {
	t.Helper()
	b := model.NewBuilder()
	b.Scalars("slotted", "msjo", machines, nil)
	b.Node(model.Node{ID: "dc", Kind: model.RootNode}, "", model.Locus{})
	for _, n := range nodes {
		b.Node(n, "dc", model.Locus{})
	}
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
	b.Task(model.Task{ID: "t", Kind: model.Map, Processing: model.Some(model.Second)}, "j", "", model.Locus{})
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func host(id string, maps, reduces int64) model.Node {
	return model.Node{ID: id, Kind: model.HostNode, MapSlots: maps, ReduceSlots: reduces}
}

// TestSlotNames: machines are named after the topology's nodes, unless only their number is known.
func TestSlotNames(t *testing.T) {
	nodes := []model.Node{host("n1", 2, 1), host("idle", 0, 0), host("n2", 0, 1), host("r/n3", 1, 1)}
	bySlot := []string{"n1/1", "n1/2", "n1/3", "n2", "r/n3/1", "r/n3/2"}
	for _, c := range []struct {
		flag   int64
		stated model.Optional[int64]
		want   []string
	}{{want: bySlot}, {flag: 2, want: []string{"m1", "m2"}}, {stated: model.Some(int64(1)), want: []string{"m1"}},
		{flag: 6, want: []string{"m1", "m2", "m3", "m4", "m5", "m6"}}} {
		in, err := New(slotted(t, c.stated, nodes...), c.flag)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for i := range int32(in.Size()) {
			names = append(names, in.MachineName(i))
			if k, ok := in.Machine(in.MachineName(i)); !ok || k != i {
				t.Errorf("%s is machine %d, %v", in.MachineName(i), k, ok)
			}
		}
		if !slices.Equal(names, c.want) {
			t.Errorf("%q, want %q", names, c.want)
		}
		for _, name := range []string{"", "m0", "m7", "m01", "n1", "n1/0", "n1/4", "n1/01", "n1/m1", "n2/1", "idle", "idle/1",
			"r", "r/n3", "/1", "dc"} {
			if k, ok := in.Machine(name); ok {
				t.Errorf("%q is machine %d", name, k)
			}
		}
	}
}

// TestSlotNamesTwice: the only slot of a node may have the name of another node's slot.
func TestSlotNamesTwice(t *testing.T) {
	_, err := New(slotted(t, model.Optional[int64]{}, host("n1", 2, 1), host("n1/3", 1, 0)), 0)
	if input, ok := errors.AsType[*model.InputError](err); !ok || input.Findings[0].Code != model.CodeDuplicate {
		t.Error(err)
	}
	for _, id := range []string{"n1/4", "n1/03", "n2/1"} {
		if _, err := New(slotted(t, model.Optional[int64]{}, host("n1", 2, 1), host(id, 1, 0)), 0); err != nil {
			t.Error(err)
		}
	}
}

// TestLessRefinement: a search for the cheapest completion that stops early proves less, but never more than is true.
func TestLessRefinement(t *testing.T) {
	in, _ := fixture(t)
	flat := &MachinePrices{Cell: 3 * model.Second / 2, Steps: []int64{900_000, 700_001, 400_000, 100_003}}
	bound := func(most int) *big.Rat {
		e, err := NewPriceEvaluator(in, flat)
		if err != nil {
			t.Fatal(err)
		}
		e.most = most
		return e.Bound()
	}
	full := bound(1_000_000)
	if coarse := bound(0); coarse.Cmp(full) >= 0 {
		t.Errorf("without refinement %s, with it %s", coarse.FloatString(6), full.FloatString(6))
	}
	most := new(big.Rat).Mul(full, big.NewRat(1<<refineLoss+1, 1<<refineLoss)) // at least the true minimum
	for _, parts := range []int{5, 50, 500} {
		if v := bound(parts); v.Cmp(most) > 0 {
			t.Errorf("%d completions: %s, more than %s", parts, v.FloatString(6), most.FloatString(6))
		}
	}
}

// TestRefinementInOrder: the last part of a cell may overlap the next cell, but every part has its own window. The
// expected value comes from an independent implementation of docs/certificates.md.
func TestRefinementInOrder(t *testing.T) {
	b := model.NewBuilder()
	b.Scalars("order", "msjo", model.Some[int64](2), nil)
	b.Job(model.Job{ID: "j", Weight: 4 * model.UnitWeight / 5}, model.Locus{})
	b.Task(model.Task{ID: "t", Kind: model.Map, Processing: model.Some(31 * model.Second / 10),
		Release: model.Some(26 * model.Second / 10)}, "j", "", model.Locus{})
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := New(w, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := &MachinePrices{Cell: 42_500, Shift: 16}
	for _, run := range []struct {
		price int64
		cells int
	}{{0, 61}, {49732144306, 1}, {72163306612, 38}, {87893301198, 1}, {64057218147, 1}, {54946613121, 8},
		{3554184154, 1}, {0, 7}, {54946613121, 16}, {0, 266}} {
		p.Steps = append(p.Steps, slices.Repeat([]int64{run.price}, run.cells)...)
	}
	e, err := NewPriceEvaluator(in, p)
	if err != nil {
		t.Fatal(err)
	}
	if v := e.Bound().RatString(); v != "82524914133/65536000000" {
		t.Errorf("%s", v)
	}
}
