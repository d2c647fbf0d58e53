package msjo

import (
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/bound"
	"mrsched/solver/list"
)

// defaultBatch is the default batch interval in seconds.
const defaultBatch = 50

// solveSOMars learns of a job at the first multiple of the batch interval after its arrival. At every multiple with a
// new job it plans all tasks that have not started from scratch, as mars does, with the LP of the remaining tasks.
// Times count from then on, and running tasks keep their machines. Tasks that start before the next such multiple are
// fixed.
//
// Guarantee: none, because future jobs are unknown. Complexity: one LP and O(N log N) per batch with new jobs. Ties: as
// mars. Source: Ling et al. 2016, §5.3. Differs: no new plan without new jobs.
func solveSOMars(ctx context.Context, r *run, opt solver.Options) (*made, error) {
	r = r.underJobs()
	planner := r.planner(opt)
	return r.inBatches(ctx, func(ctx context.Context, o *online, now model.Time) ([]int32, bool, error) {
		return o.plan(ctx, planner, now, opt)
	}, opt)
}

// inBatches lets plan order, at each multiple with new jobs, the known tasks that have not started; the second result
// says whether it came to its end.
func (r *run) inBatches(ctx context.Context,
	plan func(ctx context.Context, o *online, now model.Time) ([]int32, bool, error), opt solver.Options) (*made, error) {
	interval := r.p.batchInterval
	if interval == 0 {
		interval = defaultBatch
	}
	o := newOnline(r, model.TimeOf(interval))
	m := &made{facts: Facts{Batches: new(len(o.batches))}}
	for i, now := range o.batches {
		until := model.Time(math.MaxInt64)
		if i+1 < len(o.batches) {
			until = o.batches[i+1]
		}
		part, end := bound.Within(ctx, 1/float64(len(o.batches)-i))
		order, complete, err := plan(part, o, now)
		end()
		if err != nil {
			return nil, err
		}
		m.limited(!complete)
		graph(r.in).Resume(o.partial, r.in.Topo, order, r.in.Nodes, now, until)
		opt.Report(i+1, len(o.batches))
	}
	m.schedule = o.partial.Schedule
	return m, nil
}

// online is the state while jobs arrive.
type online struct {
	r       *run
	known   []model.Time // by job: the multiple at which it becomes known
	batches []model.Time // the multiples with new jobs
	partial *list.Partial
}

func newOnline(r *run, interval model.Time) *online {
	o := &online{r: r, known: make([]model.Time, r.in.Jobs), partial: graph(r.in).NewPartial()}
	for j, job := range r.in.Workload().Jobs {
		o.known[j] = (job.Release + interval - 1) / interval * interval
	}
	o.batches = slices.Compact(slices.Sorted(slices.Values(o.known)))
	return o
}

// left reports whether a task is known by now and has not started.
func (o *online) left(u int32, now model.Time) bool {
	return o.known[o.r.in.Job[u]] <= now && !o.partial.Started[u]
}

// plan orders the tasks that are left by the midpoints of their own LP.
func (o *online) plan(ctx context.Context, planner *run, now model.Time, opt solver.Options) (order []int32,
	complete bool, err error) {
	w, tasks, err := o.rest(planner, now)
	if err != nil || len(tasks) == 0 {
		return nil, true, err
	}
	in, err := shop.NewIdentical(w, int64(o.r.in.Nodes))
	if err != nil {
		return nil, false, err
	}
	sub := o.r.on(in)
	opt.Watch = nil // show batches, not their LPs
	relax, err := sub.relaxation(ctx, opt)
	if err != nil {
		return nil, false, err
	}
	for _, u := range sub.midpointOrder(relax) {
		order = append(order, tasks[u])
	}
	return order, relax.complete, nil
}

// rest is the workload of the known tasks that have not started, with their original indices. Its times count from now.
// A task that waits for started tasks gets a release instead.
func (o *online) rest(planner *run, now model.Time) (w *model.Workload, tasks []int32, err error) {
	in, all := o.r.in, o.r.in.Workload()
	general := make([]bool, in.Jobs) // jobs with rows of delays, even if none of the rows is left
	for _, d := range all.Delays {
		general[all.Tasks[d.From].Job] = true
	}
	b := model.NewBuilder()
	b.Scalars("rest", "msjo", model.Some(int64(in.Nodes)), nil)
	ready := graph(in).Ready(o.partial, in.Topo)
	added := make([]bool, in.Jobs)
	for u := range int32(in.Tasks) {
		if !o.left(u, now) {
			continue
		}
		job := all.Jobs[in.Job[u]]
		if !added[in.Job[u]] {
			added[in.Job[u]] = true
			b.Job(model.Job{ID: job.ID, Weight: job.Weight}, model.Locus{})
		}
		t := all.Tasks[u]
		task := model.Task{ID: t.ID, Kind: t.Kind, ShuffleDelay: t.ShuffleDelay,
			Processing: model.Some(planner.in.Least[u]),
			Release:    model.Some(max(0, ready[u]-now))}
		if general[in.Job[u]] {
			task.Kind = model.Map
		}
		b.Task(task, job.ID, "", model.Locus{})
		tasks = append(tasks, u)
	}
	for _, d := range all.Delays {
		if from, to := int32(d.From), int32(d.To); o.left(from, now) && o.left(to, now) {
			b.Delay(all.Tasks[from].ID, all.Tasks[to].ID, d.Delay, model.Locus{})
		}
	}
	if len(tasks) == 0 {
		return nil, nil, nil
	}
	w, err = b.Build()
	return w, tasks, err
}
