package realtime

import (
	"fmt"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// when says what an entry waits for: first what keeps it from starting earlier on its slot, all else as it is, then
// what would do so next; if that is its job's maps, what the last of these waits for; and the deadline.
func (x *explainer) when(i int32) []solver.Reason {
	in := x.in
	list := x.binding(i)
	t := int32(x.entry(i).Task)
	by := x.before[in.JobOf(t)]
	if in.Goal == realtime.Deadlines && x.task == model.None && !in.IsMap(t) && by != model.None && !x.ownRelease(i) {
		list = append(list, x.binding(by)...)
	}
	if in.Goal == realtime.Deadlines && in.Due[x.job] != realtime.NoDeadline {
		list = append(list, x.deadline())
	}
	return list
}

// binding is what keeps an entry from starting earlier, and what would do so next.
func (x *explainer) binding(i int32) []solver.Reason {
	e := x.entry(i)
	allowed := x.allowed(i)
	at, by := x.gap(e.Machine, allowed, e.End-e.Start, i)
	if at < e.Start {
		free := solver.Reason{Kind: solver.ReasonIdle, Task: x.id(i), Until: model.Number(at.String()),
			Text: fmt.Sprintf("nothing that is fixed: %s could start on %s at %s, not %s, all else as it is", x.id(i),
				x.in.MachineName(e.Machine), at, e.Start)}
		return []solver.Reason{free, x.permits(i)}
	}
	if by == model.None {
		return []solver.Reason{x.permits(i)}
	}
	return []solver.Reason{x.busy(i, by), x.permits(i)}
}

// permits is what an entry waits for whatever slots do: its release, its job's maps, or the phase before.
func (x *explainer) permits(i int32) solver.Reason {
	in, t := x.in, int32(x.entry(i).Task)
	j, at := in.JobOf(t), x.allowed(i)
	r := solver.Reason{Kind: solver.ReasonRelease, Job: x.jobID(j), Until: model.Number(at.String())}
	if first := x.firstPiece(i); at > x.fixed(i) {
		r.Kind, r.Task = solver.ReasonRank, x.id(first)
		r.Text = fmt.Sprintf("it is a further piece of %s, the first of which starts at %s on %s", r.Task,
			x.entry(first).Start, x.in.MachineName(x.entry(first).Machine))
		return r
	}
	by := x.before[j]
	switch {
	case in.IsMap(t) && at > in.Release[j]:
		r.Task, r.Text = x.id(i), fmt.Sprintf("map %s is released at %s", x.id(i), at)
	case x.ownRelease(i):
		r.Task, r.Text = x.id(i), fmt.Sprintf("partition %s is released at %s", x.id(i), at)
	case in.IsMap(t) || by == model.None && in.Goal == realtime.Deadlines:
		r.Text = fmt.Sprintf("job %s arrives at %s", r.Job, at)
	case by == model.None:
		r.Kind, r.Text = solver.ReasonBarrier, fmt.Sprintf("the reduce phase of job %s is the first", r.Job)
	case in.Goal == realtime.Partitions:
		r.Kind, r.Task, r.Job = solver.ReasonBarrier, x.id(by), x.jobID(in.JobOf(int32(x.entry(by).Task)))
		r.Text = fmt.Sprintf("reduce phases run one after another; that of job %s ends at %s with %s", r.Job, at, r.Task)
	default:
		r.Kind, r.Task = solver.ReasonBarrier, x.id(by)
		r.Text = fmt.Sprintf("partitions start after all maps of the job; the last, %s, ends at %s on %s", r.Task,
			x.entry(by).End, in.MachineName(x.entry(by).Machine))
		if d := in.Shuffle[x.entry(by).Task]; d > 0 {
			r.Text += fmt.Sprintf(", and its output has arrived at %s", at)
		}
	}
	return r
}

// ownRelease says that a partition may start only at its own release, which is after its job's maps.
func (x *explainer) ownRelease(i int32) bool {
	t := int32(x.entry(i).Task)
	return !x.in.IsMap(t) && x.fixed(i) > x.ready[x.in.JobOf(t)]
}

// busy is that another entry runs on the slot. If it began when the entry could already run, it was served first: then
// it tells deadlines and laxities at that time.
func (x *explainer) busy(i, by int32) solver.Reason {
	in, e, b := x.in, x.entry(i), x.entry(by)
	mine, other := in.JobOf(int32(e.Task)), in.JobOf(int32(b.Task))
	r := solver.Reason{Kind: solver.ReasonMachine, Task: x.id(by), Job: x.jobID(other),
		Until: model.Number(b.End.String()),
		Text: fmt.Sprintf("%s is busy with %s of job %s until %s", in.MachineName(e.Machine), x.id(by),
			x.jobID(other), b.End)}
	if b.Start < x.allowed(i) {
		r.Text += fmt.Sprintf(", which began at %s, when %s could not start yet", b.Start, x.id(i))
		return r
	}
	r.Kind = solver.ReasonRank
	r.Text += fmt.Sprintf(", which was served first at %s", b.Start)
	if in.Goal == realtime.Deadlines && mine != other {
		r.Text += fmt.Sprintf(": job %s %s, job %s %s", r.Job, x.urgency(other, b.Start), x.jobID(mine),
			x.urgency(mine, b.Start))
	}
	return r
}

// urgency says when a job is due and its laxity at a time.
func (x *explainer) urgency(j int32, at model.Time) string {
	if x.in.Due[j] == realtime.NoDeadline {
		return "has no deadline"
	}
	return fmt.Sprintf("was due at %s with a laxity of %s", x.in.Due[j], x.laxity(j, at))
}

// laxity is how much longer than it takes a job has at a time until it is due: its maps, all at once, and then its
// partitions, slot by slot, take what they take where this schedule has them; of those under way, what is left.
//
// Source: DynamicShare, Eq. 3.   Differs: true times, as scheduled.
func (x *explainer) laxity(j int32, at model.Time) model.Time {
	in := x.in
	maps, reduces := model.Time(0), map[int32]model.Time{}
	longest := model.Time(0)
	for _, i := range x.byJob[j] {
		e := x.entry(i)
		t := int32(e.Task)
		left := e.End - max(e.Start, at)
		switch {
		case in.IsMap(t) && e.End+in.Shuffle[t] > at:
			maps = max(maps, max(left, 0)+min(in.Shuffle[t], e.End+in.Shuffle[t]-at))
		case !in.IsMap(t) && left > 0:
			reduces[e.Machine] += left
			longest = max(longest, reduces[e.Machine])
		}
	}
	return in.Due[j] - at - maps - longest
}

// deadline says how the job stands to its deadline.
func (x *explainer) deadline() solver.Reason {
	j := x.job
	due, end := x.in.Due[j], x.ends.Job[j]
	r := solver.Reason{Kind: solver.ReasonDeadline, Job: x.jobID(j), Until: model.Number(due.String())}
	if end > due {
		r.Text = fmt.Sprintf("job %s is due at %s and ends at %s, %s late", r.Job, due, end, end-due)
	} else {
		r.Text = fmt.Sprintf("job %s is due at %s and ends at %s, with %s to spare", r.Job, due, end, due-end)
	}
	return r
}

// changes says what would let an entry start earlier, and a late job be on time.
func (x *explainer) changes(i int32) (list []string) {
	in, e := x.in, x.entry(i)
	allowed := x.allowed(i)
	at, by := x.gap(e.Machine, allowed, e.End-e.Start, i)
	switch before := x.before[in.JobOf(int32(e.Task))]; {
	case at < e.Start:
		list = append(list, fmt.Sprintf("%s can start at %s without any other change", x.id(i), at))
	case by != model.None:
		list = append(list, fmt.Sprintf("to start before %s on %s, %s would have to end earlier or come later", e.Start,
			in.MachineName(e.Machine), x.id(by)))
	case !in.IsMap(int32(e.Task)) && before != model.None && !x.ownRelease(i):
		list = append(list, fmt.Sprintf("to start before %s, %s would have to end earlier", e.Start, x.id(before)))
	}
	if in.Goal == realtime.Deadlines && x.ends.Job[x.job] > in.Due[x.job] {
		list = append(list, x.punctual())
	}
	return list
}

// punctual says what a late job would need to be on time.
func (x *explainer) punctual() string {
	due := x.in.Due[x.job]
	var late []int32
	for _, i := range x.byJob[x.job] {
		if x.entry(i).End > due {
			late = append(late, i)
		}
	}
	text := fmt.Sprintf("job %s would be on time if %s ended by %s", x.jobID(x.job), solver.Names(late, x.id), due)
	if e := x.entry(late[0]); len(late) == 1 && due > e.Start {
		text += fmt.Sprintf(": if it took %s at most, not %s, or started by %s", due-e.Start, e.End-e.Start,
			max(0, due-(e.End-e.Start)))
	}
	return text
}
