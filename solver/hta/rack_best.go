package hta

import (
	"context"
	"math/rand/v2"

	"mrsched/model"
	"mrsched/solver"
)

// maxRackLoads is how many limits best packs for at most.
const maxRackLoads = 64

// solveRackBest packs the servers for limits on the load from the lower bound upwards until all tasks have a place or
// flow's makespan is reached.
//
// Prices (proveRacks) guide the packing (packing.fill): tasks go where cost times price is least, and chains of moves make
// room for them there. What one limit leaves over goes where loads become least, for an assignment; the next limit tries
// again, on top of what has its place.
//
// Guarantee: that of flow.   Complexity: a search of O(tasks + replicas) for each task at most, usually a few servers.
// Ties: the order of tasks, then of servers; later rounds are random, from the seed.
// Source: mrsched.
func solveRackBest(ctx context.Context, r *run, opt solver.Options) (*found, error) {
	f, err := r.rackStart(ctx, opt)
	if err != nil {
		return nil, err
	}
	in := r.in
	best := in.Measure(f.server).Makespan
	stop := func() bool { return ctx.Err() != nil }
	if r.value < best && !stop() {
		unit := greatest(in.Cost.Local, in.Cost.Rack.Value, in.Cost.Remote.At(0))
		step := max(unit, (best-r.value)/maxRackLoads/unit*unit)
		random := rand.New(rand.NewPCG(opt.Seed, 2))
		p := r.newPacking(newGuide(in, r.guidePrices()))
		for p.limit = r.value; p.limit < best && !stop(); p.limit += step {
			full := p.fill(random, opt.Iterations, stop)
			server := p.server
			if !full {
				server = r.settle(p.clone())
			}
			if made := in.Measure(server).Makespan; made < best {
				best, f.server = made, server
			}
			if full {
				break
			}
			opt.Report(int(p.limit-r.value), int(best-r.value))
		}
	}
	if stop() {
		f.status = model.StatusLimit
	}
	return f, nil
}

// rackStart is the better assignment of flow and, where racks cost as much as what lies beyond, of the two-level best.
func (r *run) rackStart(ctx context.Context, opt solver.Options) (*found, error) {
	f, err := solveRackFlow(ctx, r, opt)
	if err != nil || r.in.Cost.Rack.Value < r.in.Cost.Remote.At(0) {
		return f, err
	}
	g, err := solveBest(ctx, r, opt)
	if err != nil {
		return nil, err
	}
	if r.in.Measure(g.server).Makespan < r.in.Measure(f.server).Makespan {
		return g, nil
	}
	return f, nil
}

// guidePrices are the prices that prove most, or one price for all.
func (r *run) guidePrices() []int64 {
	if r.yprice != nil {
		return r.yprice
	}
	y := make([]int64, r.in.Servers)
	for s := range y {
		y[s] = 1
	}
	return y
}
