package solve

import (
	"context"

	"mrsched/io/engine"
	"mrsched/model"
	"mrsched/solver"
)

// Phases that no algorithm names.
const (
	PhaseSolve        = "solve" // what an algorithm does outside of phases of its own
	phaseVerification = "verification"
)

// Solve runs one algorithm and verifies what it found.
func (j *Job) Solve(ctx context.Context, a solver.Algorithm) (*engine.Verified, error) {
	if d := j.TimeLimit; d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	opt := solver.Options{Iterations: j.Iterations, Seed: j.Seed, Threads: j.Threads,
		Watch: &solver.Watch{}}
	line := j.Follow(a.Name, opt.Watch)
	defer line.End()
	if j.bound.Known {
		opt.Watch.Bound(j.bound.Value)
	}
	taken := j.Stats.enter(a.Name)
	running, end := opt.Phase(ctx, PhaseSolve, 1)
	out, err := j.Run.Solve(running, a.Name, opt)
	end()
	taken.Phases = watched(opt.Watch.Phases())
	if err != nil {
		return nil, OfInstance(j.path, err)
	}
	j.Stats.enter(a.Name + " verification")
	_, end = opt.Phase(ctx, phaseVerification, 1)
	v, err := j.Verify(a, out)
	end()
	j.Stats.Resume(&j.Stats.Output)
	if err == nil && line.Shown() {
		j.tell(opt.Watch, v)
	}
	return v, err
}

// tell tells a run's Watch what was verified. The bound holds for the algorithms after it, too.
func (j *Job) tell(w *solver.Watch, v *engine.Verified) {
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
