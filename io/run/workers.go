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

// workers do the runs of a shard side by side. An error of one cancels all.
type workers struct {
	x    *Sweep
	rows *Log

	mu   sync.Mutex // of done and the counts of x
	done int        // runs
}

// run lets some workers do some runs. The runs of an instance follow each other, and it is dropped after its last one:
// memory never holds more instances than there are workers.
func (o *workers) run(ctx context.Context, runs []Run, threads int) error {
	all := map[int]*work{}
	for _, run := range runs {
		if all[run.Instance] == nil {
			all[run.Instance] = &work{instance: &o.x.plan.Instances[run.Instance]}
		}
		all[run.Instance].left++
	}
	return Each(ctx, len(runs), threads, func(ctx context.Context, k int) error {
		of := all[runs[k].Instance]
		defer o.release(of)
		row, err := o.x.execute(ctx, of, runs[k])
		if err != nil || row == nil { // no row if ctx ends
			return err
		}
		if err := o.finish(row); err != nil {
			return err
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		o.done++
		o.x.Progress(o.done, len(runs))
		return nil
	})
}

// finish keeps a row.
func (o *workers) finish(row *Row) error {
	if err := o.rows.Append(row); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.x.already++
	if row.Status == StatusError {
		o.x.Failed++
	}
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
