package msjo

import (
	"context"
	"fmt"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/explain"
	"mrsched/solver/list"
)

// explainer says what holds the tasks of a schedule.
type explainer struct {
	*explain.Desk
	ctx           context.Context
	r             *run
	in            *shop.Instance
	next, earlier *list.Graph
	machines      []int32 // those that run something and the first that does not: all are alike
}

// Explain gives the reasons for the place and start of a task, or of the last task of a job.
func (r *run) Explain(ctx context.Context, q explain.Question) (*explain.Explanation, error) {
	defer r.forget()
	e := r.explainer(ctx, q)
	return e.Answer(ctx, e)
}

func (r *run) explainer(ctx context.Context, q explain.Question) *explainer {
	e := &explainer{ctx: ctx, r: r, in: r.in, next: graph(r.in),
		Desk: explain.NewDesk(r.in, q, func(u int32) int32 { return r.in.Job[u] })}
	e.earlier = e.next.Reversed()
	for m := range int32(r.in.Nodes) {
		if e.machines = append(e.machines, m); len(e.On[m]) == 0 {
			break
		}
	}
	return e
}

func (e *explainer) task(row int32) int32 { return int32(e.Rows[row].Task) }

// Holds are the release, or the end of a freeze, and the predecessors.
func (e *explainer) Holds(row int32) []explain.Hold {
	u := e.task(row)
	h := explain.Hold{Kind: explain.Release, Until: e.in.Earliest[u], By: model.None}
	job := e.W.Jobs[e.in.Job[u]]
	switch p := e.in.Replan(); {
	case p != nil && p.Until > h.Until:
		h.Until, h.Text = p.Until, fmt.Sprintf("the freeze ends at %s", e.At(p.Until))
	case h.Until > job.Release:
		h.Text = fmt.Sprintf("the task itself is released at %s", e.At(h.Until))
	default:
		h.Text = fmt.Sprintf("job %s is released at %s", job.ID, e.At(h.Until))
	}
	return append([]explain.Hold{h}, e.After(func(pass func(by int32, until model.Time)) {
		e.earlier.Next(u, 0, func(v int32, delay model.Time) { pass(e.Row[v], e.Rows[e.Row[v]].End+delay) })
	})...)
}

// Machines are all that differ.
func (e *explainer) Machines(int32) []int32 { return e.machines }

// End is the same on all machines.
func (e *explainer) End(row, _ int32, start model.Time) model.Time {
	return start + e.in.Least[e.task(row)]
}

// Next passes the successors.
func (e *explainer) Next(row int32, end model.Time, each func(row int32, start, end model.Time)) {
	e.next.Next(e.task(row), 0, func(v int32, delay model.Time) { each(e.Row[v], end+delay, explain.Never) })
}

// Stands says what a plan freezes.
func (e *explainer) Stands(row int32) string {
	if p := e.in.Replan(); p.Frozen(e.Rows[row].Task) != nil {
		return p.WhyFrozen()
	}
	return ""
}

// rankTasks is the largest number of tasks for which the LP is solved again to find ranks.
const rankTasks = 2000

// Tell says when the job would end alone, what place the task has in the LP's order, and what the prices say.
func (e *explainer) Tell(row int32) error {
	left := e.in.Remaining()
	if left == nil {
		left = e.in
	}
	if e.Q.Task == model.None {
		e.Where(explain.Place, "alone on as many machines as it could use the job would end at %s",
			e.At(left.Alone[e.Job]))
	}
	r, u := e.r, e.task(row)
	if (e.Q.Algorithm == "mars" || e.Q.Algorithm == "mars-list") && e.in.Tasks <= rankTasks && !r.firstOrder() &&
		r.p.predictionError == 0 && e.in.Objective == shop.WeightedEnds {
		relax, err := r.relaxation(e.ctx, solver.Options{Iterations: solver.DefaultIterations, Threads: 1})
		if err != nil {
			return err
		}
		if relax.complete {
			e.Told.When = append(e.Told.When, explain.Fact{Kind: explain.Rank, Text: fmt.Sprintf(
				"%s takes tasks by their midpoints in the LP: %s is number %d of %d (%.3f s)", e.Q.Algorithm, e.ID(row),
				ranks(r.midpointOrder(relax))[u]+1, e.in.Tasks, r.c.byTask(relax.midpoint)[u])})
		}
	}
	return e.prices(left, row)
}
