package multitenant

import (
	"fmt"

	"mrsched/model"
	"mrsched/solver"
)

// when says what the start of a task waits for, the binding reason first; who got slots while it waited; and what its
// end waits for: links, and for reduces the maps. held is the result of heldUp.
func (x *explainer) when(t int32, held *hold) []solver.Reason {
	list := x.binding(t)
	if r, ok := x.overtaken(t); ok {
		list = append(list, r)
	}
	return append(list, x.ending(t, held)...)
}

// binding is what keeps a task from starting earlier on its slot with everything else unchanged, and what would do so
// next.
func (x *explainer) binding(t int32) []solver.Reason {
	in, e := x.in, x.entry(t)
	j := in.JobOf(t)
	from := in.Release(t)
	release := solver.Reason{Kind: solver.ReasonRelease, Job: in.JobID(j), Until: model.Number(from.String()),
		Text: fmt.Sprintf("job %s arrives at %s", in.JobID(j), from)}
	before := fmt.Sprintf("job %s came", in.JobID(j))
	if from > in.Arrival[j] {
		release.Text = fmt.Sprintf("it is released at %s; its job arrives at %s", from, in.Arrival[j])
		before = "it was released"
	}
	at, after := x.sooner(t)
	if at < e.Start {
		free := solver.Reason{Kind: solver.ReasonIdle, Task: x.id(t), Until: model.Number(at.String()),
			Text: fmt.Sprintf("nothing that is fixed: %s is free for it from %s on, all else as it is; the policy gave it to "+
				"nobody", x.slotName(t), at)}
		if ends := x.f.MapsEnd[j]; !in.IsMap(t) && e.Start <= ends {
			free.Text = fmt.Sprintf("nothing that is fixed: %s is free for it from %s on, all else as it is; but before %s, "+
				"when the job's maps have ended, it would only wait", x.slotName(t), at, ends)
		}
		return append(append([]solver.Reason{free}, x.share(t, e.Start)...), release)
	}
	if after == model.None {
		return []solver.Reason{release}
	}
	b := x.entry(after)
	busy := solver.Reason{Kind: solver.ReasonMachine, Task: x.id(after), Job: in.JobID(in.JobOf(after)),
		Until: model.Number(b.End.String()),
		Text: fmt.Sprintf("%s is busy with %s of job %s, user %s, until %s", x.slotName(t), x.id(after),
			in.JobID(in.JobOf(after)), x.user(in.JobOf(after)), b.End)}
	if b.Machine != e.Machine {
		busy.Text = fmt.Sprintf("%s has too little memory, or too few cores, for it until %s of job %s, user %s, ends at %s",
			in.WorkerName(x.worker(t)), x.id(after), in.JobID(in.JobOf(after)), x.user(in.JobOf(after)), b.End)
	}
	if b.Start < from {
		busy.Text += fmt.Sprintf(", which began at %s, before %s", b.Start, before)
		return []solver.Reason{busy, release}
	}
	busy.Kind = solver.ReasonRank
	busy.Text += fmt.Sprintf(", which was served first at %s", b.Start)
	return append(append([]solver.Reason{busy}, x.share(t, b.Start)...), release)
}

// sooner is the earliest start of a task on its slot with everything else unchanged, and what prevents an earlier one.
// A map keeps its length, a reduce its end.
func (x *explainer) sooner(t int32) (at model.Time, after int32) {
	e := x.entry(t)
	ends := func(model.Time) model.Time { return e.End }
	if x.in.IsMap(t) {
		ends = func(at model.Time) model.Time { return at + e.End - e.Start }
	}
	return x.gap(e.Machine, x.in.Release(t), t, ends)
}

// share says how many slots of its kind the task's user had just before a time, and which waiting user had the fewest;
// nothing if there is one user.
func (x *explainer) share(t int32, at model.Time) []solver.Reason {
	in, kind := x.in, x.in.KindOf(t)
	if len(in.Users) < 2 {
		return nil
	}
	mine := in.UserOf[in.JobOf(t)]
	running, waiting := make([]int, len(in.Users)), make([]int, len(in.Users))
	for i := range x.s.Entries {
		e := &x.s.Entries[i]
		u := int32(e.Task)
		if in.KindOf(u) != kind {
			continue
		}
		j := in.JobOf(u)
		ready := in.Release(u)
		if !in.IsMap(u) {
			ready = max(ready, x.f.MapsEnd[j])
		}
		switch {
		case e.Start < at && e.End > at:
			running[in.UserOf[j]]++
		case e.Start >= at && ready <= at:
			waiting[in.UserOf[j]]++
		}
	}
	all, least := 0, model.None
	for u := range in.Users {
		all += running[u]
		if int32(u) != mine && waiting[u] > 0 && (least == model.None || running[u] < running[least]) {
			least = u
		}
	}
	name := func(u int) string {
		if in.Users[u] == "" {
			return "without a name"
		}
		return in.Users[u]
	}
	r := solver.Reason{Kind: solver.ReasonRank, Text: fmt.Sprintf("at %s user %s runs %d of %s on %s", at, name(int(mine)),
		running[mine], model.Counted(all, kind.String()), model.Counted(len(in.SlotsFor(kind)), "slot"))}
	if least != model.None {
		r.Text += fmt.Sprintf("; of the other users who wait, %s runs the fewest, %d", name(least), running[least])
	}
	return []solver.Reason{r}
}

// overtaken counts the tasks of later jobs that got slots of the kind before a task.
func (x *explainer) overtaken(t int32) (r solver.Reason, ok bool) {
	in, start, arrival := x.in, x.entry(t).Start, x.in.Arrival[x.in.JobOf(t)]
	count, first := 0, int32(model.None)
	for i := range x.s.Entries {
		e := &x.s.Entries[i]
		u := int32(e.Task)
		if in.KindOf(u) != in.KindOf(t) || e.Start < arrival || e.Start >= start || in.Arrival[in.JobOf(u)] <= arrival {
			continue
		}
		count++
		if first == model.None || e.Start < x.entry(first).Start {
			first = u
		}
	}
	if count == 0 {
		return r, false
	}
	j := in.JobOf(first)
	return solver.Reason{Kind: solver.ReasonRank, Task: x.id(first), Job: in.JobID(j),
		Text: fmt.Sprintf("%d %s of jobs that came later got slots before it, the first %s of job %s, user %s, at %s",
			count, model.Plural(count, in.KindOf(t).String()), x.id(first), in.JobID(j), x.user(j), x.entry(first).Start)}, true
}

// hold is what keeps a task from computing as soon as it could without transfers.
type hold struct {
	early  model.Time // when it would end then
	broken []model.Violation
}

// heldUp lets a task that reads or fetches end as early as computing and the fastest undisturbed transfer allow, and
// asks the checker what that violates; nil if the task already ends then.
func (x *explainer) heldUp(t int32) *hold {
	in, e, w := x.in, *x.entry(t), x.worker(t)
	early := e.Start + in.Compute(t, w)
	if in.IsMap(t) {
		early += in.ReadTime(t, w)
	} else {
		early = max(e.Start, x.f.MapsEnd[in.JobOf(t)]) + in.Compute(t, w)
	}
	if early >= e.End {
		return nil
	}
	s := &model.Schedule{Entries: append([]model.Entry(nil), x.s.Entries...)}
	e.End = early
	s.Entries[x.row[t]] = e
	return &hold{early, in.Check(s)}
}

// ending is what the end of a task waits for beyond its start.
func (x *explainer) ending(t int32, held *hold) (list []solver.Reason) {
	in, e := x.in, x.entry(t)
	j := in.JobOf(t)
	until := e.End - in.Compute(t, x.worker(t)) // when it begins to compute
	ends := x.f.MapsEnd[j]
	if last, ok := x.lastMap(j); ok && !in.IsMap(t) && ends > e.Start {
		list = append(list, solver.Reason{Kind: solver.ReasonBarrier, Task: x.id(last), Job: in.JobID(j),
			Until: model.Number(ends.String()), Text: fmt.Sprintf("it computes once all maps have ended; the last, %s, ends "+
				"at %s on %s", x.id(last), ends, x.slotName(last))})
	}
	if held == nil {
		return list
	}
	r := solver.Reason{Kind: solver.ReasonData, Until: model.Number(until.String())}
	what := "fetches"
	if in.IsMap(t) {
		what = "reads"
	}
	r.Text = fmt.Sprintf("it %s until %s and then computes %s; ", what, until, in.Compute(t, x.worker(t)))
	if len(held.broken) > 0 {
		r.Text += fmt.Sprintf("if it were to end at %s, %s", held.early, held.broken[0].What)
	} else {
		r.Text += fmt.Sprintf("all links together could bring its data so that it ends at %s, but transfers share them",
			held.early)
	}
	r.Text += x.busiest(t, until)
	return append(list, r)
}

// busiest names the link with the most to carry while a task waits for data that crosses it, if each transfer is spread
// evenly over the time that the schedule leaves for it. That may be more than its capacity: then some transfers come
// sooner.
func (x *explainer) busiest(t int32, until model.Time) string {
	from := x.entry(t).Start
	if !x.in.IsMap(t) {
		from = max(from, x.f.MapsEnd[x.in.JobOf(t)])
	}
	if until <= from {
		return ""
	}
	name, most := "", 0.0
	for _, l := range x.links(t) {
		if share := x.carried(l, from, until); share > most {
			name, most = l.name, share
		}
	}
	if name == "" {
		return ""
	}
	return fmt.Sprintf("; spread evenly, what crosses %s from %s to %s is %.0f %% of what it can carry", name, from,
		until, 100*most)
}

// changes says what would let a task start or end earlier.
func (x *explainer) changes(t int32, held *hold) (list []string) {
	in, e := x.in, x.entry(t)
	j := in.JobOf(t)
	at, after := x.sooner(t)
	switch {
	case at < e.Start && in.IsMap(t):
		list = append(list, fmt.Sprintf("%s can start at %s without any other change, if links allow", x.id(t), at))
	case after != model.None && at == e.Start:
		list = append(list, fmt.Sprintf("to start before %s on %s, %s would have to end earlier or come later", e.Start,
			x.slotName(t), x.id(after)))
	}
	if last, ok := x.lastMap(j); ok && !in.IsMap(t) && x.entry(last).End > e.Start {
		list = append(list, fmt.Sprintf("to end before %s, map %s would have to end before %s, or its data arrive sooner",
			e.End, x.id(last), x.entry(last).End))
	}
	if held != nil && len(held.broken) > 0 {
		list = append(list, fmt.Sprintf("with faster links it would end at %s at the earliest, not %s", held.early, e.End))
	}
	if in.IsMap(t) && in.Locality(t, x.worker(t)) != model.NodeLocal {
		list = append(list, fmt.Sprintf("a free slot on %s would save it from reading %s bytes",
			solver.Names(in.Replicas(t), in.WorkerName), in.Input[t]))
	}
	return list
}

// link is crossed by the data of a task: out of a rack, into it, or between its nodes.
type link struct {
	name           string
	rack           int32
	out, in, local bool
	rate           int64
}

// links are those with a limit that a task's data crosses: uplinks, and the links of the nodes of its rack together.
func (x *explainer) links(t int32) (list []link) {
	in, rack := x.in, x.rack(t)
	add := func(l link) {
		if l.rate > 0 {
			list = append(list, l)
		}
	}
	out := func(k int32) {
		add(link{name: fmt.Sprintf("the uplink of %s, outwards", rackText(in.RackName(k))), rack: k, out: true,
			rate: in.Uplink[k]})
	}
	foreign := false
	if in.IsMap(t) {
		if foreign = in.Locality(t, x.worker(t)) == model.Remote; foreign {
			out(in.RackOf[in.Source(t, x.worker(t))])
		}
	} else {
		j := in.JobOf(t)
		for k := range int32(in.Racks) {
			if k != rack && x.f.Output[int(j)*in.Racks+int(k)] > 0 {
				foreign = true
				out(k)
			}
		}
	}
	if foreign {
		add(link{name: fmt.Sprintf("the uplink of %s, inwards", rackText(in.RackName(rack))), rack: rack, in: true,
			rate: in.Uplink[rack]})
	}
	add(link{name: fmt.Sprintf("the nodes' links in %s together", rackText(in.RackName(rack))), rack: rack, local: true,
		rate: in.Fabric[rack]})
	return list
}

// carried is how much of its capacity a link uses in an interval, if each transfer is spread evenly over the time that
// the schedule leaves for it.
func (x *explainer) carried(l link, from, until model.Time) float64 {
	in, sum := x.in, 0.0
	add := func(a, b model.Time, bytes float64) {
		if both := min(b, until) - max(a, from); both > 0 {
			sum += float64(bytes * float64(both) / float64(b-a))
		}
	}
	for i := range x.s.Entries {
		e := &x.s.Entries[i]
		t, w := int32(e.Task), in.WorkerOf[e.Machine]
		rack, done := in.RackOf[w], e.End-in.Compute(int32(e.Task), w)
		if done <= from || e.Start >= until {
			continue
		}
		if in.IsMap(t) {
			near := in.Locality(t, w)
			if l.local && rack == l.rack && near != model.NodeLocal || near == model.Remote &&
				(l.in && rack == l.rack || l.out && in.RackOf[in.Source(t, w)] == l.rack) {
				add(e.Start, done, float64(in.Input[t]))
			}
			continue
		}
		if !l.out && rack != l.rack || l.out && rack == l.rack {
			continue
		}
		j := in.JobOf(t)
		for k := range int32(in.Racks) {
			at := int(j)*in.Racks + int(k)
			if x.f.Output[at] == 0 || l.out && k != l.rack || l.in && k == rack {
				continue
			}
			add(max(e.Start, x.f.First[at]), done, float64(x.f.Output[at])/float64(in.Reduces(j)))
		}
	}
	return sum / float64(l.rate) / (until - from).Seconds()
}
