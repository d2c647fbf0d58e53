package shop

import (
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
)

// Certificate proves a lower bound on the instance's objective. docs/mathematics.md has the theorems and their proofs,
// sections msjo and cluster. A kind reads its own fields and requires that the others are empty.
type Certificate struct {
	model.Claim
	Bounds
	// Shift says that two-sided, cell and job prices are in units of 2^−Shift of the objective's integers (see JobCost).
	Shift int `json:"shift,omitempty"`
	*TwoSided
	*CellPrices
	*JobPrices
	*Clauses
	*SetPrices
	Machine *MachinePrices   `json:"machine,omitempty"`
	Cases   *CompletionCases `json:"cases,omitempty"`
}

// The kinds of certificates: see the fields of a certificate that they name.
const (
	KindTwoSided         = "two-sided-prices"  // TwoSided. Without prices it bounds every job alone.
	KindCells            = "cell-prices"       // CellPrices
	KindJobPrices        = "job-prices"        // JobPrices
	KindClauses          = "clauses"           // Clauses
	KindMidpointPrices   = "midpoint-prices"   // SetPrices; identical machines only, as those below
	KindCompletionPrices = "completion-prices" // SetPrices, of the task objective
	KindMachinePrices    = "machine-prices"    // Machine
	KindCompletionCases  = "completion-cases"  // Cases
)

// kinds has, by kind, what computes the value that a certificate proves, in the objective's unit.
var kinds = map[string]func(e *Evaluator, c *Certificate) (*big.Rat, error){
	KindTwoSided:         (*Evaluator).evaluateTwoSided,
	KindCells:            (*Evaluator).evaluateCells,
	KindJobPrices:        (*Evaluator).evaluateJobPrices,
	KindClauses:          (*Evaluator).evaluateClauses,
	KindMidpointPrices:   (*Evaluator).evaluateMidpoints,
	KindCompletionPrices: (*Evaluator).evaluateCompletions,
	KindMachinePrices:    (*Evaluator).evaluateMachinePrices,
	KindCompletionCases:  (*Evaluator).evaluateCases,
}

// numbers lists the kinds whose numbers a certificate has.
func (c *Certificate) numbers() (list []string) {
	for _, x := range []struct {
		has   bool
		kinds []string
	}{{c.TwoSided != nil, []string{KindTwoSided}}, {c.CellPrices != nil, []string{KindCells}},
		{c.JobPrices != nil, []string{KindJobPrices}}, {c.Clauses != nil, []string{KindClauses}},
		{c.SetPrices != nil, []string{KindMidpointPrices, KindCompletionPrices}},
		{c.Machine != nil, []string{KindMachinePrices}}, {c.Cases != nil, []string{KindCompletionCases}}} {
		if x.has && slices.Contains(x.kinds, c.Kind) {
			list = append(list, c.Kind)
		} else if x.has {
			list = append(list, x.kinds[0])
		}
	}
	return list
}

// The methods that make certificates of both problems.
const (
	MethodAlone     = "job-alone"
	MethodTwoSided  = "two-sided"
	MethodCells     = "time-indexed"
	MethodJobPrices = "job-prices"
	MethodEngine    = "engine"
)

// kindsOf lists the kinds of certificates that each method makes: of any nodes, and of identical machines.
var (
	kindsOf = map[string][]string{MethodAlone: {KindTwoSided}, MethodTwoSided: {KindTwoSided},
		MethodCells: {KindCells}, MethodJobPrices: {KindJobPrices}, MethodEngine: {KindClauses}}
	kindsOfIdentical = map[string][]string{"cls-lp": {KindMidpointPrices}, "cnd-lp": {KindMidpointPrices},
		"time-indexed": {KindMachinePrices}, "job-flows": {KindMachinePrices},
		"job-cases": {KindCompletionCases}, MethodAlone: {KindTwoSided, KindCompletionPrices},
		MethodTwoSided: {KindTwoSided}, MethodEngine: {KindClauses}, "task-preemptive": {KindCompletionPrices},
		"task-lp-" + InequalitySchulz:    {KindCompletionPrices},
		"task-lp-" + InequalityPublished: {KindCompletionPrices}}
)

// problem is the problem of the instance, and the kinds of its methods.
func (in *Instance) problem() (name string, kinds map[string][]string) {
	if in.Identical {
		return MSJO, kindsOfIdentical
	}
	return Cluster, kindsOf
}

// Sign completes a certificate: it computes Value. Errors: the certificate proves nothing.
func (in *Instance) Sign(c *Certificate) error {
	return NewEvaluator(in).Sign(c)
}

// Sign is Instance.Sign without preparations.
func (e *Evaluator) Sign(c *Certificate) error {
	name, _ := e.in.problem()
	return c.Claim.Sign(name, func() (*big.Rat, error) { return e.prove(c) })
}

// Certify re-evaluates a certificate in exact arithmetic and requires that it states the result. The bound is that
// result, rounded up to the next cost that an optimum can have.
func (in *Instance) Certify(raw []byte) (model.Certified, error) {
	if in.remaining != nil {
		return in.remaining.Certify(raw)
	}
	var c Certificate
	name, kinds := in.problem()
	proof, err := model.Certify(raw, &c, &c.Claim, name, kinds, func() (*big.Rat, error) {
		return NewEvaluator(in).prove(&c)
	})
	if err != nil {
		return proof, err
	}
	if proof.Value = in.RoundUp(proof.Value); in.flow && proof.Value.Sub(proof.Value, in.Less()).Sign() < 0 {
		proof.Value.SetInt64(0)
	}
	return proof, nil
}

// prove computes what a certificate proves, in the objective's unit.
func (e *Evaluator) prove(c *Certificate) (*big.Rat, error) {
	if (c.Kind == KindCompletionPrices) != (e.in.Objective == WeightedTaskEnds) {
		return nil, fmt.Errorf("certificate: kind %q proves nothing about %s", c.Kind, e.in.Objective)
	}
	if has := c.numbers(); len(has) > 1 || len(has) == 1 && has[0] != c.Kind || len(has) == 0 && c.Kind != KindTwoSided {
		return nil, fmt.Errorf("certificate: the numbers are not those of kind %q", c.Kind)
	}
	return kinds[c.Kind](e, c)
}
