package hta

import (
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/solver"
	"mrsched/solver/flow"
)

// maxPriceRounds is how many minimum cuts one price vector may take; four are usual.
const maxPriceRounds = 30

// proveRacks finds server prices (model/hta/prices.go) above a known bound. It returns their bound and certificate, if
// they prove something, and the prices that bound assignments with remote tasks; 1 for all servers if none prove it.
//
// A minimum cut (priceCut) maximises Σ_t v_t(y) − T·Σ_s y_s for a load T. The maximum is positive exactly if prices
// from the finite set of levels show that no assignment has a makespan up to T. T rises from the known bound to what
// the prices just found prove, as in Newton's method, until no prices prove more. For assignments without remote tasks
// a price may also be 0.
//
// Source: T* of R‖Cmax, Lenstra, Shmoys, Tardos 1990; Dinkelbach 1967 for the rise of T.   Differs: no LP is solved.
func (r *run) proveRacks(ctx context.Context, known model.Time) (model.Time, *solver.Bound, []int64, error) {
	in := r.in
	if !in.Cost.Rack.Known || in.Cost.Local == 0 || in.PriceLimit() == 0 {
		return 0, nil, slices.Repeat([]int64{1}, in.Servers), nil
	}
	prices := [][]int64{r.bestPrices(ctx, hta.Remote, known)}
	if in.PriceBound(prices) < in.Cost.Remote.At(0) { // else some assignment without remote tasks may be better
		prices = append(prices, r.bestPrices(ctx, hta.RackLocal, in.Cost.Rack.Value))
	}
	c := &hta.Certificate{Claim: model.Claim{Method: "server-prices", Kind: hta.KindServerPrices}, Prices: prices}
	if err := in.Sign(c); err != nil {
		return 0, nil, nil, err
	}
	return in.PriceBound(prices), &solver.Bound{Method: c.Method, Certificate: c}, prices[0], nil
}

// bestPrices maximises the bound on assignments with classes up to the given one, beginning at a known bound.
func (r *run) bestPrices(ctx context.Context, class hta.Locality, known model.Time) []int64 {
	in := r.in
	best := slices.Repeat([]int64{1}, in.Servers)
	value := in.ClassBounds(best)[class]
	load := max(value, known)
	cut := r.newPriceCut(ctx, class, load)
	if cut == nil {
		return best
	}
	for range maxPriceRounds {
		y := cut.solve(ctx, load)
		if y == nil {
			break
		}
		v := in.ClassBounds(y)[class]
		if v > value {
			best, value = y, v
		}
		if v <= load {
			break
		}
		load = v
	}
	return best
}

// priceLevels are the prices that the cut chooses from, rising. A vertex of the linear program's dual has prices whose
// ratios are products of ratios of costs: with p = c₂/c₁ and q = c₃/c₂, the powers of p, and q times these, between 1
// and p·q times the least price. Without remote tasks the least price is 0.
func (r *run) priceLevels(class hta.Locality, load model.Time) []int64 {
	in := r.in
	c := in.ClassCosts()
	c1, c2, c3 := float64(c[0]), float64(c[1]), float64(c[2])
	p, q := c2/c1, c3/c2
	top := p * q
	if class == hta.RackLocal {
		q, top = 1, p*p*p
	}
	// All capacities, Σ_b readers·Δv and T·Σ_s Δy, shall fit; exact ratios if they do.
	room := math.Exp2(58) / top / (float64(in.Servers)*4*(float64(load/in.PriceUnit())+c3) + float64(in.Tasks)*c3)
	unit := min(c1*c1*c2*c2, math.Exp2(30), room, math.Floor(float64(in.PriceLimit())/(top+1)))
	if unit < 1 {
		return nil
	}
	var list []int64
	if class == hta.RackLocal {
		list = append(list, 0)
	}
	for i := -2; i <= 3; i++ {
		for _, f := range []float64{1, q} {
			if v := f * math.Pow(p, float64(i)); v >= 1-1e-12 && v <= top*(1+1e-12) {
				list = append(list, int64(math.Round(v*unit)))
			}
		}
	}
	list = append(list, int64(math.Round(top*unit)))
	slices.Sort(list)
	return slices.Compact(list)
}

// maxPriceArcs is the most arcs of a price cut; the least important blocks are left out beyond it.
const maxPriceArcs = 4_000_000

// priceCut finds, for a load T, prices y from levels ℓ₀ < ℓ₁ < … that maximise Σ_t v_t(y) − T·Σ_s y_s.
//
// v_t is a minimum of non-decreasing functions of single prices, so this is a closure problem, which a minimum cut
// solves. Node (s, j) says y_s ≥ ℓ_j and costs T·(ℓ_j − ℓ_j−1); (R, j) says that of all servers of rack R and is free;
// (b, u) says v_b ≥ u and earns the step up to u for each reader. (b, u) requires (s, j) of its holders with c₁·ℓ_j ≥ u
// and (R, j) of their racks with c₂·ℓ_j ≥ u. Values above c₃·ℓ₀ do not occur, since the least price is ℓ₀; without
// remote tasks there is no such limit, and ℓ₀ = 0. A network may leave out blocks: prices are evaluated on all.
//
// Source: Picard, Management Science 22, 1976 (closures); Ishikawa, PAMI 25, 2003 (levels).
type priceCut struct {
	in       *hta.Instance
	levels   []int64
	values   []int64 // of v_b: values[0] at prices ℓ₀
	blocks   []int32 // that the network knows
	most     *flow.MaxFlow
	sinks    []flow.Arc // (s, j) → sink
	servers  flow.Node  // (0, 1)
	promised int64      // Σ over blocks of what they may earn
}

// newPriceCut builds the network; nil if it would prove nothing or be too large.
func (r *run) newPriceCut(ctx context.Context, class hta.Locality, load model.Time) *priceCut {
	in := r.in
	c := &priceCut{in: in, levels: r.priceLevels(class, load)}
	if len(c.levels) < 2 {
		return nil
	}
	cost := in.ClassCosts()
	limit := cost[0] * c.levels[len(c.levels)-1]
	if class == hta.Remote {
		limit = cost[2] * c.levels[0]
	}
	for _, y := range c.levels {
		for _, v := range []int64{cost[0] * y, cost[1] * y} {
			if v >= cost[0]*c.levels[0] && v <= limit {
				c.values = append(c.values, v)
			}
		}
	}
	slices.Sort(c.values)
	c.values = slices.Compact(c.values)
	if !c.choose(r.balance(ctx).Level, load) || !c.build(cost[0], cost[1]) {
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
	b := &flow.Network{}
	steps := len(c.levels) - 1
	source, sink := b.AddNodes(1), b.AddNodes(1)
	c.servers = b.AddNodes(in.Servers * steps)
	racks := b.AddNodes(in.Racks * steps)
	at := func(first flow.Node, i int32, j int) flow.Node { return first + flow.Node(int(i)*steps+j-1) }
	for s := range int32(in.Servers) {
		for j := 1; j <= steps; j++ {
			c.sinks = append(c.sinks, b.AddArc(at(c.servers, s, j), sink, 0))
			if j > 1 {
				b.AddArc(at(c.servers, s, j), at(c.servers, s, j-1), flow.Infinite)
			}
			if r := in.Rack[s]; r != model.None {
				b.AddArc(at(racks, r, j), at(c.servers, s, j), flow.Infinite)
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
			node := b.AddNodes(1)
			earn := int64(in.Readers(block)) * (c.values[i] - c.values[i-1])
			c.promised += earn
			b.AddArc(source, node, earn)
			for _, s := range in.Replicas(block) {
				if own[i] > 0 {
					b.AddArc(node, at(c.servers, s, own[i]), flow.Infinite)
				}
			}
			for _, r := range in.ReplicaRacks(block) {
				if rack[i] > 0 {
					b.AddArc(node, at(racks, r, rack[i]), flow.Infinite)
				}
			}
		}
	}
	var err error
	c.most, err = flow.NewMaxFlow(b, source, sink)
	return err == nil
}

// solve returns prices which prove that the makespan is larger than load, or nil. Loads must not fall from call to
// call.
func (c *priceCut) solve(ctx context.Context, load model.Time) []int64 {
	t := int64(load / c.in.PriceUnit())
	steps := len(c.levels) - 1
	for i, a := range c.sinks {
		j := i%steps + 1
		if err := c.most.SetCapacity(a, t*(c.levels[j]-c.levels[j-1])); err != nil {
			return nil
		}
	}
	// Blocks outside the network earn the least value, too.
	base := int64(c.in.Tasks)*c.values[0] - t*int64(c.in.Servers)*c.levels[0]
	if !c.most.Solve(ctx) || base+c.promised-c.most.Value() <= 0 {
		return nil
	}
	cut, y := c.most.SmallestCut(), make([]int64, c.in.Servers)
	for s := range y {
		j := 0
		for j < steps && cut[int(c.servers)+s*steps+j] {
			j++
		}
		y[s] = c.levels[j]
	}
	return y
}
