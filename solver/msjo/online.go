package msjo

import (
	"context"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
	"mrsched/solver/list"
)

// online is what is known and decided while jobs arrive.
type online struct {
	r, planner *run
	known      []model.Time // by job: the multiple at which it is learnt of
	batches    []model.Time // the multiples at which there is something new
	partial    *list.Partial
}

func newOnline(r, planner *run, interval model.Time) *online {
	o := &online{r: r, planner: planner, known: make([]model.Time, r.in.Jobs), partial: graph(r.in).NewPartial()}
	for j, job := range r.in.Workload().Jobs {
		o.known[j] = (job.Release + interval - 1) / interval * interval
	}
	o.batches = slices.Compact(slices.Sorted(slices.Values(o.known)))
	return o
}

// plan orders the tasks that are known at a time and have not started by the midpoints of their own LP.
func (o *online) plan(ctx context.Context, now model.Time, opt solver.Options) (order []int32, complete bool,
	err error) {
	w, tasks, err := o.rest(now)
	if err != nil || len(tasks) == 0 {
		return nil, true, err
	}
	in, err := msjo.New(w, int64(o.r.in.Machines))
	if err != nil {
		return nil, false, err
	}
	sub := &run{in: in, p: o.r.p, backend: o.r.backend}
	opt.Watch = nil // of the batches, not of their LPs
	relax, err := sub.relaxation(ctx, opt)
	if err != nil {
		return nil, false, err
	}
	for _, u := range sub.midpointOrder(relax) {
		order = append(order, tasks[u])
	}
	return order, relax.complete, nil
}

// rest is the workload of the known tasks that have not started. Its times count from now, and waiting for started
// tasks becomes a release. tasks are the original's.
func (o *online) rest(now model.Time) (w *model.Workload, tasks []int32, err error) {
	in, all := o.r.in, o.r.in.Workload()
	left := func(u int32) bool { return o.known[in.Job[u]] <= now && !o.partial.Started[u] }
	general := make([]bool, in.Jobs) // their precedence is in rows of delays, of which none may be left
	for _, d := range all.Delays {
		general[all.Tasks[d.From].Job] = true
	}
	b := model.NewBuilder()
	b.Scalars("rest", "msjo", model.Some(int64(in.Machines)), nil)
	ready := graph(in).Ready(o.partial, in.Topo)
	added := make([]bool, in.Jobs)
	for u := range int32(in.Tasks) {
		if !left(u) {
			continue
		}
		job := all.Jobs[in.Job[u]]
		if !added[in.Job[u]] {
			added[in.Job[u]] = true
			b.Job(model.Job{ID: job.ID, Weight: job.Weight}, model.Locus{})
		}
		t := all.Tasks[u]
		task := model.Task{ID: t.ID, Kind: t.Kind, ShuffleDelay: t.ShuffleDelay,
			Processing: model.Some(o.planner.in.Processing[u]),
			Release:    model.Some(max(0, ready[u]-now))}
		if general[in.Job[u]] {
			task.Kind = model.Map
		}
		b.Task(task, job.ID, "", model.Locus{})
		tasks = append(tasks, u)
	}
	for _, d := range all.Delays {
		if from, to := int32(d.From), int32(d.To); left(from) && left(to) {
			b.Delay(all.Tasks[from].ID, all.Tasks[to].ID, d.Delay, model.Locus{})
		}
	}
	if len(tasks) == 0 {
		return nil, nil, nil
	}
	w, err = b.Build()
	return w, tasks, err
}
