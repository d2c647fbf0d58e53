package cluster

import (
	"fmt"
	"math/big"

	"mrsched/model"
)

// Certificate proves a lower bound on the objective. docs/mathematics.md has the theorems and their proofs.
type Certificate struct {
	model.Claim
	// Shift says that prices are in units of 2^−Shift of the objective's integers (see JobCost).
	Shift int          `json:"shift,omitempty"`
	Pools []Pool       `json:"pools,omitempty"`
	Alone []AloneBound `json:"alone,omitempty"` // in rising order of the job
	// TwoSided belongs to kind KindTwoSided.
	*TwoSided
	// CellPrices belong to kind KindCells.
	*CellPrices
	// JobPrices belong to kind KindJobPrices.
	*JobPrices
}

// The kinds of certificates.
const (
	KindTwoSided  = "two-sided-prices"
	KindCells     = "cell-prices"
	KindJobPrices = "job-prices"
)

// Sign completes a certificate: it computes Value. Errors: the certificate proves nothing.
func (e *Evaluator) Sign(c *Certificate) error {
	return c.Claim.Sign(Name, func() (*big.Rat, error) { return e.evaluate(c) })
}

// Certify reads a certificate and derives its bound, rounded up to what an optimum can cost.
func (in *Instance) Certify(raw []byte) (model.Certified, error) {
	var c Certificate
	proof, err := model.Certify(raw, &c, &c.Claim, Name, func() (*big.Rat, error) {
		return NewEvaluator(in).evaluate(&c)
	})
	if err != nil {
		return proof, err
	}
	proof.Value = in.RoundUp(proof.Value)
	return proof, nil
}

func (e *Evaluator) evaluate(c *Certificate) (*big.Rat, error) {
	switch c.Kind {
	case KindTwoSided:
		return e.evaluateTwoSided(c)
	case KindCells:
		return e.evaluateCells(c)
	case KindJobPrices:
		return e.evaluateJobPrices(c)
	}
	return nil, fmt.Errorf("certificate: unknown kind %q", c.Kind)
}
