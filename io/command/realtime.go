package command

import (
	"math/rand/v2"

	"mrsched/instances"
	"mrsched/model"
)

// realtimeColumns are the metrics by which schedules of goal deadlines and of goal partitions are compared.
var realtimeColumns = []string{"miss_rate", "tardiness", "balance"}

// smallRealtime makes instances of both goals and has them solved with estimates and with true times.
func smallRealtime() *smallInstances {
	return &smallInstances{
		generate: func(r *rand.Rand, k int) (*model.Workload, error) { return instances.SmallRealtime(r, k) },
		variants: []map[string]string{{"partitioner": "dp"}, {"partitioner": "hash"}},
	}
}
