package command

import (
	"math/rand/v2"

	"mrsched/instances"
	"mrsched/model"
)

// placementColumns are the metrics by which placements are compared, beside their fetching cost.
var placementColumns = []string{"cost_per_job"}

// smallReducePlace makes instances of all sources of slot costs.
func smallReducePlace() *smallInstances {
	return &smallInstances{
		generate: func(r *rand.Rand, k int) (*model.Workload, error) { return instances.SmallPlacement(r, k) },
		variants: []map[string]string{{}},
	}
}
