package realtime

import (
	"fmt"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver/explain"
)

// latePrices are the work that the job does, if it is on time, in each window of the certificate that it is in; none if
// the proof does not need the job. If the job is late in every schedule, it says so.
func (x *explainer) latePrices() error {
	in, late := x.in, x.c.Late
	if in.Due[x.Job] == realtime.NoDeadline {
		return nil
	}
	l, err := in.Lateness(late.Prices)
	if err != nil {
		return err
	}
	if l.Sure[x.Job] {
		x.When(explain.Necessary, in.Due[x.Job], model.None, "job %s is late in every schedule, whatever else runs: %s",
			x.JobID(x.Job), alone(in, l, x.Job))
	}
	for _, w := range late.Windows {
		jobs := l.Inside(w)
		if !slices.Contains(jobs, x.Job) {
			continue
		}
		o := findOverload(in, l, late.Prices, w, jobs)
		x.Price(fmt.Sprintf("window %s to %s", w.From, w.Until), o.seconds(l.Work[w.Price][x.Job]),
			"s of a slot of %s is what job %s needs for its %s to be on time; of the %d jobs that come and are due from %s "+
				"to %s at least %d must be late: %s", o.worker(in), x.JobID(x.Job), o.kinds(), len(jobs), x.At(w.From),
			x.At(w.Until),
			l.Misses(w, jobs), o.text())
	}
	return nil
}

// phasePrices are what the job's phase takes at least.
func (x *explainer) phasePrices() error {
	phase, before := &x.c.Phases[slices.Index(x.r.activeJobs(), x.Job)], model.Time(0)
	if k := x.phase(x.Job, -1); k >= 0 {
		before = x.Done[k]
	}
	x.Price("phase", model.Number(phase.Time.String()), "s is what the reduce phase of job %s takes at least; here it "+
		"takes %s s", x.JobID(x.Job), x.Done[x.Job]-before)
	return nil
}
