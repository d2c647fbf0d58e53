package msjo

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"mrsched/model"
	"mrsched/solver"
)

// hold is what keeps a task from starting before a time.
type hold struct {
	kind  string
	until model.Time
	by    int32   // the task that holds it; None: no task
	all   []int32 // of a barrier: every predecessor that ends as late
	next  model.Time
}

// holds are what a task's start waits for: the binding hold, which is the latest, then the others after its release in
// falling order. If nothing binds, it begins with ReasonIdle. Ties: release, barrier, machine.
func (e *explainer) holds(u int32) []hold {
	list := []hold{{kind: solver.ReasonRelease, until: e.in.Earliest[u], by: model.None}}
	if b, ok := e.barrier(u); ok {
		list = append(list, b)
	}
	if v := e.x.Before(u); v != model.None {
		list = append(list, hold{kind: solver.ReasonMachine, until: e.x.Entry[v].End, by: v})
	}
	slices.SortStableFunc(list, func(a, b hold) int { return cmp.Compare(b.until, a.until) })
	list = slices.DeleteFunc(list, func(h hold) bool {
		return h.kind != solver.ReasonRelease &&
			h.until < e.in.Earliest[u]
	})
	if list[0].until < e.x.Entry[u].Start {
		list = slices.Insert(list, 0, hold{kind: solver.ReasonIdle, until: e.x.Entry[u].Start, by: model.None})
	}
	return list
}

// barrier is when the predecessors of a task let it start, and which of them are last.
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
	t := e.x.Entry[u]
	reason := solver.Reason{Kind: h.kind, Until: model.Number(h.until.String())}
	if h.by != model.None {
		reason.Task, reason.Job = e.id(h.by), e.jobOf(h.by)
	}
	switch h.kind {
	case solver.ReasonIdle:
		holds := e.holds(u)
		reason.Text = fmt.Sprintf("nothing: on %s, without moving anything else, it could start at %s s",
			e.in.MachineName(t.Machine), holds[1].until)
	case solver.ReasonRelease:
		reason.Job = e.jobOf(u)
		reason.Text = fmt.Sprintf("job %s is released at %s s", e.jobOf(u), h.until)
		if h.until > e.w.Jobs[e.in.Job[u]].Release {
			reason.Text = fmt.Sprintf("the task itself is released at %s s", h.until)
		}
	case solver.ReasonBarrier:
		reason.Text = "it follows " + e.ending(h)
	case solver.ReasonMachine:
		reason.Text = fmt.Sprintf("%s runs %s until %s s", e.in.MachineName(t.Machine), e.named(h.by), h.until)
	}
	if h.until == t.Start || h.kind == solver.ReasonIdle {
		return reason
	}
	reason.Text = "not before, anyway: " + reason.Text
	return reason
}

// ending says which predecessors end last, and when their delay has passed.
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

// gaps says where a task that waits for its machine could run earlier without moving anything.
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

// rank is a task's place in the order of the LP's midpoints, if its schedule was made in that order.
func (e *explainer) rank(ctx context.Context, u int32, binding hold) error {
	r := e.r
	if e.q.Algorithm != "mars" && e.q.Algorithm != "mars-list" || e.in.Tasks > rankTasks || r.firstOrder() ||
		r.p.predictionError > 0 || e.in.Objective != "twjct" {
		return nil
	}
	relax, err := r.relaxation(ctx, solver.Options{Iterations: solver.DefaultIterations, Threads: 1})
	if err != nil || !relax.complete {
		return err
	}
	rank := ranks(r.midpointOrder(relax))
	middle := make([]float64, e.in.Tasks)
	for k, v := range r.c.task {
		middle[v] = relax.midpoint[k]
	}
	text := fmt.Sprintf("%s takes tasks by their midpoints in the LP: %s is number %d of %d (%.3f s)", e.q.Algorithm,
		e.id(u), rank[u]+1, e.in.Tasks, middle[u])
	reason := solver.Reason{Kind: solver.ReasonRank}
	if binding.kind == solver.ReasonMachine && rank[binding.by] < rank[u] {
		reason.Task, reason.Job = e.id(binding.by), e.jobOf(binding.by)
		text += fmt.Sprintf("; %s, before it on its machine, is number %d (%.3f s)", e.named(binding.by), rank[binding.by]+1,
			middle[binding.by])
	}
	reason.Text = text
	e.out.When = append(e.out.When, reason)
	return nil
}

// changes says what would allow an earlier start, and how much later the task could start.
func (e *explainer) changes(u int32, holds []hold) {
	t := e.x.Entry[u]
	say := func(format string, args ...any) { e.out.Changes = append(e.out.Changes, fmt.Sprintf(format, args...)) }
	if holds[0].kind != solver.ReasonIdle {
		binding := 0
		for binding < len(holds) && holds[binding].until == t.Start {
			binding++
		}
		next, then := model.Time(0), "nothing else holds it"
		if binding < len(holds) {
			next, then = holds[binding].until, e.briefly(u, holds[binding])
		}
		text := ""
		for k, h := range holds[:binding] {
			if k > 0 {
				text += " and "
			}
			if h.kind == solver.ReasonBarrier && h.next > next {
				next, then = h.next, "its next predecessor holds it until then"
			}
			if job := e.w.Jobs[e.in.Job[u]].Release; h.kind == solver.ReasonRelease && job < h.until && job > next {
				next, then = job, "its job is released then"
			}
			text += e.unless(u, h)
		}
		if next < t.Start {
			say("if %s earlier, it could start earlier too, at %s s at best: %s", text, next, then)
		}
	}
	if e.in.Objective != "twjct" {
		return
	}
	switch slack := e.x.Slack(u, func(v int32) model.Time { return e.done[e.in.Job[v]] - e.x.Entry[v].End }); slack {
	case 0:
		say("it cannot start later without some job ending later")
	default:
		say("it could start up to %s s later without any job ending later", slack)
	}
}

// unless names the event for which a hold waits.
func (e *explainer) unless(u int32, h hold) string {
	switch h.kind {
	case solver.ReasonRelease:
		if h.until > e.w.Jobs[e.in.Job[u]].Release {
			return e.id(u) + " were released"
		}
		return fmt.Sprintf("job %s were released", e.jobOf(u))
	case solver.ReasonBarrier:
		return e.list(h.all) + " ended"
	}
	return fmt.Sprintf("%s were free", e.in.MachineName(e.x.Entry[u].Machine))
}

// briefly says what holds a task next.
func (e *explainer) briefly(u int32, h hold) string {
	switch h.kind {
	case solver.ReasonRelease:
		if h.until == 0 {
			return "nothing else holds it"
		}
		return "it is released then"
	case solver.ReasonBarrier:
		return e.id(h.by) + ", which it follows, holds it until then"
	}
	return fmt.Sprintf("%s on %s holds it until then", e.id(h.by), e.in.MachineName(e.x.Entry[u].Machine))
}
