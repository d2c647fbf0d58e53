package run

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"

	"mrsched/model"
)

// Each calls do for 0 … n−1 in this order, at most some calls at a time. After an error or the end of ctx it begins no
// more; calls under way see that by their context.
func Each(ctx context.Context, n, threads int, do func(ctx context.Context, i int) error) error {
	g, running := errgroup.WithContext(ctx)
	g.SetLimit(threads)
	for i := 0; i < n && running.Err() == nil; i++ {
		g.Go(func() error {
			if running.Err() != nil { // it came while this call waited
				return nil
			}
			return do(running, i)
		})
	}
	return g.Wait()
}

// pool does the runs that are left and appends their rows as they finish: unsuspicious runs on --threads workers, then
// the others one by one. Each run has one core.
func (x *Sweep) pool(ctx context.Context, left []int, rows *Log, attempts *Attempts) error {
	others, suspects := x.apart(left, attempts)
	suspects, err := x.giveUp(suspects, rows, attempts)
	if err != nil {
		return err
	}
	o := &workers{x: x, rows: rows, attempts: attempts, total: len(others) + len(suspects)}
	err = o.run(ctx, others, x.Threads)
	for _, i := range suspects {
		if err == nil && ctx.Err() == nil {
			err = o.run(ctx, []int{i}, 1)
		}
	}
	if ctx.Err() != nil {
		return nil // the caller of wait sees that
	}
	return err
}

// workers do the runs of a shard side by side. An error of one cancels all.
type workers struct {
	x        *Sweep
	rows     *Log
	attempts *Attempts

	mu          sync.Mutex // of done and the counts of x
	done, total int        // runs
}

// run lets some workers do some runs. The runs of an instance follow each other, and it is dropped after its last one:
// memory never holds more instances than there are workers.
func (o *workers) run(ctx context.Context, runs []int, threads int) error {
	all := map[int]*work{}
	for _, i := range runs {
		k := o.x.runs[i].Instance
		if all[k] == nil {
			all[k] = &work{instance: &o.x.plan.Instances[k]}
		}
		all[k].left++
	}
	return Each(ctx, len(runs), threads, func(ctx context.Context, k int) error {
		of := all[o.x.runs[runs[k]].Instance]
		defer o.release(of)
		return o.one(ctx, of, runs[k])
	})
}

// one does a run; it writes no row if ctx ends.
func (o *workers) one(ctx context.Context, of *work, i int) error {
	id := o.x.runs[i].ID
	if err := o.attempts.Begin(id); err != nil {
		return err
	}
	row, err := o.x.execute(ctx, of, i)
	if err != nil || row == nil {
		return err
	}
	if err := o.rows.Append(row); err != nil {
		return err
	}
	if err := o.attempts.End(id); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.x.already++
	if row.Status == StatusError {
		o.x.Failed++
	}
	o.done++
	o.x.Progress(o.done, o.total)
	return nil
}

// work is an instance and its runs.
type work struct {
	instance *Instance
	left     int // runs that have not ended

	loaded sync.Once
	w      *model.Workload
	digest string
	err    error
}

// release counts a run that has ended.
func (o *workers) release(of *work) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if of.left--; of.left == 0 {
		of.w = nil
	}
}
