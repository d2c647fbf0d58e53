package command

import (
	"math/rand/v2"

	"mrsched/instances"
	"mrsched/model"
)

// tenantColumns are the metrics by which schedules are compared, beside their makespan.
var tenantColumns = []string{"jobs_per_hour", "turn_around", "cross_rack_bytes", "jain"}

// smallMultitenant makes instances of one to three racks.
func smallMultitenant() *smallInstances {
	return &smallInstances{
		generate: func(r *rand.Rand, k int) (*model.Workload, error) { return instances.SmallMultitenant(r, k) },
		variants: []map[string]string{{}},
	}
}
