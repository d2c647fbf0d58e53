package model

import "fmt"

// horizonSlack keeps rounding from calling a deadline loose.
const horizonSlack = 1 + 1e-9

// Loose lists the deadlines that no sensible schedule can miss: by then everything has run, one task after another on
// the slowest machine, from the last release on. Such a deadline often has a wrong unit. The list is empty if the
// workload does not say how long everything takes.
func (w *Workload) Loose() (found []Finding) {
	end, late := Time(-1), Time(0)
	for j := range w.Jobs {
		job := &w.Jobs[j]
		if !job.Deadline.Known {
			continue
		}
		if end < 0 {
			seconds, known := w.horizon()
			if !known || seconds*horizonSlack >= MaxTime.Seconds() {
				return nil
			}
			end, late = TimeOf(seconds), TimeOf(seconds*horizonSlack)
		}
		if due, fits := AddTime(job.Release, job.Deadline.Value); !fits || due > late {
			found = append(found, Finding{Code: CodeLoose, Pos: w.Where(TableJobs, j),
				What: fmt.Sprintf("the deadline %s of job %q changes nothing: even one after another on the slowest machine, "+
					"all tasks end by %s", job.Deadline.Value, job.ID, end),
				Expected: "a deadline that a schedule can miss",
				Hint:     "deadlines are seconds after the release: look for a wrong unit"})
		}
	}
	return found
}

// horizon is when everything ends, in seconds, that runs one after another on the slowest machine from the last release
// on; known is false if the workload leaves some duration open.
func (w *Workload) horizon() (seconds float64, known bool) {
	slowest := 1.0
	for i := range w.Topology {
		slowest = min(slowest, w.Topology[i].Speed.Or(1))
	}
	given := map[string]Time{} // by task or partition: the longest
	for _, t := range w.Times {
		given[t.Task] = max(given[t.Task], t.Time)
	}
	if len(w.Keys) > 0 || len(w.Parts) > 0 {
		return 0, false
	}
	last, work := Time(0), 0.0
	for j := range w.Jobs {
		job := &w.Jobs[j]
		if job.ImpliesReduces() || job.MapWork.Known || job.IntermediateBytes.Known && job.ReduceRate.Known {
			return 0, false // the tasks do not say everything
		}
		last = max(last, job.Release)
	}
	for i := range w.Tasks {
		t := &w.Tasks[i]
		job := &w.Jobs[t.Job]
		longest := given[t.ID].Seconds()
		rate := job.MapRate
		if t.Kind == Reduce {
			rate = job.ReduceRate
		}
		switch {
		case t.Processing.Known:
			longest = max(longest, t.Processing.Value.Seconds()/slowest)
		case rate.Known && t.InputBytes.Known:
			longest = max(longest, (job.TaskOverhead.Or(0).Seconds()+float64(t.InputBytes.Value)/rate.Value)/slowest)
		case longest == 0:
			return 0, false
		}
		last = max(last, t.Release.Or(0))
		work += longest + t.ShuffleDelay.Seconds()
	}
	for i := range w.Delays {
		work += w.Delays[i].Delay.Seconds()
	}
	return last.Seconds() + work, true
}
