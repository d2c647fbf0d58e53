package model

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

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
			seconds, _, known := w.horizon()
			if !known || seconds*horizonSlack >= MaxTime.Seconds() {
				return nil
			}
			end, late = TimeOf(seconds), TimeOf(seconds*horizonSlack)
		}
		if due, fits := AddTime(job.Release, job.Deadline.Value); !fits || due > late {
			shown := job.Deadline.Value.String()
			if w.Origin.Known() && fits {
				shown = w.At(due)
			}
			found = append(found, Finding{Code: CodeLoose, Pos: w.Where(TableJobs, j),
				What: fmt.Sprintf("the deadline %s of job %q changes nothing: even one after another on the slowest machine, "+
					"all tasks end by %s", shown, job.ID, w.At(end)),
				Expected: "a deadline that a schedule can miss",
				Hint:     w.dueHint()})
		}
	}
	return found
}

// farAbsence finds the last absences of nodes that come back, if they begin after everything has run, as Loose says.
func (w *Workload) farAbsence() (found []Finding) {
	last := Time(-1)
	for _, u := range w.Unavailable {
		if u.Until.Known {
			last = max(last, u.From)
		}
	}
	before := *w
	before.Unavailable = slices.DeleteFunc(slices.Clone(w.Unavailable), func(u Unavailable) bool { return u.From == last })
	seconds, _, known := before.horizon()
	first := slices.IndexFunc(w.Unavailable, func(u Unavailable) bool { return u.From == last && u.Until.Known })
	if !known || first < 0 || last.Seconds() <= seconds*horizonSlack {
		return nil
	}
	return []Finding{{Code: CodeLoose, Pos: w.Where(TableUnavailable, first), Hint: "look for a wrong date or unit",
		What: fmt.Sprintf("the absence of node %q from %s on changes nothing: even one after another on the slowest "+
			"machine, all tasks end by %s", w.Topology[w.Unavailable[first].Node].ID, w.At(last), w.At(TimeOf(seconds))),
		Expected: "an absence that matters"}}
}

// dueHint says how deadlines count. The workload no longer knows whether the file has a clock time or a number of
// seconds.
func (w *Workload) dueHint() string {
	if w.Origin.Known() {
		return "look for a wrong date or unit: a clock time is the time itself, a number counts from the release"
	}
	return "look for a wrong unit in deadline, processing_time or shuffle_delay: a number in deadline counts seconds " +
		"from the release; " + MomentHint
}

// MomentHint says how to write a deadline that is a point in time.
const MomentHint = `for a moment write a clock time, such as 22:30, and state "origin" in the workload`

// mostMinutes is a day in minutes: hardly any deadline in minutes is longer.
const mostMinutes = 24 * 60

// tooShort is dueHint for a deadline that is far from what a job takes.
func (w *Workload) tooShort(deadline Time, seconds float64) string {
	if d := deadline.Seconds(); !w.Origin.Known() && d*3 <= seconds && seconds <= d*60 && d <= mostMinutes {
		return fmt.Sprintf("if it is in minutes, write %sm; %s", deadline, w.dueHint())
	}
	return w.dueHint()
}

// fastest is the highest speed of the machines that have slots for a kind of task; 0 if there are none. Nodes without
// slots count for problem cluster, and for every problem if no node states slots.
func (w *Workload) fastest(kind TaskKind) (speed float64) {
	if !w.HasTopology {
		return 1
	}
	anywhere := w.Problem == "cluster" || !slices.ContainsFunc(w.Topology, func(n Node) bool {
		return n.MapSlots+n.ReduceSlots > 0
	})
	for i := range w.Topology {
		n := &w.Topology[i]
		slots := n.MapSlots
		if kind == Reduce {
			slots = n.ReduceSlots
		}
		if n.Kind == HostNode && (slots > 0 || anywhere && n.MapSlots+n.ReduceSlots == 0) {
			speed = max(speed, n.Speed.Or(1))
		}
	}
	return speed
}

// least is the least time that a job can take, and what takes it.
type least struct {
	what    string
	seconds float64
}

// leastTimes are, by job, how long its longest map with its shuffle and then its longest reduce take on the fastest
// machines; for jobs with rows in delays, how long the longest task takes. Fixed tasks count nothing. The result is nil
// if no job has a deadline, or if tables other than tasks say how long tasks take.
func (w *Workload) leastTimes() []least {
	if len(w.Times) > 0 || len(w.Keys) > 0 || len(w.Parts) > 0 || len(w.History) > 0 || !slices.ContainsFunc(w.Jobs,
		func(j Job) bool { return j.Deadline.Known }) {
		return nil
	}
	speed := [...]float64{Map: w.fastest(Map), Reduce: w.fastest(Reduce)}
	if speed[Map] == 0 || speed[Reduce] == 0 {
		return nil
	}
	type longest struct{ task, shuffled, reduce float64 }
	jobs, general := make([]longest, len(w.Jobs)), make([]bool, len(w.Jobs))
	for _, d := range w.Delays {
		general[w.Tasks[d.From].Job] = general[w.Tasks[d.From].Job] || w.WithinJob(d)
	}
	stands := make([]bool, len(w.Tasks)) // it may run already, and waits for nothing
	for _, f := range w.Fixed {
		stands[f.Task] = true
	}
	for _, s := range w.State {
		stands[s.Task] = true
	}
	for i := range w.Tasks {
		t := &w.Tasks[i]
		if stands[i] {
			continue
		}
		l, seconds := &jobs[t.Job], t.Processing.Or(0).Seconds()/speed[t.Kind]
		l.task = max(l.task, seconds)
		if t.Kind == Reduce {
			l.reduce = max(l.reduce, seconds)
		} else {
			l.shuffled = max(l.shuffled, seconds+t.ShuffleDelay.Seconds())
		}
	}
	list := make([]least, len(jobs))
	for j, l := range jobs {
		list[j] = least{"its longest task takes", l.task}
		if l.reduce > 0 && l.shuffled > 0 && !general[j] {
			list[j] = least{"its longest map and then its longest reduce take", l.shuffled + l.reduce}
		}
	}
	return list
}

// hopeless finds deadlines that are shorter than leastTimes.
func (w *Workload) hopeless() (found []Finding) {
	for j, l := range w.leastTimes() {
		job := &w.Jobs[j]
		if !job.Deadline.Known || job.Deadline.Value.Seconds()*horizonSlack >= l.seconds ||
			l.seconds >= MaxTime.Seconds() {
			continue
		}
		found = tally(found, func() Finding {
			return Finding{Code: CodeHopeless, Pos: w.Where(TableJobs, j),
				What: fmt.Sprintf("the deadline %s of job %q cannot be met: even on the fastest machine, %s %s s",
					job.Deadline.Value, job.ID, l.what, TimeOf(l.seconds)),
				Expected: "a deadline that a schedule can meet", Hint: w.tooShort(job.Deadline.Value, l.seconds)}
		})
	}
	return found
}

// moments finds deadlines that look like points in time: most of those of jobs with a release are larger than it by at
// most a quarter. The message names the others too, and says what each one larger than its release would be.
func (w *Workload) moments() []Finding {
	if w.Origin.Known() { // whoever states it writes points in time as clock times
		return nil
	}
	all, near, first := 0, 0, None
	var alike, instead []string
	for j := range w.Jobs {
		job := &w.Jobs[j]
		if job.Release == 0 || !job.Deadline.Known {
			continue
		}
		all++
		past := job.Deadline.Value - job.Release
		if past > 0 {
			instead = append(instead, fmt.Sprintf("%s for %q", past, job.ID))
		}
		if past > 0 && past <= job.Release/4 {
			if near++; near == 1 {
				first = j
				continue
			}
		}
		alike = append(alike, fmt.Sprintf("%q (%s, released at %s)", job.ID, job.Deadline.Value, job.Release))
	}
	if 2*near <= all {
		return nil
	}
	job := &w.Jobs[first]
	due, fits := AddTime(job.Release, job.Deadline.Value)
	if !fits {
		return nil
	}
	more := ""
	if len(alike) > 0 {
		more = "; see also " + strings.Join(shortList(alike), ", ")
	}
	return []Finding{{Code: CodeMoment, Pos: w.Where(TableJobs, first),
		What: fmt.Sprintf("the deadline %s of job %q is little more than its release %s, and counts from there: it is "+
			"due at %s%s", job.Deadline.Value, job.ID, job.Release, due, more),
		Expected: "seconds after the release",
		Hint:     "if these are points in time, write " + strings.Join(shortList(instead), ", ") + ", or " + MomentHint}}
}

// shortList cuts a list for a message, and says how much is left out.
func shortList(list []string) []string {
	if n := len(list); n > maxListed {
		return append(list[:maxListed:maxListed], fmt.Sprintf("%d more", n-maxListed))
	}
	return list
}

// Later says when a deadline is due that counts from a release above 0, in a workload that cannot state points in time:
// the one most like its release. It is empty if there is none.
func (w *Workload) Later() string {
	n, text, nearest := 0, "", math.Inf(1)
	for j := range w.Jobs {
		job := &w.Jobs[j]
		due, fits := AddTime(job.Release, job.Deadline.Value)
		if !job.Deadline.Known || job.Release == 0 || !fits {
			continue
		}
		n++
		past := math.Abs(job.Deadline.Value.Seconds()/job.Release.Seconds() - 1) // 0: as a point in time it is the release
		if past < nearest {
			nearest = past
			text = fmt.Sprintf("a deadline counts from the release: %s is due at %s", job.ID, due)
		}
	}
	switch {
	case w.Origin.Known():
		return ""
	case n > 1:
		text += fmt.Sprintf(" (and %s)", Counted(n-1, "more job"))
	}
	return text
}

// horizon is when everything ends, in seconds, if it runs one after another on the slowest machine from the last
// release on, and how long that takes; known is false if the workload leaves some duration open.
func (w *Workload) horizon() (end, work float64, known bool) {
	slowest := 1.0
	for i := range w.Topology {
		slowest = min(slowest, w.Topology[i].Speed.Or(1))
	}
	given := map[string]Time{} // by task or partition: the longest
	for _, t := range w.Times {
		given[t.Task] = max(given[t.Task], t.Time)
	}
	if len(w.Keys) > 0 || len(w.Parts) > 0 {
		return 0, 0, false
	}
	last, work, known := w.settled()
	if !known {
		return 0, 0, false
	}
	for j := range w.Jobs {
		job := &w.Jobs[j]
		if job.ImpliesReduces() || job.MapWork.Known || job.IntermediateBytes.Known && job.ReduceRate.Known {
			return 0, 0, false // the tasks do not say everything
		}
		last = max(last, job.Release)
	}
	link := w.narrowest()
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
			return 0, 0, false
		}
		last = max(last, t.Release.Or(0))
		work += longest + t.ShuffleDelay.Seconds() + w.reading(t, link)
	}
	for i := range w.Delays {
		work += w.Delays[i].Delay.Seconds()
	}
	return last.Seconds() + work, work, true
}

// settled is the time from which on no task is fixed and no node unavailable, and how long jobs wait for one another;
// known is false if a node leaves for good.
func (w *Workload) settled() (last Time, seconds float64, known bool) {
	for _, u := range w.Unavailable {
		if !u.Until.Known {
			return 0, 0, false
		}
		last = max(last, u.Until.Value)
	}
	for _, f := range w.Fixed {
		last = max(last, f.Start)
	}
	last = max(last, w.Now.Or(0))
	for _, s := range w.State {
		seconds += max(s.Remaining.Or(0), w.Grace.Or(DefaultGrace)).Seconds()
	}
	for _, d := range w.Dependencies {
		seconds += d.Delay.Seconds()
	}
	return last, seconds, true
}

// narrowest is the least bandwidth that the topology states; 0 if it states none.
func (w *Workload) narrowest() (least float64) {
	for i := range w.Topology {
		if b := w.Topology[i].Bandwidth; b.Known && (least == 0 || b.Value < least) {
			least = b.Value
		}
	}
	return least
}

// reading is how many seconds a task reads its block at most.
func (w *Workload) reading(t *Task, bandwidth float64) float64 {
	if t.Block == None || bandwidth == 0 {
		return 0
	}
	return float64(t.InputBytes.Or(0)) / bandwidth
}
