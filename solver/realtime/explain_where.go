package realtime

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// where says why an entry is on its slot: what its task takes on which worker, truly and as was believed; of partitions
// also who put them together and where the others are; and when faster workers would have had time for it.
func (x *explainer) where(i int32) (list []solver.Reason, err error) {
	in, t, w := x.in, int32(x.entry(i).Task), x.worker(i)
	groups := x.timesOf(t)
	text := fmt.Sprintf("%s takes %s on %s", x.id(i), in.Time(t, w), in.WorkerName(w))
	if others := slices.DeleteFunc(slices.Clone(groups), func(g timeGroup) bool {
		return g.time == in.Time(t,
			w)
	}); len(others) > 0 {
		text += "; " + solver.Names(others, func(g timeGroup) string {
			return fmt.Sprintf("%s on %s", g.time, solver.Names(g.workers, in.WorkerName))
		})
	} else {
		text += ", as everywhere"
	}
	list = append(list, solver.Reason{Kind: solver.ReasonPlace, Text: text, Task: x.id(i)})
	b, err := x.r.believes()
	if err != nil {
		return nil, err
	}
	if believed := b.Time(t, w); believed != in.Time(t, w) {
		list = append(list,
			solver.Reason{Kind: solver.ReasonPlace, Text: fmt.Sprintf("the table history lets one expect %s on %s, not %s",
				believed, in.WorkerName(w), in.Time(t, w))})
	}
	if !in.IsMap(t) {
		list = append(list, x.data(i))
	}
	return append(list, x.faster(i, groups)...), nil
}

// timeGroup is workers on which a task takes equally long.
type timeGroup struct {
	time    model.Time
	workers []int32
}

// timesOf are what a task takes on the workers with slots for it, the least first.
func (x *explainer) timesOf(t int32) (groups []timeGroup) {
	in, at := x.in, map[model.Time]int{}
	last := int32(-1)
	for _, s := range in.SlotsFor(in.KindOf(t)) {
		w := in.WorkerOf[s]
		if w == last {
			continue
		}
		last = w
		p := in.Time(t, w)
		k, ok := at[p]
		if !ok {
			k = len(groups)
			at[p], groups = k, append(groups, timeGroup{time: p})
		}
		groups[k].workers = append(groups[k].workers, w)
	}
	slices.SortStableFunc(groups, func(a, b timeGroup) int { return cmp.Compare(a.time, b.time) })
	return groups
}

// used are the slots of a job's partitions, in their order.
func (x *explainer) used(job int32) (slots []int32) {
	for _, i := range x.byJob[job] {
		if e := x.entry(i); !x.in.IsMap(int32(e.Task)) {
			slots = append(slots, e.Machine)
		}
	}
	slices.Sort(slots)
	return slices.Compact(slots)
}

// data says how much of its job's data a partition has, and who divided it.
func (x *explainer) data(i int32) solver.Reason {
	in, t := x.in, int32(x.entry(i).Task)
	j, set := in.JobOf(t), in.SetOf(t)
	sum := model.Bytes(0)
	for _, v := range in.Bytes[set.First : set.First+set.Count] {
		sum += v
	}
	by := "as the workload states them"
	if len(in.SetsOf(j)) > 1 || set.Row > 0 {
		by = "by Hadoop's hash"
		if set.Row > 0 {
			by = fmt.Sprintf("by row %d of the sketch", set.Row)
		}
	}
	beside := 0
	near := "it is alone on its slot"
	for _, k := range x.byJob[j] {
		if e := x.entry(k); !in.IsMap(int32(e.Task)) && e.Machine == x.entry(i).Machine && e.Task != x.entry(i).Task {
			beside++
		}
	}
	if beside > 0 {
		near = fmt.Sprintf("%d other %s on the same slot", beside, model.Plural(beside, "row"))
	}
	slots := x.used(j)
	return solver.Reason{Kind: solver.ReasonData, Job: x.jobID(j),
		Text: fmt.Sprintf("it has %s of the job's %s bytes in %d %s %s; %s; the job has %d %s and uses %s",
			in.Bytes[t], sum, set.Count, model.Plural(int(set.Count), "partition"), by, near, in.Reducers[j],
			model.Plural(int(in.Reducers[j]), "reducer"), solver.Names(slots, in.MachineName))}
}

// faster says, of the fastest other workers on which a task takes less, when it could have run there, in the first gap
// that it fits in: alternatives push others back, this does not.
func (x *explainer) faster(i int32, groups []timeGroup) (list []solver.Reason) {
	in, t, own := x.in, int32(x.entry(i).Task), x.worker(i)
	phase := ""
	if in.Goal == realtime.Partitions { // later phases follow this one
		phase = "of its reduce phase "
	}
	for _, g := range groups {
		for _, w := range g.workers {
			if g.time >= in.Time(t, own) || len(list) == solver.Listed || x.pieces(t) > 1 {
				return list
			}
			slot, at, by := int32(-1), model.Time(0), int32(model.None)
			for _, s := range in.SlotsFor(in.KindOf(t)) {
				if in.WorkerOf[s] != w {
					continue
				}
				if a, k := x.gap(s, x.allowed(i), g.time, i); slot < 0 || a < at {
					slot, at, by = s, a, k
				}
			}
			r := solver.Reason{Kind: solver.ReasonMachine, Until: model.Number(at.String())}
			busy := ""
			if by != model.None {
				r.Task, r.Job = x.id(by), x.jobID(in.JobOf(int32(x.entry(by).Task)))
				busy = fmt.Sprintf(", after %s of job %s", r.Task, r.Job)
			}
			than := fmt.Sprintf("not before the %s at which it ends here", x.entry(i).End)
			if at+g.time < x.entry(i).End {
				than = fmt.Sprintf("before the %s at which it ends here", x.entry(i).End)
			}
			r.Text = fmt.Sprintf("on %s, with nothing %spushed back, it could start at %s%s, and end at %s, %s",
				in.MachineName(slot), phase, at, busy, at+g.time, than)
			if x.tooMany(i, slot) {
				r.Text += fmt.Sprintf("; but with that slot its job would use more than its %d %s", in.Reducers[in.JobOf(t)],
					model.Plural(int(in.Reducers[in.JobOf(t)]), "reducer"))
			}
			list = append(list, r)
		}
	}
	return list
}

// tooMany says whether a job that moves one entry of a partition to a slot uses more slots than it has reducers.
func (x *explainer) tooMany(i, slot int32) bool {
	in, t := x.in, int32(x.entry(i).Task)
	if in.IsMap(t) {
		return false
	}
	return x.usedAfter(in.JobOf(t), []int32{i}, slot) > int(in.Reducers[in.JobOf(t)])
}

// usedAfter is how many slots a job's partitions use if some entries move to a slot.
func (x *explainer) usedAfter(job int32, block []int32, slot int32) int {
	used := map[int32]bool{slot: true}
	for _, k := range x.byJob[job] {
		if e := x.entry(k); !x.in.IsMap(int32(e.Task)) && !slices.Contains(block, k) {
			used[e.Machine] = true
		}
	}
	return len(used)
}

// gap is the earliest start from a time on at which a slot is free for a length, an entry left out; and the entry that
// it has to wait for, or None. Later reduce phases are not in the way: they follow.
func (x *explainer) gap(slot int32, from, length model.Time, without int32) (at model.Time, by int32) {
	at, by = from, model.None
	for _, k := range x.bySlot[slot] {
		e := x.entry(k)
		switch {
		case k == without || e.End <= at || x.in.Goal == realtime.Partitions &&
			x.in.JobOf(int32(e.Task)) > x.in.JobOf(int32(x.entry(without).Task)):
		case e.Start >= at+length:
			return at, by
		default:
			at, by = e.End, k
		}
	}
	return at, by
}

// necessary says that the job is late in every schedule, if that is proven for it alone.
func (x *explainer) necessary() ([]solver.Reason, error) {
	if x.in.Goal != realtime.Deadlines || x.in.Due[x.job] == realtime.NoDeadline {
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

// alone says why a job that is a sure miss is one.
func alone(in *realtime.Instance, l *realtime.Lateness, j int32) string {
	head := l.Head[model.Reduce][j]
	if !l.Has[model.Reduce][j] {
		return fmt.Sprintf("its maps cannot all end by %s, when it is due", in.Due[j])
	}
	if head+l.Tail(j) <= in.Due[j] {
		return fmt.Sprintf("a partition is released too late to end by %s, when it is due", in.Due[j])
	}
	if l.Has[model.Map][j] {
		return fmt.Sprintf("its partitions start at %s at the earliest and take %s at least; it is due at %s",
			head, l.Tail(j), in.Due[j])
	}
	return fmt.Sprintf("its partitions start at %s at the earliest and take longer than until %s, when it is due",
		head, in.Due[j])
}
