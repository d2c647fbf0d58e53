package msjo

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"math/rand/v2"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/lp"
)

// run is one opened instance. Relaxations are solved once and shared by the algorithms.
type run struct {
	solver.Unrestricted
	in      *shop.Instance
	p       params
	backend lp.Backend
	c       *collapsed

	solved   kept[*relaxation]   // the LP of the job objective
	alone    kept[*jobsAlone]    // from jobs alone
	proved   kept[*engineBound]  // by learned clauses
	bothEnds kept[*solver.Bound] // two-sided
	priced   kept[*timeBound]    // time-indexed
	flowed   kept[*flowBound]    // by flows
	cased    kept[*flowBound]    // by cases
	tasks    kept[*taskLP]       // the LP of the task objective
	mares    kept[*assignedPlan] // MARES's LP
	least    *big.Rat            // largest lower bound; nil: none
	first    first               // of the running search

	left    *run        // remaining instance under a plan to keep; nil: no plan
	jobs    *run        // the same under the job objective
	planned *plannedRun // with predicted times
}

// kept is a value that is computed once. If a limit cut it short, only the Solve that computed it uses it: see
// run.forget.
type kept[T any] struct {
	value      T
	known, cut bool
}

// keep stores a value. cut says that more time would have improved it.
func (k *kept[T]) keep(value T, cut bool) T {
	*k = kept[T]{value, true, cut}
	return value
}

func (k *kept[T]) forget() {
	if k.cut {
		*k = kept[T]{}
	}
}

// forget drops all values that a limit cut short, so that no run has to take over less than it can compute.
func (r *run) forget() {
	for _, k := range []interface{ forget() }{&r.solved, &r.alone, &r.proved, &r.bothEnds, &r.priced, &r.flowed,
		&r.cased, &r.tasks, &r.mares} {
		k.forget()
	}
	if r.jobs != nil {
		r.jobs.forget()
	}
	if r.planned != nil {
		r.planned.run.forget()
	}
	if r.left != nil {
		r.left.forget()
	}
}

func (r *run) View() model.View { return r.in }

// Facts are the facts that results state about a run.
type Facts struct {
	*LPFacts          // of the job objective
	*TaskLPFacts      // of the task objective
	Batches      *int `json:"batches,omitempty"`    // of so-mars
	Iterations   *int `json:"iterations,omitempty"` // of the search of best
	Nodes        *int `json:"nodes,omitempty"`      // of the search tree of exact
}

// LPFacts tell how constraint generation went.
type LPFacts struct {
	Rounds int `json:"lp_rounds"` // LPs solved
	Rows   int `json:"lp_rows"`   // sets added
}

// TaskLPFacts describe the run of the first-order method, and of lp_solve after it.
type TaskLPFacts struct {
	Iterations int `json:"task_lp_iterations"`
	Rounds     int `json:"task_lp_rounds"`
	Rows       int `json:"task_lp_rows"`
}

// made is an algorithm's output, without bounds.
type made struct {
	schedule *model.Schedule
	status   model.Status // empty: feasible
	why      string       // see solver.Outcome
	facts    Facts        // an LP here replaces that of the bounds
}

// limited records that a limit cut an input of the schedule short.
func (m *made) limited(cut bool) {
	if cut {
		m.status = model.StatusLimit
	}
}

// Solve bounds the optimum, then runs one algorithm. A search first begins with schedules, which are worth more under a
// limit than its bounds.
func (r *run) Solve(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	return r.outcome(ctx, name, opt, true)
}

// SolveBare is Solve without the bounds, which take longer than most algorithms; not for searches.
func (r *run) SolveBare(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	return r.outcome(ctx, name, opt, false)
}

func (r *run) outcome(ctx context.Context, name string, opt solver.Options, bounded bool) (*solver.Outcome, error) {
	a, err := algorithms().Find(name)
	if err != nil {
		return nil, err
	}
	defer r.forget()
	out := &solver.Outcome{Algorithm: name, Status: model.StatusFeasible}
	free := r
	if r.left != nil {
		free = r.left
	}
	free.first = first{}
	if a.Search || a.Exhaustive {
		told := opt
		if r.left != nil { // these schedules need not keep the frozen rows
			told = silent(opt)
		}
		if free.first, err = free.begin(ctx, told); err != nil {
			return nil, err
		}
	}
	if bounded {
		if err := free.bounds(ctx, out, a, opt); err != nil {
			return nil, err
		}
	}
	if a.BoundOnly {
		if out.Status == model.StatusFeasible {
			out.Status = model.StatusBound
		}
		return out, nil
	}
	m, err := a.Solve(ctx, r, opt)
	if err != nil {
		return nil, err
	}
	out.Schedule, out.Why = m.schedule, m.why
	facts, _ := out.Facts.(Facts)
	m.facts.LPFacts, m.facts.TaskLPFacts = cmp.Or(m.facts.LPFacts, facts.LPFacts), facts.TaskLPFacts
	out.Facts = m.facts
	if m.status != "" {
		out.Status = m.status
	}
	if opt.Watch != nil {
		cost, _ := r.in.Evaluate(out.Schedule).Total().Float64()
		opt.Watch.Incumbent(cost, name)
	}
	return out, nil
}

// underJobs is the run under the job objective, for algorithms that always plan for it.
func (r *run) underJobs() *run {
	if r.in.Objective == shop.WeightedEnds {
		return r
	}
	if r.jobs == nil {
		r.jobs = r.on(r.in.Under(shop.WeightedEnds))
	}
	return r.jobs
}

// on is a run on another instance with the same parameters.
func (r *run) on(in *shop.Instance) *run { return &run{in: in, p: r.p, backend: r.backend} }

// plannedRun is a run on predicted processing times.
type plannedRun struct {
	seed uint64
	run  *run
}

// predictionStream separates the errors' random stream from those of searches with the same seed.
const predictionStream = 0x7072656469637400

// planner is the run on which algorithms with --prediction-error E plan. Its processing times are p_u·(1 + U(−E, E)),
// drawn task by task from the seed. Schedules are made with the true times. Without an error it is the run itself.
//
// Source: Ling et al. 2016, §5.2 (Fig. 14).
func (r *run) planner(opt solver.Options) *run {
	e := r.p.predictionError
	if e == 0 {
		return r
	}
	if p := r.planned; p != nil && p.seed == opt.Seed {
		return p.run
	}
	random := rand.New(rand.NewPCG(opt.Seed, predictionStream))
	expected := make([]model.Time, r.in.Tasks)
	for u := range expected {
		expected[u] = model.Time(math.Round(float64(r.in.Least[u]) * (1 + e*(2*random.Float64()-1))))
	}
	r.planned = &plannedRun{opt.Seed, r.on(r.in.Lasting(expected))}
	return r.planned.run
}

// silent returns options for auxiliary work whose bounds and schedules do not belong to the instance. The watch sees
// only its progress.
func silent(opt solver.Options) solver.Options {
	outer := opt.Watch
	opt.Watch = nil
	if outer != nil {
		opt.Watch = &solver.Watch{OnChange: func(s solver.State) { outer.Progress(s.Done, s.Total) }}
	}
	return opt
}

// Guarantee is the proven guarantee of an algorithm on this instance, or nil if the LP was not solved to its end. All
// guarantees are for true times. That of tmars is on the task objective, all others on the job objective.
func (r *run) Guarantee(name string, limited bool) *model.Guarantee {
	if (name == "tmars") != (r.in.Objective == shop.WeightedTaskEnds) || r.p.predictionError > 0 {
		return nil
	}
	return algorithms().Promise(r, name, limited)
}
