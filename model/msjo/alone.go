package msjo

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/model"
)

// AloneBound is a lower bound on the completion of one job, whatever the other jobs do.
type AloneBound struct {
	Job int32 `json:"job"` // from 0, in the order of the workload
	AloneSet
}

// AloneSet is a set of tasks that run before some end, and what follows for that end. These are the tasks with a head
// of at least Head whose longest path to the end, after their own, is at least Tail. All of them run between Head and
// the end − Tail, so that with W their total length on m machines
//
//	end ≥ Head + ⌈W/m⌉ + Tail.
//
// If Count k is not 0, then there are at least k·m + 1 of them, and of the k·m + 1 longest some machine runs k + 1:
// end ≥ Head + the k + 1 shortest of these + Tail. With a Packing, they do not fit between two times that are no
// further apart than it says.
type AloneSet struct {
	Head    model.Time `json:"head"`
	Tail    model.Time `json:"tail"`
	Count   int        `json:"count,omitempty"`
	Packing *Packing   `json:"packing,omitempty"`
}

// AloneBounds is L_j by job: the largest of the critical path and of the given bounds, at most one
// a job in their order, with heads and tails by node as Windows says. Errors: a bound that does not hold.
func (in *Instance) AloneBounds(list []AloneBound, heads, tails []model.Time) ([]model.Time, error) {
	bounds := make([]model.Time, in.Jobs)
	for u, p := range in.Processing {
		bounds[in.Job[u]] = max(bounds[in.Job[u]], heads[u]+p+tails[u])
	}
	for i, b := range list {
		if i > 0 && b.Job <= list[i-1].Job { // the work stays linear in the tasks, whatever a certificate states
			return nil, fmt.Errorf("certificate: the bound of job %d follows that of job %d", b.Job, list[i-1].Job)
		}
		if b.Job < 0 || int(b.Job) >= in.Jobs || !b.inRange() {
			return nil, fmt.Errorf("certificate: bound of job %d from %s to %s", b.Job, b.Head, b.Tail)
		}
		value, err := in.aloneEnd(b.AloneSet, int(b.Job), heads, tails)
		if err != nil {
			return nil, fmt.Errorf("certificate: job %q %w", in.workload.Jobs[b.Job].ID, err)
		}
		bounds[b.Job] = max(bounds[b.Job], value)
	}
	return bounds, nil
}

// maxAlone bounds the ends of an AloneSet, so that sums fit.
const maxAlone = 2 * model.MaxHorizon

func (s *AloneSet) inRange() bool {
	return s.Head >= 0 && s.Tail >= 0 && s.Head <= maxAlone && s.Tail <= maxAlone
}

// aloneEnd evaluates a set of tasks of a job, given their heads and the longest paths after their ends by node, which
// are negative for tasks that do not belong to it. A set without tasks says nothing. Errors: the bound does not hold.
func (in *Instance) aloneEnd(s AloneSet, j int, head, tail []model.Time) (model.Time, error) {
	var lengths []model.Time
	for _, u := range in.JobNodes(j) {
		if int(u) < in.Tasks && head[u] >= s.Head && tail[u] >= s.Tail {
			lengths = append(lengths, in.Processing[u])
		}
	}
	m := in.Machines
	value := s.Head + s.Tail
	switch {
	case s.Packing != nil:
		if !s.Packing.Refutes(lengths, m) {
			return 0, fmt.Errorf("has tasks that may fit into %s", s.Packing.Within)
		}
		return value + s.Packing.Within + 1, nil
	case s.Count != 0:
		if s.Count < 0 || s.Count >= len(lengths) || len(lengths)-1 < s.Count*m {
			return 0, fmt.Errorf("has too few tasks for count %d", s.Count)
		}
		slices.SortFunc(lengths, func(a, b model.Time) int { return cmp.Compare(b, a) })
		last := s.Count * m
		for _, p := range lengths[last-s.Count : last+1] {
			value += p
		}
		return value, nil
	case len(lengths) == 0:
		return 0, nil
	}
	var work model.Time
	for _, p := range lengths {
		work += p
	}
	return value + (work+model.Time(m)-1)/model.Time(m), nil
}
