package shop

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
)

// SetPrices are prices that bound sets of tasks from the time at which they may start, of a certificate of kind
// KindMidpointPrices or KindCompletionPrices.
//
// Kind "midpoint-prices", from the LP relaxations: for every threshold h, each task u with Head ≥ h has a price
// a_u = p_u·Prices[u]/Denominator ≥ 0. Over all thresholds the prices of a job add up to at most its weight. Order the
// tasks of each threshold by falling Prices[u], and let A_{<u} be the processing time before u. Then
//
//	LB = Σ_j w_j c_j + Σ_h Σ_u a_u (h − e_u) + (1/m) Σ_h Σ_u a_u (A_{<u} + p_u/2).
type SetPrices struct {
	Denominator int64       `json:"denominator"`
	Terms       []PriceTerm `json:"terms,omitempty"`
	// Inequality and Arcs belong to kind "completion-prices".
	Inequality string  `json:"inequality,omitempty"`
	Arcs       []int64 `json:"arcs,omitempty"`
}

// PriceTerm is the prices of one threshold, one per task in the order of the workload.
type PriceTerm struct {
	Threshold model.Time `json:"threshold"`
	Prices    []int64    `json:"prices"`
}

// errIdentical refuses what bounds schedules on identical machines only.
var errIdentical = errors.New("certificate: this kind needs identical machines, none of whose tasks is fixed")

// evaluateMidpoints is the value of a certificate, in weight × seconds.
func (e *Evaluator) evaluateMidpoints(c *Certificate) (*big.Rat, error) {
	in := e.in
	if !in.plain() {
		return nil, errIdentical
	}
	if c.Denominator <= 0 {
		return nil, errors.New("certificate: the denominator must be positive")
	}
	if err := in.affordable(c); err != nil {
		return nil, err
	}
	// Everything below is 2·m·denominator times the bound, in millionths of weight × microseconds.
	m := big.NewInt(int64(in.Nodes))
	scale := new(big.Int).Mul(big.NewInt(2), m)
	scale.Mul(scale, big.NewInt(c.Denominator))
	total, term, x := new(big.Int), new(big.Int), new(big.Int)
	for j := range in.Jobs {
		term.Mul(x.SetInt64(int64(in.Weight[j])), term.SetInt64(int64(in.Alone[j])))
		total.Add(total, term)
	}
	total.Mul(total, scale)
	for _, t := range c.Terms {
		total.Add(total, in.evaluateTerm(t, m))
	}
	return new(big.Rat).SetFrac(total, scale.Mul(scale, in.Objective.units())), nil
}

// evaluateTerm is Σ_u p_u q_u (2m(h − e_u) + 2A_{<u} + p_u) over the tasks of one threshold.
func (in *Instance) evaluateTerm(t PriceTerm, m *big.Int) *big.Int {
	sum, price, factor, x := new(big.Int), new(big.Int), new(big.Int), new(big.Int)
	var before int64 // A_{<u}; at most model.MaxHorizon
	for _, u := range in.byPrice(t) {
		p := int64(in.Least[u])
		price.Mul(price.SetInt64(p), x.SetInt64(t.Prices[u]))
		factor.Mul(m, x.SetInt64(2*int64(t.Threshold)-in.TwiceMidpoint(u)))
		factor.Add(factor, x.SetInt64(2*before+p))
		sum.Add(sum, price.Mul(price, factor))
		before += p
	}
	return sum
}

// byPrice lists the tasks with a positive price and length, the most expensive first; ties: the lower index.
func (in *Instance) byPrice(t PriceTerm) []int32 {
	order := make([]int32, 0, len(t.Prices))
	for u, q := range t.Prices {
		if q > 0 && in.Least[u] > 0 {
			order = append(order, int32(u))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(t.Prices[b], t.Prices[a]), cmp.Compare(a, b))
	})
	return order
}

// pay passes p_u·Prices[u] of every priced task of every threshold to each. Errors: a price that is negative, or on a
// task that may start before its threshold.
func (in *Instance) pay(c *Certificate, each func(u int32, price *big.Int)) error {
	price, x := new(big.Int), new(big.Int)
	for _, t := range c.Terms {
		if len(t.Prices) != in.Tasks {
			return fmt.Errorf("certificate: %s for %s", model.Counted(len(t.Prices), "price"), model.Counted(in.Tasks, "task"))
		}
		if t.Threshold < 0 || t.Threshold > model.MaxHorizon {
			return fmt.Errorf("certificate: threshold %s", t.Threshold)
		}
		for u, q := range t.Prices {
			if q == 0 {
				continue
			}
			if q < 0 || in.Head[u] < t.Threshold {
				return fmt.Errorf("certificate: price %d of task %q at threshold %s is not allowed", q, in.Workload().Tasks[u].ID,
					t.Threshold)
			}
			each(int32(u), price.Mul(price.SetInt64(int64(in.Least[u])), x.SetInt64(q)))
		}
	}
	return nil
}

// affordable checks three rules for prices: they are non-negative, lie only on tasks that start at their threshold or
// later, and cost no job more than its weight.
func (in *Instance) affordable(c *Certificate) error {
	paid, budget, x := make([]big.Int, in.Jobs), new(big.Int), new(big.Int)
	err := in.pay(c, func(u int32, price *big.Int) {
		sum := &paid[in.Job[u]]
		sum.Add(sum, price)
	})
	if err != nil {
		return err
	}
	for j := range paid {
		budget.Mul(budget.SetInt64(int64(in.Weight[j])), x.SetInt64(c.Denominator))
		if paid[j].Cmp(budget) > 0 {
			return fmt.Errorf("certificate: the prices of job %q exceed its weight", in.Workload().Jobs[j].ID)
		}
	}
	return nil
}
