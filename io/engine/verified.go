package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"mrsched/io/result"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

// Opened is a workload as a problem sees it, ready for algorithms.
type Opened struct {
	Problem Problem
	W       *model.Workload
	Params  solver.Params
	Run     solver.Run
	Replan  *model.Replan     // what schedules have to keep; nil: nothing
	Doubts  []model.Finding   // what is probably wrong with that
	stated  []workload.Stated // columns with values that some run of the problem ignores
}

// Open reads the workload as the problem sees it.
func Open(p Problem, w *model.Workload, params solver.Params) (*Opened, error) {
	run, err := p.Open(w, params)
	if err != nil {
		return nil, timeless(w, err)
	}
	return &Opened{Problem: p, W: w, Params: params, Run: run, stated: p.stated(w)}, nil
}

// timeless reports tasks without times once if no task states one: then the whole column is missing, not a cell. If a
// reduce without a time has a shuffle_delay, which only maps use, the hint is that headers are swapped.
func timeless(w *model.Workload, err error) error {
	input, ok := errors.AsType[*model.InputError](err)
	if !ok || len(w.Tasks) < 2 {
		return err
	}
	noTime := func(f model.Finding) bool { return f.Code == model.CodeNoTime }
	k := slices.IndexFunc(input.Findings, noTime)
	if k < 0 {
		return err
	}
	f := input.Findings[k]
	swapped := func(t model.Task) bool {
		return t.Kind == model.Reduce && !t.Processing.Known && t.ShuffleDelay > 0
	}
	if slices.ContainsFunc(w.Tasks, func(t model.Task) bool { return t.Processing.Known }) {
		if f.Hint == "" && slices.ContainsFunc(w.Tasks, swapped) {
			input.Findings[k].Hint = "reduces have a shuffle_delay, which only maps use: are the two headers shuffle_delay " +
				"and processing_time swapped?"
		}
		return err
	}
	f.Pos, f.What = w.File(model.TableTasks), fmt.Sprintf("none of %d tasks has a processing_time", len(w.Tasks))
	f.Hint = "the column processing_time is missing or empty: look at the header of the table tasks"
	found := slices.DeleteFunc(slices.Clone(input.Findings), noTime)
	more := input.More
	if len(found) == 0 {
		more = 0 // what was only counted is alike
	}
	return &model.InputError{Findings: slices.Insert(found, 0, f), More: more}
}

// Verified is a checked result of an algorithm: the schedule breaks no constraint, and every bound was re-evaluated in
// exact arithmetic.
type Verified struct {
	Algorithm solver.Algorithm
	*solver.Outcome
	Proofs []Proof // of Outcome.Bounds, in their order
}

// Proof is a bound and what its certificate proves.
type Proof struct {
	bound     solver.Bound
	Certified model.Certified
}

// contradiction is a false claim of an algorithm: a bug of the program.
type contradiction struct{ text string }

func (e *contradiction) Error() string { return e.text }

// Solve runs an algorithm and verifies what it found.
func (o *Opened) Solve(ctx context.Context, a solver.Algorithm, opt solver.Options) (*Verified, error) {
	out, err := o.Run.Solve(ctx, a.Name, opt)
	if err != nil {
		return nil, err
	}
	return o.Verify(a, out)
}

// Verify checks the schedule of an outcome and proves its bounds again.
func (o *Opened) Verify(a solver.Algorithm, out *solver.Outcome) (*Verified, error) {
	view := o.Run.View()
	if out.Schedule != nil {
		if found := view.Check(out.Schedule); len(found) > 0 {
			return nil, &contradiction{fmt.Sprintf("%s made an impossible schedule: %s", a.Name, found[0])}
		}
	}
	v := &Verified{Algorithm: a, Outcome: out}
	for _, b := range out.Bounds {
		text, err := json.Marshal(b.Certificate)
		if err != nil {
			return nil, err
		}
		certified, err := view.Certify(text)
		if err != nil {
			return nil, &contradiction{fmt.Sprintf("%s: %v", a.Name, err)}
		}
		v.Proofs = append(v.Proofs, Proof{b, certified})
	}
	return v, nil
}

// Stated returns an outcome's facts by name, as result.json has them.
func Stated(facts any) (list map[string]any, err error) {
	text, err := json.Marshal(facts)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return list, d.Decode(&list)
}

// Strongest is the proof of the highest bound, or nil; ties: the first.
func Strongest(all ...*Verified) *Proof {
	var best *Proof
	for _, v := range all {
		for i := range v.Proofs {
			if p := &v.Proofs[i]; best == nil || p.Certified.Value.Cmp(best.Certified.Value) > 0 {
				best = p
			}
		}
	}
	return best
}

// highest is the proof of the highest bound of a method; ties: the first.
func (v *Verified) highest(method string) (best *Proof) {
	for i := range v.Proofs {
		p := &v.Proofs[i]
		if p.Certified.Method == method && (best == nil || p.Certified.Value.Cmp(best.Certified.Value) > 0) {
			best = p
		}
	}
	return best
}

// Cost is what the schedule costs: its objective, and the penalty of changes; nil without one.
func (o *Opened) Cost(v *Verified) *big.Rat {
	if v.Schedule == nil {
		return nil
	}
	return o.Run.View().Evaluate(v.Schedule).Total()
}

// Guarantee is what is promised for the outcome, without a verdict; nil: nothing.
func (o *Opened) Guarantee(v *Verified) *model.Guarantee {
	return o.Run.Guarantee(v.Algorithm.Name, v.Status == model.StatusLimit)
}

// Broken is an error if the guarantee does not hold against the very relaxation that its theorem is about.
func (v *Verified) Broken(g model.Guarantee, cost *big.Rat) error {
	for _, p := range v.Proofs {
		if !p.bound.Theorem {
			continue
		}
		if err := g.Judge(cost, p.Certified.Value, true); err != nil {
			return err
		}
		if g.Verdict == model.VerdictViolated {
			return &contradiction{fmt.Sprintf("%s exceeds its proven factor %s: %s against %s; please report this instance",
				v.Algorithm.Name,
				g.Factor, model.ExactNumber(cost), model.LowerNumber(p.Certified.Value))}
		}
	}
	return nil
}

// Settle fills in a result from a verified outcome, judged against a proven bound (nil: none), which may be
// another algorithm's, and completes it.
func (o *Opened) Settle(r *model.Result, v *Verified, against *Proof) (*result.Bundle, error) {
	view := o.Run.View()
	r.Problem, r.Algorithm, r.Status, r.Metrics = o.Problem.Name, v.Algorithm.Name, v.Status, map[string]any{}
	r.Instance, r.Inputs = result.Summary(o.W, r.Instance.SHA256, view), o.inputs(v.Algorithm)
	facts, err := Stated(v.Facts)
	if err != nil {
		return nil, err
	}
	if len(facts) > 0 {
		r.Metrics[result.MetricRun] = facts
	}
	var bounds []any
	for i := range v.Proofs {
		if p := &v.Proofs[i]; p == v.highest(p.Certified.Method) {
			bounds = append(bounds, map[string]any{"method": p.Certified.Method, "value": model.LowerNumber(p.Certified.Value)})
		}
	}
	if len(bounds) > 0 {
		r.Metrics[result.MetricBounds] = bounds
	}
	var certified *model.Certified
	var certificate any
	if against != nil {
		certified, certificate = &against.Certified, against.bound.Certificate
	}
	g := o.Guarantee(v)
	if err := result.Derive(r, view, v.Schedule, certified, result.Promise{Guarantee: g,
		Exhaustive: v.Algorithm.Exhaustive}, false); err != nil {
		return nil, fmt.Errorf("%s: %w", v.Algorithm.Name, err)
	}
	if g != nil && v.Schedule != nil {
		if err := v.Broken(*g, o.Cost(v)); err != nil {
			return nil, err
		}
	}
	return result.New(r, view, v.Schedule, certificate), nil
}
