package msjo

import (
	"cmp"
	"context"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
)

const (
	// nodePaths bounds the nodes and arcs visited to find the tasks before nodes, over all jobs.
	nodePaths = 50_000_000
	// nodeWork bounds the steps of all searches, as aloneWork does for one job.
	nodeWork = 400_000_000
)

// nodeBounds finds, for the nodes of every job, the sets of earlier tasks that raise their earliest ends. It looks at
// barriers, and in other jobs at evenly spread nodes, as many as the limits and ctx allow.
func nodeBounds(ctx context.Context, in *msjo.Instance) (list []msjo.NodeBound) {
	into := func(u int32) int32 { return in.Preds[u] }
	heads, path := slices.Clone(in.Head), make([]model.Time, in.Steps)
	for j := range in.Jobs {
		nodes := in.JobSteps(j)
		tried := meetings(in, j, nodePaths/max(1, in.Jobs), into)
		work := nodeWork / max(1, in.Jobs) / max(1, len(tried))
		for _, u := range nodes {
			if len(tried) > 0 && tried[0] == u && ctx.Err() == nil {
				tried = tried[1:]
				s := aloneSearch{ctx: ctx, machines: in.Nodes, p: in.Least, head: heads, tail: path,
					value: heads[u] + in.Least[u], work: work, packing: work}
				in.PathsTo(u, path)
				for _, v := range nodes {
					if path[v] >= 0 && v < int32(in.Tasks) && in.Least[v] > 0 {
						s.tasks = append(s.tasks, v)
					}
				}
				if len(s.tasks) > in.Nodes { // otherwise the critical path proves as much
					s.run()
				}
				if s.value > heads[u]+in.Least[u] {
					heads[u] = s.value - in.Least[u]
					list = append(list, msjo.NodeBound{Node: u, AloneSet: s.best})
				}
			}
			for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
				v := in.SuccStep[a]
				heads[v] = max(heads[v], heads[u]+in.Least[u]+in.SuccDelay[a])
			}
		}
	}
	slices.SortFunc(list, func(a, b msjo.NodeBound) int { return cmp.Compare(a.Node, b.Node) })
	return list
}

// meetings are the nodes of a job at which two or more arcs meet, in topological order. If finding the paths to all of
// them exceeds the work limit, it returns evenly spread ones and the last.
func meetings(in *msjo.Instance, j, work int, arcs func(u int32) int32) (list []int32) {
	for _, u := range in.JobSteps(j) {
		if arcs(u) > 1 {
			list = append(list, u)
		}
	}
	if len(list) == 0 {
		return nil
	}
	most := max(1, work/in.GroupWork(list[0]))
	if len(list) <= most {
		return list
	}
	last := list[len(list)-1]
	list = sampled(list, most)
	list[len(list)-1] = last
	return list
}
