package msjo

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
)

// KindTwoSidedTasks is the kind of certificate that prices tasks from both ends of their jobs, for TWTCT
// (docs/mathematics.md, Two-sided prices of tasks).
const KindTwoSidedTasks = "two-sided-task-prices"

// TwoSidedTasks holds the numbers of such a certificate, beside Ends and Arcs. Prices are per microsecond of
// processing, in units of 1/Denominator millionths of a weight. Without numbers it proves Σ W_u L_u, where L_u is the
// earliest end of node u by Windows.
//
// Every node may pass weight on to the nodes before it; the weight that it keeps earns L_u. A multiplier f of an arc
// passes f from its end to its start. Before passes weight from a node to tasks before it, After from tasks to a node
// before them. Place is the price that tasks pay for their place among all tasks. Let rc_u ≥ 0 be the weight that a
// node keeps, and C_u = M_u + p_u/2 at tasks. With every price multiplied by p_u,
//
//	Σ W_u C_u = Σ rc_u C_u + Σ place_u C_u + Σ_arcs f (C_v − C_u) + Σ_Before β_v (C_t − C_v) + Σ_After γ_v (C_v − C_s).
//
// The sums over place, and over each group of Before and After, are at least those of fluid schedules.
type TwoSidedTasks struct {
	Place  []int64       `json:"place,omitempty"` // by task
	Before []PricedGroup `json:"before,omitempty"`
	After  []PricedGroup `json:"after,omitempty"`
}

// PricedGroup is a node with prices of tasks that are all before it or all after it.
type PricedGroup struct {
	Node   int32   `json:"node"`
	Tasks  []int32 `json:"tasks"` // rising
	Prices []int64 `json:"prices"`
}

// evaluateTwoSidedTasks computes the bound that such a certificate proves, in weight × seconds.
func (in *Instance) evaluateTwoSidedTasks(c *Certificate) (*big.Rat, error) {
	t := c.TwoSidedTasks
	if t == nil { // without prices: earliest ends
		t = &TwoSidedTasks{}
	}
	heads, _, err := in.Windows(c.Ends, nil)
	if err != nil {
		return nil, err
	}
	p := &passing{in: in, heads: heads, fluid: newFluid(in), path: make([]model.Time, in.Steps),
		price: make([]int64, in.Tasks)}
	if p.rest, err = in.afterArcs(c, len(c.Arcs)); err != nil {
		return nil, err
	}
	if err := p.place(t.Place); err != nil {
		return nil, err
	}
	if !in.affordableGroups(func(yield func(u int32)) {
		for _, g := range slices.Concat(t.Before, t.After) {
			yield(g.Node)
		}
	}) {
		return nil, errors.New("certificate: too many groups of prices")
	}
	for _, g := range t.Before {
		if err := p.group(g, true); err != nil {
			return nil, err
		}
	}
	for _, g := range t.After {
		if err := p.group(g, false); err != nil {
			return nil, err
		}
	}
	if err := notNegative(p.rest); err != nil {
		return nil, err
	}
	// Everything below is 2·m·denominator times the bound, in millionths of weight × microseconds.
	total, term, x := in.arcsEarn(c), new(big.Int), new(big.Int)
	for u := range p.rest {
		total.Add(total, term.Mul(&p.rest[u], x.SetInt64(int64(heads[u]+in.Least[u]))))
	}
	m := big.NewInt(int64(in.Nodes))
	total.Mul(total, x.Add(m, m))
	total.Add(total, &p.total)
	total.Add(total, term.Mul(&p.halves, m))
	scale := new(big.Int).Mul(x.Add(m, m), big.NewInt(c.Denominator))
	return new(big.Rat).SetFrac(total, scale.Mul(scale, unitsPerWeightSecond)), nil
}

// passing tracks how weights pass from node to node.
type passing struct {
	in     *Instance
	fluid  *fluid
	heads  []model.Time // by node
	path   []model.Time // by node
	price  []int64      // by task; 0 between two groups
	rest   []big.Int    // weight left at every node, times the denominator, in millionths
	total  big.Int      // earnings of prices at midpoints, times 2m
	halves big.Int      // Σ ± p_u·p_u·q_u: converts midpoints to ends
}

// amount is the payment of a task at a price: p_u·q.
func (p *passing) amount(u int32, q int64) (*big.Int, error) {
	if q < 0 || q > MaxPrice {
		return nil, fmt.Errorf("certificate: price %d of task %q is not allowed", q, p.in.Workload().Tasks[u].ID)
	}
	amount := big.NewInt(q)
	return amount.Mul(amount, big.NewInt(int64(p.in.Least[u]))), nil
}

// place pays the prices of tasks for their place among all tasks.
func (p *passing) place(prices []int64) error {
	in, length := p.in, new(big.Int)
	if len(prices) != 0 && len(prices) != in.Tasks {
		return fmt.Errorf("certificate: %s for %s", model.Counted(len(prices), "price"), model.Counted(in.Tasks, "task"))
	}
	for u, q := range prices {
		if q == 0 {
			continue
		}
		amount, err := p.amount(int32(u), q)
		if err != nil {
			return err
		}
		p.rest[u].Sub(&p.rest[u], amount)
		p.halves.Add(&p.halves, amount.Mul(amount, length.SetInt64(int64(in.Least[u]))))
	}
	if len(prices) > 0 {
		p.total.Add(&p.total, p.fluid.sum(in.Topo, p.heads, prices))
	}
	return nil
}

// group passes weight between a node and tasks before it, or after it.
func (p *passing) group(g PricedGroup, before bool) error {
	in, length := p.in, new(big.Int)
	if g.Node < 0 || int(g.Node) >= in.Steps || len(g.Tasks) != len(g.Prices) {
		return fmt.Errorf("certificate: %s for %s of node %d", model.Counted(len(g.Prices), "price"),
			model.Counted(len(g.Tasks), "task"), g.Node)
	}
	if before {
		in.PathsTo(g.Node, p.path)
	} else {
		in.PathsFrom(g.Node, p.path)
	}
	for i, u := range g.Tasks {
		if u < 0 || int(u) >= in.Tasks || i > 0 && u <= g.Tasks[i-1] || u == g.Node || in.Job[u] != in.Job[g.Node] ||
			p.path[u] < 0 {
			return fmt.Errorf("certificate: task %d in the group of node %d", u, g.Node)
		}
		amount, err := p.amount(u, g.Prices[i])
		if err != nil {
			return err
		}
		giver, taker := u, g.Node
		if before {
			giver, taker = g.Node, u
		}
		p.rest[giver].Sub(&p.rest[giver], amount)
		p.rest[taker].Add(&p.rest[taker], amount)
		amount.Mul(amount, length.SetInt64(int64(in.Least[u])))
		if before {
			amount.Neg(amount)
		}
		p.halves.Add(&p.halves, amount)
		p.price[u] = g.Prices[i]
	}
	p.total.Add(&p.total, p.fluid.sum(g.Tasks, p.path, p.price))
	for _, u := range g.Tasks {
		p.price[u] = 0
	}
	return nil
}
