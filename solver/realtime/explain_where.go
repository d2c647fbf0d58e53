package realtime

import (
	"fmt"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// where says why an entry is on its slot: what its task takes on which worker, in truth and as expected; for a
// partition also which partitioner made it and where the job's others are; and when faster workers had time for it.
func (x *explainer) where(i int32) (list []solver.Reason, err error) {
	in, t, w := x.in, x.taskOf(i), x.worker(i)
	groups, takes := x.timesOf(t), in.Time(t, w)
	text := fmt.Sprintf("%s takes %s on %s", x.id(i), takes, in.WorkerName(w))
	others := slices.DeleteFunc(slices.Clone(groups), func(g timeGroup) bool { return g.time == takes })
	if len(others) > 0 {
		text += "; " + solver.Names(others, func(g timeGroup) string {
			return fmt.Sprintf("%s on %s", g.time, solver.Names(g.workers, in.WorkerName))
		})
	} else {
		text += ", as everywhere"
	}
	list = append(list, solver.Reason{Kind: solver.ReasonPlace, Text: text, Task: x.id(i)})
	b, err := x.r.expects()
	if err != nil {
		return nil, err
	}
	if expected := b.Time(t, w); expected != takes {
		list = append(list, solver.Reason{Kind: solver.ReasonPlace,
			Text: fmt.Sprintf("the table history lets one expect %s on %s, not %s", expected, in.WorkerName(w), takes)})
	}
	if !in.IsMap(t) {
		list = append(list, x.data(i))
	}
	return append(list, x.faster(i, groups)...), nil
}

// timeGroup is a group of workers on which a task takes equally long.
type timeGroup struct {
	time    model.Time
	workers []int32
}

// timesOf groups the workers with slots for a task by what it takes there, the least first.
func (x *explainer) timesOf(t int32) (groups []timeGroup) {
	workers := workersFor(x.in, x.in.KindOf(t))
	for _, w := range sortBy(workers, func(w int32) model.Time { return x.in.Time(t, w) }) {
		p := x.in.Time(t, w)
		if n := len(groups); n == 0 || groups[n-1].time < p {
			groups = append(groups, timeGroup{time: p})
		}
		g := &groups[len(groups)-1]
		g.workers = append(g.workers, w)
	}
	return groups
}

// data says how much of its job's data a partition has, and which partitioner made it.
func (x *explainer) data(i int32) solver.Reason {
	in, j, set := x.in, x.jobOf(i), x.in.SetOf(x.taskOf(i))
	sum := model.Bytes(0)
	for _, v := range in.Bytes[set.First : set.First+set.Count] {
		sum += v
	}
	by := "as the workload states them"
	if set.Row > 0 {
		by = fmt.Sprintf("by row %d of the sketch", set.Row)
	} else if len(in.SetsOf(j)) > 1 {
		by = "by Hadoop's hash"
	}
	beside, near := 0, "it is alone on its slot"
	var slots []int32
	for _, k := range x.byJob[j] {
		if x.isMap(k) {
			continue
		}
		slots = append(slots, x.entry(k).Machine)
		if x.entry(k).Machine == x.entry(i).Machine && x.taskOf(k) != x.taskOf(i) {
			beside++
		}
	}
	slices.Sort(slots)
	if beside > 0 {
		near = fmt.Sprintf("%d other %s on the same slot", beside, model.Plural(beside, "row"))
	}
	has := "sizes of partitions are not stated; the processing times of listed reduces count"
	if sum > 0 {
		has = fmt.Sprintf("it has %s of the job's %s bytes in %s %s", in.Bytes[x.taskOf(i)], sum,
			model.Counted(set.Count, "partition"), by)
	}
	return solver.Reason{Kind: solver.ReasonData, Job: x.jobID(j),
		Text: fmt.Sprintf("%s; %s; the job has %s and uses %s", has, near, model.Counted(in.Reducers[j], "reducer"),
			solver.Names(slices.Compact(slots), in.MachineName))}
}

// faster says, for the fastest workers on which an entry's task takes less, when it could have run there in the first
// gap that it fits in. Unlike the alternatives, this pushes nothing back.
func (x *explainer) faster(i int32, groups []timeGroup) (list []solver.Reason) {
	takes := x.in.Time(x.taskOf(i), x.worker(i))
	if x.pieces(x.taskOf(i)) > 1 {
		return nil
	}
	for _, g := range groups {
		for _, w := range g.workers {
			if g.time < takes && len(list) < solver.Listed {
				list = append(list, x.fasterOn(i, w, g.time))
			}
		}
	}
	return list
}

// fasterOn says when an entry could have run on another worker.
func (x *explainer) fasterOn(i, worker int32, takes model.Time) solver.Reason {
	in, t := x.in, x.taskOf(i)
	slot, at, by := int32(-1), model.Time(0), int32(model.None)
	for _, s := range in.SlotsFor(in.KindOf(t)) {
		if in.WorkerOf[s] != worker {
			continue
		}
		if a, k := x.gap(s, x.allowed(i), takes, i); slot < 0 || a < at {
			slot, at, by = s, a, k
		}
	}
	r := solver.Reason{Kind: solver.ReasonMachine, Until: model.Number(at.String())}
	phase, busy, than := "", "", "not before"
	if x.r.goal.serial { // later phases follow this one
		phase = "of its reduce phase "
	}
	if by != model.None {
		r.Task, r.Job = x.id(by), x.jobID(x.jobOf(by))
		busy = fmt.Sprintf(", after %s of job %s", r.Task, r.Job)
	}
	if at+takes < x.entry(i).End {
		than = "before"
	}
	r.Text = fmt.Sprintf("on %s, with nothing %spushed back, it could start at %s%s, and end at %s, %s the %s at which "+
		"it ends here", in.MachineName(slot), phase, at, busy, at+takes, than, x.entry(i).End)
	if j := x.jobOf(i); x.tooMany([]int32{i}, slot) {
		r.Text += fmt.Sprintf("; but with that slot its job would use more than its %d %s", in.Reducers[j],
			model.Plural(in.Reducers[j], "reducer"))
	}
	return r
}

// tooMany reports whether a job that moves some entries to a slot would use more slots for partitions than it has
// reducers.
func (x *explainer) tooMany(block []int32, slot int32) bool {
	if x.isMap(block[0]) {
		return false
	}
	j, used := x.jobOf(block[0]), map[int32]bool{slot: true}
	for _, k := range x.byJob[j] {
		if !x.isMap(k) && !slices.Contains(block, k) {
			used[x.entry(k).Machine] = true
		}
	}
	return len(used) > int(x.in.Reducers[j])
}

// necessary says that the job is late in every schedule, if that is proven for it alone.
func (x *explainer) necessary() ([]solver.Reason, error) {
	if x.in.Due[x.job] == realtime.NoDeadline {
		return nil, nil
	}
	l, err := x.in.Lateness(x.c.Late.Prices)
	if err != nil || !l.Sure[x.job] {
		return nil, err
	}
	return []solver.Reason{{Kind: solver.ReasonNecessary, Job: x.jobID(x.job),
		Until: model.Number(x.in.Due[x.job].String()),
		Text: fmt.Sprintf("job %s is late in every schedule, whatever else runs: %s", x.jobID(x.job),
			alone(x.in, l, x.job))}}, nil
}

// alone says why a job is late in every schedule.
func alone(in *realtime.Instance, l *realtime.Lateness, j int32) string {
	head, due := l.Head[model.Reduce][j], in.Due[j]
	switch {
	case !l.Has[model.Reduce][j]:
		return fmt.Sprintf("its maps cannot all end by %s, when it is due", due)
	case head+l.Tail(j) <= due:
		return fmt.Sprintf("a partition is released too late to end by %s, when it is due", due)
	case l.Has[model.Map][j]:
		return fmt.Sprintf("its partitions start at %s at the earliest and take %s at least; it is due at %s", head,
			l.Tail(j), due)
	}
	return fmt.Sprintf("its partitions start at %s at the earliest and take longer than until %s, when it is due", head,
		due)
}
