package msjo

import (
	"mrsched/model"
	"mrsched/model/cluster"
)

// Instance is the dense view of a workload on identical machines. It is immutable and safe for concurrent reading.
type Instance struct {
	cluster.Instance
	refuted   *refutations
	remaining *Instance // under replan: the instance that certificates refer to
}

// New builds the instance for a number of machines. With 0 it takes the workload's scalar `machines`, or else all slots
// of its topology. Errors are *model.InputError.
func New(w *model.Workload, machines int64) (*Instance, error) {
	in, err := cluster.NewIdentical(w, machines)
	if err != nil {
		return nil, err
	}
	return &Instance{Instance: *in, refuted: &refutations{}}, nil
}

// TwiceMidpoint is 2·e_u: twice the latest midpoint of task u if its job completes at Alone.
func (in *Instance) TwiceMidpoint(u int32) int64 {
	return 2*int64(in.Alone[in.Job[u]]-in.Tail[u]) - int64(in.Least[u])
}

// Ordered reports whether no task is longer than a successor: p_u ≤ p_v on every precedence path. MarS has factor 3
// under this premise.
func (in *Instance) Ordered() bool {
	longest := make([]model.Time, in.Steps) // of a node and its ancestors
	for _, u := range in.Topo {
		if u < int32(in.Tasks) {
			if longest[u] > in.Least[u] {
				return false
			}
			longest[u] = in.Least[u]
		}
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			v := in.SuccStep[a]
			longest[v] = max(longest[v], longest[u])
		}
	}
	return true
}
