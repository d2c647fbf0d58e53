package hta

import (
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/hta"
)

// maxRackLoads is the most limits for which packRacks packs.
const maxRackLoads = 64

// packRacks packs the servers for rising limits on the load, from the lower bound until all tasks have a place or the
// best makespan is reached.
//
// Prices (proveRacks) guide the packing: tasks go where cost times price is least, and chains of moves make room for
// them there (packing.fill). An assignment puts the tasks left over where loads become least. The next limit continues
// with the tasks already placed.
//
// Complexity: a search of O(tasks + replicas) for each task at most, usually a few servers. Ties: the order of tasks,
// then of servers. Source: mrsched.
func (x *search) packRacks(ctx context.Context) {
	stop := func() bool { return ctx.Err() != nil }
	low, high := x.value, x.makespan
	if low >= high || stop() {
		return
	}
	unit := x.in.PriceUnit()
	step := max(unit, (high-low)/maxRackLoads/unit*unit)
	p := x.newPacking(newGuide(x.in, x.yprice))
	for p.limit = low; p.limit < x.makespan && !stop(); p.limit += step {
		x.opt.Report(int(p.limit-low), int(high-low))
		if p.fill(stop) {
			x.offer(p.server)
			return
		}
		x.offer(x.settle(p.clone()))
	}
}

// guide is prices of servers, and the places where they make tasks cheapest: v_b = min over servers of cost·price.
type guide struct {
	cost  [3]int64 // by locality, in units
	y     []int64  // by server
	rack  []int64  // by rack: the least price of its servers
	least int64
	v     []int64 // by block
}

// newGuide evaluates prices.
func newGuide(in *hta.Instance, y []int64) *guide {
	g := &guide{cost: in.ClassCosts(), y: y, rack: slices.Repeat([]int64{math.MaxInt64}, in.Racks), least: slices.Min(y),
		v: make([]int64, in.Blocks)}
	for s, price := range y {
		if k := in.Rack[s]; k != model.None {
			g.rack[k] = min(g.rack[k], price)
		}
	}
	for b := range int32(in.Blocks) {
		g.v[b] = g.cost[hta.Remote] * g.least
		for _, s := range in.Replicas(b) {
			g.v[b] = min(g.v[b], g.cost[hta.NodeLocal]*y[s])
		}
		for _, k := range in.ReplicaRacks(b) {
			g.v[b] = min(g.v[b], g.cost[hta.RackLocal]*g.rack[k])
		}
	}
	return g
}

// cheapest says that no place is cheaper for a block than one of a locality at a price.
func (g *guide) cheapest(block int32, near hta.Locality, price int64) bool {
	return g.cost[near]*price <= g.v[block]
}
