package engine

import (
	"math/rand/v2"

	"mrsched/instances"
	"mrsched/model"
)

var tenantColumns = []string{"jobs_per_hour", "turn_around", "cross_rack_bytes", "jain"}

// smallMultitenant makes instances of two or three racks; their optima are not known.
func smallMultitenant() *smallInstances {
	return &smallInstances{
		Generate: func(r *rand.Rand, k int) (*model.Workload, error) { return instances.SmallMultitenant(r, k) },
		Variants: []map[string]string{{}},
		NeverWorse: [][2]string{{"best", "fair"}, {"best", "delay"}, {"best", "drf"}, {"best", "shufflewatcher"},
			{"best", "sw-drf"}, {"best", "sw-relaxed"}},
	}
}
