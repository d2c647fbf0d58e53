package msjo

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"mrsched/model"
)

// AloneBound is a lower bound on the completion of one job, whatever the other jobs do. It looks at the job's tasks
// with Head ≥ Head and Tail ≥ Tail, of total length W on m machines. They run between Head and C_j − Tail, so that
//
//	C_j ≥ Head + ⌈W/m⌉ + Tail.
//
// If Count k is not 0, then there are at least k·m + 1 of them, and of the k·m + 1 longest some machine runs k + 1:
// C_j ≥ Head + the k + 1 shortest of these + Tail.
type AloneBound struct {
	Job   int32      `json:"job"` // from 0, in the order of the workload
	Head  model.Time `json:"head"`
	Tail  model.Time `json:"tail"`
	Count int        `json:"count,omitempty"`
	// Refuted, if set, stands instead of Head, Tail and Count.
	Refuted *Refutation `json:"refuted,omitempty"`
}

// AloneBounds is L_j by job: the largest of the critical path and of the given bounds, at most one
// a job in their order. Errors: a bound that does not hold.
func (in *Instance) AloneBounds(list []AloneBound) ([]model.Time, error) {
	bounds := slices.Clone(in.Alone)
	work := 0
	for i, b := range list {
		if i > 0 && b.Job <= list[i-1].Job { // the work stays linear in the tasks, whatever a certificate states
			return nil, fmt.Errorf("certificate: the bound of job %d follows that of job %d", b.Job, list[i-1].Job)
		}
		if b.Job < 0 || int(b.Job) >= in.Jobs || b.Head < 0 || b.Tail < 0 || b.Head > maxAlone || b.Tail > maxAlone {
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
		value, ok := in.aloneBound(b)
		if !ok {
			return nil, fmt.Errorf("certificate: job %q has too few tasks for count %d", in.workload.Jobs[b.Job].ID, b.Count)
		}
		bounds[b.Job] = max(bounds[b.Job], value)
	}
	return bounds, nil
}

// maxAlone bounds the ends of an AloneBound, so that sums fit.
const maxAlone = 2 * model.MaxHorizon

// aloneBound evaluates a bound; ok is false if it does not hold, because there are too few tasks. A bound on no tasks
// says nothing.
func (in *Instance) aloneBound(b AloneBound) (value model.Time, ok bool) {
	var lengths []model.Time
	var work model.Time
	for _, u := range in.JobNodes(int(b.Job)) {
		if int(u) < in.Tasks && in.Head[u] >= b.Head && in.Tail[u] >= b.Tail {
			lengths = append(lengths, in.Processing[u])
			work += in.Processing[u]
		}
	}
	if b.Count == 0 {
		if len(lengths) == 0 {
			return 0, true
		}
		m := model.Time(in.Machines)
		return b.Head + (work+m-1)/m + b.Tail, true
	}
	if b.Count < 0 || b.Count >= len(lengths) || len(lengths)-1 < b.Count*in.Machines {
		return 0, false
	}
	slices.SortFunc(lengths, func(a, b model.Time) int { return cmp.Compare(b, a) })
	last := b.Count * in.Machines
	value = b.Head + b.Tail
	for _, p := range lengths[last-b.Count : last+1] {
		value += p
	}
	return value, true
}
