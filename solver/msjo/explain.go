package msjo

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
	"mrsched/solver/list"
)

// explainer answers one question about a schedule.
type explainer struct {
	r    *run
	in   *msjo.Instance
	w    *model.Workload
	q    solver.Question
	x    *list.Shifts
	done []model.Time // completion by job
	// sooner skips places that do not make the job end earlier.
	sooner bool
	pushes int                  // pushed tasks over all moves tried
	ends   map[int32]model.Time // by task: see others
	out    solver.Explanation
}

// Explain gives the reasons for the place of a task, or of the last tasks of a job.
func (r *run) Explain(ctx context.Context, q solver.Question) (*solver.Explanation, error) {
	defer r.forget()
	e := &explainer{r: r, in: r.in, w: r.in.Workload(), q: q, done: r.in.Completions(q.Schedule)}
	g := graph(r.in)
	g.Earliest = slices.Clone(g.Earliest)
	for u := range int32(r.in.Tasks) {
		g.Earliest[u] = e.release(u)
	}
	e.x = g.NewShifts(q.Schedule)
	var err error
	if q.Task == model.None {
		err = e.job(ctx, int32(q.Job))
	} else {
		err = e.task(ctx, int32(q.Task))
	}
	return &e.out, err
}

// task explains one task.
func (e *explainer) task(ctx context.Context, u int32) error {
	t := e.x.Entry[u]
	e.out.Subject = fmt.Sprintf("task %s of job %s, a %s of %s s, runs on %s from %s s to %s s", e.id(u), e.jobOf(u),
		e.w.Tasks[u].Kind, t.End-t.Start, e.machine(u), t.Start, t.End)
	if e.frozen(u) {
		e.place("%s", e.in.Replan().WhyFrozen())
		return nil
	}
	e.where(u)
	holds := e.holds(u)
	for k, h := range holds {
		if k > 0 && h.until == 0 && t.Start > 0 {
			break // this option tells nothing
		}
		e.out.When = append(e.out.When, e.because(u, h))
	}
	if holds[0].kind == solver.ReasonMachine || holds[0].kind == solver.ReasonIdle {
		e.gaps(u)
	}
	if err := e.rank(ctx, u, holds[0]); err != nil {
		return err
	}
	e.changes(u, holds)
	if err := e.taskPrices(ctx, u); err != nil {
		return err
	}
	return e.alternatives(ctx, []int32{u})
}

// job explains the completion of a job.
func (e *explainer) job(ctx context.Context, j int32) error {
	job := &e.w.Jobs[j]
	first, count, machines := e.done[j], 0, map[int32]bool{}
	for u := range tasksOf(e.in, int(j)) {
		first = min(first, e.x.Entry[u].Start)
		machines[e.x.Entry[u].Machine] = true
		count++
	}
	e.out.Subject = fmt.Sprintf("job %s of weight %s, released at %s s, runs %s from %s s and ends at %s s", job.ID,
		job.Weight, job.Release, model.Counted(count, "task"), first, e.done[j])
	e.place("its tasks run on %d of %s; all machines are alike", len(machines), model.Counted(e.in.Nodes, "machine"))
	e.place("alone on as many machines as it could use it would end at %s s", e.left().Alone[j])
	chain := e.chain(j)
	e.tellChain(chain)
	e.chainChanges(j, chain)
	if err := e.jobPrices(ctx, j); err != nil {
		return err
	}
	var own []int32
	for _, link := range chain {
		if e.in.Job[link.task] == j && !e.frozen(link.task) && len(own) < maxMovers {
			own = append(own, link.task)
		}
	}
	return e.alternatives(ctx, own)
}

const (
	maxMovers = 8 // tasks of a job's chain that the alternatives move
	maxNamed  = 5 // ids that a sentence lists
)

// left is what the bound is about: what a plan leaves, or all of the instance.
func (e *explainer) left() *msjo.Instance { return cmp.Or(e.in.Remaining(), e.in) }

// frozen says that a task stands where the earlier result has it.
func (e *explainer) frozen(u int32) bool { return e.in.Replan().Frozen(model.TaskIndex(u)) != nil }

// release is when a task may start, whatever else runs: under a plan, what is not frozen starts when the freeze ends.
func (e *explainer) release(u int32) model.Time {
	if p := e.in.Replan(); p != nil && !e.frozen(u) {
		return max(e.in.Earliest[u], p.Until)
	}
	return e.in.Earliest[u]
}

// thaws reports whether a task's release is the end of the freeze.
func (e *explainer) thaws(u int32, h hold) bool {
	return h.kind == solver.ReasonRelease && h.until > e.in.Earliest[u]
}

func (e *explainer) id(u int32) string      { return e.w.Tasks[u].ID }
func (e *explainer) jobOf(u int32) string   { return e.w.Jobs[e.in.Job[u]].ID }
func (e *explainer) machine(u int32) string { return e.in.MachineName(e.x.Entry[u].Machine) }

// named is a task with its job, unless the question is about that job.
func (e *explainer) named(u int32) string {
	if int32(e.q.Job) == e.in.Job[u] {
		return e.id(u)
	}
	return e.id(u) + " of job " + e.jobOf(u)
}

func (e *explainer) place(format string, args ...any) {
	e.out.Where = append(e.out.Where, solver.Reason{Kind: solver.ReasonPlace, Text: fmt.Sprintf(format, args...)})
}

func (e *explainer) suggest(format string, args ...any) {
	e.out.Changes = append(e.out.Changes, fmt.Sprintf(format, args...))
}

// where lists the machines that could have taken a task at its time.
func (e *explainer) where(u int32) {
	t := e.x.Entry[u]
	var free []string
	soonest := int32(model.None) // the task that first frees one of the busy machines
	for m := range e.candidates() {
		if m == t.Machine {
			continue
		}
		if e.free(m, t.Start, t.End) {
			free = append(free, e.in.MachineName(m))
			continue
		}
		for _, v := range e.x.On(m) {
			if o := e.x.Entry[v]; o.Start < t.End && o.End > t.Start {
				if soonest == model.None || o.End < e.x.Entry[soonest].End {
					soonest = v
				}
				break
			}
		}
	}
	switch {
	case e.in.Nodes == 1:
		e.place("there is one machine")
	case len(free) > 0:
		e.place("all machines are alike; idle for just as long: %s", solver.ShortList(free, maxNamed))
	default:
		e.place("all machines are alike; every other one is busy at some time between %s s and %s s; %s is free first, when "+
			"%s ends at %s s", t.Start, t.End, e.machine(soonest), e.named(soonest), e.x.Entry[soonest].End)
	}
}

// free reports whether a machine runs nothing in an interval. For a single moment it reports that no task is under way.
func (e *explainer) free(m int32, from, to model.Time) bool {
	for _, v := range e.x.On(m) {
		o := e.x.Entry[v]
		if o.Start < to && o.End > from || from == to && o.Start < from && o.End > from {
			return false
		}
		if o.Start > to {
			break
		}
	}
	return true
}

// candidates visits all machines that run something and the first that does not, by number.
func (e *explainer) candidates() func(yield func(m int32) bool) {
	return func(yield func(m int32) bool) {
		for m := range int32(e.in.Nodes) {
			if !yield(m) || len(e.x.On(m)) == 0 {
				return
			}
		}
	}
}

// link is one task of a critical chain. It waits for the next link.
type link struct {
	task int32
	hold hold
}

// chain leads from the last task of a job back to a release, or to a start for which nothing gives a reason to wait.
// Each link's task starts when its hold ends. Ties: the lower task.
func (e *explainer) chain(j int32) []link {
	u := int32(model.None)
	for v := range tasksOf(e.in, int(j)) {
		if e.x.Entry[v].End == e.done[j] && (u == model.None || v < u) {
			u = v
		}
	}
	var chain []link
	for u != model.None && len(chain) <= e.in.Tasks {
		l := link{u, e.holds(u)[0]}
		chain = append(chain, l)
		u = l.hold.by
	}
	return chain
}

// maxLinks is the number of links of a chain that are listed; the rest is counted.
const maxLinks = 40

// tellChain lists a chain from its end.
func (e *explainer) tellChain(chain []link) {
	for k, l := range chain {
		if k == maxLinks && len(chain) > maxLinks+1 {
			last := chain[len(chain)-1]
			e.tellLink(last, last.hold.until, fmt.Sprintf("and so on through %s, back to %s, which starts at %s s",
				model.Counted(len(chain)-k, "more task"), e.named(last.task), e.x.Entry[last.task].Start))
			return
		}
		t := e.x.Entry[l.task]
		text := fmt.Sprintf("%s runs on %s from %s s to %s s; ", e.named(l.task), e.machine(l.task), t.Start, t.End)
		switch h := l.hold; h.kind {
		case solver.ReasonRelease:
			if text += fmt.Sprintf("it starts as it is released, at %s s", h.until); e.thaws(l.task, h) {
				text += ": the freeze ends then"
			}
		case solver.ReasonPlace:
			text += e.in.Replan().WhyFrozen()
		case solver.ReasonBarrier:
			text += "it follows " + e.ending(h)
		case solver.ReasonMachine:
			text += fmt.Sprintf("until then %s runs %s", e.machine(l.task), e.named(h.by))
		default:
			text += fmt.Sprintf("nothing binds it: its machine could start it at %s s", e.holds(l.task)[1].until)
		}
		e.tellLink(l, t.Start, text)
	}
}

func (e *explainer) tellLink(l link, until model.Time, text string) {
	e.out.When = append(e.out.When, solver.Reason{Kind: l.hold.kind, Task: e.id(l.task), Job: e.jobOf(l.task), Text: text,
		Until: model.Number(until.String())})
}

// chainChanges divides the time from the chain's first start to the completion into its parts.
func (e *explainer) chainChanges(j int32, chain []link) {
	var own, others, delays model.Time
	count := 0
	for k, l := range chain {
		t := e.x.Entry[l.task]
		if e.in.Job[l.task] == j {
			own += t.End - t.Start
		} else {
			others += t.End - t.Start
			count++
		}
		if k > 0 && chain[k-1].hold.kind == solver.ReasonBarrier {
			delays += chain[k-1].hold.until - t.End
		}
	}
	first := e.x.Entry[chain[len(chain)-1].task].Start
	e.suggest("this chain takes %s s: %s s of tasks of job %s, %s s of other jobs' tasks, %s s of delays; it begins at "+
		"%s s", e.done[j]-first, own, e.w.Jobs[j].ID, others, delays, first)
	switch {
	case e.done[j] == e.left().Alone[j]:
		e.suggest("the job cannot end earlier: its own precedence takes as long")
	case count > 0:
		e.suggest("shorter tasks, delays or an earlier beginning on this chain would help, or serving the job before %s of "+
			"other jobs on it", model.Counted(count, "task"))
	default:
		e.suggest("shorter tasks, delays or an earlier beginning on this chain would help")
	}
}
