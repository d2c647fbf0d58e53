package realtime

import (
	"mrsched/model"
	"mrsched/solver/estimate"
)

// belief is how long an algorithm expects tasks to take: an *Estimator, or the instance itself, which knows the true
// times. It is safe for one goroutine only.
type belief interface {
	Time(task, worker int32) model.Time
}

// lined is a belief that may expect the times of a job's partitions on a worker to lie on a line over their bytes. If
// ok is true, Time agrees with the line.
type lined interface {
	line(job, worker int32) (line estimate.Line, ok bool)
}

// believes makes the belief that --estimates asks for, once.
func (r *run) believes() (belief, error) {
	if r.belief != nil {
		return r.belief, nil
	}
	var b belief = r.in
	if kind := r.p.estimates; kind == "history" || kind == "auto" && len(r.in.Workload().History) > 0 {
		e, err := NewEstimator(r.in, int(r.p.maxNeighbours))
		if err != nil {
			return nil, err
		}
		b = e
	}
	r.belief = b
	return b, nil
}
