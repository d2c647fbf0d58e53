package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"mrsched/io/result"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

// OneLine is an error's text in one line.
func OneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// Recheck re-derives everything that a result claims; it repeats exhaustive searches of at most this many nodes. An
// error means that ctx ended.
func Recheck(ctx context.Context, w *model.Workload, b *result.Bundle, most int) ([]model.Violation, error) {
	r := b.Result
	bad := func(err error) ([]model.Violation, error) {
		return []model.Violation{{Code: model.CodeResultMalformed, What: OneLine(err)}}, nil
	}
	if r.Problem == "" {
		return bad(errors.New("it names no problem; hint: the file was edited: restore it, or solve again"))
	}
	p, err := FindProblem(r.Problem, nil)
	if err != nil {
		return bad(err)
	}
	a, ok := p.Algorithm(r.Algorithm)
	if !ok {
		return bad(fmt.Errorf("%s has no algorithm %q", p.Name, r.Algorithm))
	}
	params, plan, err := p.statedInputs(a, b)
	if err != nil {
		return bad(err)
	}
	digest := workload.Digest(w)
	view, err := p.View(w, params)
	if r.Instance.SHA256 != digest { // whatever else differs follows from it
		if err != nil {
			view = nil
		}
		return []model.Violation{otherInstance(b.Result, w, view)}, nil
	}
	if err != nil {
		return bad(err)
	}
	o, err := Open(p, w, params)
	if err != nil {
		return bad(err)
	}
	if plan != nil {
		if err := errors.Join(p.Replans([]solver.Algorithm{a}), o.Keep(plan)); err != nil {
			return bad(err)
		}
		view = o.Run.View()
	}
	var g *model.Guarantee
	if r.Guarantee != nil { // the digest already covers an absent one
		g = o.Run.Guarantee(r.Algorithm, r.Status == model.StatusLimit)
	}
	found := b.Verify(w, digest, view, result.Promise{Guarantee: g, Inputs: o.inputs(a)})
	if a.Exhaustive && r.Status == model.StatusOptimal && len(found) == 1 && found[0].Code == model.CodeStatus {
		if found, err = optimumAgain(ctx, w, b, o, found[0], most); err != nil {
			return nil, err
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	return witness(ctx, w, b, o)
}

// statedInputs reads the parameters and the earlier plan that a result of an algorithm states.
func (p Problem) statedInputs(a solver.Algorithm, b *result.Bundle) (solver.Params, *model.Replan, error) {
	params, err := StatedParams(p.Params, b.Result.Parameters)
	if err != nil {
		return nil, nil, err
	}
	plan, err := StatedReplan(b)
	if err != nil {
		return nil, nil, err
	}
	return params, plan, p.asWritten(a, params, b.Result.Parameters, plan)
}

// optimumAgain repeats the search that proves a result optimal, if it has at most this many nodes. It returns the
// violation if the search does not prove it. An error means that ctx ended.
func optimumAgain(ctx context.Context, w *model.Workload, b *result.Bundle, o *Opened, unproven model.Violation,
	most int) ([]model.Violation, error) {
	optimal, nodes, err := searchAgain(ctx, w, b, o, most)
	if err != nil || optimal {
		return nil, err
	}
	if nodes > most {
		unproven.What += fmt.Sprintf("; the search that is to prove it has %d nodes, and check makes searches of up to "+
			"%d again: see --%s", nodes, most, MaxSearchName)
	}
	return []model.Violation{unproven}, nil
}

// hintOther says what to do with another version of a result's instance.
const hintOther = "; hint: check the version that was solved, or solve this one; if the old one still exists, " +
	"mrsched diff OLD-INSTANCE INSTANCE shows all that changed"

// otherInstance is the violation of a result for another workload; view is nil if the result's problem cannot open it.
func otherInstance(r *model.Result, w *model.Workload, view model.View) model.Violation {
	text := func(sha256, name, sizes string) string {
		return fmt.Sprintf("instance %.8s%s (%s)", sha256, strings.TrimSuffix(fmt.Sprintf(" %q", name), ` ""`), sizes)
	}
	sizes := func(jobs, tasks int) string { return model.Counted(jobs, "job") + ", " + model.Counted(tasks, "task") }
	whole := func(i model.InstanceSummary) string {
		return text(i.SHA256, i.Name, sizes(i.Jobs, i.Tasks)+", "+model.Counted(i.Machines, "machine"))
	}
	was, here, hint := whole(r.Instance), "", ""
	if digest := workload.Digest(w); view != nil {
		here = whole(result.Summary(w, digest, view))
	} else {
		was += " of problem " + r.Problem
		here = strings.TrimSuffix(text(digest, w.Name, sizes(len(w.Jobs), len(w.Tasks)))+" of problem "+w.Problem,
			" of problem ")
	}
	if view != nil && r.Instance.Name == w.Name {
		hint = hintOther
	}
	return model.Violation{Code: model.CodeOtherInstance,
		What: fmt.Sprintf("the result is for %s; this is %s", was, here) + hint}
}

// InstanceOf is the text of the instance of a result. It is an error if the workload is another one.
func InstanceOf(b *result.Bundle, w *model.Workload, name string) (*model.InputText, error) {
	if err := IsInstanceOf(b, w, name); err != nil {
		return nil, err
	}
	text := workload.Listed(w)
	return &text, nil
}

// IsInstanceOf returns an error if a workload, which messages call name, is not the instance of a result.
func IsInstanceOf(b *result.Bundle, w *model.Workload, name string) error {
	if workload.Digest(w) == b.Result.Instance.SHA256 {
		return nil
	}
	var view model.View
	if p, err := FindProblem(b.Result.Problem, nil); err == nil {
		view = p.viewed(w, b.Result)
	}
	other := otherInstance(b.Result, w, view)
	what, hint, _ := strings.Cut(other.What, "; hint: ")
	return model.NewInputError(model.Finding{Code: other.Code, Pos: model.Position{File: name}, What: what,
		Expected: "the instance that the result was made of", Hint: hint})
}

// viewed is a workload as the problem sees it with a result's parameters; nil if that is impossible.
func (p *Problem) viewed(w *model.Workload, r *model.Result) model.View {
	params, err := StatedParams(p.Params, r.Parameters)
	if err != nil {
		return nil
	}
	view, err := p.View(w, params)
	if err != nil {
		return nil
	}
	return view
}

// witness compares facts of the run that follow from the schedule with derived ones.
func witness(ctx context.Context, w *model.Workload, b *result.Bundle, o *Opened) ([]model.Violation, error) {
	if o.Problem.Witness == nil || b.Rows == nil {
		return nil, nil
	}
	s, _ := result.Schedule(o.Run.View(), b.Rows)
	names, derived, err := o.Problem.Witness(o.Run, ctx, s, b.Result.Status == model.StatusOptimal)
	if err != nil {
		return nil, err
	}
	facts, err := Stated(derived)
	if err != nil {
		return nil, err
	}
	stated, _ := b.Result.Metrics[result.MetricRun].(map[string]any)
	var found model.Violations
	for _, name := range names {
		is, had := stated[name]
		want, has := facts[name]
		if had != has || !reflect.DeepEqual(is, want) {
			found.Add(model.CodeMetrics, "run.%s is stated as %v and derived as %v", name, is, want)
		}
	}
	return found.List(), nil
}

// searchAgain says whether an exhaustive search of the stated number of nodes shows that a result is optimal; searches
// of more than most nodes are not made. An error means that ctx ended.
func searchAgain(ctx context.Context, w *model.Workload, b *result.Bundle, o *Opened, most int) (optimal bool,
	nodes int, err error) {
	facts, _ := b.Result.Metrics[result.MetricRun].(map[string]any)
	number, _ := facts[solver.FoundNodes].(json.Number)
	nodes, err = strconv.Atoi(number.String())
	if o.Problem.Optimal == nil || b.Rows == nil || err != nil || nodes < 1 {
		return false, 0, nil
	}
	if nodes > most {
		return false, nodes, nil
	}
	s, _ := result.Schedule(o.Run.View(), b.Rows)
	optimal, err = o.Problem.Optimal(o.Run, ctx, s, nodes)
	return optimal, nodes, err
}

// MaxSearchName is the flag that limits the exhaustive searches that check repeats, and DefaultMaxSearch its default in
// nodes: a few minutes of work or more.
const (
	MaxSearchName    = "max-search"
	DefaultMaxSearch = 100_000_000
)
