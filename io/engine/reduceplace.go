package engine

import (
	"math/rand/v2"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/reduceplace"
)

var placementColumns = []string{"cost_per_job"}

// recordedReducePlace is the fetching cost on the nodes where the traced cluster ran the reduces. It is nil unless all
// of them are known, belong to the instance, and each have slots of one cost.
func recordedReducePlace(view model.View, w *model.Workload) *recorded {
	in, ok := view.(*reduceplace.Instance)
	if !ok {
		return nil
	}
	first := map[string]int32{} // a node's first slot
	for s := range int32(in.Slots) {
		if k, ok := first[in.Node(s)]; !ok {
			first[in.Node(s)] = s
		} else if in.Cost[k] != in.Cost[s] {
			return nil
		}
	}
	slot, known := make([]int32, in.Tasks), 0
	for u := range w.Tasks {
		x := &w.Tasks[u]
		if x.Kind != model.Reduce || x.RecordedNode == "" {
			continue
		}
		t, found := in.FindTask(x.ID)
		s, there := first[x.RecordedNode]
		if !found || !there {
			return nil
		}
		slot[t], known = s, known+1
	}
	if known == 0 || known < in.Tasks {
		return nil
	}
	e := in.Evaluate(in.Schedule(slot))
	// the other metrics belong to this instance's dynamics
	e.Metrics = map[string]any{"cost_per_job": e.Metrics["cost_per_job"]}
	return &recorded{e, "the nodes that the traced cluster chose, at this instance's slot costs; not checked against " +
		"its slots and times"}
}

// smallReducePlace makes instances with all sources of slot costs.
func smallReducePlace() *smallInstances {
	return &smallInstances{
		Generate: func(r *rand.Rand, k int) (*model.Workload, error) { return instances.SmallPlacement(r, k) },
		Variants: []map[string]string{{}},
		NeverWorse: [][2]string{{"best", "lookahead"}, {"best", "rhc"}, {"best", "greedy"}, {"best", "random"},
			{"best", "threshold"},
			{"best", "stationary"}, {"best", "clairvoyant"}, {"exact", "best"}},
	}
}
