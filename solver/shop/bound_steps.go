package shop

import (
	"cmp"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
)

// stepPaths bounds the steps and arcs visited to find the tasks before steps, over all jobs.
const stepPaths = 50_000_000

// steps finds, for the steps of every job, the sets of earlier tasks that raise their earliest ends. It looks at
// barriers, and on identical machines at evenly spread steps where arcs meet, as many as the limits and ctx allow.
func (s *aloneSearch) steps(in *shop.Instance) (list []shop.StepBound) {
	heads, path := slices.Clone(in.Head), make([]model.Time, in.Steps)
	var before []int32
	for j := range in.Jobs {
		tried := meetings(in, j, stepPaths/max(1, in.Jobs))
		work := setsWork / max(1, in.Jobs) / max(1, len(tried))
		for _, u := range in.JobSteps(j) {
			end := heads[u] + in.Least[u]
			if len(tried) > 0 && tried[0] == u && s.ctx.Err() == nil {
				tried = tried[1:]
				in.PathsTo(u, path)
				before = before[:0]
				for _, v := range in.JobSteps(j) {
					if path[v] >= 0 && v < int32(in.Tasks) && in.Least[v] > 0 && !in.Fixed(v) {
						before = append(before, v)
					}
				}
				if s.find(before, heads, path, end, work) {
					end = s.value
					list = append(list, shop.StepBound{Step: u, AloneSet: s.best})
				}
			}
			for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
				v := in.SuccStep[a]
				heads[v] = max(heads[v], end+in.SuccDelay[a])
			}
			heads[u] = end - in.Least[u]
		}
	}
	slices.SortFunc(list, func(a, b shop.StepBound) int { return cmp.Compare(a.Step, b.Step) })
	return list
}

// meetings are the steps of a job at which two or more arcs meet, in topological order; without identical machines only
// barriers. If finding the paths to all of them exceeds the work limit, it returns evenly spread ones and the last.
func meetings(in *shop.Instance, j, work int) (list []int32) {
	for _, u := range in.JobSteps(j) {
		if in.Preds[u] > 1 && (in.Identical || int(u) >= in.Tasks) {
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
