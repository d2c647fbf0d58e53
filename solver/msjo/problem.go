package msjo

import (
	"context"
	"io"
	"math/rand/v2"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

const source = "Ling et al., JPDC 2016"

// algorithm is one row of the table of algorithms.
type algorithm = solver.Method[*run, *made]

// algorithms lists all algorithms. The cheap ones come first in each group.
func algorithms() solver.Methods[*run, *made] {
	list := solver.Methods[*run, *made]{
		{Algorithm: solver.Algorithm{Name: "coge", BoundOnly: true, Source: source + ", Alg. 1",
			Summary: "constraint generation: the LP lower bound alone, no schedule"}},
		{Algorithm: solver.Algorithm{Name: "mars", Source: source + ", Alg. 2",
			Summary: "tasks by LP midpoint, each to the machine that idles first"},
			Solve: solveMarS, Guarantee: guaranteeMarS},
		{Algorithm: solver.Algorithm{Name: "mars-list", Source: "mrsched",
			Summary: "whenever a machine is free, the available task with the least LP midpoint"}, Solve: solveMarSList},
		{Algorithm: solver.Algorithm{Name: "best", Default: true, Search: true, Source: "mrsched",
			Summary: "the best schedule of all other algorithms, improved by annealing"}, Solve: solveBest},
		{Algorithm: solver.Algorithm{Name: "exact", Exhaustive: true, SizeLimit: exactTasks, Source: "mrsched",
			Summary: "branch and bound over task orders: proves optimality on small instances"}, Solve: solveExactly},
		{Algorithm: solver.Algorithm{Name: "so-mars", SizeLimit: batchTasks, Source: source + ", §5.3",
			Summary: "mars that learns of jobs in batches and plans afresh each time"}, Solve: solveSOMars},
		{Algorithm: solver.Algorithm{Name: "tmars", SizeLimit: completionTasks, Source: source + ", Alg. 3",
			Summary: "tasks by LP completion inside intervals that double, for the task objective"},
			Solve: solveTMars, Guarantee: guaranteeTMars},
		{Algorithm: solver.Algorithm{Name: "tmars-list", SizeLimit: completionTasks, Source: "mrsched",
			Summary: "whenever a machine is free, the available task with the least LP completion"}, Solve: solveTMarsList},
		{Algorithm: solver.Algorithm{Name: "mares", SizeLimit: assignedTasks,
			Source:  "Chen, Kodialam, Lakshman, INFOCOM 2012",
			Summary: "tasks assigned in advance, each after its LP completion time"}, Solve: solveMARES},
		{Algorithm: solver.Algorithm{Name: "h-mares", SizeLimit: assignedTasks, Source: source + ", §5.1.3",
			Summary: "mares without waiting for LP completion times"}, Solve: solveHMARES},
		{Algorithm: solver.Algorithm{Name: "huwf", Source: source + ", §5.1.3",
			Summary: "highest w/Σp of the job first, each to the machine that idles first"}, Solve: solveHUWF},
		{Algorithm: solver.Algorithm{Name: "hjwf", Source: source + ", §5.1.3",
			Summary: "highest job weight first, each to the machine that idles first"}, Solve: solveHJWF},
		{Algorithm: solver.Algorithm{Name: "stf", Source: source + ", §5.1.3",
			Summary: "whenever a machine is idle, the shortest available task"}, Solve: solveSTF},
		{Algorithm: solver.Algorithm{Name: "htwf", Source: source + ", §5.1.3",
			Summary: "highest task weight first, each to the machine that idles first"}, Solve: solveHTWF},
		{Algorithm: solver.Algorithm{Name: "htwf-list", Source: "mrsched",
			Summary: "whenever a machine is free, the heaviest available task"}, Solve: solveHTWFList},
		{Algorithm: solver.Algorithm{Name: "wspt-list", Source: "mrsched",
			Summary: "whenever a machine is free, an available task of the job with the highest w/Σp"}, Solve: solveWSPTList},
	}
	for i := range list {
		list[i].Params = uses(list[i].Name, nil)
	}
	return list
}

// Problem is msjo's entry for the driver.
func Problem() *solver.Problem {
	table := algorithms().Algorithms()
	return solver.Define(solver.Problem{
		Name:        "msjo",
		Title:       "MapReduce jobs on identical machines: total weighted job completion time",
		Source:      source,
		Algorithms:  table,
		Columns:     usedColumns(),
		Results:     msjo.Describe(),
		ModelParams: uses("", nil),
		Formats:     []string{"lp", "mps"},
		Formulation: "the LP behind the bound cls-lp, with the cuts that constraint generation needs; with --objective " +
			"twtct that of tmars",
		Delays: true,
		Small: solver.Small{
			// Half of the instances have ordered times, the premise of MarS's factor 3.
			Generate: func(r *rand.Rand, k int) (*model.Workload, error) {
				return instances.SmallMSJO(r, smallTasks, k%2 == 0)
			},
			Variants:   []map[string]string{{"objective": string(msjo.JobObjective)}, {"objective": string(msjo.TaskObjective)}},
			NeverWorse: bestNeverWorse(table),
		},
	}, solver.Typed[params, *msjo.Instance, *run]{
		Instance: func(w *model.Workload, p params) (*msjo.Instance, error) {
			in, err := msjo.New(w, p.machines)
			if err != nil || p.objective != string(msjo.TaskObjective) {
				return in, err
			}
			return in.Under(msjo.TaskObjective), nil
		},
		Run: func(_ *model.Workload, in *msjo.Instance, p params) (*run, error) {
			r := &run{in: in, p: p, backend: lpsolve.NewSolver}
			return r, r.contradiction()
		},
		Uses:     func(algorithm string, p params) []string { return uses(algorithm, &p) },
		Recorded: recorded,
		Proofs:   solver.Proofs[*run]{Optimal: (*run).Optimal, Relaxed: (*run).Relaxed},
	})
}

// smallTasks is the most tasks of a random instance of validate.
const smallTasks = 10

// bestNeverWorse says that no algorithm but a search beats best.
func bestNeverWorse(table []solver.Algorithm) (pairs [][2]string) {
	for _, a := range table {
		if !a.Search && !a.Exhaustive && !a.BoundOnly {
			pairs = append(pairs, [2]string{"best", a.Name})
		}
	}
	return pairs
}

// recorded is the weighted sum of the completions that the trace recorded. It is nil unless all jobs have one, and
// under the task objective, because traces do not record ends of tasks.
func recorded(in *msjo.Instance, w *model.Workload) *solver.Recorded {
	if in.Objective != msjo.JobObjective {
		return nil
	}
	done := make([]model.Time, len(w.Jobs))
	for j := range w.Jobs {
		if !w.Jobs[j].RecordedCompletion.Known {
			return nil
		}
		done[j] = w.Jobs[j].RecordedCompletion.Value
	}
	return &solver.Recorded{
		Evaluation: model.Evaluation{Name: string(msjo.JobObjective), Value: in.WeightedSum(done)},
		Note:       "what the traced cluster did; not checked against this machine model, and no guarantee",
	}
}

// params are the settings of a run.
type params struct {
	machines        int64
	epsilon         float64
	formulation     string
	separation      string
	lp              string
	bound           string
	objective       string
	inequality      string
	predictionError float64
	batchInterval   float64
}

// Table describes the settings and binds them to their fields.
func (p *params) Table() []solver.Param {
	return []solver.Param{
		{Name: "machines", Value: &p.machines, Default: "0", Minimum: 0, Maximum: msjo.MaxMachines, View: true,
			Usage: "identical machines; 0: the workload's `machines`, else all slots of its topology"},
		{Name: "epsilon", Value: &p.epsilon, Default: "0", Minimum: 0, Maximum: 0.99,
			Usage: "stop threshold of constraint generation, in the jobs' LP and in that of mares; the paper uses 0.3"},
		{Name: "formulation", Value: &p.formulation, Default: "collapsed", Choices: []string{"collapsed", "published"},
			Usage: "one LP variable a job, or the paper's one a task"},
		{Name: "separation", Value: &p.separation, Default: "peaks", Choices: []string{"peaks", "every"},
			Usage: "add the most violated prefixes, or every violated one, as published"},
		{Name: "lp", Value: &p.lp, Default: "auto", Choices: []string{"auto", "lpsolve", "first-order"},
			Usage: "who solves the LP: lp_solve exactly, the first-order method to about 1e-6, or by size"},
		{Name: "bound", Value: &p.bound, Default: "auto", Choices: []string{"auto", "lp", "heads",
			"lagrange", "all"},
			Usage: "lower bounds on twjct beside the LP: its cuts shifted by the tasks' earliest starts, the time-indexed " +
				"Lagrangian bound, both, or the latter where it is affordable and the algorithm searches"},
		{Name: "objective", Value: &p.objective, Default: "twjct", Choices: []string{"twjct", "twtct"}, View: true,
			Usage: "total weighted completion time of the jobs, or of the tasks (tasks without a weight have their job's)"},
		{Name: "inequality", Value: &p.inequality, Default: "schulz", Choices: []string{"schulz", "published"},
			Usage: "over sets of tasks in the LP of twtct and tmars: the stronger one, or the paper's"},
		{Name: "prediction-error", Value: &p.predictionError, Default: "0", Minimum: 0, Maximum: 1,
			Usage: "plan with times that are wrong by up to this share, run with the true ones"},
		{Name: "batch-interval", Value: &p.batchInterval, Default: "50", Minimum: 0.001, Maximum: 1e9,
			Usage: "seconds between the times at which so-mars learns of new jobs"},
	}
}

// relaxation solves the LP that the parameters describe, once. If ctx ends first, it is what was reached:
// in the worst case the jobs on an empty cluster, which bound themselves.
func (r *run) relaxation(ctx context.Context, opt solver.Options) (*relaxation, error) {
	if r.solved.known {
		return r.solved.value, nil
	}
	if r.c == nil {
		r.c = newCollapsed(r.in)
	}
	var relax *relaxation
	if r.firstOrder() {
		relax = r.c.firstOrder(ctx, opt, firstOrderTolerance, 0)
	} else {
		var err error
		if relax, err = r.c.generate(ctx, r.backend, r.formulation(), r.generation(), opt); err != nil {
			return nil, err
		}
	}
	if relax == nil {
		relax = &relaxation{value: r.c.constant, price: make([]float64, len(r.c.task))}
		relax.midpoint, relax.completion = byDelay{r.c}.point(make([]float64, r.in.Jobs))
	}
	return r.solved.keep(relax, relax.cut(ctx)), nil
}

const (
	// firstOrderTolerance is the relative rise of the bound below which the first-order method ends.
	firstOrderTolerance = 1e-7
	// lpsolveTasks and lpsolveJobs are the sizes up to which --lp auto takes lp_solve.
	lpsolveTasks, lpsolveJobs = 20_000, 500
)

// firstOrder says whether the first-order method solves the LP.
func (r *run) firstOrder() bool {
	switch r.p.lp {
	case "first-order":
		return true
	case "lpsolve":
		return false
	}
	return r.p.formulation != "published" && r.p.epsilon == 0 && r.p.separation != "every" &&
		(r.in.Tasks > lpsolveTasks || r.in.Jobs > lpsolveJobs)
}

// contradiction is the finding for parameters that exclude each other; nil if they do not.
func (r *run) contradiction() error {
	if r.p.lp != "first-order" || r.p.formulation != "published" && r.p.epsilon == 0 &&
		r.p.separation != "every" {
		return nil
	}
	return model.NewInputError(model.Finding{Code: model.CodeParameter,
		What:     "--lp first-order solves the collapsed LP to its end",
		Expected: "--formulation collapsed, --separation peaks and --epsilon 0 with it"})
}

func (r *run) formulation() formulation {
	if r.p.formulation == "published" {
		return byStart{r.c}
	}
	return byDelay{r.c}
}

func (r *run) generation() generationOptions {
	return generationOptions{epsilon: r.p.epsilon, every: r.p.separation == "every",
		warm: r.p.formulation == "collapsed" && r.p.separation == "peaks" && r.p.epsilon == 0}
}

// method names the bound: the classical LP, or the relaxation of it at which COGE stopped.
func (r *run) method() string {
	if r.p.epsilon > 0 {
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
	f, gen := r.formulation(), r.generation()
	if r.in.Objective == msjo.TaskObjective {
		f, gen = r.completionFormulation(ctx)
	}
	model, err := r.c.formulate(ctx, r.backend, f, gen)
	if err != nil {
		return err
	}
	return lp.Write(w, model, format)
}
