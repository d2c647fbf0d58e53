package msjo

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"mrsched/model"
)

// AloneBound is a lower bound on the completion of one job, whatever the other jobs do.
type AloneBound struct {
	Job int32 `json:"job"` // from 0, in the order of the workload
	AloneSet
	// Refuted, if set, replaces AloneSet.
	Refuted *Refutation `json:"refuted,omitempty"`
}

// AloneSet is a set of tasks that all run before some end. It holds the tasks with a head of at least Head whose
// longest path to the end, after their own end, is at least Tail. All of them run between Head and end − Tail. So if W
// is their total length, on m machines
//
// end ≥ Head + ⌈W/m⌉ + Tail.
//
// If Count k is not 0, there are at least k·m + 1 such tasks. Some machine runs k + 1 of the k·m + 1 longest, so end ≥
// Head + the k + 1 shortest of these + Tail. A Packing proves that the tasks do not fit within the time that it states.
type AloneSet struct {
	Head    model.Time `json:"head"`
	Tail    model.Time `json:"tail"`
	Count   int        `json:"count,omitempty"`
	Packing *Packing   `json:"packing,omitempty"`
}

// AloneBounds returns L_j by job: the larger of the critical path and the given bound. The list has at most one bound
// per job, in the order of jobs. Heads and tails are by node, as Windows computes them. Errors: a bound that does not
// hold.
func (in *Instance) AloneBounds(list []AloneBound, heads, tails []model.Time) ([]model.Time, error) {
	bounds := slices.Clone(in.Alone)
	for u, p := range in.Least {
		bounds[in.Job[u]] = max(bounds[in.Job[u]], heads[u]+p+tails[u])
	}
	work := 0
	for i, b := range list {
		if i > 0 && b.Job <= list[i-1].Job { // keeps the work linear in the tasks
			return nil, fmt.Errorf("certificate: the bound of job %d follows that of job %d", b.Job, list[i-1].Job)
		}
		if b.Job < 0 || int(b.Job) >= in.Jobs || !b.inRange() {
			return nil, fmt.Errorf("certificate: bound of job %d from %s to %s", b.Job, b.Head, b.Tail)
		}
		if b.Refuted != nil {
			if work += in.tasksOf(b.Job) * min(b.Refuted.Nodes, MaxSearch); work > MaxSearch {
				return nil, errors.New("certificate: too large searches")
			}
			value, err := in.refute(b)
			if err != nil {
				return nil, err
			}
			bounds[b.Job] = max(bounds[b.Job], value)
			continue
		}
		value, err := in.aloneEnd(b.AloneSet, int(b.Job), heads, tails)
		if err != nil {
			return nil, fmt.Errorf("certificate: job %q %w", in.Workload().Jobs[b.Job].ID, err)
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

// aloneEnd returns the end that a set of a job's tasks proves. It takes heads and the longest paths after the ends by
// node; a path is negative for tasks outside the set's job. A set without tasks proves nothing. Errors: the bound does
// not hold.
func (in *Instance) aloneEnd(s AloneSet, j int, head, tail []model.Time) (model.Time, error) {
	var lengths []model.Time
	for _, u := range in.JobSteps(j) {
		if int(u) < in.Tasks && head[u] >= s.Head && tail[u] >= s.Tail {
			lengths = append(lengths, in.Least[u])
		}
	}
	m := in.Nodes
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
