package realtime

import (
	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver/estimate"
)

// belief is what an algorithm thinks that tasks take: estimates, or the true times. It is safe for one goroutine only.
type belief interface {
	// time is what a map or partition is thought to take on a worker.
	time(task, worker int32) model.Time
}

// lined is a belief that may think that what a job's partitions take on a worker is on a line over their bytes. ok is
// false where there is none; else time is that of the line.
type lined interface {
	line(job, worker int32) (line estimate.Line, ok bool)
}

// truth is the belief of those who know.
type truth struct{ in *realtime.Instance }

func (t truth) time(task, worker int32) model.Time { return t.in.Time(task, worker) }

// believes makes the belief that --estimates names, once.
func (r *run) believes() (belief, error) {
	if r.belief != nil {
		return r.belief, nil
	}
	var b belief = truth{r.in}
	if kind := r.p.Text(estimatesParam); kind == "history" || kind == "auto" && len(r.in.Workload().History) > 0 {
		e, err := NewEstimator(r.in, int(r.p.Int(neighboursParam)))
		if err != nil {
			return nil, err
		}
		b = e
	}
	r.belief = b
	return b, nil
}
