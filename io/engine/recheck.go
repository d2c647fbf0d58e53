package engine

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"mrsched/io/result"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

// OneLine is an error's text in one line.
func OneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// Recheck re-derives everything that a result claims; it makes exhaustive searches again of most nodes or fewer. An
// error means that ctx ended.
func Recheck(ctx context.Context, w *model.Workload, b *result.Bundle, most int) ([]model.Violation, error) {
	r := b.Result
	bad := func(err error) ([]model.Violation, error) {
		return []model.Violation{{Code: model.CodeResultMalformed, What: OneLine(err)}}, nil
	}
	p, err := FindProblem(r.Problem, nil)
	if err != nil {
		return bad(err)
	}
	a, ok := p.Algorithm(r.Algorithm)
	if !ok {
		return bad(fmt.Errorf("%s has no algorithm %q", p.Name, r.Algorithm))
	}
	w, other := restricted(w, r)
	if other != nil {
		return other, nil
	}
	params, err := StatedParams(p.Params, r.Parameters)
	if err != nil {
		return bad(err)
	}
	if err := p.asWritten(a, params, r.Parameters); err != nil {
		return bad(err)
	}
	digest := workload.Digest(w)
	view, err := p.View(w, params)
	if err != nil && r.Instance.SHA256 != digest {
		// violations under another problem say nothing about the result
		return []model.Violation{result.OtherInstance(r, w, digest)}, nil
	}
	if err != nil {
		return bad(err)
	}
	o, err := Open(p, w, params)
	if err != nil {
		return bad(err)
	}
	run := o.Run
	var g *model.Guarantee
	if r.Guarantee != nil { // the digest protects an absent one
		g = run.Guarantee(r.Algorithm, r.Status == model.StatusLimit)
	}
	found := b.Verify(w, digest, view, result.Promise{Guarantee: g, Inputs: o.inputs(a)})
	if a.Exhaustive && r.Status == model.StatusOptimal && len(found) == 1 && found[0].Code == model.CodeStatus {
		optimal, nodes, err := searchAgain(ctx, w, b, o, most)
		switch {
		case err != nil:
			return nil, err
		case optimal:
			found = nil
		case nodes > most:
			found[0].What += fmt.Sprintf("; the search that is to prove it has %d nodes, and check makes searches of up to "+
				"%d again: see --%s", nodes, most, MaxSearchName)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	return witness(ctx, w, b, o)
}

// restricted is the workload of the jobs that a result names; other says that the workload has no such jobs.
func restricted(w *model.Workload, r *model.Result) (part *model.Workload, other []model.Violation) {
	only, ok := r.Parameters["job"].(string)
	if !ok {
		return w, nil
	}
	part, err := w.Restrict(strings.Split(only, ","))
	if err != nil {
		return w, []model.Violation{result.OtherInstance(r, w, workload.Digest(w))}
	}
	return part, nil
}

// InstanceOf is the instance of a result, as text: a workload that is it, restricted to the result's jobs as Recheck
// does. It is an error if the workload, which messages call name, is another one.
func InstanceOf(r *model.Result, w *model.Workload, name string) (*model.InputText, error) {
	part, other := restricted(w, r)
	if digest := workload.Digest(part); other == nil && digest != r.Instance.SHA256 {
		other = []model.Violation{result.OtherInstance(r, part, digest)}
	}
	if other != nil {
		return nil, model.NewInputError(model.Finding{Code: other[0].Code, Pos: model.Position{File: name},
			What: other[0].What, Expected: "the instance that the result was made of"})
	}
	text := workload.Listed(part)
	return &text, nil
}

// Reshaping names the parameters of a problem that change the instance itself.
func Reshaping(problem string) (names []string) {
	for _, p := range Problems() {
		for _, q := range p.Params {
			if p.Name == problem && q.View {
				names = append(names, q.Name)
			}
		}
	}
	return names
}

// witness compares facts of the run that follow from the schedule with what is derived.
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
		if had != has || fmt.Sprint(is) != fmt.Sprint(want) {
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
	nodes, err = strconv.Atoi(fmt.Sprint(facts[solver.FoundNodes]))
	if o.Problem.Optimal == nil || b.Rows == nil || err != nil {
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
