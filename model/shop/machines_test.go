package shop

import (
	"errors"
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
		in, err := NewIdentical(slotted(t, c.stated, nodes...), c.flag)
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
		for _, name := range []string{"", "m", "m0", "m7", "m01", "m+1", "1", "m99999999999", "n1", "n1/0", "n1/4",
			"n1/01", "n1/m1", "n2/1", "idle", "idle/1", "r", "r/n3", "/1", "dc"} {
			if k, ok := in.Machine(name); ok {
				t.Errorf("%q is machine %d", name, k)
			}
		}
	}
}

// TestSlotNamesTwice: the only slot of a node may have the name of another node's slot.
func TestSlotNamesTwice(t *testing.T) {
	_, err := NewIdentical(slotted(t, model.Optional[int64]{}, host("n1", 2, 1), host("n1/3", 1, 0)), 0)
	if input, ok := errors.AsType[*model.InputError](err); !ok || input.Findings[0].Code != model.CodeDuplicate {
		t.Error(err)
	}
	for _, id := range []string{"n1/4", "n1/03", "n2/1"} {
		if _, err := NewIdentical(slotted(t, model.Optional[int64]{}, host("n1", 2, 1), host(id, 1, 0)), 0); err != nil {
			t.Error(err)
		}
	}
}
