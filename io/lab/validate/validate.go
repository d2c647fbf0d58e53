package validate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"

	"mrsched/io/engine"
	"mrsched/io/run"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

// Validation is one call of validate.
type Validation struct {
	Problem  engine.Problem
	variants []variant
	seed     uint64
	options  solver.Options
	Only     int // 0: all instances
}

// variant is a set of parameters under which every instance is solved.
type variant struct {
	label  map[string]string // what distinguishes it from the others
	params solver.Params
}

// trial is the outcome on one instance.
type trial struct {
	k          int
	workload   *model.Workload
	samples    []sample
	exact      []*engine.Verified // what the exact method found, by variant
	unsolved   int                // variants whose optimum it did not prove
	violations []breach
}

// Run solves all instances; the order of the results does not depend on threads.
func (v *Validation) Run(ctx context.Context, n, threads int, progress func(done, total int)) ([]*trial, error) {
	trials := make([]*trial, n)
	var mu sync.Mutex
	done := 0
	err := run.Each(ctx, n, threads, func(ctx context.Context, i int) error {
		if v.Only != 0 && i != v.Only-1 {
			return nil
		}
		t, err := v.try(ctx, i+1)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		trials[i] = t
		done++
		progress(done, n)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return trials, ctx.Err()
}

// try solves the k-th instance under every variant.
func (v *Validation) try(ctx context.Context, k int) (*trial, error) {
	w, err := v.Problem.Small.Generate(rand.New(rand.NewPCG(v.seed, uint64(k))), k)
	if err != nil {
		return nil, fmt.Errorf("instance %d: %w", k, err)
	}
	t := &trial{k: k, workload: w}
	for i := range v.variants {
		if err := v.tryVariant(ctx, t, i); err != nil {
			return nil, fmt.Errorf("instance %d: %w", k, err)
		}
	}
	return t, nil
}

// tryVariant solves one instance with every algorithm and compares what they promise with the optimum. An algorithm for
// which an earlier variant is the same is not run again.
func (v *Validation) tryVariant(ctx context.Context, t *trial, i int) error {
	o, err := engine.Open(v.Problem, t.workload, v.variants[i].params)
	if nothingToDo(err) {
		t.exact = append(t.exact, nil)
		t.unsolved++
		return nil
	}
	if err != nil {
		return err
	}
	var found []*engine.Verified
	var exact *engine.Verified // nil: no exhaustive algorithm could run
	for _, a := range v.Problem.Algorithms {
		first := v.first(a, i)
		if o.Run.Excludes(a.Name) != (solver.Exclusion{}) {
			continue
		}
		if first < i {
			if a.Exhaustive {
				exact = t.exact[first]
			}
			continue
		}
		x, err := o.Solve(ctx, a, v.options)
		if err := ctx.Err(); err != nil {
			return err
		}
		if err != nil {
			t.violations = append(t.violations, breach{t.k, a.Name, v.label(a, i), err.Error(), ""})
			continue
		}
		found = append(found, x)
		if a.Exhaustive {
			exact = x
		}
	}
	t.exact = append(t.exact, exact)
	var optimum *yardstick
	switch {
	case exact == nil:
		optimum = leastCost(o, found)
	case exact.Status == model.StatusOptimal:
		optimum = &yardstick{o.Cost(exact), "optimum", true}
	}
	if optimum == nil || !optimum.proven {
		t.unsolved++
	}
	if optimum == nil {
		return nil
	}
	for _, x := range found {
		t.judge(o, x, i, v.label(x.Algorithm, i), optimum, v.first(solver.Algorithm{}, i) == i)
	}
	for _, never := range v.Problem.Small.NeverWorse {
		a, _ := v.Problem.Algorithm(never[0])
		t.compare(o, found, i, never, v.label(a, i))
	}
	return nil
}

// Iterations is the default limit of a search. It counts the nodes of exact methods, too.
const Iterations = 100

// nothingToDo reports whether an instance lacks everything that the parameters require.
func nothingToDo(err error) bool {
	input, ok := errors.AsType[*model.InputError](err)
	return ok && !slices.ContainsFunc(input.Findings, func(f model.Finding) bool { return f.Code != model.CodeEmpty })
}

// exhaustive says whether some algorithm of the problem proves optima.
func (v *Validation) exhaustive() bool {
	return slices.ContainsFunc(v.Problem.Algorithms, func(a solver.Algorithm) bool { return a.Exhaustive })
}

// first is the first variant that is the same as variant i for an algorithm: its own parameters and those of the
// instance agree. Without an algorithm it is the first with the same instance.
func (v *Validation) first(a solver.Algorithm, i int) int {
	mine := v.label(a, i)
	return slices.IndexFunc(v.variants[:i+1], func(x variant) bool { return maps.Equal(v.seen(a, x), mine) })
}

// label is what distinguishes a variant for an algorithm.
func (v *Validation) label(a solver.Algorithm, i int) map[string]string {
	return v.seen(a, v.variants[i])
}

// seen are the settings of a variant that an algorithm, or the instance, depends on.
func (v *Validation) seen(a solver.Algorithm, x variant) map[string]string {
	used, label := v.Problem.Used(x.params, a), map[string]string{}
	for name, value := range x.label {
		if used[name] {
			label[name] = value
		}
	}
	return label
}

// Keep writes the instances that broke something, or the only one requested, and names the files.
func (v *Validation) Keep(r *Report, dir string, trials []*trial) error {
	write := func(kind string, k int) (string, error) {
		path := filepath.Join(dir, fmt.Sprintf("%s%s-seed%d-%d.json", v.Problem.Name, kind, v.seed, k))
		return path, engine.Misplaced(path, workload.Write(path, trials[k-1].workload, true, nil))
	}
	for i := range r.Violations {
		x := &r.Violations[i]
		var err error
		if x.File, err = write("-violation", x.Instance); err != nil {
			return err
		}
	}
	if v.Only == 0 {
		return nil
	}
	_, err := write("", v.Only)
	return err
}

// Write prints the report.
func (r *Report) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// New makes the validation of a problem under its variants; parameters that are fixed stay as they are in all
// variants.
func New(p engine.Problem, params solver.Params, fixed func(name string) bool, seed uint64,
	iterations int) (*Validation, error) {
	v := &Validation{Problem: p, seed: seed, options: solver.Options{Iterations: iterations, Seed: seed, Threads: 1}}
	seen := map[string]bool{}
	for _, settings := range p.Small.Variants {
		x := variant{map[string]string{}, maps.Clone(params)}
		for _, q := range p.Params {
			text, ok := settings[q.Name]
			if !ok {
				continue
			}
			if !fixed(q.Name) {
				value, err := engine.ParseParam(q, text)
				if err != nil {
					return nil, err
				}
				x.params[q.Name] = value
			}
			x.label[q.Name] = fmt.Sprint(x.params[q.Name])
		}
		if key := fmt.Sprint(x.label); !seen[key] { // a flag may make variants equal
			seen[key] = true
			v.variants = append(v.variants, x)
		}
	}
	return v, nil
}
