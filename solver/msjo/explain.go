package msjo

import (
	"context"
	"fmt"

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
	// sooner leaves out places that do not make the job end earlier.
	sooner bool
	pushes int                  // of all moves tried
	ends   map[int32]model.Time // by task: see others
	out    solver.Explanation
}

// Explain says why a task, or the last tasks of a job, are where they are.
func (r *run) Explain(ctx context.Context, q solver.Question) (*solver.Explanation, error) {
	defer r.forget()
	e := &explainer{r: r, in: r.in, w: r.in.Workload(), q: q, x: graph(r.in).NewShifts(q.Schedule),
		done: r.in.Completions(q.Schedule)}
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
		e.w.Tasks[u].Kind,
		t.End-t.Start, e.in.MachineName(t.Machine), t.Start, t.End)
	e.where(u)
	holds := e.holds(u)
	for k, h := range holds {
		if k > 0 && h.until == 0 && t.Start > 0 {
			break // that says nothing
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
	for _, u := range e.in.JobNodes(int(j)) {
		if int(u) < e.in.Tasks {
			first = min(first, e.x.Entry[u].Start)
			machines[e.x.Entry[u].Machine] = true
			count++
		}
	}
	e.out.Subject = fmt.Sprintf("job %s of weight %s, released at %s s, runs %s from %s s and ends at %s s", job.ID,
		job.Weight, job.Release,
		model.Counted(count, "task"), first, e.done[j])
	e.place(fmt.Sprintf("its tasks run on %d of %s; all machines are alike", len(machines),
		model.Counted(e.in.Machines, "machine")))
	e.place(fmt.Sprintf("alone on as many machines as it could use it would end at %s s", e.in.Alone[j]))
	chain := e.chain(j)
	e.tellChain(chain)
	e.chainChanges(j, chain)
	if err := e.jobPrices(ctx, j); err != nil {
		return err
	}
	var own []int32
	for _, link := range chain {
		if e.in.Job[link.task] == j && len(own) < maxMovers {
			own = append(own, link.task)
		}
	}
	return e.alternatives(ctx, own)
}

// maxMovers is how many tasks of a job's chain the alternatives move.
const maxMovers = 8

func (e *explainer) id(u int32) string    { return e.w.Tasks[u].ID }
func (e *explainer) jobOf(u int32) string { return e.w.Jobs[e.in.Job[u]].ID }

// named is a task with its job, unless that is the job of the question.
func (e *explainer) named(u int32) string {
	if int32(e.q.Job) == e.in.Job[u] {
		return e.id(u)
	}
	return e.id(u) + " of job " + e.jobOf(u)
}

func (e *explainer) place(text string) {
	e.out.Where = append(e.out.Where, solver.Reason{Kind: solver.ReasonPlace, Text: text})
}

// maxNamed is how many ids a sentence lists.
const maxNamed = 5

// where says which machines could have taken a task at its time.
func (e *explainer) where(u int32) {
	t := e.x.Entry[u]
	var free []string
	soonest, next := model.Time(-1), int32(model.None)
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
				if soonest < 0 || o.End < soonest {
					soonest, next = o.End, v
				}
				break
			}
		}
	}
	switch {
	case e.in.Machines == 1:
		e.place("there is one machine")
	case len(free) > 0:
		e.place(fmt.Sprintf("all machines are alike; idle for just as long: %s", solver.ShortList(free, maxNamed)))
	default:
		e.place(fmt.Sprintf("all machines are alike; each other is busy at some time from %s s to %s s, %s first, with %s "+
			"until %s s", t.Start, t.End,
			e.in.MachineName(e.x.Entry[next].Machine), e.named(next), soonest))
	}
}

// free says whether a machine runs nothing in an interval; for a single moment, that no task is under way.
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
		for m := range int32(e.in.Machines) {
			if !yield(m) || len(e.x.On(m)) == 0 {
				return
			}
		}
	}
}
