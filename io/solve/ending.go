package solve

import (
	"context"
	"errors"
	"math/big"

	"mrsched/io/engine"
	"mrsched/model"
	"mrsched/solver"
)

// Why is the reason for which a run ended.
type Why string

// The reasons.
const (
	WhyOptimal     Why = "optimal"     // nothing can be better
	WhyComplete    Why = "complete"    // the algorithm finished
	WhyIterations  Why = "iterations"  // its iterations, or the nodes that they allow, were used up
	WhyTimeLimit   Why = "time limit"  // --time-limit ended it, or cut one of its phases short
	WhyInterrupted Why = "interrupted" // a signal ended it
	WhyImpossible  Why = "impossible"  // it could not do its work: Ending.Reason says why
)

// Ending is the end of a run, with verified values as the result states them.
type Ending struct {
	Status           model.Status
	Objective, Bound *big.Rat // nil: none
	Method           string   // of the bound
	Why              Why
	Reason           string // see solver.Outcome.Why
}

// ending verifies the values of a run and says why it ended. In a comparison the strongest bound so far counts.
func (j *Job) ending(ctx context.Context, w *solver.Watch, v *engine.Verified) Ending {
	e := Ending{Status: v.Status, Objective: j.Cost(v)}
	proof := engine.Strongest(v)
	if j.Folders {
		if p := j.strongest; p != nil && (proof == nil || p.Certified.Value.Cmp(proof.Certified.Value) >= 0) {
			proof = p
		}
		j.strongest = proof
	}
	if proof != nil {
		e.Bound, e.Method = proof.Certified.Value, proof.Certified.Method
	}
	if e.Objective != nil && e.Bound != nil && e.Objective.Cmp(e.Bound) == 0 {
		e.Status = model.StatusOptimal
	}
	e.Reason = v.Outcome.Why
	e.Why = why(ctx, w.State(), e, v.Algorithm)
	return e
}

// why says why a run ended.
func why(ctx context.Context, s solver.State, e Ending, a solver.Algorithm) Why {
	limit := e.Status == model.StatusLimit
	switch {
	case e.Status == model.StatusOptimal:
		return WhyOptimal
	case limit && errors.Is(ctx.Err(), context.Canceled):
		return WhyInterrupted
	case limit && e.Reason != "":
		return WhyImpossible
	case limit && (s.CutShort || ctx.Err() != nil):
		return WhyTimeLimit
	case limit, a.Search && s.UsedUp:
		return WhyIterations
	}
	return WhyComplete
}
