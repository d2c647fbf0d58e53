package cluster

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
)

// Certificate proves a lower bound on the instance's objective. docs/mathematics.md has the theorems and their proofs,
// section cluster. A kind reads its own fields and demands that the others are empty.
type Certificate struct {
	model.Claim
	// Resource belongs to kind "area": the name of a resource.
	Resource string `json:"resource,omitempty"`
	// The other kinds have pools, and bounds of jobs in rising order.
	Pools []Pool       `json:"pools,omitempty"`
	Alone []AloneBound `json:"alone,omitempty"`
	// Shift says that prices are in units of 2^−Shift of the objective's integers (see JobCost).
	Shift int `json:"shift,omitempty"`
	// TwoSided belongs to kind "two-sided-prices".
	*TwoSided
	// CellPrices belong to kind "cell-prices".
	*CellPrices
	// JobPrices belong to kind "job-prices".
	*JobPrices
}

// The kinds of certificates.
const (
	// KindPaths: no job ends before Alone. It needs no numbers.
	KindPaths = "critical-paths"
	// KindArea: what the tasks need of one resource over time does not fit into what all nodes have of it.
	KindArea = "area"
	// KindTwoSided: see TwoSided. Without prices it bounds every job alone.
	KindTwoSided = "two-sided-prices"
	// KindCells: see CellPrices.
	KindCells = "cell-prices"
	// KindJobPrices: see JobPrices.
	KindJobPrices = "job-prices"
)

// kinds are how certificates are evaluated, by kind: what one proves, in the objective's unit.
var kinds = map[string]func(e *Evaluator, c *Certificate) (*big.Rat, error){
	KindPaths:     inIntegers((*Instance).provePaths),
	KindArea:      inIntegers((*Instance).proveArea),
	KindTwoSided:  (*Evaluator).evaluateTwoSided,
	KindCells:     (*Evaluator).evaluateCells,
	KindJobPrices: (*Evaluator).evaluateJobPrices,
}

// inIntegers makes a kind of one that counts in the integers of the objective.
func inIntegers(prove func(*Instance, *Certificate) (*big.Int, error)) func(*Evaluator, *Certificate) (*big.Rat, error) {
	return func(e *Evaluator, c *Certificate) (*big.Rat, error) {
		value, err := prove(e.in, c)
		if err != nil {
			return nil, err
		}
		return e.in.Objective.Rat(value), nil
	}
}

// kindsOf are the kinds of certificates that a method makes.
var kindsOf = map[string][]string{"critical-paths": {KindPaths}, "area": {KindArea},
	MethodAlone: {KindTwoSided}, MethodTwoSided: {KindTwoSided}, MethodCells: {KindCells}, MethodJobPrices: {KindJobPrices}}

// The methods that make certificates of prices.
const (
	MethodAlone     = "job-alone"
	MethodTwoSided  = "two-sided"
	MethodCells     = "time-indexed"
	MethodJobPrices = "job-prices"
)

// Sign completes a certificate: it computes Value. Errors: the certificate proves nothing.
func (in *Instance) Sign(c *Certificate) error {
	return NewEvaluator(in).Sign(c)
}

// Sign is Instance.Sign without preparations.
func (e *Evaluator) Sign(c *Certificate) error {
	return c.Claim.Sign(Name, func() (*big.Rat, error) { return e.prove(c) })
}

// Certify re-evaluates a certificate in exact arithmetic and demands that it states what it proves. The bound is that,
// rounded up to what an optimum can cost.
func (in *Instance) Certify(raw []byte) (model.Certified, error) {
	var c Certificate
	proof, err := model.Certify(raw, &c, &c.Claim, Name, func() (*big.Rat, error) { return NewEvaluator(in).prove(&c) })
	if err != nil {
		return proof, err
	}
	proof.Value = in.RoundUp(proof.Value)
	return proof, nil
}

// prove computes what a certificate proves, in the objective's unit.
func (e *Evaluator) prove(c *Certificate) (*big.Rat, error) {
	if !slices.Contains(kindsOf[c.Method], c.Kind) {
		return nil, fmt.Errorf("certificate: method %q makes no certificates of kind %q", c.Method, c.Kind)
	}
	other := c.Kind != KindArea && c.Resource != "" || c.Kind != KindTwoSided && c.TwoSided != nil ||
		c.Kind != KindCells && c.CellPrices != nil || c.Kind != KindJobPrices && c.JobPrices != nil ||
		(c.Kind == KindPaths || c.Kind == KindArea) && (c.Shift != 0 || c.Pools != nil || c.Alone != nil)
	if other {
		return nil, fmt.Errorf("certificate: numbers that kind %q does not use", c.Kind)
	}
	return kinds[c.Kind](e, c)
}

// provePaths is the cost of a schedule in which every job ends at Alone.
func (in *Instance) provePaths(*Certificate) (*big.Int, error) {
	return in.Cost(in.Objective, in.Alone), nil
}

// proveArea bounds the makespan and Σ w_j C_j by one resource of which all nodes together have C. Let A_j = Σ a_u p_u be
// the least area of the tasks of job j, without what fixed tasks take before time 0. Up to time t at most C·t is used.
// So the makespan is at least Σ A_j / C. With the jobs in the order of their ends, job j ends at or after (A_1 + … +
// A_j) / C, and the sum of w_j times that is least in the order of rising A_j / w_j, by Smith's rule.
func (in *Instance) proveArea(c *Certificate) (*big.Int, error) {
	r := slices.Index(in.Resource, c.Resource)
	if r < 0 {
		return nil, fmt.Errorf("certificate: there is no resource %q", c.Resource)
	}
	total, x := new(big.Int), new(big.Int)
	for k := range int32(in.Classes) {
		v := in.Capacities(k)[r]
		if v == Unlimited {
			return nil, fmt.Errorf("certificate: some node has no limit of %s", c.Resource)
		}
		total.Add(total, x.Mul(big.NewInt(v), big.NewInt(int64(len(in.ClassNodes(k))))))
	}
	area := in.areas(r)
	sum := new(big.Int)
	switch in.Objective {
	case Makespan:
		for j := range area {
			sum.Add(sum, &area[j])
		}
	case WeightedEnds:
		prefix := new(big.Int)
		for _, j := range in.smith(area) {
			prefix.Add(prefix, &area[j])
			sum.Add(sum, x.Mul(prefix, big.NewInt(int64(in.Weight[j]))))
		}
	default:
		return nil, fmt.Errorf("certificate: kind %q proves nothing about %s", c.Kind, in.Objective)
	}
	if total.Sign() == 0 { // then no task takes any
		return sum.SetInt64(0), nil
	}
	return ceil(sum, total), nil
}

// areas are what each job takes of a resource at least, over time.
func (in *Instance) areas(r int) []big.Int {
	area, x, y := make([]big.Int, in.Jobs), new(big.Int), new(big.Int)
	for u, p := range in.Least {
		if in.Fixed(int32(u)) {
			p = min(p, in.FixedStart[u]+p)
		}
		a := &area[in.Job[u]]
		a.Add(a, x.Mul(x.SetInt64(in.Demand[u*in.Resources+r]), y.SetInt64(int64(p))))
	}
	return area
}

// smith lists the jobs by rising area over weight. Ties: the lower job.
func (in *Instance) smith(area []big.Int) []int32 {
	x, y := new(big.Int), new(big.Int)
	order := model.Indices(in.Jobs)
	slices.SortFunc(order, func(a, b int32) int {
		x.Mul(&area[a], y.SetInt64(int64(in.Weight[b])))
		y.Mul(&area[b], y.SetInt64(int64(in.Weight[a])))
		return cmp.Or(x.Cmp(y), cmp.Compare(in.Weight[b], in.Weight[a]), cmp.Compare(a, b))
	})
	return order
}

// ceil is a / b rounded up, for a ≥ 0 and b > 0.
func ceil(a, b *big.Int) *big.Int {
	q, rest := new(big.Int).QuoRem(a, b, new(big.Int))
	if rest.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return q
}
