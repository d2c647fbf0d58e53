package shop_test

import (
	"slices"
	"testing"

	"mrsched/model"
)

// TestSupplies: of the two nodes, n1 limits memory and reduces, and both limit cores and maps; only n2 has gpus. Node
// n2 is unavailable twice, first for 3 s and then for good; in another instance, from time 0 on.
func TestSupplies(t *testing.T) {
	in := opened(t, func(b *model.Builder) {
		at := model.Locus{}
		b.Capacity(model.Capacity{Resource: "gpu", Amount: 2 * model.UnitAmount}, "n2", at)
		b.Demand(model.TaskDemand{Resource: "gpu", Amount: model.UnitAmount / 2}, "b1", at)
		b.Unavailable(model.Unavailable{From: 5 * model.Second, Until: model.Some(8 * model.Second)}, "n2", at)
		b.Unavailable(model.Unavailable{From: 50 * model.Second}, "n2", at)
	})
	step := func(from int, amount float64) model.SupplyStep {
		return model.SupplyStep{From: model.Time(from) * model.Second, Amount: amount}
	}
	want := []struct {
		name, unit string
		has        []model.SupplyStep
		takes      [3]float64 // b1 on n1 and on n2, a1 on n2
	}{
		{"cores", "cores", []model.SupplyStep{step(0, 6), step(5, 4), step(8, 6), step(50, 4)}, [3]float64{1, 1, 2}},
		{"memory", "B", []model.SupplyStep{step(0, 100)}, [3]float64{40, 0, 0}},
		{"map slots", "slots", []model.SupplyStep{step(0, 6), step(5, 3), step(8, 6), step(50, 3)}, [3]float64{1, 1, 1}},
		{"reduce slots", "slots", []model.SupplyStep{step(0, 1), step(5, 1), step(8, 1), step(50, 1)}, [3]float64{}},
		{"gpu", "", []model.SupplyStep{step(0, 2), step(5, 0), step(8, 2), step(50, 0)}, [3]float64{0.5, 0.5, 0}},
	}
	got := in.Supplies()
	if len(got) != len(want) {
		t.Fatalf("%d resources, want %d", len(got), len(want))
	}
	for k, w := range want {
		g := got[k]
		takes := [3]float64{g.Takes("b1", "n1"), g.Takes("b1", "n2"), g.Takes("a1", "n2")}
		if g.Name != w.name || g.Unit != w.unit || !slices.Equal(g.Has, w.has) || takes != w.takes {
			t.Errorf("%s in %q: has %v, tasks take %v; want %+v", g.Name, g.Unit, g.Has, takes, w)
		}
		if g.Takes("nobody", "n1")+g.Takes("b1", "nowhere") != 0 {
			t.Errorf("%s: a task or a node that is not there takes some", g.Name)
		}
	}
	in = opened(t, func(b *model.Builder) {
		b.Capacity(model.Capacity{Resource: "seat", Amount: 2 * model.UnitAmount}, "root", model.Locus{})
		b.Demand(model.TaskDemand{Resource: "seat", Amount: model.UnitAmount}, "b1", model.Locus{})
	})
	got = in.Supplies()
	if g := got[len(got)-1]; g.Name != "seat of root" || !slices.Equal(g.Has, []model.SupplyStep{step(0, 2)}) ||
		g.Takes("b1", "n2") != 1 || got[len(got)-2].Takes("b1", "n2") != 0 {
		t.Errorf("seats of the root: %+v", g)
	}
	in = opened(t, func(b *model.Builder) {
		b.Unavailable(model.Unavailable{Until: model.Some(8 * model.Second)}, "n2", model.Locus{})
	})
	if got := in.Supplies()[0].Has; !slices.Equal(got, []model.SupplyStep{step(0, 4), step(8, 6)}) {
		t.Errorf("cores %v without n2 before 8 s", got)
	}
}
