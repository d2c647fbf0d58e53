package hta

import (
	"context"

	"mrsched/model"
	"mrsched/solver"
)

// startShare is the share of a time limit that flow and round-robin may take.
const startShare = 0.8

// solveBest begins with the best assignment of flow and of round-robin under every tie rule. Then it packs the servers
// for smaller makespans, from the lower bound upwards (pack).
//
// A makespan L fixes what a remote task costs: no server has more than τ = ⌊L/w_loc⌋ local tasks, so the maximum flow
// for τ gives the least number of remote ones.
//
// Guarantee: that of flow.   Ties: flow's assignment, if nothing is better.   Source: mrsched.
func solveBest(ctx context.Context, r *run, opt solver.Options) (*found, error) {
	x := &search{run: r, opt: opt}
	if err := x.start(ctx); err != nil {
		return nil, err
	}
	ctx, end := opt.Phase(ctx, solver.PhaseSearch, 1)
	defer end()
	balanced := r.balance(ctx)
	x.pack(ctx)
	f := &found{server: x.server, status: model.StatusFeasible}
	if !balanced.Balanced || ctx.Err() != nil {
		f.status = model.StatusLimit
	}
	if x.makespan > r.value && x.used >= opt.Iterations {
		opt.Watch.UsedUp()
	}
	return f, nil
}

// search is one call of best.
type search struct {
	*run
	opt      solver.Options
	server   []int32 // the best assignment so far
	makespan model.Time
	used     int // iterations
}

// offer takes an assignment if it is better; nil stands for none.
func (x *search) offer(server []int32) {
	if server == nil {
		return
	}
	if made := x.in.Measure(server).Makespan; x.server == nil || made < x.makespan {
		x.server, x.makespan = server, made
		x.opt.Watch.Incumbent(made.Seconds(), "")
	}
}

// start begins with the best assignment of flow and of round-robin under every tie rule. Both end soon after any limit.
func (x *search) start(ctx context.Context) error {
	ctx, end := x.opt.Phase(ctx, solver.PhaseStart, startShare)
	defer end()
	f, err := solveFlow(ctx, x.run, x.opt)
	if err != nil {
		return err
	}
	x.offer(f.server)
	x.offer(x.bestRoundRobin(x.opt.Seed))
	return nil
}
