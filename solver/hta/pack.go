package hta

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"mrsched/model"
	"mrsched/model/hta"
)

const (
	// maxLoads is the most limits for which pack packs.
	maxLoads = 64
	// maxRatio bounds costs in guides, so that products fit.
	maxRatio = 1 << 30
	// packTries is how many orders of the tasks it tries for each limit, on instances of up to orderedTasks tasks.
	packTries, orderedTasks = 4, 10_000
)

// pack packs the servers for rising limits on the load, from the lower bound until all tasks have a place or the best
// makespan is reached. Each try is an iteration.
//
// Prices guide the packing: tasks go where cost times price is least, and chains of moves make room for them there
// (packing.fill). An assignment puts the tasks left over where loads become least. The next limit continues with the
// tasks already placed, unless it changes the cost of remote tasks.
//
// Complexity: a search of O(tasks + replicas) for each task at most, usually a few servers. Ties: the order of tasks,
// then of servers; tries after the first take tasks in random orders, from the seed. Source: mrsched.
func (x *search) pack(ctx context.Context) {
	stop := func() bool { return ctx.Err() != nil }
	low, high := x.value, x.makespan
	if low >= high || stop() {
		return
	}
	unit, g := x.loadUnit(), x.newGuide(low)
	step := max(unit, (high-low)/maxLoads/unit*unit)
	random, tries := rand.New(rand.NewPCG(x.opt.Seed, 1)), 1
	if x.in.Tasks <= orderedTasks {
		tries = packTries
	}
	var p *packing
	for limit := low; limit < x.makespan && !stop(); limit += step {
		if price := x.prices(limit); p == nil || p.price[hta.Remote] != price.remote {
			p = x.newPacking(g, price)
		}
		p.limit = limit
		for q, try := p, 0; try < tries && x.used < x.opt.Iterations; try++ {
			if try > 0 {
				q = x.newPacking(g, x.prices(limit))
				q.limit = limit
				random.Shuffle(len(q.rest), func(i, k int) { q.rest[i], q.rest[k] = q.rest[k], q.rest[i] })
			}
			x.used++
			x.opt.Report(x.used, maxLoads*tries)
			if q.fill(stop) {
				x.offer(q.server)
				return
			}
		}
		x.offer(x.settle(p.clone(), p.price))
		if x.used >= x.opt.Iterations {
			return
		}
	}
}

// loadUnit is a time of which all loads are multiples.
func (r *run) loadUnit() model.Time {
	if !r.in.Cost.Remote.Constant() {
		return 1
	}
	return r.in.PriceUnit()
}

// guide is prices of servers, and the places where they make tasks cheapest: v_b = min over servers of cost·price.
type guide struct {
	cost  [3]int64 // by locality, in units
	y     []int64  // by server
	rack  []int64  // by rack: the least price of its servers
	least int64
	v     []int64 // by block
}

// newGuide evaluates prices: those behind the bound (proveRacks). Where racks do not count, it takes the cost of a
// remote task for servers that cannot run all their local tasks within a load, and that of a local one for the others.
func (r *run) newGuide(load model.Time) *guide {
	in, y, cost := r.in, r.yprice, r.in.ClassCosts()
	if p := r.prices(load); !p.racks {
		unit := max(1, model.GCD(p.local, p.remote), (p.remote+1)/maxRatio)
		local, remote := max(1, int64(p.local/unit)), max(1, int64(p.remote/unit))
		cost, y = [3]int64{local, remote, remote}, slices.Repeat([]int64{local}, in.Servers)
		for s, level := range r.balanced.Level {
			if level > r.mostLocal(load) {
				y[s] = remote
			}
		}
	}
	g := &guide{cost: cost, y: y, rack: slices.Repeat([]int64{math.MaxInt64}, in.Racks), least: slices.Min(y),
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
