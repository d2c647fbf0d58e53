package hta

import "context"

// maxRackLoads is the most limits for which packRacks packs in one round.
const maxRackLoads = 64

// packRacks packs the servers for limits on the load from the lower bound upwards until all tasks have a place or the
// best makespan is reached.
//
// Prices (proveRacks) guide the packing (packing.fill): tasks go where cost times price is least, and chains of moves
// make room for them there. Tasks left over by one limit go where loads become least, for an assignment; the next limit
// continues from the tasks already placed.
//
// Complexity: a search of O(tasks + replicas) for each task at most, usually a few servers. Ties: the order of tasks,
// then of servers; later passes are random, from the seed. Source: mrsched.
func (x *search) packRacks(ctx context.Context, tries int) {
	stop := func() bool { return ctx.Err() != nil }
	low, high := x.value, x.makespan
	if low >= high || stop() {
		return
	}
	unit := greatest(x.in.Cost.Local, x.in.Cost.Rack.Value, x.in.Cost.Remote.At(0))
	step := max(unit, (high-low)/maxRackLoads/unit*unit)
	p := x.newPacking(newGuide(x.in, x.guidePrices()))
	for p.limit = low; p.limit < x.makespan && !stop(); p.limit += step {
		x.opt.Report(int(p.limit-low), int(high-low))
		if p.fill(x.random, tries, stop) {
			x.offer(p.server)
			return
		}
		x.offer(x.settle(p.clone()))
	}
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
