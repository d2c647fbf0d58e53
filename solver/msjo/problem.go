package msjo

import (
	"context"
	"fmt"
	"io"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

const source = "Ling et al., JPDC 2016"

// algorithm is one row of the table of algorithms.
type algorithm struct {
	solver.Algorithm
	solve func(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error)
	// guarantee is what is proven on this instance; nil where nothing is.
	guarantee func(r *run) *model.Guarantee
}

// lpParams are the parameters of every algorithm that solves the LP.
var lpParams = []string{"epsilon", "formulation", "separation", "bound"}

// algorithms lists all algorithms; each file of this package adds its rows here.
func algorithms() []algorithm {
	return []algorithm{
		{solver.Algorithm{Name: "coge", Summary: "constraint generation: the LP lower bound alone, no schedule", Source: source + ", Alg. 1",
			BoundOnly: true, Params: lpParams}, solveCOGE, nil},
		{solver.Algorithm{Name: "mars", Summary: "tasks by LP midpoint, each to the machine that idles first", Source: source + ", Alg. 2",
			Params: lpParams}, solveMarS, guaranteeMarS},
		{solver.Algorithm{Name: "mars-list", Summary: "whenever a machine is free, the available task with the least LP midpoint", Source: "mrsched",
			Params: lpParams}, solveMarSList, nil},
		{solver.Algorithm{Name: "best", Summary: "list schedules improved by annealing over the jobs' due times", Source: "mrsched",
			Default: true, Params: lpParams}, solveBest, nil},
		{solver.Algorithm{Name: "exact", Summary: "branch and bound over task orders: proves optimality on small instances", Source: "mrsched",
			SizeLimit: exactTasks, Params: lpParams}, solveExactly, nil},
	}
}

// Problem is msjo's entry for the driver.
func Problem() *solver.Problem {
	var table []solver.Algorithm
	for _, a := range algorithms() {
		table = append(table, a.Algorithm)
	}
	return &solver.Problem{
		Name:       "msjo",
		Title:      "MapReduce jobs on identical machines: total weighted job completion time",
		Source:     source,
		Algorithms: table,
		Params: []solver.Param{
			{Name: "machines", Kind: solver.IntParam, Default: "0", Minimum: 0, Maximum: msjo.MaxMachines, View: true,
				Usage: "identical machines; 0: the workload's `machines`, else all slots of its topology"},
			{Name: "epsilon", Kind: solver.FloatParam, Default: "0", Minimum: 0, Maximum: 0.99,
				Usage: "stop threshold of constraint generation; the paper uses 0.3"},
			{Name: "formulation", Kind: solver.StringParam, Default: "collapsed", Choices: []string{"collapsed", "published"},
				Usage: "one LP variable a job, or the paper's one a task"},
			{Name: "separation", Kind: solver.StringParam, Default: "peaks", Choices: []string{"peaks", "every"},
				Usage: "add the most violated prefixes, or every violated one, as published"},
			{Name: "bound", Kind: solver.StringParam, Default: "auto", Choices: []string{"auto", "lp", "lagrange"},
				Usage: "lower bounds to compute: the LP, the time-indexed Lagrangian bound too, or that where it is affordable and the algorithm searches"},
		},
		Formats: []string{"lp", "mps"},
		Open:    open,
	}
}

// View opens a workload for checking: the machines parameter is all that it needs.
func View(w *model.Workload, p solver.Params) (model.View, error) {
	return msjo.New(w, p.Int("machines"))
}

func open(w *model.Workload, p solver.Params) (solver.Run, error) {
	in, err := msjo.New(w, p.Int("machines"))
	if err != nil {
		return nil, err
	}
	return &run{in: in, p: p, backend: lpsolve.NewSolver}, nil
}

// run is one opened instance. The relaxation is solved once and shared by the algorithms.
type run struct {
	in      *msjo.Instance
	p       solver.Params
	backend lp.Backend
	c       *collapsed
	solved  *relaxation
	bound   *solver.Bound // of the relaxation
	priced  *solver.Bound // time-indexed; nil until computed
}

func (r *run) View() model.View { return r.in }

// Solve runs one algorithm.
func (r *run) Solve(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	for _, a := range algorithms() {
		if a.Name == name {
			return a.solve(ctx, r, opt)
		}
	}
	return nil, fmt.Errorf("msjo has no algorithm %q", name)
}

// Guarantee is what is proven for an algorithm on this instance; nothing if the LP was not solved to its
// end.
func (r *run) Guarantee(name string, limited bool) *model.Guarantee {
	for _, a := range algorithms() {
		if a.Name == name && a.guarantee != nil && !limited {
			return a.guarantee(r)
		}
	}
	return nil
}

// relaxation solves the LP that the parameters describe, once. If ctx ends first, it is what was reached:
// in the worst case the jobs on an empty cluster, which bound themselves.
func (r *run) relaxation(ctx context.Context, opt solver.Options) (*relaxation, error) {
	if r.solved != nil {
		return r.solved, nil
	}
	if r.c == nil {
		r.c = newCollapsed(r.in)
	}
	relax, err := r.c.generate(ctx, r.backend, r.formulation(), r.generation(), opt)
	if err != nil {
		return nil, err
	}
	if relax == nil {
		relax = &relaxation{value: r.c.constant, price: make([]float64, len(r.c.task))}
		relax.midpoint, relax.completion = byDelay{r.c}.point(make([]float64, r.in.Jobs))
	}
	cert, err := certify(r.in, r.method(), []pricedTerm{{0, r.c.byTask(relax.price)}})
	if err != nil {
		return nil, err
	}
	r.solved = relax
	r.bound = &solver.Bound{Method: cert.Method, Certificate: cert, Theorem: relax.complete}
	return relax, nil
}

func (r *run) formulation() formulation {
	if r.p.Text("formulation") == "published" {
		return byStart{r.c}
	}
	return byDelay{r.c}
}

func (r *run) generation() generationOptions {
	return generationOptions{epsilon: r.p.Float("epsilon"), every: r.p.Text("separation") == "every",
		warm: r.p.Text("formulation") == "collapsed" && r.p.Text("separation") == "peaks" && r.p.Float("epsilon") == 0}
}

// method names the bound: the classical LP, or the relaxation of it at which COGE stopped.
func (r *run) method() string {
	if r.p.Float("epsilon") > 0 {
		return "cnd-lp"
	}
	return "cls-lp"
}

// Formulate writes the LP with all the sets that constraint generation needs, so that any LP solver
// finds the bound in it.
func (r *run) Formulate(ctx context.Context, w io.Writer, format string) error {
	if r.c == nil {
		r.c = newCollapsed(r.in)
	}
	model, err := r.c.formulate(ctx, r.backend, r.formulation(), r.generation())
	if err != nil {
		return err
	}
	if format == "mps" {
		return lp.WriteMPS(w, model)
	}
	return lp.WriteLP(w, model)
}
