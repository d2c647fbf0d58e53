package multitenant

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/model"
	"mrsched/solver"
)

// when reports what the start of the task waits for, the binding reason first. Then it reports who got slots meanwhile,
// what the end waits for (links, and for reduces the maps), and what would allow an earlier start or end.
func (x *explainer) when() {
	t, e := x.task, x.entry(x.task)
	told := &x.told
	told.When = x.binding(t)
	if r, ok := x.overtaken(t); ok {
		told.When = append(told.When, r)
	}
	at, after := x.sooner(t)
	switch {
	case at < e.Start && x.IsMap(t):
		x.change("%s can start at %s without any other change, if links allow", x.id(t), at)
	case after != model.None && at == e.Start:
		x.change("to start before %s on %s, %s would have to end earlier or come later", e.Start, x.slotName(t), x.id(after))
	}
	x.barrier(t)
	x.transfer(t)
	if x.IsMap(t) && x.Locality(t, x.worker(t)) != model.NodeLocal {
		x.change("a free slot on %s would save it from reading %s bytes", solver.Names(x.Replicas(t), x.WorkerName),
			x.Input[t])
	}
	if first, ok := x.lastMap(x.job); ok && x.all && first != t {
		if b := x.binding(first); b[0].Kind != solver.ReasonRelease {
			told.When = append(told.When, b[0])
		}
	}
}

// change reports what would allow an earlier start or end.
func (x *explainer) change(format string, args ...any) {
	x.told.Changes = append(x.told.Changes, fmt.Sprintf(format, args...))
}

// binding lists the reasons against an earlier start on the task's slot with everything else unchanged, then the next
// ones.
func (x *explainer) binding(t int32) []solver.Reason {
	e, j, from := x.entry(t), x.JobOf(t), x.Release(t)
	release := solver.Reason{Kind: solver.ReasonRelease, Job: x.JobID(j), Until: number(from),
		Text: fmt.Sprintf("job %s arrives at %s", x.JobID(j), from)}
	before := fmt.Sprintf("job %s came", x.JobID(j))
	if from > x.Arrival[j] {
		release.Text = fmt.Sprintf("it is released at %s; its job arrives at %s", from, x.Arrival[j])
		before = "it was released"
	}
	at, after := x.sooner(t)
	if at < e.Start {
		free := solver.Reason{Kind: solver.ReasonIdle, Task: x.id(t), Until: number(at),
			Text: fmt.Sprintf("nothing that is fixed: %s is free for it from %s on, all else as it is; ", x.slotName(t), at)}
		if ends := x.f.MapsEnd[j]; !x.IsMap(t) && e.Start <= ends {
			free.Text += fmt.Sprintf("but before %s, when the job's maps have ended, it would only wait", ends)
		} else {
			free.Text += "the policy left it idle"
		}
		return append(append([]solver.Reason{free}, x.share(t, e.Start)...), release)
	}
	if after == model.None {
		return []solver.Reason{release}
	}
	b := x.entry(after)
	busy := solver.Reason{Kind: solver.ReasonMachine, Task: x.id(after), Job: x.JobID(x.JobOf(after)),
		Until: number(b.End), Text: fmt.Sprintf("%s is busy with %s, until %s", x.slotName(t), x.owned(after), b.End)}
	if b.Machine != e.Machine {
		w := x.worker(t)
		busy.Text = fmt.Sprintf("%s has %s until %s, ends at %s", x.WorkerName(w), x.lacking(t, w, b.End), x.owned(after),
			b.End)
	}
	if b.Start < from {
		busy.Text += fmt.Sprintf(", which began at %s, before %s", b.Start, before)
		return []solver.Reason{busy, release}
	}
	busy.Kind = solver.ReasonRank
	busy.Text += fmt.Sprintf(", which was served first at %s", b.Start)
	return append(append([]solver.Reason{busy}, x.share(t, b.Start)...), release)
}

// sooner is the earliest start of a task on its slot with everything else unchanged, with the task that prevents an
// earlier one. A map keeps its length, a reduce its end.
func (x *explainer) sooner(t int32) (at model.Time, after int32) {
	e := x.entry(t)
	ends := func(model.Time) model.Time { return e.End }
	if x.IsMap(t) {
		ends = func(at model.Time) model.Time { return at + e.End - e.Start }
	}
	return x.gap(e.Machine, x.Release(t), t, ends)
}

// share reports how many slots of its kind the task's user had just before a time, and which waiting user had the
// fewest. With only one user it reports nothing.
func (x *explainer) share(t int32, at model.Time) []solver.Reason {
	kind := x.KindOf(t)
	if len(x.Users) < 2 {
		return nil
	}
	mine := x.UserOf[x.JobOf(t)]
	running, waiting := make([]int, len(x.Users)), make([]int, len(x.Users))
	for i := range x.s.Entries {
		e := &x.s.Entries[i]
		u := int32(e.Task)
		if x.KindOf(u) != kind {
			continue
		}
		j := x.JobOf(u)
		ready := x.Release(u)
		if !x.IsMap(u) {
			ready = max(ready, x.f.MapsEnd[j])
		}
		switch {
		case e.Start < at && e.End > at:
			running[x.UserOf[j]]++
		case e.Start >= at && ready <= at:
			waiting[x.UserOf[j]]++
		}
	}
	all, least := 0, model.None
	for u := range x.Users {
		all += running[u]
		if int32(u) != mine && waiting[u] > 0 && (least == model.None || running[u] < running[least]) {
			least = u
		}
	}
	name := func(u int) string { return cmp.Or(x.Users[u], nameless) }
	r := solver.Reason{Kind: solver.ReasonRank, Text: fmt.Sprintf("at %s user %s runs %d of %s on %s", at, name(int(mine)),
		running[mine], model.Counted(all, kind.String()), model.Counted(len(x.SlotsFor(kind)), "slot"))}
	if all == 0 {
		r.Text = fmt.Sprintf("at %s no user runs a %s; all %d slots are free", at, kind, len(x.SlotsFor(kind)))
	}
	if least != model.None {
		r.Text += fmt.Sprintf("; of the other users who wait, %s runs the fewest, %d", name(least), running[least])
	}
	return []solver.Reason{r}
}

// overtaken counts the tasks of later jobs that got slots of the same kind before a task.
func (x *explainer) overtaken(t int32) (r solver.Reason, ok bool) {
	start, arrival := x.entry(t).Start, x.Arrival[x.JobOf(t)]
	count, first := 0, int32(model.None)
	for i := range x.s.Entries {
		e := &x.s.Entries[i]
		u := int32(e.Task)
		if x.KindOf(u) != x.KindOf(t) || e.Start < arrival || e.Start >= start || x.Arrival[x.JobOf(u)] <= arrival {
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
	return solver.Reason{Kind: solver.ReasonRank, Task: x.id(first), Job: x.JobID(x.JobOf(first)),
		Text: fmt.Sprintf("%d %s of jobs that came later got slots before it, the first %s, at %s", count,
			model.Plural(count, x.KindOf(t).String()), x.owned(first), x.entry(first).Start)}, true
}

// barrier reports the map that a reduce waits for.
func (x *explainer) barrier(t int32) {
	e := x.entry(t)
	last, ok := x.lastMap(x.job)
	if !ok || x.IsMap(t) || x.entry(last).End <= e.Start {
		return
	}
	ends := x.entry(last).End
	x.told.When = append(x.told.When, solver.Reason{Kind: solver.ReasonBarrier, Task: x.id(last), Job: x.JobID(x.job),
		Until: number(ends), Text: fmt.Sprintf("it computes once all maps have ended; the last, %s, ends at %s on %s",
			x.id(last), ends, x.slotName(last))})
	x.change("to end before %s, map %s would have to end before %s, or its data arrive sooner", e.End, x.id(last), ends)
}

// transfer reports why a task that reads or fetches ends later than computing and the fastest undisturbed transfer
// allow. It asks the checker what such an end would violate.
func (x *explainer) transfer(t int32) {
	e, compute := *x.entry(t), x.Work(t, x.worker(t))
	until, early, what := e.End-compute, e.Start+compute, "reads"
	if x.IsMap(t) {
		early += x.ReadTime(t, x.worker(t))
	} else {
		early, what = max(e.Start, x.f.MapsEnd[x.job])+compute, "fetches"
	}
	if early >= e.End {
		return
	}
	r := solver.Reason{Kind: solver.ReasonData, Until: number(until),
		Text: fmt.Sprintf("it %s until %s and then computes %s; ", what, until, compute)}
	s := &model.Schedule{Entries: slices.Clone(x.s.Entries)}
	s.Entries[x.row[t]].End = early
	if broken := x.Check(s); len(broken) > 0 {
		r.Text += fmt.Sprintf("if it were to end at %s, %s", early, broken[0].What)
		x.change("with faster links it would end at %s at the earliest, not %s", early, e.End)
	} else {
		r.Text += fmt.Sprintf("all links together could bring its data so that it ends at %s, but transfers share them",
			early)
	}
	r.Text += x.busiest(t, until)
	x.told.When = append(x.told.When, r)
}

// busiest names the most loaded link while a task waits for data. Each transfer counts as spread evenly over the time
// that the schedule leaves for it. The sum may exceed the link's capacity: then some transfers run sooner.
func (x *explainer) busiest(t int32, until model.Time) string {
	from := x.entry(t).Start
	if !x.IsMap(t) {
		from = max(from, x.f.MapsEnd[x.JobOf(t)])
	}
	if until <= from {
		return ""
	}
	name, most := "", 0.0
	for _, l := range x.links(t) {
		if share := x.carried(l, from, until); share > most {
			name, most = fmt.Sprintf(l.name, rackText(x.RackName(l.rack))), share
		}
	}
	if name == "" {
		return ""
	}
	return fmt.Sprintf("; spread evenly, what crosses %s from %s to %s is %.0f %% of what it can carry", name, from,
		until, 100*most)
}

// link is crossed by the data of a task: out of a rack, into it, or between its nodes.
type link struct {
	name           string // with %s for the rack's
	rack           int32
	out, in, local bool
	rate           int64
}

// links are the limited links that a task's data crosses: uplinks, and its rack's nodes' links together.
func (x *explainer) links(t int32) (list []link) {
	rack := x.rack(t)
	out := func(k int32) {
		list = append(list, link{name: "the uplink of %s, outwards", rack: k, out: true, rate: x.Uplink[k]})
	}
	if w := x.worker(t); x.IsMap(t) && x.Locality(t, w) == model.Remote {
		out(x.RackOf[x.Source(t, w)])
	}
	for k := range int32(x.Racks) {
		if !x.IsMap(t) && k != rack && x.f.Output[int(x.job)*x.Racks+int(k)] > 0 {
			out(k)
		}
	}
	if len(list) > 0 {
		list = append(list, link{name: "the uplink of %s, inwards", rack: rack, in: true, rate: x.Uplink[rack]})
	}
	list = append(list, link{name: "the nodes' links in %s together", rack: rack, local: true, rate: x.Fabric[rack]})
	return slices.DeleteFunc(list, func(l link) bool { return l.rate == 0 })
}

// carried is the share of its capacity that a link uses in an interval, with each transfer spread evenly over the time
// that the schedule leaves for it.
func (x *explainer) carried(l link, from, until model.Time) float64 {
	sum := 0.0
	add := func(a, b model.Time, bytes float64) {
		if both := min(b, until) - max(a, from); both > 0 {
			sum += float64(bytes * float64(both) / float64(b-a))
		}
	}
	for i := range x.s.Entries {
		e := &x.s.Entries[i]
		t, w := int32(e.Task), x.WorkerOf[e.Machine]
		rack, done := x.RackOf[w], e.End-x.Work(int32(e.Task), w)
		if done <= from || e.Start >= until {
			continue
		}
		if x.IsMap(t) {
			near := x.Locality(t, w)
			if l.local && rack == l.rack && near != model.NodeLocal || near == model.Remote &&
				(l.in && rack == l.rack || l.out && x.RackOf[x.Source(t, w)] == l.rack) {
				add(e.Start, done, float64(x.Input[t]))
			}
			continue
		}
		if !l.out && rack != l.rack || l.out && rack == l.rack {
			continue
		}
		j := x.JobOf(t)
		for k := range int32(x.Racks) {
			at := int(j)*x.Racks + int(k)
			if x.f.Output[at] == 0 || l.out && k != l.rack || l.in && k == rack {
				continue
			}
			add(max(e.Start, x.f.First[at]), done, float64(x.f.Output[at])/float64(x.Reduces(j)))
		}
	}
	return sum / float64(l.rate) / (until - from).Seconds()
}
