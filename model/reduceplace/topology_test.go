package reduceplace

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

// figure1 adds the tree of the paper's Fig. 1: a core over an aggregate switch with racks {A, B, C, D} and {E, F}, and
// over a rack {G, H}; one slot a node.
func figure1(b *model.Builder) {
	figure1Of(b, 1)
}

func figure1Of(b *model.Builder, slots int64) {
	node := func(id, parent string, kind model.NodeKind, slots int64) {
		b.Node(model.Node{ID: id, Kind: kind, ReduceSlots: slots}, parent, model.Locus{})
	}
	node("core", "", model.RootNode, 0)
	node("aggregate", "core", model.SwitchNode, 0)
	node("r1", "aggregate", model.RackNode, 0)
	node("r2", "aggregate", model.RackNode, 0)
	node("r3", "core", model.RackNode, 0)
	for _, n := range []struct{ rack, nodes string }{{"r3", "HG"}, {"r2", "FE"}, {"r1", "DCBA"}} {
		for _, id := range n.nodes {
			node(string(id), n.rack, model.HostNode, slots)
		}
	}
}

// expectCosts compares the slots' costs by name.
func expectCosts(t *testing.T, in *Instance, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for s := range in.Slots {
		got[in.MachineName(int32(s))] = in.Cost[s].String()
	}
	if !maps.Equal(got, want) || !slices.IsSorted(in.Cost) {
		t.Errorf("%v, in the order %v, want %v", got, in.Cost, want)
	}
}

func unit(list ...float64) []model.Cost {
	var out []model.Cost
	for _, v := range list {
		out = append(out, model.CostOf(v))
	}
	return out
}

// TestDataWeights: 30 bytes lie on A, 10 on E, 60 on G. H(A) = (10·2 + 60·3)/100, H(B) = (30 + 10·2 + 60·3)/100, H(E) =
// (30·2 + 60·3)/100, H(F) = (10 + 30·2 + 60·3)/100, H(G) = (30·3 + 10·3)/100, H(H) = (60 + 30·3 + 10·3)/100. A map on a
// node that the topology does not have, and reduces, count nothing.
func TestDataWeights(t *testing.T) {
	fill := func(b *model.Builder) {
		oneJob(b)
		figure1(b)
		for _, x := range []struct {
			id, node string
			bytes    model.Bytes
			kind     model.TaskKind
		}{{"m1", "A", 25, model.Map}, {"m2", "A", 5, model.Map}, {"m3", "E", 10, model.Map}, {"m4", "G", 60, model.Map},
			{"m5", "elsewhere", 1000, model.Map}, {"m6", "r1", 1000, model.Map},
			{"r", "B", 1000, model.Reduce}} {
			b.Task(model.Task{ID: x.id, Kind: x.kind, RecordedNode: x.node, OutputBytes: model.Some(x.bytes)}, "j", "",
				model.Locus{})
		}
	}
	in := opened(t, Options{SlotCost: "data"}, fill)
	want := map[string]string{"A": "2", "B": "2.3", "C": "2.3", "D": "2.3", "E": "2.4", "F": "2.5", "G": "1.2", "H": "1.8"}
	expectCosts(t, in, want)
}

// TestMeasured: reduces took 10 and 20 s on A, 30 s on B, 20 s on average; the other nodes cost the average.
func TestMeasured(t *testing.T) {
	in := opened(t, Options{SlotCost: "measured"}, func(b *model.Builder) {
		b.Job(model.Job{ID: "j", Weight: model.UnitWeight, IntermediateBytes: model.Some(model.Bytes(1)),
			MapWork: model.Some(model.Second)}, model.Locus{})
		figure1(b)
		for k, x := range []struct {
			node string
			time model.Time
		}{{"A", 10}, {"B", 30}, {"A", 20}} {
			b.Task(model.Task{ID: string(rune('x' + k)), Kind: model.Reduce, RecordedNode: x.node,
				Processing: model.Some(x.time * model.Second)}, "j", "", model.Locus{})
		}
		b.Task(model.Task{ID: "m", Kind: model.Map, RecordedNode: "C", Processing: model.Some(model.Second)}, "j", "",
			model.Locus{})
	})
	want := map[string]string{"A": "0.75", "B": "1.5", "C": "1", "D": "1", "E": "1", "F": "1", "G": "1", "H": "1"}
	expectCosts(t, in, want)
}

// TestSlotOrder: slots of equal cost keep the order of their table.
func TestSlotOrder(t *testing.T) {
	in := opened(t, Options{}, func(b *model.Builder) {
		oneJob(b)
		for _, s := range []struct {
			id   string
			cost float64
		}{{"s", 2}, {"t", 1}, {"u", 2}, {"v", 0}, {"w", 1}} {
			b.ReduceSlot(model.ReduceSlot{ID: s.id, NodeName: "n", Cost: model.CostOf(s.cost)}, model.Locus{})
		}
	})
	var names []string
	for s := range in.Slots {
		names = append(names, in.MachineName(int32(s)))
		if k, ok := in.Machine(names[s]); !ok || int(k) != s || in.Node(k) != "n" {
			t.Errorf("slot %q is number %d, %v, on %q", names[s], k, ok, in.Node(k))
		}
	}
	if !slices.Equal(names, []string{"v", "t", "w", "s", "u"}) {
		t.Errorf("slots %v", names)
	}
	if _, ok := in.Machine("x"); ok {
		t.Error("there is no slot x")
	}
	in = opened(t, Options{}, func(b *model.Builder) { oneJob(b); figure1Of(b, 2) })
	if in.Slots != 16 || in.MachineName(0) != "D/1" || in.MachineName(1) != "D/2" || in.Node(1) != "D" || in.Size() != 16 {
		t.Errorf("%d slots, %q on %q", in.Slots, in.MachineName(1), in.Node(1))
	}
	in = opened(t, Options{SlotCost: "hops"}, func(b *model.Builder) {
		oneJob(b)
		figure1(b)
		b.ReduceSlot(model.ReduceSlot{ID: "x", NodeName: "G", Cost: model.UnitCost}, model.Locus{})
		b.ReduceSlot(model.ReduceSlot{ID: "y", NodeName: "A", Cost: 2 * model.UnitCost}, model.Locus{})
	})
	expectCosts(t, in, map[string]string{"x": "19", "y": "13"}) // hops in place of the table's costs
}

// TestSlotsRefused: input without slot costs.
func TestSlotsRefused(t *testing.T) {
	slot := func(node string) func(b *model.Builder) {
		return func(b *model.Builder) {
			oneJob(b)
			b.ReduceSlot(model.ReduceSlot{ID: "s", NodeName: node, Cost: model.UnitCost}, model.Locus{})
		}
	}
	tree := func(b *model.Builder) { oneJob(b); figure1(b) }
	for _, c := range []struct {
		name string
		o    Options
		fill func(b *model.Builder)
		want model.Code
	}{
		{"no slots", Options{}, func(b *model.Builder) { oneJob(b) }, model.CodeNoMachines},
		{"no reduce slots", Options{}, func(b *model.Builder) { oneJob(b); figure1Of(b, 0) }, model.CodeNoMachines},
		{"two distances for three levels", Options{Distances: unit(1, 2)}, tree, model.CodeParameter},
		{"huge distances", Options{Distances: unit(1, 2, 9e12)}, tree, model.CodeOverflow},
		{"no table slots", Options{SlotCost: "given"}, tree, model.CodeParameter},
		{"no data", Options{SlotCost: "data"}, tree, model.CodeParameter},
		{"hops without a topology", Options{SlotCost: "hops"}, slot(""), model.CodeParameter},
		{"data without a topology", Options{SlotCost: "data"}, slot("n"), model.CodeParameter},
		{"measured without a topology", Options{SlotCost: "measured"}, slot("n"), model.CodeParameter},
		{"hops of a slot on no node", Options{SlotCost: "hops"}, func(b *model.Builder) { slot("")(b); figure1(b) },
			model.CodeParameter},
		{"a slot a node of the whole world", Options{}, func(b *model.Builder) { oneJob(b); figure1Of(b, 1<<31-1) },
			model.CodeOverflow},
	} {
		expectRefused(t, c.name, c.o, c.fill, c.want)
	}
}

// built builds the workload that fill describes.
func built(t rapid.TB, fill func(b *model.Builder)) *model.Workload {
	t.Helper()
	b := model.NewBuilder()
	fill(b)
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func opened(t rapid.TB, o Options, fill func(b *model.Builder)) *Instance {
	t.Helper()
	in, err := New(built(t, fill), o)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// refused returns the codes of New's findings.
func refused(t rapid.TB, o Options, fill func(b *model.Builder)) []model.Code {
	t.Helper()
	_, err := New(built(t, fill), o)
	var input *model.InputError
	if err != nil && !errors.As(err, &input) {
		t.Fatal(err)
	}
	var codes []model.Code
	if err != nil {
		for _, f := range input.Findings {
			codes = append(codes, f.Code)
		}
	}
	return codes
}

// expectRefused requires that New has findings of these codes only.
func expectRefused(t rapid.TB, name string, o Options, fill func(b *model.Builder), want ...model.Code) {
	t.Helper()
	if got := refused(t, o, fill); !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

// slots adds slots s0, s1, … of these costs.
func slots(b *model.Builder, cost ...float64) {
	for s, c := range cost {
		b.ReduceSlot(model.ReduceSlot{ID: fmt.Sprint("s", s), Cost: model.CostOf(c)}, model.Locus{})
	}
}

// addJob adds a job that states all that an instance needs.
func addJob(b *model.Builder, id string, at, work model.Time, reduces int64, bytes model.Bytes) {
	b.Job(model.Job{ID: id, Weight: model.UnitWeight, Release: at, MapWork: model.Some(work),
		Reduces: model.Some(reduces), IntermediateBytes: model.Some(bytes)}, model.Locus{})
	if reduces == 0 {
		b.Task(model.Task{ID: id + "-m"}, id, "", model.Locus{})
	}
}

// oneJob adds a job of one reduce.
func oneJob(b *model.Builder) { addJob(b, "j", 0, model.Second, 1, 1) }
