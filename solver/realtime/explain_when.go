package realtime

import (
	"fmt"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// when says what an entry waits for: first what keeps it from starting earlier on its slot, everything else unchanged,
// then the next such cause; if that is its job's maps, what the last map waits for; and the deadline.
func (x *explainer) when(i int32) []solver.Reason {
	list, by := x.binding(i), x.before[x.jobOf(i)]
	if !x.r.goal.serial && x.task == model.None && !x.isMap(i) && by != model.None && !x.ownRelease(i) {
		list = append(list, x.binding(by)...)
	}
	if x.in.Due[x.job] != realtime.NoDeadline {
		list = append(list, x.deadline())
	}
	return list
}

// binding is what keeps an entry from starting earlier, and the next such cause.
func (x *explainer) binding(i int32) []solver.Reason {
	e := x.entry(i)
	at, by := x.ownGap(i)
	switch {
	case at < e.Start:
		free := solver.Reason{Kind: solver.ReasonIdle, Task: x.id(i), Until: model.Number(at.String()),
			Text: fmt.Sprintf("nothing that is fixed: %s could start on %s at %s, not %s, all else as it is", x.id(i),
				x.slotName(i), at, e.Start)}
		return []solver.Reason{free, x.permits(i)}
	case by == model.None:
		return []solver.Reason{x.permits(i)}
	}
	return []solver.Reason{x.busy(i, by), x.permits(i)}
}

// permits is what an entry waits for apart from slots: its release, its job's maps, or the phase before.
func (x *explainer) permits(i int32) solver.Reason {
	in, j, at := x.in, x.jobOf(i), x.allowed(i)
	r := solver.Reason{Kind: solver.ReasonRelease, Job: x.jobID(j), Until: model.Number(at.String())}
	if first := x.firstPiece(i); at > x.fixed(i) {
		r.Kind, r.Task = solver.ReasonRank, x.id(first)
		r.Text = fmt.Sprintf("it is a further piece of %s, the first of which starts at %s on %s", r.Task,
			x.entry(first).Start, x.slotName(first))
		return r
	}
	by := x.before[j]
	switch {
	case x.isMap(i) && at > in.Release[j]:
		r.Task, r.Text = x.id(i), fmt.Sprintf("map %s is released at %s", x.id(i), at)
	case x.ownRelease(i):
		r.Task, r.Text = x.id(i), fmt.Sprintf("partition %s is released at %s", x.id(i), at)
	case x.isMap(i) || by == model.None && !x.r.goal.serial:
		r.Text = fmt.Sprintf("job %s arrives at %s", r.Job, at)
	case by == model.None:
		r.Kind, r.Text = solver.ReasonBarrier, fmt.Sprintf("the reduce phase of job %s is the first", r.Job)
	case x.r.goal.serial:
		r.Kind, r.Task, r.Job = solver.ReasonBarrier, x.id(by), x.jobID(x.jobOf(by))
		r.Text = fmt.Sprintf("reduce phases run one after another; that of job %s ends at %s with %s", r.Job, at, r.Task)
	default:
		r.Kind, r.Task = solver.ReasonBarrier, x.id(by)
		r.Text = fmt.Sprintf("partitions start after all maps of the job; the last, %s, ends at %s on %s", r.Task,
			x.entry(by).End, x.slotName(by))
		if d := in.Shuffle[x.entry(by).Task]; d > 0 {
			r.Text += fmt.Sprintf(", and its output has arrived at %s", at)
		}
	}
	return r
}

// ownRelease says that a partition may start only at its own release, which is after its job's maps.
func (x *explainer) ownRelease(i int32) bool {
	return !x.isMap(i) && x.fixed(i) > x.ready[x.jobOf(i)]
}

// busy says that another entry runs on the slot. If that began when this one could already run, it was served first;
// then busy adds the deadlines and laxities at that time.
func (x *explainer) busy(i, by int32) solver.Reason {
	b, mine, other := x.entry(by), x.jobOf(i), x.jobOf(by)
	r := solver.Reason{Kind: solver.ReasonMachine, Task: x.id(by), Job: x.jobID(other),
		Until: model.Number(b.End.String()), Text: fmt.Sprintf("%s is busy with %s of job %s until %s", x.slotName(i),
			x.id(by), x.jobID(other), b.End)}
	if b.Start < x.allowed(i) {
		r.Text += fmt.Sprintf(", which began at %s, when %s could not start yet", b.Start, x.id(i))
		return r
	}
	r.Kind = solver.ReasonRank
	r.Text += fmt.Sprintf(", which was served first at %s", b.Start)
	if mine != other {
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

// laxity is the time until a job is due minus the time that it still needs: its maps, all in parallel, and then its
// partitions, slot by slot, for as long as this schedule runs them.
//
// Source: DynamicShare, Eq. 3.   Differs: true times, as scheduled.
func (x *explainer) laxity(j int32, at model.Time) model.Time {
	in := x.in
	maps, longest, reduces := model.Time(0), model.Time(0), map[int32]model.Time{}
	for _, i := range x.byJob[j] {
		e := x.entry(i)
		left := e.End - max(e.Start, at)
		if !x.isMap(i) {
			reduces[e.Machine] += max(left, 0)
			longest = max(longest, reduces[e.Machine])
		} else if delay := in.Shuffle[e.Task]; e.End+delay > at {
			maps = max(maps, max(left, 0)+min(delay, e.End+delay-at))
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
	e := x.entry(i)
	at, by := x.ownGap(i)
	switch before := x.before[x.jobOf(i)]; {
	case at < e.Start:
		list = append(list, fmt.Sprintf("%s can start at %s without any other change", x.id(i), at))
	case by != model.None:
		list = append(list, fmt.Sprintf("to start before %s on %s, %s would have to end earlier or come later", e.Start,
			x.slotName(i), x.id(by)))
	case !x.isMap(i) && before != model.None && !x.ownRelease(i):
		list = append(list, fmt.Sprintf("to start before %s, %s would have to end earlier", e.Start, x.id(before)))
	}
	if x.ends.Job[x.job] > x.in.Due[x.job] {
		list = append(list, x.punctual())
	}
	return list
}

// punctual says what a late job would need to be on time.
func (x *explainer) punctual() string {
	due := x.in.Due[x.job]
	late := slices.DeleteFunc(slices.Clone(x.byJob[x.job]), func(i int32) bool { return x.entry(i).End <= due })
	text := fmt.Sprintf("job %s would be on time if %s ended by %s", x.jobID(x.job), solver.Names(late, x.id), due)
	if e := x.entry(late[0]); len(late) == 1 && due > e.Start {
		text += fmt.Sprintf(": if it took %s at most, not %s, or started by %s", due-e.Start, e.End-e.Start,
			max(0, due-(e.End-e.Start)))
	}
	return text
}

// gap is the earliest start from a time on at which a slot is free for a length, an entry left out; and the entry that
// it has to wait for, or None. Later reduce phases are not in the way: they follow.
func (x *explainer) gap(slot int32, from, length model.Time, without int32) (at model.Time, by int32) {
	at, by = from, model.None
	for _, k := range x.bySlot[slot] {
		e := x.entry(k)
		switch {
		case k == without || e.End <= at || x.phase(k) > x.phase(without):
		case e.Start >= at+length:
			return at, by
		default:
			at, by = e.End, k
		}
	}
	return at, by
}

// ownGap is the first gap on an entry's own slot in which it could run.
func (x *explainer) ownGap(i int32) (at model.Time, by int32) {
	e := x.entry(i)
	return x.gap(e.Machine, x.allowed(i), e.End-e.Start, i)
}

// phase numbers what runs before what, however the slots are ordered: maps first, then partitions, of goal partitions
// job by job.
func (x *explainer) phase(i int32) int32 {
	switch {
	case x.isMap(i):
		return -1
	case x.r.goal.serial:
		return x.jobOf(i)
	}
	return 0
}
