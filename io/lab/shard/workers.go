package shard

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"mrsched/io/lab/sweep"
	"mrsched/model"
)

type sweepLogs struct {
	rows, timings *sweep.Log
	attempts      *sweep.Attempts
}

// pool does the runs that are left and appends their rows as they finish: unsuspicious runs on --threads workers, then
// the others one by one. Each run has one core.
func (x *Sweep) pool(ctx context.Context, left []int, logs *sweepLogs) error {
	others, suspects := x.apart(left, logs.attempts)
	suspects, err := x.giveUp(suspects, logs.rows, logs.attempts)
	if err != nil {
		return err
	}
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	o := &workers{x: x, logs: logs, total: len(others) + len(suspects), cancel: cancel}
	o.run(running, others, x.Threads)
	for _, i := range suspects {
		o.run(running, []int{i}, 1)
	}
	if ctx.Err() != nil {
		return nil // the caller of wait sees that
	}
	return context.Cause(running)
}

// workers do the runs of a shard side by side. An error of one cancels all.
type workers struct {
	x      *Sweep
	logs   *sweepLogs
	cancel context.CancelCauseFunc

	mu          sync.Mutex // of done and the counts of x
	done, total int        // runs
}

// run lets some workers do some runs.
//
// A worker stays with one instance while it has runs left, then takes an instance that is not begun, and otherwise
// helps another worker with its instance. So memory never holds more instances than there are workers.
func (o *workers) run(ctx context.Context, runs []int, workers int) {
	q := o.x.queue(runs)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for work := (*work)(nil); ; {
				var i int
				if work, i = q.take(work); work == nil || ctx.Err() != nil {
					return
				}
				if err := o.one(ctx, work, i); err != nil {
					o.cancel(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// one does a run; it writes no row if ctx ends.
func (o *workers) one(ctx context.Context, of *work, i int) error {
	id := o.x.runs[i].ID
	if err := o.logs.attempts.Begin(id); err != nil {
		return err
	}
	row, took, err := o.x.execute(ctx, of, i)
	if err != nil || row == nil {
		return err
	}
	if err := o.logs.rows.Append(row); err != nil {
		return err
	}
	if err := o.logs.attempts.End(id); err != nil {
		return err
	}
	if err := o.logs.timings.Append(took); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.x.already++
	if row.Status == sweep.StatusError {
		o.x.Failed++
	}
	o.done++
	o.x.Progress(o.done, o.total)
	return nil
}

// work is an instance and its runs.
type work struct {
	instance *sweep.Instance
	runs     []int // not begun, the first last

	users  int // workers
	loaded sync.Once
	w      *model.Workload
	digest string
	err    error
}

// queue holds the instances, those with the most runs first.
type queue struct {
	mu    sync.Mutex
	all   []*work
	begun int
}

func (x *Sweep) queue(left []int) *queue {
	q := &queue{}
	at := map[int]*work{}
	for _, i := range left {
		k := x.runs[i].Instance
		if at[k] == nil {
			at[k] = &work{instance: &x.plan.Instances[k]}
			q.all = append(q.all, at[k])
		}
		at[k].runs = append(at[k].runs, i)
	}
	for _, w := range q.all {
		slices.Reverse(w.runs)
	}
	slices.SortStableFunc(q.all, func(a, b *work) int { return cmp.Compare(len(b.runs), len(a.runs)) })
	return q
}

// take is a worker's next run after those of an instance (nil: none yet). A nil instance means that nothing is left.
func (q *queue) take(of *work) (*work, int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if of != nil && len(of.runs) == 0 {
		if of.users--; of.users == 0 {
			of.w = nil
		}
		of = nil
	}
	if of == nil {
		if of = q.next(); of == nil {
			return nil, 0
		}
		of.users++
	}
	last := len(of.runs) - 1
	i := of.runs[last]
	of.runs = of.runs[:last]
	return of, i
}

// next is an instance that is not begun, else the one with the most runs left.
func (q *queue) next() *work {
	if q.begun < len(q.all) {
		q.begun++
		return q.all[q.begun-1]
	}
	var best *work
	for _, w := range q.all {
		if len(w.runs) > 0 && (best == nil || len(w.runs) > len(best.runs)) {
			best = w
		}
	}
	return best
}
