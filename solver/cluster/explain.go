package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mrsched/model"
	"mrsched/model/cluster"
	"mrsched/solver"
)

// explainer answers one question about a schedule.
type explainer struct {
	in   *cluster.Instance
	w    *model.Workload
	q    solver.Question
	c    *chain
	done []model.Time // completion by job
	out  solver.Explanation
}

// Explain says why a task, or the last tasks of a job, are where they are.
func (r *run) Explain(ctx context.Context, q solver.Question) (*solver.Explanation, error) {
	e := &explainer{in: r.in, w: r.in.Workload(), q: q, c: newChain(r.in, q.Schedule, nil),
		done: r.in.Completions(q.Schedule)}
	if q.Task != model.None {
		e.task(int32(q.Task))
	} else {
		e.job(int32(q.Job))
	}
	return &e.out, ctx.Err()
}

func (e *explainer) id(u int32) string   { return e.w.Tasks[u].ID }
func (e *explainer) node(u int32) string { return e.in.MachineName(e.c.b.node[u]) }

// task explains one task.
func (e *explainer) task(u int32) {
	b := e.c.b
	e.out.Subject = fmt.Sprintf("task %s of job %s, a %s, runs on %s from %s s to %s s", e.id(u),
		e.w.Jobs[e.in.Job[u]].ID, e.w.Tasks[u].Kind, e.node(u), b.start[u], b.end[u])
	if e.in.Fixed(u) {
		e.place("%s", e.stands(u, "the table fixed says that it stands there, whatever else holds"))
		return
	}
	e.where(u)
	e.when(u)
	e.alternatives(u)
}

func (e *explainer) place(format string, args ...any) {
	e.out.Where = append(e.out.Where, solver.Reason{Kind: solver.ReasonPlace, Text: fmt.Sprintf(format, args...)})
}

// stands says why a fixed task stands where it does: as a plan that is kept froze it, or otherwise, by the workload.
func (e *explainer) stands(u int32, otherwise string) string {
	if p := e.in.Replan(); p.Frozen(model.TaskIndex(u)) != nil {
		return p.WhyFrozen()
	}
	return otherwise
}

// released says that a task may start at a time which no task before it decides.
func (e *explainer) released(u int32) string {
	t := e.in.Earliest[u]
	if own := max(e.w.Jobs[e.in.Job[u]].Release, e.w.Tasks[u].Release.Or(0)); t > own {
		return fmt.Sprintf("the freeze ends at %s s", t)
	}
	return fmt.Sprintf("it is released at %s s", t)
}

// where says how the node compares with others.
func (e *explainer) where(u int32) {
	count, away, own, least := 0, 0, e.c.b.end[u]-e.c.b.start[u], cluster.Never
	for i := range int32(e.in.Nodes) {
		switch {
		case !e.in.Runs(u, i):
		case e.in.HasTime(u, i):
			count++
			least = min(least, e.in.Length(u, i))
		default:
			away++
		}
	}
	e.place("%d of %s may run it and have room for it when they are empty", count, model.Counted(e.in.Nodes, "node"))
	e.small(u)
	if away > 0 {
		e.place("%s more would do, and the table unavailable says that %s too early", model.Counted(away, "node"),
			map[bool]string{true: "it leaves", false: "they leave"}[away == 1])
	}
	if least < own {
		e.place("it takes %s s there, and %s s on the fastest node", own, least)
	} else {
		e.place("no node is faster: it takes %s s there", own)
	}
}

// when says what a task waits for, the binding cause first.
func (e *explainer) when(u int32) {
	in, b := e.in, e.c.b
	start := b.start[u]
	add := func(kind, format string, until model.Time, args ...any) {
		e.out.When = append(e.out.When, solver.Reason{Kind: kind, Text: fmt.Sprintf(format, args...),
			Until: model.Number(until.String())})
	}
	ready, last := e.cause(u)
	room, i := e.room(u, ready), b.node[u]
	b.remove(u)
	switch {
	case room < start:
		add(solver.ReasonIdle, "it could start earlier on its node, at %s s, if nothing else changed", room, room)
	case start > ready:
		add(solver.ReasonMachine, "until %s s, %s: %s", start, start, e.lacking(u, i, start-1), e.users(i, start))
	}
	b.place(u, i, start)
	if last != model.None {
		add(solver.ReasonBarrier,
			"it waits for task %s, which ends at %s s: with the delays between them it may start at %s s", ready,
			e.id(last), b.end[last], ready)
		e.out.When[len(e.out.When)-1].Task = e.id(last)
	}
	if t := in.Earliest[u]; t > 0 || len(e.out.When) == 0 {
		add(solver.ReasonRelease, "%s", t, e.released(u))
	}
}

// maxLinks is the largest number of tasks of a chain that are listed.
const maxLinks = 40

// chain lists the tasks that held each other, from the one that held task u back to a release or to a start that
// nothing binds.
func (e *explainer) chain(u int32) {
	b := e.c.b
	_, by := e.held(u)
	for n := 0; by != model.None && n < maxLinks; n++ {
		u = by
		var kind string
		kind, by = e.held(u)
		text := fmt.Sprintf("%s runs on %s from %s s to %s s; ", e.id(u), e.node(u), b.start[u], b.end[u])
		switch {
		case kind == solver.ReasonBarrier:
			text += fmt.Sprintf("it follows %s", e.id(by))
		case kind == solver.ReasonMachine && by != model.None:
			text += fmt.Sprintf("until then %s beside %s", e.lacking(u, b.node[u], b.start[u]-1), e.id(by))
		case kind == solver.ReasonMachine:
			text += "until then " + e.lacking(u, b.node[u], b.start[u]-1)
		case kind == solver.ReasonRelease:
			text += strings.Replace(e.released(u), fmt.Sprintf("at %s s", b.start[u]), "then", 1)
		case kind == solver.ReasonPlace:
			text += e.stands(u, "the table fixed says so")
		default:
			text += "nothing binds it"
		}
		e.out.When = append(e.out.When, solver.Reason{Kind: kind, Text: text, Task: e.id(u), Job: e.w.Jobs[e.in.Job[u]].ID,
			Until: model.Number(b.start[u].String())})
	}
	if by != model.None {
		last := &e.out.When[len(e.out.When)-1]
		last.Text += "; and so on"
	}
}

// held says why a task does not start earlier, and which task is in its way; None: none.
func (e *explainer) held(u int32) (kind string, by int32) {
	b := e.c.b
	start := b.start[u]
	ready, last := e.cause(u)
	switch {
	case e.in.Fixed(u):
		return solver.ReasonPlace, model.None
	case start <= ready && last != model.None:
		return solver.ReasonBarrier, last
	case start <= ready:
		return solver.ReasonRelease, model.None
	case e.room(u, ready) < start:
		return solver.ReasonIdle, model.None
	}
	for v := range int32(e.in.Tasks) {
		if b.node[v] == b.node[u] && b.end[v] == start && b.start[v] < start && e.inTheWay(u, v) {
			return solver.ReasonMachine, v
		}
	}
	return solver.ReasonMachine, model.None
}

// cause is when a task may start, and the task before it that says so; None if it is its release.
func (e *explainer) cause(u int32) (ready model.Time, last int32) {
	e.c.memo.step++
	ready, last = e.in.Earliest[u], int32(model.None)
	var look func(v int32, delay model.Time)
	look = func(v int32, delay model.Time) {
		p := e.c.preds
		for k := p.first[v]; k < p.first[v+1]; k++ {
			x, d := p.step[k], delay+p.delay[k]
			if int(x) >= e.in.Tasks {
				if e.c.ready(x)+d > ready {
					look(x, d)
				}
			} else if t := e.c.b.end[x] + d; t > ready {
				ready, last = t, x
			}
		}
	}
	look(u, 0)
	return ready, last
}

// alternatives moves only this task: to every node, as early as there is room.
func (e *explainer) alternatives(u int32) {
	b := e.c.b
	list := solver.NewAlternatives(e.in, e.q.Schedule, e.q.Alternatives)
	if list.Missing() == 0 {
		return
	}
	e.c.memo.step++
	from, limit := e.c.ready(u), e.c.limit(u)
	was := spot{b.node[u], b.start[u], b.end[u]}
	b.remove(u)
	changed := &model.Schedule{Entries: slices.Clone(e.q.Schedule.Entries)}
	row := slices.IndexFunc(changed.Entries, func(x model.Entry) bool { return x.Task == model.TaskIndex(u) })
	var full []int32
	var slow []string
	least, most := cluster.Never, model.Time(0) // on the slow nodes
	for i := range int32(e.in.Nodes) {
		at, ok := b.soonest(u, from, limit, []int32{i})
		switch {
		case ok || !e.in.HasTime(u, i):
		case e.in.Length(u, i) > limit-from:
			slow = append(slow, e.in.MachineName(i))
			least, most = min(least, e.in.Length(u, i)), max(most, e.in.Length(u, i))
		default:
			full = append(full, i)
		}
		if !ok || at == was {
			continue
		}
		changed.Entries[row] = model.Entry{Task: model.TaskIndex(u), Machine: i, Start: at.start, End: at.end}
		x := solver.AlternativeAt(e.in.MachineName(i), at.start, at.end)
		x.Task = e.id(u)
		list.Try(x, changed)
	}
	defer b.place(u, was.node, was.start)
	if len(slow) > 0 {
		takes := least.String() + " s"
		if most > least {
			takes += " or more"
		}
		e.place("%s: it takes %s there, too long to run from %s s to %s s, when it has to end for what waits for it",
			solver.ShortList(slow, solver.Listed), takes, from, limit)
	}
	e.full(u, full, from, limit)
	if e.out.Alternatives = list.List(); len(e.out.Alternatives) == 0 {
		e.place("there are no alternatives: as long as everything else stays, no other node would do, nor an earlier start " +
			"on this one")
	}
}

// job explains the completion of a job: its last task.
func (e *explainer) job(j int32) {
	x := &e.w.Jobs[j]
	last, first := int32(model.None), model.MaxTime
	for _, u := range e.c.ofJob[j] {
		first = min(first, e.c.b.start[u])
		if last == model.None || e.c.b.end[u] > e.c.b.end[last] {
			last = u
		}
	}
	e.out.Subject = fmt.Sprintf("job %s of weight %s, released at %s s, runs %s from %s s and ends at %s s with task %s",
		x.ID, x.Weight, x.Release, model.Counted(len(e.c.ofJob[j]), "task"), first, e.done[j], e.id(last))
	if due := e.in.Due[j]; due < cluster.Never {
		text := fmt.Sprintf("it is due at %s s, and %s s late", due, e.done[j]-due)
		if e.done[j] <= due {
			text = fmt.Sprintf("it is due at %s s, and in time", due)
		}
		e.out.When = append(e.out.When, solver.Reason{Kind: solver.ReasonDeadline, Until: model.Number(due.String()),
			Text: text})
	}
	e.place("if all tasks ran as early and as fast as they can, it would end at %s s", e.in.Alone[j])
	if e.in.Fixed(last) {
		e.place("its last task stands: the table fixed says where and when")
		return
	}
	e.where(last)
	e.when(last)
	e.chain(last)
	e.alternatives(last)
}

// Conflict is a job that is late in every schedule, even if only it and what it waits for ran; nil if none is
// proven.
func (r *run) Conflict(ctx context.Context) (c *model.Conflict, dated bool, err error) {
	in, late := r.in, []int{}
	if slices.Min(in.Due) >= cluster.Never {
		return nil, false, nil
	}
	b, err := newPricing(ctx, in)
	if err != nil {
		return nil, true, err
	}
	for j, due := range in.Due {
		if b.windows.Job[j] > due {
			late = append(late, j)
		}
	}
	if len(late) == 0 {
		return nil, true, nil
	}
	first, more := late[0], late[1:]
	x := &in.Workload().Jobs[first]
	c = &model.Conflict{What: fmt.Sprintf("job %s is late in every schedule", x.ID), Minimal: true,
		Proof: fmt.Sprintf("even if only this job ran, and what it waits for, it would end at %s s at the earliest, by the "+
			"bound %s", b.windows.Job[first], cluster.MethodAlone),
		Members: []model.Demand{{Kind: "deadline", ID: x.ID,
			Text: fmt.Sprintf("job %s is released at %s s and due at %s s", x.ID, x.Release, in.Due[first])}}}
	if len(more) > 0 {
		c.Proof += "; late as well: " + solver.Names(more, func(j int) string { return in.Workload().Jobs[j].ID })
	}
	return c, true, nil
}
