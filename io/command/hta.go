package command

import (
	"math/rand/v2"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/hta"
)

// localityColumns are the metrics by which assignments are compared, beside their makespan.
var localityColumns = []string{"node_local", "rack_local", "off_rack"}

// recordedHTA is where the traced cluster ran the maps that read a block: how near, and the makespan if it ran all
// maps of the instance on its servers.
func recordedHTA(view model.View, w *model.Workload) *model.Evaluation {
	in, ok := view.(*hta.Instance)
	if !ok {
		return nil
	}
	l, complete := in.Recorded(w)
	if l == nil {
		return nil
	}
	e := in.Evaluation(l)
	if !complete {
		e.Value = nil
	}
	return &e
}

// smallHTA makes instances of all shapes of remote costs and has them solved under every tie rule of round-robin.
func smallHTA() *smallInstances {
	return &smallInstances{
		generate:      func(r *rand.Rand, k int) (*model.Workload, error) { return instances.SmallHTA(r, k) },
		variants:      []map[string]string{{"tie": "first"}, {"tie": "random"}, {"tie": "worst"}},
		ownGuarantees: true,
	}
}
