package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"mrsched/io/show"
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

// maxDeaths is how often a run is begun whose process dies. The first death may be the fault of another run, the second
// of a process that was already large; the third is most likely the run's own.
const maxDeaths = 3

// codeDied marks runs in which the process died too often.
const codeDied = "died"

// pool does the runs that are left and appends their rows as they finish, on --threads workers, each run on one core.
// Runs during which a process died come last and one at a time, those with the fewest deaths first, so that none is
// blamed for a death that another caused.
func (x *Sweep) pool(ctx context.Context, left []Run, deaths map[string]int, rows *Log) (err error) {
	o := &workers{x: x, rows: rows, under: underWay{log: rows, runs: map[string]bool{}}}
	stop := context.AfterFunc(ctx, func() { _ = o.under.release() }) // a second signal ends the process at once
	defer stop()
	var others, suspects []Run
	given := 0
	for _, run := range left {
		switch n := deaths[run.ID]; {
		case n == 0:
			others = append(others, run)
		case n < maxDeaths:
			suspects = append(suspects, run)
		default:
			given++
			err = errors.Join(err, o.giveUp(run, n))
		}
	}
	slices.SortStableFunc(suspects, func(a, b Run) int { return deaths[a.ID] - deaths[b.ID] })
	if given > 0 {
		x.Note("given up, because the process ended too often: %s", show.Counted(given, "run"))
	}
	if n := len(suspects); n > 0 {
		x.Note("under way when an earlier process ended: %s; tried again last, one at a time", show.Counted(n, "run"))
	}
	o.total = len(others) + len(suspects)
	if err == nil {
		err = o.run(ctx, others, x.Threads)
	}
	if err == nil {
		err = o.run(ctx, suspects, 1)
	}
	if ctx.Err() != nil {
		err = nil // the caller sees that
	}
	return errors.Join(err, o.under.release())
}

// workers do the runs of a shard side by side. An error of one cancels all.
type workers struct {
	x     *Sweep
	rows  *Log
	under underWay

	mu          sync.Mutex // of done and the counts of x
	done, total int        // runs
}

// giveUp makes an error of a run during which processes died.
func (o *workers) giveUp(run Run, deaths int) error {
	row := o.x.plan.newRow(run)
	if _, err := o.x.resolve(&o.x.plan.Variants[run.Variant], row); err != nil {
		return err
	}
	row.Status, row.Code = StatusError, codeDied
	row.Note = fmt.Sprintf("the process ended %d times while this run was solved", deaths)
	return o.finish(row)
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
		if err := o.under.begin(runs[k].ID); err != nil {
			return err
		}
		row := o.x.execute(ctx, of, runs[k])
		if row == nil { // ctx ended
			return nil
		}
		if err := o.finish(row); err != nil {
			return err
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		o.done++
		o.x.Progress(o.done, o.total)
		return nil
	})
}

// finish keeps a row.
func (o *workers) finish(row *Row) error {
	if err := o.rows.Append(row); err != nil {
		return err
	}
	o.under.end(row.ID)
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
