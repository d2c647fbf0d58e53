package cli

import (
	"context"

	"mrsched/io/engine"
	"mrsched/model"
	"mrsched/solver"
)

// Phases that no algorithm names.
const (
	phaseSolve        = "solve" // what an algorithm does outside of phases of its own
	phaseVerification = "verification"
)

// solve runs one algorithm and verifies what it found.
func (j *job) solve(ctx context.Context, a solver.Algorithm) (*engine.Verified, error) {
	if d := j.c.Duration("time-limit"); d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	c := j.c
	opt := solver.Options{Iterations: j.iterations(), Seed: c.Uint64(flagSeed.Name), Threads: j.threads,
		Watch: &solver.Watch{}}
	line := newStatus(c.Context, j.s.stderr, a.Name, c.Bool(flagQuiet.Name), c.Duration("time-limit"), opt.Watch)
	defer line.close()
	if j.bound.Known {
		opt.Watch.Bound(j.bound.Value)
	}
	taken := j.stats.enter(a.Name)
	running, end := opt.Phase(ctx, phaseSolve, 1)
	out, err := j.Run.Solve(running, a.Name, opt)
	end()
	taken.Phases = watched(opt.Watch.Phases())
	if err != nil {
		return nil, ofInstance(j.path, err)
	}
	j.stats.enter(a.Name + " verification")
	_, end = opt.Phase(ctx, phaseVerification, 1)
	v, err := j.Verify(a, out)
	end()
	j.stats.resume(&j.stats.output)
	if err == nil && line.shown() {
		j.tell(opt.Watch, v)
	}
	return v, err
}

// tell tells a run's Watch what was verified. The bound holds for the algorithms after it, too.
func (j *job) tell(w *solver.Watch, v *engine.Verified) {
	if cost := j.Cost(v); cost != nil {
		value, _ := cost.Float64()
		w.Incumbent(value)
	}
	if p := engine.Strongest(v); p != nil {
		value, _ := p.Certified.Value.Float64()
		w.Bound(value)
		if !j.bound.Known || value > j.bound.Value {
			j.bound = model.Some(value)
		}
	}
}
