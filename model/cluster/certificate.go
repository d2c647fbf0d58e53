package cluster

import (
	"fmt"
	"math/big"

	"mrsched/model"
)

// Certificate proves a lower bound on the instance's objective. docs/mathematics.md has the theorems and their proofs,
// section cluster. A kind reads its own fields and requires that the others are empty.
type Certificate struct {
	model.Claim
	// Pools are resources seen as one machine; Alone are bounds of jobs, in rising order of the job.
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
	// Refuted belongs to kind "refuted-end".
	*Refuted
}

// The kinds of certificates.
const (
	// KindTwoSided: see TwoSided. Without prices it bounds every job alone.
	KindTwoSided = "two-sided-prices"
	// KindCells: see CellPrices.
	KindCells = "cell-prices"
	// KindJobPrices: see JobPrices.
	KindJobPrices = "job-prices"
	// KindRefuted: see Refuted.
	KindRefuted = "refuted-end"
)

// kinds has, by kind, the function that computes what a certificate proves, in the objective's unit.
var kinds = map[string]func(e *Evaluator, c *Certificate) (*big.Rat, error){
	KindTwoSided:  (*Evaluator).evaluateTwoSided,
	KindCells:     (*Evaluator).evaluateCells,
	KindJobPrices: (*Evaluator).evaluateJobPrices,
	KindRefuted:   (*Evaluator).evaluateRefuted,
}

// kindsOf lists the kinds of certificates that each method makes.
var kindsOf = map[string][]string{MethodAlone: {KindTwoSided}, MethodTwoSided: {KindTwoSided}, MethodCells: {KindCells},
	MethodJobPrices: {KindJobPrices}, MethodShaving: {KindRefuted}}

// The methods that make certificates.
const (
	MethodAlone     = "job-alone"
	MethodTwoSided  = "two-sided"
	MethodCells     = "time-indexed"
	MethodJobPrices = "job-prices"
	MethodShaving   = "shaving"
)

// Sign completes a certificate: it computes Value. Errors: the certificate proves nothing.
func (in *Instance) Sign(c *Certificate) error {
	return NewEvaluator(in).Sign(c)
}

// Sign is Instance.Sign without preparations.
func (e *Evaluator) Sign(c *Certificate) error {
	return c.Claim.Sign(Name, func() (*big.Rat, error) { return e.prove(c) })
}

// Certify re-evaluates a certificate in exact arithmetic and requires that it states the result. The bound is that
// result, rounded up to the next cost that an optimum can have.
func (in *Instance) Certify(raw []byte) (model.Certified, error) {
	var c Certificate
	proof, err := model.Certify(raw, &c, &c.Claim, Name, kindsOf, func() (*big.Rat, error) {
		return NewEvaluator(in).prove(&c)
	})
	if err != nil {
		return proof, err
	}
	proof.Value = in.RoundUp(proof.Value)
	return proof, nil
}

// prove computes what a certificate proves, in the objective's unit.
func (e *Evaluator) prove(c *Certificate) (*big.Rat, error) {
	if c.Kind != KindTwoSided && c.TwoSided != nil || c.Kind != KindCells && c.CellPrices != nil ||
		(c.Kind == KindJobPrices) != (c.JobPrices != nil) || (c.Kind == KindRefuted) != (c.Refuted != nil) {
		return nil, fmt.Errorf("certificate: numbers that kind %q does not use", c.Kind)
	}
	return kinds[c.Kind](e, c)
}
