package hta

import (
	"math"

	"mrsched/model"
	"mrsched/model/hta"
)

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
	g := &guide{y: y, rack: make([]int64, in.Racks), least: y[0], v: make([]int64, in.Blocks)}
	unit := greatest(in.Cost.Local, in.Cost.Rack.Value, in.Cost.Remote.At(0))
	for near := range g.cost {
		g.cost[near] = int64(in.Price(hta.Locality(near), 0) / unit)
	}
	for k := range g.rack {
		g.rack[k] = math.MaxInt64
	}
	for s, price := range y {
		g.least = min(g.least, price)
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
