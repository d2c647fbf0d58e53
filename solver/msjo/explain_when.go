package msjo

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
)

// hold is a reason why a task cannot start before a time.
type hold struct {
	kind  string
	until model.Time
	by    int32   // the task that holds it; None: no task
	all   []int32 // of a barrier: every predecessor with the latest end
	next  model.Time
}

// holds lists the reasons for a task's start: the binding one, which is the latest, then the others after its release
// in falling order. If none binds, the first is ReasonIdle. Ties: release, barrier, machine. A frozen task has one.
func (e *explainer) holds(u int32) []hold {
	if e.frozen(u) {
		return []hold{{kind: solver.ReasonPlace, until: e.x.Entry[u].Start, by: model.None}}
	}
	release := e.release(u)
	list := []hold{{kind: solver.ReasonRelease, until: release, by: model.None}}
	if b, ok := e.barrier(u); ok && b.until >= release {
		list = append(list, b)
	}
	if v := e.x.Before(u); v != model.None && e.x.Entry[v].End >= release {
		list = append(list, hold{kind: solver.ReasonMachine, until: e.x.Entry[v].End, by: v})
	}
	slices.SortStableFunc(list, func(a, b hold) int { return cmp.Compare(b.until, a.until) })
	if start := e.x.Entry[u].Start; list[0].until < start {
		list = slices.Insert(list, 0, hold{kind: solver.ReasonIdle, until: start, by: model.None})
	}
	return list
}

// barrier is the time at which the predecessors of a task let it start, with the predecessors that end last.
func (e *explainer) barrier(u int32) (hold, bool) {
	h := hold{kind: solver.ReasonBarrier, until: -1, next: -1}
	e.x.Predecessors(u, func(v int32, until model.Time) {
		switch {
		case until > h.until:
			h.next, h.until, h.all = h.until, until, []int32{v}
		case until == h.until:
			h.all = append(h.all, v)
		default:
			h.next = max(h.next, until)
		}
	})
	if h.until < 0 {
		return h, false
	}
	slices.Sort(h.all)
	h.by = h.all[0]
	return h, true
}

// because describes a hold of a task.
func (e *explainer) because(u int32, h hold) solver.Reason {
	reason := solver.Reason{Kind: h.kind, Until: model.Number(h.until.String())}
	if h.by != model.None {
		reason.Task, reason.Job = e.id(h.by), e.jobOf(h.by)
	}
	switch h.kind {
	case solver.ReasonIdle:
		reason.Text = fmt.Sprintf("nothing: on %s, without moving anything else, it could start at %s s", e.machine(u),
			e.holds(u)[1].until)
		return reason
	case solver.ReasonRelease:
		reason.Job = e.jobOf(u)
		reason.Text = fmt.Sprintf("job %s is released at %s s", e.jobOf(u), h.until)
		if e.thaws(u, h) {
			reason.Text = fmt.Sprintf("the freeze ends at %s s", h.until)
		} else if e.ownRelease(u, h) {
			reason.Text = fmt.Sprintf("the task itself is released at %s s", h.until)
		}
	case solver.ReasonBarrier:
		reason.Text = "it follows " + e.ending(h)
	case solver.ReasonMachine:
		reason.Text = fmt.Sprintf("%s runs %s until %s s", e.machine(u), e.named(h.by), h.until)
	}
	if h.until != e.x.Entry[u].Start {
		reason.Text = "also: " + reason.Text
	}
	return reason
}

// ownRelease reports whether a task's release is later than its job's.
func (e *explainer) ownRelease(u int32, h hold) bool { return h.until > e.w.Jobs[e.in.Job[u]].Release }

// ending names the predecessors that end last, and the time at which their delay has passed.
func (e *explainer) ending(h hold) string {
	end := e.x.Entry[h.by].End
	text := fmt.Sprintf("%s, which ends at %s s", e.id(h.by), end)
	if h.until > end {
		text += fmt.Sprintf(" and has a delay of %s s: %s s", h.until-end, h.until)
	}
	if len(h.all) > 1 {
		text += "; as late: " + e.list(h.all[1:])
	}
	return text
}

func (e *explainer) list(tasks []int32) string {
	ids := make([]string, len(tasks))
	for k, u := range tasks {
		ids[k] = e.id(u)
	}
	return solver.ShortList(ids, maxNamed)
}

// gaps reports where a task that waits for its machine could run earlier without moving any other task.
func (e *explainer) gaps(u int32) {
	t := e.x.Entry[u]
	best, at := t.Start, int32(model.None)
	for m := range e.candidates() {
		places := e.x.Places(u, m, t.End-t.Start)
		if n := len(places); m != t.Machine && n > 0 && places[n-1].Fits && places[n-1].Start < best {
			best, at = places[n-1].Start, m
		}
	}
	if at != model.None {
		e.out.When = append(e.out.When, solver.Reason{Kind: solver.ReasonIdle, Until: model.Number(t.Start.String()),
			Text: fmt.Sprintf("%s has a gap for it from %s s on: it could start there without moving anything else",
				e.in.MachineName(at), best)})
	}
}

// rankTasks is the largest number of tasks for which the LP is solved again to find ranks.
const rankTasks = 2000

// rank is a task's place in the order of the LP's midpoints, if its schedule uses that order.
func (e *explainer) rank(ctx context.Context, u int32, binding hold) error {
	r := e.r
	if e.q.Algorithm != "mars" && e.q.Algorithm != "mars-list" || e.in.Tasks > rankTasks || r.firstOrder() ||
		r.p.predictionError > 0 || e.in.Objective != msjo.JobObjective {
		return nil
	}
	relax, err := r.relaxation(ctx, solver.Options{Iterations: solver.DefaultIterations, Threads: 1})
	if err != nil || !relax.complete {
		return err
	}
	rank, middle := ranks(r.midpointOrder(relax)), r.c.byTask(relax.midpoint)
	reason := solver.Reason{Kind: solver.ReasonRank, Text: fmt.Sprintf(
		"%s takes tasks by their midpoints in the LP: %s is number %d of %d (%.3f s)", e.q.Algorithm, e.id(u), rank[u]+1,
		e.in.Tasks, middle[u])}
	if v := binding.by; binding.kind == solver.ReasonMachine && rank[v] < rank[u] {
		reason.Task, reason.Job = e.id(v), e.jobOf(v)
		reason.Text += fmt.Sprintf("; %s, before it on its machine, is number %d (%.3f s)", e.named(v), rank[v]+1, middle[v])
	}
	e.out.When = append(e.out.When, reason)
	return nil
}

// changes reports what would allow an earlier start, and how much later the task could start.
func (e *explainer) changes(u int32, holds []hold) {
	if holds[0].kind != solver.ReasonIdle {
		e.earlier(u, holds)
	}
	if e.in.Objective != msjo.JobObjective {
		return
	}
	switch slack := e.x.Slack(u, func(v int32) model.Time { return e.done[e.in.Job[v]] - e.x.Entry[v].End }); slack {
	case 0:
		e.suggest("it cannot start later without some job ending later")
	default:
		e.suggest("it could start up to %s s later without any job ending later", slack)
	}
}

// earlier reports which event would allow an earlier start if it happened earlier, and what would hold the task next.
func (e *explainer) earlier(u int32, holds []hold) {
	start := e.x.Entry[u].Start
	binding := 0
	for binding < len(holds) && holds[binding].until == start {
		binding++
	}
	next, then := model.Time(0), "nothing else holds it"
	if binding < len(holds) {
		next, then = holds[binding].until, e.briefly(u, holds[binding])
	}
	var events []string
	for _, h := range holds[:binding] {
		if h.kind == solver.ReasonBarrier && h.next > next {
			next, then = h.next, "its next predecessor holds it until then"
		}
		if job := e.w.Jobs[e.in.Job[u]].Release; h.kind == solver.ReasonRelease && job < h.until && job > next {
			next, then = job, "its job is released then"
		}
		if e.thaws(u, h) && e.in.Earliest[u] > next {
			next, then = e.in.Earliest[u], "it is released then"
		}
		events = append(events, e.unless(u, h))
	}
	if next < start {
		e.suggest("if %s earlier, it could start earlier too, at %s s at best: %s", strings.Join(events, " and "), next, then)
	}
}

// unless names the event that ends a hold.
func (e *explainer) unless(u int32, h hold) string {
	switch {
	case e.thaws(u, h):
		return "the freeze ended"
	case h.kind == solver.ReasonRelease && e.ownRelease(u, h):
		return e.id(u) + " were released"
	case h.kind == solver.ReasonRelease:
		return "job " + e.jobOf(u) + " were released"
	case h.kind == solver.ReasonBarrier:
		return e.list(h.all) + " ended"
	}
	return e.machine(u) + " were free"
}

// briefly names the next hold of a task.
func (e *explainer) briefly(u int32, h hold) string {
	switch {
	case h.kind == solver.ReasonRelease && h.until == 0:
		return "nothing else holds it"
	case e.thaws(u, h):
		return "the freeze ends then"
	case h.kind == solver.ReasonRelease:
		return "it is released then"
	case h.kind == solver.ReasonBarrier:
		return e.id(h.by) + ", which it follows, holds it until then"
	}
	return e.id(h.by) + " on " + e.machine(u) + " holds it until then"
}
