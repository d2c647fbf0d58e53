package msjo

import (
	"context"
	"math/rand/v2"
	"slices"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/lp/lpsolve"
)

const source = "Ling et al., JPDC 2016"

// algorithm is one row of the table of algorithms; solve makes its schedule.
type (
	algorithm = solver.Method[*run, *made]
	solve     = func(ctx context.Context, r *run, opt solver.Options) (*made, error)
)

// The largest numbers of tasks for which `-a all` includes algorithms with slower LPs, which then take about twenty
// seconds each.
const (
	batchTasks      = 20_000
	assignedTasks   = 50_000
	completionTasks = 200_000
)

// algorithms lists all algorithms. The cheap ones come first in each group.
func algorithms() solver.Methods[*run, *made] {
	list := solver.Methods[*run, *made]{
		{Algorithm: solver.Algorithm{Name: "coge", BoundOnly: true,
			Summary: "the LP lower bound alone by constraint generation, without a schedule"}},
		{Algorithm: solver.Algorithm{Name: "mars",
			Summary: "list scheduling by LP midpoint: each task goes to the machine that idles first"},
			Solve: byMidpoint(true), Guarantee: guaranteeMarS},
		{Algorithm: solver.Algorithm{Name: "mars-list",
			Summary: "whenever a machine is free, start the available task with the least LP midpoint"},
			Solve: byMidpoint(false)},
		{Algorithm: solver.Algorithm{Name: "best", Default: true, Search: true, Replans: true,
			Summary: "the cheapest schedule of all other algorithms, improved by simulated annealing"}, Solve: solveBest},
		{Algorithm: solver.Algorithm{Name: "exact", Exhaustive: true, SizeLimit: exactTasks,
			Summary: "branch and bound over task orders; proves optimality on small instances"}, Solve: solveExactly},
		{Algorithm: solver.Algorithm{Name: "so-mars", SizeLimit: batchTasks,
			Summary: "mars that learns of jobs in batches and replans each time"}, Solve: solveSOMars},
		{Algorithm: solver.Algorithm{Name: "tmars", SizeLimit: completionTasks,
			Summary: "list scheduling by LP completion time in doubling intervals, for the task objective"},
			Solve: byLPCompletion(true), Guarantee: guaranteeTMars},
		{Algorithm: solver.Algorithm{Name: "tmars-list", SizeLimit: completionTasks,
			Summary: "whenever a machine is free, start the available task with the least LP completion time"},
			Solve: byLPCompletion(false)},
		{Algorithm: solver.Algorithm{Name: "mares", SizeLimit: assignedTasks,
			Summary: "assign tasks to machines in advance; each waits for its LP completion time"},
			Solve: byAssignment(true)},
		{Algorithm: solver.Algorithm{Name: "h-mares", SizeLimit: assignedTasks,
			Summary: "mares without waiting for LP completion times"}, Solve: byAssignment(false)},
		{Algorithm: solver.Algorithm{Name: "huwf",
			Summary: "highest w/Σp of the job first; each task goes to the machine that idles first"},
			Solve: known(dearestJob)},
		{Algorithm: solver.Algorithm{Name: "hjwf",
			Summary: "highest job weight first; each task goes to the machine that idles first"}, Solve: known(heaviestJob)},
		{Algorithm: solver.Algorithm{Name: "stf",
			Summary: "whenever a machine is idle, start the shortest available task"}, Solve: neverIdle(shortest)},
		{Algorithm: solver.Algorithm{Name: "htwf",
			Summary: "highest task weight first; each task goes to the machine that idles first"},
			Solve: inOrder(heaviestReady)},
		{Algorithm: solver.Algorithm{Name: "htwf-list",
			Summary: "whenever a machine is free, start the heaviest available task"}, Solve: neverIdle(heaviest)},
		{Algorithm: solver.Algorithm{Name: "wspt-list",
			Summary: "whenever a machine is free, start an available task of the job with the highest w/Σp"},
			Solve: neverIdle(dearestJob)},
		{Algorithm: solver.Algorithm{Name: "fifo",
			Summary: "whenever a machine is free, start an available task of the job released first"},
			Solve: neverIdle(firstJob)},
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
		Algorithms:  table,
		Columns:     usedColumns(),
		Results:     shop.DescribeMSJO(),
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
			Variants: []map[string]string{{"objective": string(shop.WeightedEnds)},
				{"objective": string(shop.WeightedTaskEnds)}},
			NeverWorse: algorithms().BestNeverWorse(),
		},
	}, solver.Typed[params, *shop.Instance, *run]{
		Instance: func(w *model.Workload, p params) (*shop.Instance, error) {
			in, err := shop.NewIdentical(w, p.machines)
			if err != nil || p.objective != string(shop.WeightedTaskEnds) {
				return in, err
			}
			return in.Under(shop.WeightedTaskEnds), nil
		},
		Run: func(_ *model.Workload, in *shop.Instance, p params) (*run, error) {
			return &run{in: in, p: p, backend: lpsolve.NewSolver}, p.contradiction()
		},
		Uses:     func(algorithm string, p params) []string { return uses(algorithm, &p) },
		Recorded: recorded,
		Proofs:   solver.Proofs[*run]{Optimal: (*run).Optimal, Replanned: (*run).replanned},
	})
}

// smallTasks is the most tasks of a random instance of validate.
const smallTasks = 10

// recorded is the weighted sum of the completions in the trace. It is nil in three cases. Some job has no completion.
// The objective is that of tasks, because this problem does not read task times. Or jobs waited for each other, which
// this problem does not model; then the trace's sum and this problem's bound are not comparable.
func recorded(in *shop.Instance, w *model.Workload) *solver.Recorded {
	if in.Objective != shop.WeightedEnds || len(w.Dependencies) > 0 {
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
		Evaluation: model.Evaluation{Name: string(shop.WeightedEnds), Value: in.WeightedSum(done)},
		Note:       "what the traced cluster did; not checked against this machine model, and no guarantee",
	}
}

// params are the settings of a run.
type params struct {
	machines                                                  int64
	formulation, separation, lp, bound, objective, inequality string
	stopTest, ties, plan                                      string
	epsilon, predictionError, batchInterval                   float64
}

// Table describes the settings and binds them to their fields.
func (p *params) Table() []solver.Param {
	return []solver.Param{
		{Name: "machines", Value: &p.machines, Default: "0", Minimum: 0, Maximum: shop.MaxNodes, View: true,
			Usage: "number of identical machines; 0: the workload's `machines`, else all slots of its " +
				"topology"},
		{Name: "epsilon", Value: &p.epsilon, Default: "0", Minimum: 0, Maximum: 0.99,
			Usage: "stop constraint generation when the violation falls below this threshold, in the jobs' " +
				"LP and in that of mares; the paper uses 0.3"},
		{Name: "stop-test", Value: &p.stopTest, Default: "raised", Choices: []string{"raised", "literal"},
			Usage: "how --epsilon measures the violation: each raise counts the ones before it, or none, as the " +
				"paper's Algorithm 1 has it"},
		{Name: "formulation", Value: &p.formulation, Default: "collapsed", Choices: []string{"collapsed", "published"},
			Usage: "one LP variable per job, or one per task as in the paper"},
		{Name: "separation", Value: &p.separation, Default: "peaks", Choices: []string{"peaks", "every"},
			Usage: "add the most violated prefixes, or every violated one as in the paper"},
		{Name: "lp", Value: &p.lp, Default: "auto", Choices: []string{"auto", "lpsolve", "first-order"},
			Usage: "LP solver: lp_solve (exact), the first-order method (to about 1e-6), or by size"},
		{Name: "bound", Value: &p.bound, Default: "auto", Choices: []string{"auto", "lp", "two-sided", "lagrange", "all"},
			Removed: map[string]string{"heads": "two-sided"},
			Usage: "further lower bounds besides the LP: prices from both ends of the jobs (two-sided), for twjct the " +
				"time-indexed Lagrangian bound (lagrange), or all; auto: that of each job alone and, where it is " +
				"affordable and the algorithm searches, learned clauses for a single job, two-sided and, for twjct, " +
				"lagrange; all adds job-flows and job-cases for twjct of up to 30 jobs, auto if they promise more " +
				"than the others"},
		{Name: "objective", Value: &p.objective, Default: "twjct", Choices: []string{"twjct", "twtct"}, View: true,
			Usage: "total weighted completion time of the jobs, or of the tasks (tasks without a weight have " +
				"their job's)"},
		{Name: "inequality", Value: &p.inequality, Default: "schulz", Choices: []string{"schulz", "published"},
			Usage: "constraints on sets of tasks in the LP of twtct and tmars: the stronger ones, or the " +
				"paper's"},
		{Name: "prediction-error", Value: &p.predictionError, Default: "0", Minimum: 0, Maximum: 1,
			Usage: "plan with processing times that are wrong by up to this share, run with the true ones"},
		{Name: "batch-interval", Value: &p.batchInterval, Seconds: true, Default: "50", Minimum: 0.001, Maximum: 1e9,
			Usage: "seconds between the times at which so-mars learns of new jobs"},
		{Name: "ties", Value: &p.ties, Default: "idle", Choices: []string{"idle", "fit"},
			Usage: "the machine that huwf and hjwf take where a task can start at once on several: the one that idles " +
				"first, or the one that idles last"},
		{Name: "plan", Value: &p.plan, Default: "offline", Choices: []string{"offline", "batches"},
			Usage: "huwf and hjwf know all jobs, or learn of them at multiples of --batch-interval, as so-mars does"},
	}
}

// usedColumns are the columns that the problem uses.
func usedColumns() []solver.Column {
	flagged := func(u solver.Use) bool { return solver.Bind[params](u.Params).machines > 0 }
	return slices.Concat(
		solver.Sometimes("without --machines", func(u solver.Use) bool { return !flagged(u) }, "", "machines"),
		solver.Always(model.TableJobs, "release", "weight"),
		solver.Always(model.TableTasks, "job", "kind", "processing_time", "weight", "release"),
		solver.Taken("of maps, in jobs with reduces and without rows in `delays`", model.TableTasks, "shuffle_delay"),
		solver.Always(model.TableDelays, "from", "to", "delay"),
		solver.Sometimes("unless `machines` or --machines says how many there are", func(u solver.Use) bool {
			return !u.Workload.Machines.Known && !flagged(u)
		}, model.TableTopology, "kind", "map_slots", "reduce_slots"),
	)
}

// jobLPParams name the parameters of the LP of the job objective, taskLPParams those of the LP of the task objective.
var (
	jobLPParams  = []string{"epsilon", "stop-test", "formulation", "separation", "lp"}
	taskLPParams = []string{"lp", "inequality"}
)

// planParams names the parameters on which an algorithm's schedule depends. Weights are always exact, so a rule that
// compares only weights ignores prediction-error.
func planParams(algorithm string, epsilon float64) []string {
	switch algorithm {
	case "mars", "mars-list":
		return append(slices.Clone(jobLPParams), "prediction-error")
	case "so-mars":
		return append(slices.Clone(jobLPParams), "prediction-error", "batch-interval")
	case "tmars", "tmars-list":
		return append(slices.Clone(taskLPParams), "prediction-error")
	case "mares", "h-mares":
		if epsilon == 0 { // a first-order method solves the LP: no rows are separated
			return []string{"epsilon", "prediction-error"}
		}
		return []string{"epsilon", "stop-test", "separation", "prediction-error"}
	case "huwf":
		return []string{"prediction-error", "ties", "plan", "batch-interval"}
	case "hjwf":
		return []string{"ties", "plan", "batch-interval"}
	case "wspt-list", "stf":
		return []string{"prediction-error"}
	case "best", "exact": // they start with the best schedule of all the others
		return slices.Concat(jobLPParams, taskLPParams, []string{"prediction-error", "batch-interval", "ties", "plan"})
	}
	return nil
}

// boundParams names the parameters that the bound of an objective depends on.
func boundParams(objective string) []string {
	if objective == string(shop.WeightedTaskEnds) {
		return append(slices.Clone(taskLPParams), "bound")
	}
	return append(slices.Clone(jobLPParams), "bound")
}

// uses names the parameters on which a run of an algorithm, with its bound, depends under the given values, or under
// any values if p is nil. Without an algorithm, it names those of the written model.
func uses(algorithm string, p *params) []string {
	objectives, epsilon := []string{string(shop.WeightedEnds), string(shop.WeightedTaskEnds)}, 1.0
	if p != nil {
		objectives, epsilon = []string{p.objective}, p.epsilon
	}
	var names []string
	for _, o := range objectives {
		names = append(names, boundParams(o)...)
	}
	if algorithm == "" { // the reader chooses the LP solver, and further bounds are not written
		return slices.DeleteFunc(names, func(name string) bool { return name == "lp" || name == "bound" })
	}
	names = append(names, planParams(algorithm, epsilon)...)
	slices.Sort(names)
	names = slices.Compact(names)
	if p == nil {
		return names
	}
	offline := p.plan != "batches" && (algorithm == "huwf" || algorithm == "hjwf")
	return slices.DeleteFunc(names, func(name string) bool { // what another setting makes idle
		return name == "stop-test" && p.epsilon == 0 || name == "batch-interval" && offline
	})
}
