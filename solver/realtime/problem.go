// Package realtime schedules jobs with deadlines and skewed data on unequal workers: the estimators, policies and
// partition assignments of DynamicShare, better ones, and bounds that none can beat.
//
// The paper's estimator has a weakness (solver/estimate): it expects a worker with one past run to take as long for
// every partition, whatever its size. One short run is enough for dp and the policies to give that worker nearly
// everything. The paper learns from every task that ends, so that the error corrects itself; here the table history is
// all there is. `mrsched estimate` shows which runs an estimate comes from.
package realtime

import (
	"context"
	"fmt"
	"io"
	"math/big"
	"slices"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

const source = "DynamicShare"

// The parameters of algorithms.
const (
	estimatesParam  = "estimates"
	neighboursParam = "max-neighbours"
	lofParam        = "lof-threshold"
	partitionParam  = "partitioner"
)

// method is an algorithm of one goal, or of both.
type method struct {
	solver.Method[*run, *solver.Outcome]
	goal realtime.Goal // empty: both
	// needs says what the instance lacks; empty: nothing. It may be nil.
	needs func(r *run) string
}

// table lists all algorithms.
func table() []method {
	both := func(partitions, deadlines func(context.Context, *run, solver.Options) (*solver.Outcome,
		error)) func(context.Context, *run, solver.Options) (*solver.Outcome, error) {
		return func(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
			if r.in.Goal == realtime.Partitions {
				return partitions(ctx, r, opt)
			}
			return deadlines(ctx, r, opt)
		}
	}
	best := solver.Algorithm{Name: "best", Source: "mrsched", Default: true, Search: true, Params: startParams,
		Summary: "knows all true times: the best of the fast algorithms' schedules, improved by local search"}
	exact := solver.Algorithm{Name: "exact", Source: "mrsched", Exhaustive: true, SizeLimit: exactTasks,
		Params: startParams, Summary: "knows all true times: branch and bound, proves optimality on small instances"}
	list := []method{
		{Method: solver.Method[*run, *solver.Outcome]{Algorithm: best, Solve: both(bestPartitions, bestPlan)}},
	}
	list = append(list, policies()...)
	list = append(list, assignments()...)
	return append(list, lst(), method{Method: solver.Method[*run, *solver.Outcome]{Algorithm: exact,
		Solve: both(exactPartitions, exactPlan)}})
}

// startParams are the parameters of the algorithms that the searches start from.
var startParams = []string{estimatesParam, neighboursParam, lofParam, partitionParam}

// exactTasks is the number of tasks up to which "all" includes exact.
const exactTasks = 200

// methods is the table as the driver sees it.
func methods() solver.Methods[*run, *solver.Outcome] {
	var list solver.Methods[*run, *solver.Outcome]
	for _, m := range table() {
		list = append(list, m.Method)
	}
	return list
}

// Problem is realtime's entry for the driver.
func Problem() *solver.Problem {
	return solver.Define(solver.Problem{
		Name:        "realtime",
		Title:       "Jobs with deadlines and skewed partitions on unequal workers",
		Source:      source,
		Algorithms:  methods().Algorithms(),
		Columns:     usedColumns(),
		Results:     realtime.Describe(),
		Formats:     []string{"lp", "mps"},
		Formulation: "the mixed-integer program of R||Cmax: partitions on the reduce slots of one job",
		Shown:       []string{"miss_rate", "tardiness", "balance"}, // of the goals deadlines and partitions
		Small: solver.Small{ // of both goals, with estimated and with true times
			Generate: instances.SmallRealtime,
			Variants: []map[string]string{{partitionParam: "dp"}, {partitionParam: "hash"}},
		},
	}, solver.Typed[params, *realtime.Instance, *run]{
		Instance: newInstance,
		Run: func(_ *model.Workload, in *realtime.Instance, p params) (*run, error) {
			return &run{in: in, p: p}, nil
		},
		Notes: func(in *realtime.Instance, p params) []string {
			if p.goal != "auto" || in.Goal != realtime.Partitions {
				return nil
			}
			return []string{"no job has a deadline, so the goal is partitions, the makespan of the reduce phases; --goal says " +
				"which, --deadline-factor gives deadlines"}
		},
		Proofs: solver.Proofs[*run]{Optimal: (*run).Optimal, Conflict: (*run).Conflict},
	})
}

// params are the settings of a run.
type params struct {
	goal           string
	deadlineFactor float64
	partitions     int64
	sketchDelta    float64
	sketchSeed     int64
	resplitCost    string
	estimates      string
	maxNeighbours  int64
	lofThreshold   float64
	partitioner    string
}

// Table describes the settings and binds them to their fields.
func (p *params) Table() []solver.Param {
	return []solver.Param{
		{Name: "goal", Value: &p.goal, Default: "auto", Choices: []string{"auto", string(realtime.Deadlines),
			string(realtime.Partitions)}, View: true,
			Usage: "what is minimised: missed deadlines, or the makespan of the reduce phases alone; auto: deadlines if a " +
				"job has one"},
		{Name: "deadline-factor", Value: &p.deadlineFactor, Default: "0", Minimum: 0, Maximum: 1e6, View: true,
			Usage: "give jobs without a deadline so many times their longest map and partition at speed 1; 0: they have none"},
		{Name: "partitions", Value: &p.partitions, Default: "0", Minimum: 0, Maximum: 1e8, View: true,
			Usage: "into how many partitions the keys of the table keys are hashed; 0: as the column `partitions` says, " +
				"else one a reducer"},
		{Name: "sketch-delta", Value: &p.sketchDelta, Default: "0.0004", Minimum: 0, Maximum: 1, View: true,
			Usage: "δ of the Count-Min sketches of keys, which have ⌈ln 1/δ⌉ rows, each a partitioner to choose from; 0: no " +
				"sketches"},
		{Name: "sketch-seed", Value: &p.sketchSeed, Default: "1", Minimum: 0, Maximum: 1e18, View: true,
			Usage: "seed of the sketches' hash functions"},
		{Name: "resplit-cost", Value: &p.resplitCost, View: true,
			Usage: "allow partitions to be split, each further piece taking so many seconds more; empty: they are not split"},
		{Name: estimatesParam, Value: &p.estimates, Default: "auto", Choices: []string{"auto", "history", "true"},
			Usage: "what algorithms without foresight believe: k-NN estimates from the table history, or the true times; " +
				"auto: history if there is any"},
		{Name: neighboursParam, Value: &p.maxNeighbours, Default: "256", Minimum: 1, Maximum: 1e6,
			Usage: "most past runs that an estimate averages"},
		{Name: lofParam, Value: &p.lofThreshold, Default: "1.5", Minimum: 0, Maximum: 1e6,
			Usage: "Local Outlier Factor above which llf and admit take a worker for overloaded and moves tasks away; " +
				"0: never"},
		{Name: partitionParam, Value: &p.partitioner, Default: "dp", Choices: []string{"hash", "lb", "dp", "lb-sketch",
			"dp-sketch"},
			Usage: "how policies assign partitions to reducers"},
	}
}

func newInstance(w *model.Workload, p params) (*realtime.Instance, error) {
	o := realtime.Options{DeadlineFactor: p.deadlineFactor, Partitions: p.partitions,
		Delta: p.sketchDelta, SketchSeed: p.sketchSeed}
	if goal := p.goal; goal != "auto" {
		o.Goal = realtime.Goal(goal)
	}
	if text := p.resplitCost; text != "" {
		c, err := model.ParseTime(text)
		if err != nil {
			return nil, model.NewInputError(model.Finding{Code: model.CodeParameter, What: "--resplit-cost " + text +
				" is no time", Expected: "seconds"})
		}
		o.Resplit = model.Some(c)
	}
	return realtime.New(w, o)
}

// run is one opened instance.
type run struct {
	in *realtime.Instance
	p  params

	bounds []solver.Bound                // nil: not yet known; the strongest first
	proven []jobBounds                   // of goal partitions: what bounds follow from
	cut    bool                          // a limit cut bounds short: they hold for the present algorithm only
	belief belief                        // nil: not yet made
	phases map[realtime.Set]*reducePhase // of goal partitions
}

func (r *run) View() model.View { return r.in }

// Solve proves the bounds of the goal and runs one algorithm. If a time limit cut the bounds short and the algorithm
// left time, it proves them again.
func (r *run) Solve(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	m, err := r.find(name)
	if err != nil {
		return nil, err
	}
	if err := r.prove(ctx, opt, solver.BoundShare); err != nil {
		return nil, err
	}
	out, err := m.run(ctx, r, opt)
	if err != nil {
		return nil, err
	}
	if r.cut && ctx.Err() == nil { // the algorithm has left some time
		before := r.bounds
		if err := r.prove(ctx, opt, 1); err != nil {
			return nil, err
		}
		if r.cut && strongest(before).Cmp(strongest(r.bounds)) > 0 { // less time than before
			r.bounds = before
		}
	}
	r.tellCost(opt, out.Schedule)
	out.CutShort(r.cut)
	out.Bounds = append(out.Bounds, r.bounds...)
	return out, nil
}

// strongest is the highest value that bounds prove.
func strongest(bounds []solver.Bound) *big.Rat {
	most := new(big.Rat)
	for _, b := range bounds {
		if v, ok := new(big.Rat).SetString(b.Certificate.(*realtime.Certificate).Value); ok && v.Cmp(most) > 0 {
			most = v
		}
	}
	return most
}

// find finds an algorithm that can run on the instance.
func (r *run) find(name string) (method, error) {
	list := table()
	k := slices.IndexFunc(list, func(m method) bool { return m.Name == name })
	if k < 0 {
		return method{}, fmt.Errorf("there is no algorithm %q", name)
	}
	if why := r.Excludes(name).Why; why != "" {
		return method{}, model.NewInputError(model.Finding{Code: model.CodeParameter, What: name + ": " + why})
	}
	return list[k], nil
}

// run runs an algorithm. One that constructs a schedule without a search is one phase.
func (m method) run(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	if !m.Search && !m.Exhaustive {
		var end func()
		ctx, end = opt.Phase(ctx, solver.PhaseStart, 1)
		defer end()
	}
	out, err := m.Method.Solve(ctx, r, opt)
	if err != nil {
		return nil, err
	}
	out.Algorithm = m.Name
	return out, nil
}

// prove computes the bounds of the goal in a share of a time limit. Later algorithms use them too, unless the limit cut
// them short.
func (r *run) prove(ctx context.Context, opt solver.Options, share float64) (err error) {
	if r.bounds == nil || r.cut {
		ctx, end := opt.Phase(ctx, solver.PhaseBound, share)
		defer end()
		if r.in.Goal == realtime.Partitions {
			r.bounds, err = r.provePhases(ctx, opt)
		} else {
			r.bounds, err = r.proveLate(ctx, opt)
		}
	}
	for _, b := range r.bounds {
		tellBound(opt, b)
	}
	return err
}

// Excludes says why an algorithm cannot run on the instance.
func (r *run) Excludes(name string) (x solver.Exclusion) {
	list := table()
	k := slices.IndexFunc(list, func(m method) bool { return m.Name == name })
	switch {
	case k < 0:
		x.Unoffered = true
	case list[k].goal != "" && list[k].goal != r.in.Goal:
		x.Unoffered = true
		x.Why = fmt.Sprintf("is for --goal %s alone, and the goal is %s", list[k].goal, r.in.Goal)
	case list[k].needs != nil:
		x.Why = list[k].needs(r)
	case list[k].Exhaustive && r.in.Goal == realtime.Partitions && r.in.Resplit.Known:
		x.Why = "looks at whole partitions only, and --resplit-cost allows to split them"
	}
	return x
}

// Guarantee is the proven guarantee of an algorithm on this instance.
func (r *run) Guarantee(name string, limited bool) *model.Guarantee {
	return methods().Promise(r, name, limited)
}

// Formulate writes the mixed-integer program of R||Cmax.
func (r *run) Formulate(_ context.Context, w io.Writer, format string) error {
	return r.formulate(w, format)
}
