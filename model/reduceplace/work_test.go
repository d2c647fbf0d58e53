package reduceplace

import (
	"testing"

	"mrsched/model"
)

// TestWorkOfMaps: a job's work is that of its maps over all map slots, but no less than its longest map; a job of
// reduces alone has none.
func TestWorkOfMaps(t *testing.T) {
	b := model.NewBuilder()
	b.Node(model.Node{ID: "rack", Kind: model.RackNode}, "", model.Locus{})
	b.Node(model.Node{ID: "n", Kind: model.HostNode, MapSlots: 2, ReduceSlots: 2}, "rack", model.Locus{})
	for job, maps := range map[string][]model.Time{"even": {3, 3, 3, 3}, "long": {1, 7}, "none": nil} {
		b.Job(model.Job{ID: job, Weight: model.UnitWeight, IntermediateBytes: model.Some(model.Bytes(1))}, model.Locus{})
		b.Task(model.Task{ID: job + ".r", Kind: model.Reduce}, job, "", model.Locus{})
		for k, p := range maps {
			b.Task(model.Task{ID: job + string(rune('a'+k)), Kind: model.Map, Processing: model.Some(p * model.Second)}, job, "",
				model.Locus{})
		}
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := New(w, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]model.Time{"even": 6, "long": 7, "none": 0}
	for i, got := range in.Work {
		if id := w.Jobs[i].ID; got != want[id]*model.Second {
			t.Errorf("job %s has %s of work, want %d s", id, got, want[id])
		}
	}
}
