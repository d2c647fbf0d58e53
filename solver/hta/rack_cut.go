package hta

import (
	"context"
	"slices"

	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/solver/flow"
)

// maxPriceArcs is the most arcs of a price cut; the least important blocks are left out beyond it.
const maxPriceArcs = 4_000_000

// priceCut finds, for a load T, prices y from levels ℓ₀ < ℓ₁ < … that maximise Σ_t v_t(y) − T·Σ_s y_s, by a minimum
// cut.
//
// v_t is a minimum of non-decreasing functions of single prices, so this is a problem of closures: node (s, j) says y_s
// ≥ ℓ_j and costs T·(ℓ_j − ℓ_j−1); (R, j) says that of all servers of rack R and is free; (b, u) says v_b ≥ u and earns
// the step up to u for each reader. (b, u) requires (s, j) of its holders with c₁·ℓ_j ≥ u and (R, j) of their racks
// with c₂·ℓ_j ≥ u; values u > c₃·ℓ₀ do not occur, since the least price is ℓ₀ (without remote tasks there is no such
// limit, and ℓ₀ = 0). Leaving out blocks keeps every price vector valid: it is evaluated on all of them.
//
// Source: Picard, Management Science 22, 1976 (closures); Ishikawa, PAMI 25, 2003 (levels).
type priceCut struct {
	in       *hta.Instance
	unit     model.Time
	levels   []int64
	values   []int64 // of v_b: values[0] at prices ℓ₀
	blocks   []int32 // that the network knows
	most     *flow.MaxFlow
	sinks    []flow.Arc // (s, j) → sink
	source   flow.Node
	servers  flow.Node // (0, 1)
	readers  int64
	promised int64 // Σ over blocks of what they may earn
	rounds   int
}

// newPriceCut builds the network; nil if it would prove nothing or be too large.
func (r *run) newPriceCut(ctx context.Context, class hta.Locality, load model.Time) *priceCut {
	in := r.in
	c := &priceCut{in: in, levels: r.priceLevels(class, load), unit: greatest(in.Cost.Local, in.Cost.Rack.Value,
		in.Cost.Remote.At(0))}
	if len(c.levels) < 2 {
		return nil
	}
	c1, c2, c3 := int64(in.Cost.Local/c.unit), int64(in.Cost.Rack.Value/c.unit), int64(in.Cost.Remote.At(0)/c.unit)
	limit := c1 * c.levels[len(c.levels)-1]
	if class == hta.Remote {
		limit = c3 * c.levels[0]
	}
	for _, y := range c.levels {
		for _, v := range []int64{c1 * y, c2 * y} {
			if v >= c1*c.levels[0] && v <= limit {
				c.values = append(c.values, v)
			}
		}
	}
	slices.Sort(c.values)
	c.values = slices.Compact(c.values)
	if !c.choose(r.balance(ctx).Level, load) || !c.build(c1, c2) {
		return nil
	}
	return c
}

// choose picks the blocks: all, or if these are too many, those whose holders all have high levels.
func (c *priceCut) choose(level []int32, load model.Time) bool {
	for _, part := range []model.Time{0, 8, 9, 10} { // tenths of the load that local tasks alone press on each holder
		c.blocks = c.blocks[:0]
		arcs := 2 * c.in.Servers * len(c.levels)
		for b := range int32(c.in.Blocks) {
			own := c.in.Replicas(b)
			if !slices.ContainsFunc(own, func(s int32) bool { return model.Time(level[s])*c.in.Cost.Local*10 < part*load }) {
				c.blocks = append(c.blocks, b)
				arcs += (len(own) + 1) * (len(c.values) - 1)
			}
		}
		if arcs <= maxPriceArcs {
			return true
		}
	}
	return false
}

func (c *priceCut) build(c1, c2 int64) bool {
	in := c.in
	var b flow.Builder
	steps := len(c.levels) - 1
	c.source = b.AddNode()
	sink := b.AddNode()
	c.servers = b.AddNodes(in.Servers * steps)
	racks := b.AddNodes(in.Racks * steps)
	at := func(first flow.Node, i int32, j int) flow.Node { return first + flow.Node(int(i)*steps+j-1) }
	for s := range int32(in.Servers) {
		for j := 1; j <= steps; j++ {
			c.sinks = append(c.sinks, b.AddArc(at(c.servers, s, j), sink, 0, 0))
			if j > 1 {
				b.AddArc(at(c.servers, s, j), at(c.servers, s, j-1), flow.Infinite, 0)
			}
			if r := in.Rack[s]; r != model.None {
				b.AddArc(at(racks, r, j), at(c.servers, s, j), flow.Infinite, 0)
			}
		}
	}
	// The levels that a value requires of holders and racks.
	own, rack := make([]int, len(c.values)), make([]int, len(c.values))
	for i, v := range c.values {
		own[i] = slices.IndexFunc(c.levels, func(y int64) bool { return c1*y >= v })
		rack[i] = slices.IndexFunc(c.levels, func(y int64) bool { return c2*y >= v })
	}
	for _, block := range c.blocks {
		for i := 1; i < len(c.values); i++ {
			node := b.AddNode()
			earn := int64(in.Readers(block)) * (c.values[i] - c.values[i-1])
			c.promised += earn
			b.AddArc(c.source, node, earn, 0)
			for _, s := range in.Replicas(block) {
				if own[i] > 0 {
					b.AddArc(node, at(c.servers, s, own[i]), flow.Infinite, 0)
				}
			}
			for _, r := range in.ReplicaRacks(block) {
				if rack[i] > 0 {
					b.AddArc(node, at(racks, r, rack[i]), flow.Infinite, 0)
				}
			}
		}
		c.readers += int64(in.Readers(block))
	}
	n, err := b.Build()
	if err != nil {
		return false
	}
	c.most, err = flow.NewMaxFlow(n, c.source, sink)
	return err == nil
}

// solve returns prices which prove that the makespan is larger than load, or nil. Loads must not fall from call to
// call.
func (c *priceCut) solve(ctx context.Context, load model.Time) []int64 {
	t := int64(load / c.unit)
	steps := len(c.levels) - 1
	for i, a := range c.sinks {
		j := i%steps + 1
		if err := c.most.SetCapacity(a, t*(c.levels[j]-c.levels[j-1])); err != nil {
			return nil
		}
	}
	if c.most.Solve(ctx) != flow.Optimal {
		return nil
	}
	// Blocks outside the network earn the least value, too.
	base := int64(c.in.Tasks)*c.values[0] - t*int64(c.in.Servers)*c.levels[0]
	if base+c.promised-c.most.Value() <= 0 {
		return nil
	}
	cut, err := c.most.SmallestCut()
	if err != nil {
		return nil
	}
	y := make([]int64, c.in.Servers)
	for s := range y {
		j := 0
		for j < steps && cut.Source[int(c.servers)+s*steps+j] {
			j++
		}
		y[s] = c.levels[j]
	}
	return y
}
