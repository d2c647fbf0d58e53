package solver

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"

	"mrsched/model"
	"mrsched/solver/explain"
)

// Run is one opened instance. Its methods may be called one after another, not concurrently.
type Run interface {
	View() model.View
	// Solve runs an algorithm until it ends or ctx does. After ctx ends it returns the best outcome so far with
	// StatusLimit. An error means that the run could not be carried out.
	Solve(ctx context.Context, algorithm string, opt Options) (*Outcome, error)
	// Guarantee is what is promised for an algorithm on this instance, without a verdict. It is nil if nothing is
	// promised, or if a limit cut short what the promise depends on.
	Guarantee(algorithm string, limited bool) *model.Guarantee
	// Formulate writes the model in a solver's format.
	Formulate(ctx context.Context, w io.Writer, format string) error
	// Excludes says why an algorithm cannot run on the instance.
	Excludes(algorithm string) Exclusion
	// Explain answers a question about a schedule that breaks no constraint. An error means that the question could not
	// be answered, or that ctx ended.
	Explain(ctx context.Context, q explain.Question) (*explain.Explanation, error)
}

// Unmodelled is the part of a Run that has no model to write.
type Unmodelled struct{}

// Formulate fails.
func (Unmodelled) Formulate(context.Context, io.Writer, string) error {
	return errors.New("the problem has no formulation")
}

// Exclusion says why an algorithm cannot run on an instance. The zero value says that it can.
type Exclusion struct {
	Why string // empty: it can
	// Unoffered says that the parameters choose between algorithms, and this one is not among them: `-a all` leaves it out
	// without a word.
	Unoffered bool
}

// Unrestricted is the part of a Run whose algorithms run on all instances.
type Unrestricted struct{}

// Excludes says that every algorithm can run.
func (Unrestricted) Excludes(string) Exclusion { return Exclusion{} }

// FoundNodes is the key of an exhaustive search's size among the facts.
const FoundNodes = "nodes"

// Problem describes one problem to the driver. Define fills in the fields from Params to Supplies.
type Problem struct {
	Name       string
	Title      string
	Algorithms []Algorithm
	// Removed are algorithms of earlier versions, each with the one to take instead.
	Removed map[string]string
	Columns []Column // that the problem uses
	Results *model.Description
	Formats []string // of Formulate
	// Formulation says in one line what Formulate writes.
	Formulation string
	// ModelParams names the parameters on which Formulate depends, besides those that change the instance.
	ModelParams []string
	// Delays says that schedules keep the precedence of the table delays.
	Delays bool
	// Carried is a schedule for fewer machines, or nodes, as one for more, in which tasks keep their machines and starts
	// and end no later. With it, size asks how many are needed; nil: such a schedule may not be one for more.
	Carried func(view model.View, s *model.Schedule) *model.Schedule
	// Shown names the metrics that the tables of solve and compare show.
	Shown []string
	// Small describes random instances for validate.
	Small Small

	Params []Param
	// View opens a workload for checking, without any algorithm. Errors are *model.InputError.
	View func(w *model.Workload, p Params) (model.View, error)
	// Open opens a workload for algorithms. Errors are *model.InputError.
	Open func(w *model.Workload, p Params) (Run, error)
	// Uses names the parameters on which an algorithm and its bounds depend when all have the given values; without an
	// algorithm, those on which the written model depends. They are among Algorithm.Params or ModelParams.
	Uses func(algorithm string, p Params) []string
	// Notes says what a reader of a table should know of how the instance was understood.
	Notes func(view model.View, p Params) []string
	// Recorded is what the traced cluster's own schedule cost, as far as the workload states; nil means nothing.
	Recorded func(view model.View, w *model.Workload) *Recorded

	// Supplies are the resources that the tasks of an instance share; nil: reports draw none.
	Supplies func(view model.View) []model.Supply

	// Proofs of what runs of the problem claim; nil where there is nothing to prove.
	Proofs[Run]
}

// Proofs are functions that only some problems have, for a run R; those that a problem lacks are nil. Most prove what
// runs claim.
type Proofs[R Run] struct {
	// Optimal says whether an exhaustive search of at most nodes, counted as FoundNodes, shows that nothing is cheaper
	// than a schedule that breaks no constraint. An error means that ctx ended.
	Optimal func(r R, ctx context.Context, s *model.Schedule, nodes int) (bool, error)
	// Witness derives those facts that follow from a schedule that breaks no constraint, as Outcome.Facts, and names
	// them; optimal says whether the schedule is proven optimal.
	Witness func(r R, ctx context.Context, s *model.Schedule, optimal bool) (names []string, facts any, err error)
	// Conflict is the smallest set found of deadlines that no schedule meets together; nil if none is known. dated says
	// whether there are deadlines. An error means that the search failed, or that ctx ended.
	Conflict func(r R, ctx context.Context) (c *model.Conflict, dated bool, err error)
	// Replanned is the run under a plan that its schedules have to keep. It judges which of the plan's rows stand. Errors
	// are *model.InputError.
	Replanned func(r R, p *model.Replan) (R, error)
	// Simulate starts tasks by a rule when they take other times than planned: tries are, by task, the processing times of
	// its tries, of which only the last succeeds; none: as planned. It may be called concurrently. An error means that ctx
	// ended.
	Simulate func(r R, ctx context.Context, rule Rule, tries [][]model.Time) (*Trial, error)
}

// Names of the rules by which simulated tasks start: on the planned nodes, none before those that come before it
// there or in its pools; by the priorities that Airflow is told; as the problem's own dispatcher does, whatever the
// plan.
const (
	OrderRule   = "order"
	AirflowRule = "airflow"
	OwnRule     = "fifo"
)

// Rules lists them.
func Rules() []string { return []string{OrderRule, AirflowRule, OwnRule} }

// Rule says how a dispatcher follows a plan. It starts the first task in Order, of those that wait for nothing, for
// which there is room. The zero value stands for the rule of the problem's own dispatcher.
type Rule struct {
	Order  []int32
	Node   []int32    // by task: it runs only there; None: anywhere
	InTurn bool       // no task starts before those of its node, and of what it shares, that come before it in Order
	Most   int        // tasks of a job that run at once; 0: any number
	Pause  model.Time // after a try that failed
}

// Trial is how one simulated run went.
type Trial struct {
	End []model.Time // by job; MaxTime: it never ends, as nodes have left for good
	// Delayed is, by job, the task that took the most longer than planned of those for which the job's end had to wait;
	// None: none did.
	Delayed []int32
}

// of makes the functions take any run, which must be an R.
func (p Proofs[R]) of() (q Proofs[Run]) {
	if p.Optimal != nil {
		q.Optimal = func(r Run, ctx context.Context, s *model.Schedule, nodes int) (bool, error) {
			return p.Optimal(r.(R), ctx, s, nodes)
		}
	}
	if p.Witness != nil {
		q.Witness = func(r Run, ctx context.Context, s *model.Schedule, optimal bool) ([]string, any, error) {
			return p.Witness(r.(R), ctx, s, optimal)
		}
	}
	if p.Conflict != nil {
		q.Conflict = func(r Run, ctx context.Context) (*model.Conflict, bool, error) { return p.Conflict(r.(R), ctx) }
	}
	if p.Replanned != nil {
		q.Replanned = func(r Run, plan *model.Replan) (Run, error) {
			again, err := p.Replanned(r.(R), plan)
			if err != nil {
				return nil, err
			}
			return again, nil
		}
	}
	if p.Simulate != nil {
		q.Simulate = func(r Run, ctx context.Context, rule Rule, tries [][]model.Time) (*Trial, error) {
			return p.Simulate(r.(R), ctx, rule, tries)
		}
	}
	return q
}

// Recorded is the cost of a real cluster's schedule.
type Recorded struct {
	model.Evaluation        // an unknown Value is nil
	Note             string // what the numbers are, and are not
	// End is when its last task ended, and Least a time before which no schedule of the instance ends; 0 if it is no
	// schedule of the model.
	End, Least model.Time
	Ends       bool // the objective is the end of the last task
}

// Small describes random instances. They are so small that the problem's exhaustive algorithm, if it has one, proves
// their optimum.
type Small struct {
	// Generate makes the k-th instance.
	Generate func(r *rand.Rand, k int) (*model.Workload, error)
	// Variants are the parameters under which each instance is solved, by name; what they leave out is the default.
	Variants []map[string]string
	// NeverWorse are pairs of algorithms: the first never costs more than the second.
	NeverWorse [][2]string
	// OwnGuarantees says that what is guaranteed differs from instance to instance.
	OwnGuarantees bool
}

// Typed are the parts of a problem that know its parameters P, its instance I and its opened run R.
type Typed[P any, I model.View, R Run] struct {
	// Instance reads a workload. Errors are *model.InputError.
	Instance func(w *model.Workload, p P) (I, error)
	// Run prepares an instance for algorithms. Errors are *model.InputError.
	Run func(w *model.Workload, in I, p P) (R, error)
	// Uses, Notes, Recorded and Supplies are as in Problem; they may be nil. Without Uses, all parameters that an
	// algorithm names count, whatever their values.
	Uses     func(algorithm string, p P) []string
	Notes    func(in I, p P) []string
	Recorded func(in I, w *model.Workload) *Recorded
	Supplies func(in I) []model.Supply
	Proofs[R]
}

// Define completes a problem by its typed parts.
func Define[P any, F Fields[P], I model.View, R Run](p Problem, t Typed[P, I, R]) *Problem {
	p.Params, p.Proofs = Described[P, F](), t.Proofs.of()
	p.View = func(w *model.Workload, v Params) (model.View, error) {
		in, err := t.Instance(w, Bind[P, F](v))
		if err != nil {
			return nil, err
		}
		return in, nil
	}
	p.Open = func(w *model.Workload, v Params) (Run, error) {
		values := Bind[P, F](v)
		in, err := t.Instance(w, values)
		if err != nil {
			return nil, err
		}
		r, err := t.Run(w, in, values)
		if err != nil {
			return nil, err
		}
		return r, nil
	}
	p.Uses = func(algorithm string, v Params) []string {
		if t.Uses != nil && v != nil {
			return t.Uses(algorithm, Bind[P, F](v))
		}
		if a, ok := p.Algorithm(algorithm); ok {
			return a.Params
		}
		return p.ModelParams
	}
	p.Notes = func(view model.View, v Params) []string {
		if in, ok := view.(I); ok && t.Notes != nil {
			return t.Notes(in, Bind[P, F](v))
		}
		return nil
	}
	p.Recorded = func(view model.View, w *model.Workload) *Recorded {
		if in, ok := view.(I); ok && t.Recorded != nil {
			return t.Recorded(in, w)
		}
		return nil
	}
	p.Supplies = func(view model.View) []model.Supply {
		if in, ok := view.(I); ok && t.Supplies != nil {
			return t.Supplies(in)
		}
		return nil
	}
	return &p
}

// Algorithm finds an algorithm by name.
func (p *Problem) Algorithm(name string) (Algorithm, bool) {
	for _, a := range p.Algorithms {
		if a.Name == name {
			return a, true
		}
	}
	return Algorithm{}, false
}
