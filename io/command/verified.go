package command

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"

	"mrsched/io/result"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

// opened is a workload as a problem sees it, ready for algorithms.
type opened struct {
	problem problem
	w       *model.Workload
	params  solver.Params
	run     solver.Run
	stated  []workload.Stated // columns with values that some run of the problem ignores
}

func open(p problem, w *model.Workload, params solver.Params) (*opened, error) {
	run, err := p.Open(w, params)
	if err != nil {
		return nil, err
	}
	return &opened{p, w, params, run, p.stated(w)}, nil
}

// verified is what an algorithm found after it was checked: the schedule breaks no constraint, every bound
// was re-evaluated in exact arithmetic.
type verified struct {
	algorithm solver.Algorithm
	*solver.Outcome
	proofs []proof // of Outcome.Bounds, in their order
}

// proof is a bound and what its certificate proves.
type proof struct {
	bound     solver.Bound
	certified model.Certified
}

// contradiction is an algorithm's claim that is not true: a bug of the program.
type contradiction struct{ text string }

func (e *contradiction) Error() string { return e.text }

// solve runs an algorithm and verifies what it found.
func (o *opened) solve(ctx context.Context, a solver.Algorithm, opt solver.Options) (*verified, error) {
	out, err := o.run.Solve(ctx, a.Name, opt)
	if err != nil {
		return nil, err
	}
	return o.verify(a, out)
}

func (o *opened) verify(a solver.Algorithm, out *solver.Outcome) (*verified, error) {
	view := o.run.View()
	if out.Schedule != nil {
		if found := view.Check(out.Schedule); len(found) > 0 {
			return nil, &contradiction{fmt.Sprintf("%s made an impossible schedule: %s", a.Name, found[0])}
		}
	}
	v := &verified{algorithm: a, Outcome: out}
	for _, b := range out.Bounds {
		text, err := json.Marshal(b.Certificate)
		if err != nil {
			return nil, err
		}
		certified, err := view.Certify(text)
		if err != nil {
			return nil, &contradiction{fmt.Sprintf("%s: %v", a.Name, err)}
		}
		v.proofs = append(v.proofs, proof{b, certified})
	}
	return v, nil
}

// strongest is the proof of the highest bound, or nil; ties: the first.
func strongest(all ...*verified) *proof {
	var best *proof
	for _, v := range all {
		for i := range v.proofs {
			if p := &v.proofs[i]; best == nil || p.certified.Value.Cmp(best.certified.Value) > 0 {
				best = p
			}
		}
	}
	return best
}

// cost is the schedule's objective; nil without one.
func (o *opened) cost(v *verified) *big.Rat {
	if v.Schedule == nil {
		return nil
	}
	return o.run.View().Evaluate(v.Schedule).Value
}

// guarantee is what is promised for the outcome, without a verdict; nil: nothing.
func (o *opened) guarantee(v *verified) *model.Guarantee {
	return o.run.Guarantee(v.algorithm.Name, v.Status == model.StatusLimit)
}

// broken is an error if the guarantee does not hold against the very relaxation that its theorem is about.
func (v *verified) broken(g model.Guarantee, cost *big.Rat) error {
	for _, p := range v.proofs {
		if !p.bound.Theorem {
			continue
		}
		if err := g.Judge(cost, p.certified.Value, true); err != nil {
			return err
		}
		if g.Verdict == model.VerdictViolated {
			return &contradiction{fmt.Sprintf("%s exceeds its proven factor %s: %s against %s; please report this instance",
				v.algorithm.Name,
				g.Factor, model.ExactNumber(cost), model.LowerNumber(p.certified.Value))}
		}
	}
	return nil
}

// settle fills in a result from a verified outcome, judged against a proven bound (nil: none), which may be
// another algorithm's, and completes it.
func (o *opened) settle(r *model.Result, v *verified, against *proof) (*result.Bundle, error) {
	view := o.run.View()
	r.Problem, r.Algorithm, r.Status, r.Metrics = o.problem.Name, v.algorithm.Name, v.Status, map[string]any{}
	r.Instance, r.Inputs = result.Summary(o.w, r.Instance.SHA256, view), o.inputs(v.algorithm)
	if len(v.Found) > 0 {
		r.Metrics[result.MetricRun] = v.Found
	}
	var bounds []any
	for _, p := range v.proofs {
		bounds = append(bounds, map[string]any{"method": p.certified.Method, "value": model.LowerNumber(p.certified.Value)})
	}
	if len(bounds) > 0 {
		r.Metrics[result.MetricBounds] = bounds
	}
	var certified *model.Certified
	var certificate any
	if against != nil {
		certified, certificate = &against.certified, against.bound.Certificate
	}
	g := o.guarantee(v)
	if err := result.Derive(r, view, v.Schedule, certified, result.Promise{Guarantee: g,
		Exhaustive: v.algorithm.Exhaustive}, false); err != nil {
		return nil, fmt.Errorf("%s: %w", v.algorithm.Name, err)
	}
	if g != nil && v.Schedule != nil {
		if err := v.broken(*g, o.cost(v)); err != nil {
			return nil, err
		}
	}
	return result.New(r, o.w, view, v.Schedule, certificate), nil
}
