package msjo

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"mrsched/model"
)

// KindTwoSided is the kind of certificate that prices a job's tasks from both of its ends (docs/mathematics.md,
// Two-sided prices).
const KindTwoSided = "two-sided-prices"

// TwoSided holds the numbers of a certificate of kind KindTwoSided. Prices are per microsecond of processing, one per
// task in the order of the workload, in units of 1/Denominator millionths of a weight. Without prices the certificate
// proves Σ w_j L_j.
//
// Certificate.Ends and Starts raise heads and tails (see Windows). M_u is the midpoint of task u, C_j the completion of
// its job, L_j the largest bound of the job in Alone. Then
//
//	Σ w_j C_j ≥ Σ_j (w_j − Y_j)·L_j + Σ_u α_u M_u + Σ_u a_u M_u + Σ_u β_u (C_j − M_u) + Σ_u b_u (C_j − M_u),
//
// where α = Both + Forward, a = Backward, β = Both + Backward, b = Forward, each times p_u, and Y_j = Σ (α_u + a_u) ≤
// w_j. The sums over α and, job by job, over β are at least those of a preemptive schedule on one machine m times as
// fast (see fluid). For the others, a_u M_u ≥ a_u (Head + p_u/2) and b_u (C_j − M_u) ≥ b_u (Tail + p_u/2).
type TwoSided struct {
	Alone    []AloneBound `json:"alone,omitempty"`
	Both     []int64      `json:"both,omitempty"`
	Forward  []int64      `json:"forward,omitempty"`
	Backward []int64      `json:"backward,omitempty"`
}

// MaxPrice bounds a price, so that two of them can be added.
const MaxPrice = math.MaxInt64 / 2

// evaluateTwoSided computes the bound that such a certificate proves, in weight × seconds.
func (in *Instance) evaluateTwoSided(c *Certificate) (*big.Rat, error) {
	t := c.TwoSided
	if t == nil { // without prices: critical paths
		t = &TwoSided{}
	}
	if c.Denominator <= 0 {
		return nil, errors.New("certificate: the denominator must be positive")
	}
	tight, err := in.Tightened(c)
	if err != nil {
		return nil, err
	}
	rest, err := in.restOfJobs(t, c.Denominator)
	if err != nil {
		return nil, err
	}
	// Everything below is 2·m·denominator times the bound, in millionths of weight × microseconds.
	m := big.NewInt(int64(in.Nodes))
	total, term, x := new(big.Int), new(big.Int), new(big.Int)
	for j := range rest {
		total.Add(total, term.Mul(&rest[j], x.SetInt64(2*int64(tight.Alone[j]))))
	}
	if len(t.Both) > 0 {
		total.Add(total, tight.latency(t))
	}
	total.Mul(total, m)
	if len(t.Both) > 0 {
		f := newFluid(in)
		total.Add(total, f.sum(in.Topo, tight.Head, sums(t.Both, t.Forward)))
		backward := sums(t.Both, t.Backward)
		for j := range in.Jobs {
			total.Add(total, f.sum(in.JobSteps(j), tight.Tail, backward))
		}
	}
	scale := new(big.Int).Mul(big.NewInt(2), m)
	scale.Mul(scale, big.NewInt(c.Denominator))
	return new(big.Rat).SetFrac(total, scale.Mul(scale, unitsPerWeightSecond)), nil
}

// restOfJobs is (w_j − Y_j)·denominator by job, in millionths. Errors: a negative price, or prices above a job's
// weight.
func (in *Instance) restOfJobs(t *TwoSided, denominator int64) ([]big.Int, error) {
	rest, x, y := make([]big.Int, in.Jobs), new(big.Int), new(big.Int)
	for j := range rest {
		rest[j].Mul(x.SetInt64(int64(in.Weight[j])), y.SetInt64(denominator))
	}
	priced := len(t.Both)+len(t.Forward)+len(t.Backward) > 0
	for _, prices := range [][]int64{t.Both, t.Forward, t.Backward} {
		if priced && len(prices) != in.Tasks {
			return nil, fmt.Errorf("certificate: %s for %s", model.Counted(len(prices), "price"),
				model.Counted(in.Tasks, "task"))
		}
		for u, q := range prices {
			if q < 0 || q > MaxPrice {
				return nil, fmt.Errorf("certificate: price %d of task %q is not allowed", q, in.Workload().Tasks[u].ID)
			}
			if q > 0 {
				left := &rest[in.Job[u]]
				left.Sub(left, x.Mul(x.SetInt64(int64(in.Least[u])), y.SetInt64(q)))
			}
		}
	}
	for j := range rest {
		if rest[j].Sign() < 0 {
			return nil, fmt.Errorf("certificate: the prices of job %q exceed its weight", in.Workload().Jobs[j].ID)
		}
	}
	return rest, nil
}

// latency is Σ_u p_u (Backward_u (2·Head_u + p_u) + Forward_u (2·Tail_u + p_u)).
func (in *Instance) latency(t *TwoSided) *big.Int {
	sum, term, price, x := new(big.Int), new(big.Int), new(big.Int), new(big.Int)
	add := func(u int, price64 int64, from model.Time) {
		if price64 == 0 {
			return
		}
		p := in.Least[u]
		price.Mul(price.SetInt64(price64), x.SetInt64(int64(p)))
		sum.Add(sum, term.Mul(price, x.SetInt64(2*int64(from)+int64(p))))
	}
	for u := range in.Tasks {
		add(u, t.Backward[u], in.Head[u])
		add(u, t.Forward[u], in.Tail[u])
	}
	return sum
}

func sums(a, b []int64) []int64 {
	list := make([]int64, len(a))
	for u := range list {
		list[u] = a[u] + b[u]
	}
	return list
}
