package engine

import (
	"fmt"
	"math/rand/v2"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/solver"
)

var localityColumns = []string{"node_local", "rack_local", "off_rack"}

// recordedHTA is how local the maps were on the traced cluster, with the makespan if the cluster ran all maps of the
// instance on its servers.
func recordedHTA(view model.View, w *model.Workload) *recorded {
	in, ok := view.(*hta.Instance)
	if !ok {
		return nil
	}
	r := in.Recorded(w)
	if r == nil {
		return nil
	}
	e := in.Evaluation(r.Loads)
	if !r.Complete() {
		e.Value = nil
	}
	return &recorded{e, fmt.Sprintf("the servers that the traced cluster chose, at this workload's cost; %s", r)}
}

// notesHTA reports maps that no server could run node-locally.
func notesHTA(view model.View, _ solver.Params) []string {
	in, ok := view.(*hta.Instance)
	if !ok || in.Unheld == 0 {
		return nil
	}
	if in.Unheld == 1 {
		return []string{"the block of 1 map lies only on nodes without map slots, which run no maps: it cannot be node-local"}
	}
	return []string{fmt.Sprintf("the blocks of %d maps lie only on nodes without map slots, which run no maps: "+
		"they cannot be node-local", in.Unheld)}
}

// smallHTA makes instances with all shapes of remote costs and solves them under every tie rule of round-robin.
func smallHTA() *smallInstances {
	return &smallInstances{
		Generate:      func(r *rand.Rand, k int) (*model.Workload, error) { return instances.SmallHTA(r, k) },
		Variants:      []map[string]string{{"tie": "first"}, {"tie": "random"}, {"tie": "worst"}},
		NeverWorse:    [][2]string{{"best", "flow"}, {"best", "flow-lp"}, {"best", "round-robin"}, {"exact", "best"}},
		OwnGuarantees: true,
	}
}
