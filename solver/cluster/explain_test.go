package cluster

import (
	"testing"

	"mrsched/model"
	"mrsched/model/cluster"
	"mrsched/solver"
)

// TestHeldByResource: tasks cores and memory of a node with 4 cores and 8 GB end at 100 s. A task that needs 1 core and
// 6 GB waits for memory, which holds 6 GB; one that needs 4 cores and nothing else waits for cores, which holds one.
func TestHeldByResource(t *testing.T) {
	for _, c := range []struct {
		cpu    float64
		memory model.Bytes
		by     int32
	}{{1, 6e9, 1}, {4, 0, 0}} {
		b, at := model.NewBuilder(), model.Locus{}
		b.Node(model.Node{ID: "dc", Kind: model.RootNode}, "", at)
		b.Node(model.Node{ID: "n", Kind: model.HostNode, CPU: model.Some(4.0), MemoryBytes: model.Some(model.Bytes(8e9))},
			"dc", at)
		b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, at)
		for _, x := range []struct {
			id     string
			cpu    float64
			memory model.Bytes
		}{{"cores", 1, 0}, {"memory", 0, 6e9}, {"late", c.cpu, c.memory}} {
			b.Task(model.Task{ID: x.id, Processing: model.Some(100 * model.Second), CPU: model.Some(x.cpu),
				MemoryBytes: model.Some(x.memory)}, "j", "", at)
		}
		in := built(t, b, cluster.WeightedEnds)
		s := &model.Schedule{Entries: []model.Entry{{Task: 0, End: 100 * model.Second}, {Task: 1, End: 100 * model.Second},
			{Task: 2, Start: 100 * model.Second, End: 200 * model.Second}}}
		if v := in.Check(s); len(v) > 0 {
			t.Fatal(v)
		}
		e := &explainer{in: in, w: in.Workload(), c: newChain(in, s, nil)}
		if kind, by := e.held(2); kind != solver.ReasonMachine || by != c.by {
			t.Errorf("%v cores, %v bytes: %s by %d, want %d", c.cpu, c.memory, kind, by, c.by)
		}
	}
}
