package msjo

import (
	"errors"
	"fmt"
	"slices"

	"mrsched/model"
)

// NodeBound is a lower bound on the end of a node. It depends only on the node and its predecessors.
type NodeBound struct {
	Node int32 `json:"node"` // tasks in the order of the workload, then barriers in that of their jobs
	AloneSet
}

// groupWork bounds the nodes and arcs that a certificate's groups and bounds may visit for their paths, beyond a few
// visits of the whole instance.
const groupWork = 1 << 28

// affordableGroups says whether the paths to or from the given nodes can be found in reasonable time.
func (in *Instance) affordableGroups(nodes func(yield func(u int32))) bool {
	left := groupWork + 4*(in.Steps+len(in.SuccStep))
	nodes(func(u int32) {
		if u >= 0 && int(u) < in.Steps && left >= 0 {
			left -= in.GroupWork(u)
		}
	})
	return left >= 0
}

// GroupWork is the largest number of nodes and arcs that the paths to or from a node visit.
func (in *Instance) GroupWork(u int32) int {
	list := in.JobSteps(int(in.Job[u]))
	arcs := 0
	for _, v := range list {
		arcs += int(in.SuccFirst[v+1] - in.SuccFirst[v])
	}
	return len(list) + arcs
}

// PathsTo fills in, for the nodes of t's job, the longest path from the end of a node to the end of t. It is 0 for t
// itself and negative for nodes that are no predecessors of t.
func (in *Instance) PathsTo(t int32, path []model.Time) {
	list := in.JobSteps(int(in.Job[t]))
	for k := len(list) - 1; k >= 0; k-- {
		u := list[k]
		path[u] = -1
		if u == t {
			path[u] = 0
			continue
		}
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			if v := in.SuccStep[a]; path[v] >= 0 {
				path[u] = max(path[u], in.SuccDelay[a]+in.Least[v]+path[v])
			}
		}
	}
}

// Windows returns heads and tails by node that hold in every schedule: node u ends no earlier than its head + p_u, and
// its job ends at least the tail after that. Bounds in ends raise heads: a node starts after its predecessors have
// ended and its delays have passed. Bounds in starts raise tails. They are bounds of the same kind with time running
// backwards from the end of the job. Errors: a bound that does not hold.
func (in *Instance) Windows(ends, starts []NodeBound) (heads, tails []model.Time, err error) {
	heads, tails = in.Head, in.Tail
	if len(ends) > 0 {
		heads, err = in.raised(ends)
	}
	if len(starts) > 0 && err == nil {
		tails, err = in.Backwards().raised(starts)
	}
	return heads, tails, err
}

// Tightened is the instance with the heads, tails and completions of jobs alone that a certificate proves. It has the
// same schedules at the same costs. Errors: a bound that does not hold.
func (in *Instance) Tightened(c *Certificate) (*Instance, error) {
	var alone []AloneBound
	if c.TwoSided != nil {
		alone = c.TwoSided.Alone
	}
	out, err := *in, error(nil)
	if out.Head, out.Tail, err = in.Windows(c.Ends, c.Starts); err != nil {
		return nil, err
	}
	out.Alone, err = in.AloneBounds(alone, out.Head, out.Tail)
	return &out, err
}

// Backwards is the instance with time running backwards from the ends of the jobs. It has no releases and no objective.
func (in *Instance) Backwards() *Instance {
	out := *in
	out.Head, out.Tail = in.Tail, in.Head
	out.Topo = slices.Clone(in.Topo)
	for j := range in.Jobs {
		slices.Reverse(out.Topo[in.JobFirst[j]:in.JobEnd[j]])
	}
	out.SuccFirst, out.Preds = make([]int32, in.Steps+1), make([]int32, in.Steps)
	out.SuccStep, out.SuccDelay = make([]int32, len(in.SuccStep)), make([]model.Time, len(in.SuccDelay))
	for u := range in.Steps {
		out.Preds[u] = in.SuccFirst[u+1] - in.SuccFirst[u]
		out.SuccFirst[u+1] = out.SuccFirst[u] + in.Preds[u]
	}
	next := slices.Clone(out.SuccFirst[:in.Steps])
	for u := range int32(in.Steps) {
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			v := in.SuccStep[a]
			out.SuccStep[next[v]], out.SuccDelay[next[v]] = u, in.SuccDelay[a]
			next[v]++
		}
	}
	return &out
}

// raised returns the heads by node. The list has at most one bound per node, in the order of nodes. Each raises the
// head of its node and takes the raised heads of the nodes before it into account.
func (in *Instance) raised(list []NodeBound) ([]model.Time, error) {
	if !in.affordableGroups(func(yield func(u int32)) {
		for _, b := range list {
			yield(b.Node)
		}
	}) {
		return nil, errors.New("certificate: too many bounds of nodes")
	}
	stated := make([]*AloneSet, in.Steps)
	for i := range list {
		b := &list[i]
		if b.Node < 0 || int(b.Node) >= in.Steps || !b.inRange() || i > 0 && b.Node <= list[i-1].Node {
			return nil, fmt.Errorf("certificate: bound of node %d from %s to %s", b.Node, b.Head, b.Tail)
		}
		stated[b.Node] = &b.AloneSet
	}
	heads, path := slices.Clone(in.Head), make([]model.Time, in.Steps)
	for _, u := range in.Topo {
		if stated[u] != nil {
			in.PathsTo(u, path)
			end, err := in.aloneEnd(*stated[u], int(in.Job[u]), heads, path)
			if err != nil {
				return nil, fmt.Errorf("certificate: node %d %w", u, err)
			}
			heads[u] = max(heads[u], end-in.Least[u])
		}
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			v := in.SuccStep[a]
			heads[v] = max(heads[v], heads[u]+in.Least[u]+in.SuccDelay[a])
		}
	}
	return heads, nil
}
