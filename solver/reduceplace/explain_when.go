package reduceplace

import (
	"fmt"

	"mrsched/model"
	"mrsched/solver"
)

// turn is the situation just before a job starts later than it arrives.
type turn struct {
	running int     // jobs
	held    int     // slots
	ended   []int32 // the jobs that end when it starts, by index
	head    int32   // of the jobs that start then and had to wait, the first to arrive
}

// ahead describes what a waiting job waits for. Jobs without length hold nothing.
func (x *explainer) ahead(j int32) turn {
	in, at := x.in, x.in.Start[j]
	q := turn{head: j}
	for i := range int32(in.Jobs) {
		if in.Start[i] >= at || in.End[i] < at {
			continue
		}
		q.running++
		q.held += int(in.Reduces[i])
		if in.End[i] == at {
			q.ended = append(q.ended, i)
		}
	}
	for _, i := range in.Order {
		if in.Start[i] == at && in.Arrival[i] < at {
			q.head = i
			break
		}
	}
	return q
}

func (q *turn) endings(id func(int32) string) string {
	if len(q.ended) == 1 {
		return fmt.Sprintf("job %s ends", id(q.ended[0]))
	}
	return fmt.Sprintf("jobs %s end", solver.Names(q.ended, id))
}

// when says what a job waits for, the binding reason first: its arrival, one of the jobs that share the map phase, free
// slots, or the job before it.
func (x *explainer) when(j int32) []solver.Reason {
	in, at := x.in, x.in.Start[j]
	release := solver.Reason{Kind: solver.ReasonRelease, Job: in.JobID(j), Until: model.Number(in.Arrival[j].String()),
		Text: fmt.Sprintf("job %s arrives at %s", in.JobID(j), in.Arrival[j])}
	if at == in.Arrival[j] {
		release.Text += " and starts at once"
		return []solver.Reason{release}
	}
	q := x.ahead(j)
	ends := q.endings(in.JobID)
	wait := solver.Reason{Kind: solver.ReasonMachine, Until: model.Number(at.String()), Job: in.JobID(q.ended[0])}
	rank := solver.Reason{Kind: solver.ReasonRank, Until: wait.Until, Job: in.JobID(q.head),
		Text: fmt.Sprintf("jobs start in the order in which they arrive, and job %s, which came before, waits until %s",
			in.JobID(q.head), at)}
	free := in.Slots - q.held
	switch {
	case q.running >= in.MaxRunning:
		wait.Text = fmt.Sprintf("%d %s may run at a time, and as many do until %s at %s", in.MaxRunning,
			model.Plural(in.MaxRunning, "job"), ends, at)
		return x.without(j, []solver.Reason{wait, rank, release})
	case free < int(in.Reduces[j]):
		wait.Text = fmt.Sprintf("it needs %d %s and %d of %d are free until %s at %s", in.Reduces[j],
			model.Plural(int(in.Reduces[j]), "slot"), free, in.Slots, ends, at)
		return x.without(j, []solver.Reason{wait, rank, release})
	}
	wait.Text = fmt.Sprintf("job %s needs %d %s and %d of %d are free until %s at %s", in.JobID(q.head),
		in.Reduces[q.head], model.Plural(int(in.Reduces[q.head]), "slot"), free, in.Slots, ends, at)
	return []solver.Reason{rank, wait, release}
}

// without leaves out "the job before it is served first" if there is none.
func (x *explainer) without(j int32, list []solver.Reason) []solver.Reason {
	kept := list[:0]
	for _, r := range list {
		if r.Kind != solver.ReasonRank || r.Job != x.in.JobID(j) {
			kept = append(kept, r)
		}
	}
	return kept
}

// sooner is what would let a waiting job start earlier.
func (x *explainer) sooner() string {
	in, j := x.in, x.job
	q := x.ahead(j)
	at, ends := in.Start[j], "job "+solver.Names(q.ended, in.JobID)
	if len(q.ended) > 1 { // some of them may do
		ends = "one or more of jobs " + solver.Names(q.ended, in.JobID)
	}
	free := in.Slots - q.held
	switch {
	case q.running >= in.MaxRunning:
		return fmt.Sprintf("to start before %s, %s would have to end earlier, or more than %d %s run at a time "+
			"(--max-running-jobs)", at, ends, in.MaxRunning, model.Plural(in.MaxRunning, "job"))
	case free < int(in.Reduces[q.head]):
		return fmt.Sprintf("to start before %s, %s would have to end earlier, or there be %d more %s", at, ends,
			int(in.Reduces[q.head])-free, model.Plural(int(in.Reduces[q.head])-free, "slot"))
	}
	return fmt.Sprintf("to start before %s, %s would have to end earlier", at, ends)
}
