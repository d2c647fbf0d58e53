package hta

import (
	"errors"
	"slices"
	"testing"

	"mrsched/model"
)

// TestSlotlessHolders by hand: A1 has no map slots, B1 and B2 neither. x lies on A1, y on A1 and A2, z on B1. So A2 is
// the only server, x is rack-local there, y local, and z remote: neither it nor any other server is in z's rack.
func TestSlotlessHolders(t *testing.T) {
	in := racked(t, [3]model.Time{1, 2, 4}, []string{"x", "y", "z"}, [][2]string{{"x", "A1"}, {"y", "A1"}, {"y", "A2"},
		{"z", "B1"}},
		"A1", "B1", "B2")
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
	if _, ok := in.Machine("A1"); ok {
		t.Error("A1 is a server")
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

// TestNoMapSlots: a topology without map slots is rejected, and the finding names the column to fill.
func TestNoMapSlots(t *testing.T) {
	for reduces, want := range map[int64]model.Code{0: model.CodeNoMachines, 2: model.CodeFewSlots} {
		b := model.NewBuilder()
		b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
		b.Node(model.Node{ID: "s", Kind: model.HostNode, ReduceSlots: reduces}, "", model.Locus{})
		b.Task(model.Task{ID: "t", Kind: model.Map}, "j", "x", model.Locus{})
		b.Placement("x", "s", model.Locus{})
		w, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		_, err = New(w)
		var input *model.InputError
		if !errors.As(err, &input) || len(input.Findings) != 1 {
			t.Fatalf("%d reduce slots: %v", reduces, err)
		}
		if f := input.Findings[0]; f.Code != want || f.Conflict == nil || f.Hint !=
			"fill the column map_slots of the table topology; 1 is enough for this problem" {
			t.Errorf("%d reduce slots: %+v", reduces, f)
		}
	}
	b := model.NewBuilder() // without a topology all nodes that placements name run maps
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
	b.Task(model.Task{ID: "t", Kind: model.Map}, "j", "x", model.Locus{})
	b.Placement("x", "s", model.Locus{})
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if in, err := New(w); err != nil || in.Servers != 1 || in.Unheld != 0 {
		t.Errorf("without a topology: %+v, %v", in, err)
	}
}
