package reduceplace

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/reduceplace"
	"mrsched/solver"
)

// algorithm is one row of the table of algorithms; it finds the slot by task.
type algorithm = solver.Method[*run, *found]

// Facts are what results state about a run.
type Facts struct {
	*EstimateFacts
	Nodes     *int   `json:"nodes,omitempty"`      // of the search tree of exact
	LPFailure string `json:"lp_failure,omitempty"` // why exact's LP had no answer
	// Only for stationary: the number of states, the share of time that maps are busy, and the long-run cost.
	States             int          `json:"states,omitempty"`
	Load               model.Number `json:"load,omitempty"`
	ExpectedCostPerJob model.Number `json:"expected_cost_per_job,omitempty"`
}

// EstimateFacts tell how good estimates of jobs' data were. Errors are relative.
type EstimateFacts struct {
	Estimated int          `json:"estimated_jobs"`
	Known     int          `json:"known_jobs"`
	ErrorMean model.Number `json:"estimate_error_mean,omitempty"`
	ErrorMax  model.Number `json:"estimate_error_max,omitempty"`
}

// found is a placement, the slot by task, and facts about the run.
type found struct {
	slot   []int32
	status model.Status
	why    string // see solver.Outcome
	facts  Facts
}

// algorithms lists all algorithms.
func algorithms() solver.Methods[*run, *found] {
	return solver.Methods[*run, *found]{
		online("rhc", "receding horizon: leaves the cheapest slots to the next job if this one has little data",
			func(_ context.Context, r *run, _ uint64) (policy, error) {
				return inRanks{newRHC(r)}, nil
			}, "window", estimateParam),
		online("greedy", "takes the cheapest free slots", func(_ context.Context, r *run, _ uint64) (policy, error) {
			return inRanks{greedy{}}, nil
		}),
		online("random", "takes random free slots, as Hadoop's heartbeats do",
			func(_ context.Context, r *run, seed uint64) (policy, error) {
				return random{Rand: rand.New(rand.NewPCG(seed, 0))}, nil
			}),
		online("threshold", "optimal for K jobs of a known distribution that never leave: thresholds on data per "+
			"reduce",
			func(ctx context.Context, r *run, _ uint64) (policy, error) {
				t, err := newThreshold(ctx, r)
				return inRanks{t}, err
			}, "horizon", estimateParam),
		{Algorithm: solver.Algorithm{Name: stationaryName,
			Summary: "optimal in the long run for random arrivals and exponential work, by value iteration; " +
				"tiny systems only",
			Params: []string{"load", estimateParam}}, Solve: solveStationary},
		{Algorithm: solver.Algorithm{Name: "best", Default: true, Search: true,
			Summary: "knows all later jobs, as no policy can: exchanges jobs between slots until --iterations, from the " +
				"cheapest placement of all policies and of one that fills slot by slot with the most data",
			Params: []string{"window", "load", "horizon", estimateParam}}, Solve: solveBest},
		{Algorithm: solver.Algorithm{Name: "exact",
			Summary:    "knows all later jobs: branch and bound from the placement of best",
			Exhaustive: true, SizeLimit: exactTasks,
			Params: []string{"window", "load", "horizon", estimateParam}}, Solve: solveExactly},
	}
}

// online makes the row of a policy.
func online(name, summary string, make func(_ context.Context, r *run, seed uint64) (policy, error),
	params ...string) algorithm {
	return algorithm{Algorithm: solver.Algorithm{Name: name, Summary: summary, Params: params},
		Solve: func(ctx context.Context, r *run, opt solver.Options) (*found, error) {
			p, err := make(ctx, r, opt.Seed)
			if err != nil {
				return nil, err
			}
			f := r.follow(ctx, p, opt)
			if slices.Contains(params, estimateParam) {
				f.facts.EstimateFacts = r.estimates
			}
			return f, nil
		}}
}

// follow places all jobs by a policy.
func (r *run) follow(ctx context.Context, p policy, opt solver.Options) *found {
	slot, stopped := play(ctx, r.in, p, opt.Report)
	if stopped {
		return &found{slot: slot, status: model.StatusLimit}
	}
	return &found{slot: slot, status: model.StatusFeasible}
}

// Problem is reduceplace's entry for the driver.
func Problem() *solver.Problem {
	return solver.Define(solver.Problem{
		Name:        "reduceplace",
		Title:       "Reduce placement: fetching cost of reduces on slots of different cost",
		Algorithms:  algorithms().Algorithms(),
		Removed:     map[string]string{"clairvoyant": "best", "lookahead": "best"},
		Columns:     usedColumns(),
		Results:     reduceplace.Describe(),
		ModelParams: []string{levelParam},
		Formats:     []string{"lp", "mps", "dimacs"},
		Formulation: "the mixed-integer program of exact; as dimacs the network of the bound clairvoyant for --level slots",
		Shown:       []string{costPerJob},
		Small: solver.Small{
			Generate: instances.SmallPlacement,
			Variants: []map[string]string{{}},
			NeverWorse: [][2]string{{"best", "rhc"}, {"best", "greedy"}, {"best", "random"},
				{"best", "threshold"}, {"best", stationaryName}, {"exact", "best"}},
		},
	}, solver.Typed[params, *reduceplace.Instance, *run]{
		Instance: newInstance,
		Run:      newRun,
		Recorded: recorded,
		Proofs:   solver.Proofs[*run]{Optimal: (*run).Optimal},
	})
}

// costPerJob is the metric that traced clusters are compared by.
const costPerJob = "cost_per_job"

// recorded is the fetching cost on the nodes where the traced cluster ran the reduces. It is nil unless all of these
// are known and belong to the instance, and every node has slots of one cost only.
func recorded(in *reduceplace.Instance, w *model.Workload) *solver.Recorded {
	first := map[string]int32{} // a node's first slot
	for s := range int32(in.Slots) {
		if k, ok := first[in.Node(s)]; !ok {
			first[in.Node(s)] = s
		} else if in.Cost[k] != in.Cost[s] {
			return nil
		}
	}
	slot, known := make([]int32, in.Tasks), 0
	for u := range w.Tasks {
		x := &w.Tasks[u]
		if x.Kind != model.Reduce || x.RecordedNode == "" {
			continue
		}
		t, found := in.FindTask(x.ID)
		s, there := first[x.RecordedNode]
		if !found || !there {
			return nil
		}
		slot[t], known = s, known+1
	}
	if known == 0 || known < in.Tasks {
		return nil
	}
	e := in.Evaluate(in.Schedule(slot))
	e.Metrics = map[string]any{costPerJob: e.Metrics[costPerJob]} // the others belong to this instance's dynamics
	return &solver.Recorded{Evaluation: e, Note: "the nodes that the traced cluster chose, at this instance's slot " +
		"costs; not checked against its slots and times"}
}

// params are the settings of a run.
type params struct {
	maxRunningJobs int64
	slotCost       string
	distances      string
	window         int64
	estimate       float64
	horizon        int64
	load           float64
	level          int64
}

// Table describes the settings and binds them to their fields.
func (p *params) Table() []solver.Param {
	return []solver.Param{
		{Name: "max-running-jobs", Value: &p.maxRunningJobs, Default: "0", Minimum: 0, Maximum: 1e9, View: true,
			Usage: "number of jobs that share the map phase; 0: the workload's `max_running_jobs`, else all"},
		{Name: "slot-cost", Value: &p.slotCost, Default: "auto", Choices: append([]string{"auto"},
			reduceplace.SlotCosts...), View: true,
			Usage: "cost of a slot per byte: as the table slots states it (given); hops to all nodes; hops " +
				"weighted with the map output on each node (data); the mean time of recorded reduces " +
				"there over that of all (measured); auto: given, else hops"},
		{Name: "distances", Value: &p.distances, View: true,
			Usage: "hops between nodes that meet at height 1, 2, … of the topology, separated by commas; " +
				"empty: 1,2,…"},
		{Name: "window", Value: &p.window, Default: "100", Minimum: 1, Maximum: 1e7,
			Usage: "number of latest arrivals from which policies learn"},
		{Name: estimateParam, Value: &p.estimate, Default: "0", Minimum: 0, Maximum: 1,
			Usage: "let policies estimate a job's data from the output of this share of its maps (the first " +
				"in the table tasks, at least one); 0: policies know it"},
		{Name: "horizon", Value: &p.horizon, Default: "0", Minimum: 0, Maximum: 1e6,
			Usage: "number of jobs K that threshold expects to arrive before any leaves; 0: the largest " +
				"number that run at a time"},
		{Name: "load", Value: &p.load, Default: "0", Minimum: 0, Maximum: 0.999,
			Usage: "share of the time that stationary expects the map phase to be busy; 0: mean map work " +
				"over mean time between arrivals"},
		{Name: levelParam, Value: &p.level, Default: "1", Minimum: 1, Maximum: 1e9,
			Usage: "number of slots in the network that formulate writes for dimacs"},
	}
}

func newInstance(w *model.Workload, p params) (*reduceplace.Instance, error) {
	o := reduceplace.Options{MaxRunning: p.maxRunningJobs, SlotCost: strings.TrimPrefix(p.slotCost, "auto")}
	if list := p.distances; list != "" {
		for text := range strings.SplitSeq(list, ",") {
			c, err := model.ParseCost(strings.TrimSpace(text))
			if err != nil {
				return nil, model.NewInputError(model.Finding{Code: model.CodeParameter,
					What: fmt.Sprintf("--distances %s: %q is no distance", list, text), Expected: "numbers separated by commas"})
			}
			o.Distances = append(o.Distances, c)
		}
	}
	return reduceplace.New(w, o)
}

func newRun(w *model.Workload, in *reduceplace.Instance, p params) (_ *run, err error) {
	r := &run{in: in, p: p, expected: make([]float64, in.Jobs)}
	for i := range r.expected {
		if n := in.Reduces[i]; n > 0 {
			r.expected[i] = float64(in.Bytes[i]) / float64(n)
		}
	}
	if share := p.estimate; share > 0 {
		if r.estimates, err = r.estimate(w, share); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// run is one opened instance.
type run struct {
	in        *reduceplace.Instance
	p         params
	expected  []float64      // by job: data per reduce as far as policies know it when the job starts
	bounds    []solver.Bound // nil: not yet known
	curves    *curves        // that the bounds rest on
	estimates *EstimateFacts // nil: policies know all data
}

func (r *run) View() model.View { return r.in }

// Solve proves the clairvoyant bound, runs one algorithm, and continues with the bound if a limit cut it short and time
// is left.
func (r *run) Solve(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	if !r.curves.complete() { // curves that a limit cut short in an earlier run are dropped
		r.curves, r.bounds = nil, nil
	}
	if err := r.prove(ctx, opt, solver.BoundShare); err != nil {
		return nil, err
	}
	out, err := r.SolveBare(ctx, name, opt)
	if err != nil {
		return nil, err
	}
	if err := r.prove(ctx, opt, 1); err != nil {
		return nil, err
	}
	out.Bounds = r.bounds
	out.CutShort(!r.curves.complete())
	return out, nil
}

// SolveBare is Solve without the bounds.
func (r *run) SolveBare(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	a, err := algorithms().Find(name)
	if err != nil {
		return nil, err
	}
	f, err := a.Solve(ctx, r, opt)
	if err != nil {
		return nil, err
	}
	if opt.Watch != nil {
		value, _ := r.in.Fetching(f.slot).Float64()
		opt.Watch.Incumbent(value, name)
	}
	return &solver.Outcome{Algorithm: name, Status: f.status, Schedule: r.in.Schedule(f.slot), Facts: f.facts,
		Why: f.why}, nil
}

func (r *run) Guarantee(string, bool) *model.Guarantee { return nil }

// usedColumns are the columns that the problem uses.
func usedColumns() []solver.Column {
	from := func(sources ...string) func(u solver.Use) bool {
		return func(u solver.Use) bool {
			return slices.Contains(sources, u.View.(*reduceplace.Instance).SlotCost())
		}
	}
	return slices.Concat(
		solver.Sometimes("without --max-running-jobs", func(u solver.Use) bool {
			return solver.Bind[params](u.Params).maxRunningJobs == 0
		}, "", "max_running_jobs"),
		solver.Always(model.TableJobs, "release", "reduces", "map_work"),
		solver.Taken("of jobs with reduces, unless all of these state input_bytes", model.TableJobs, "intermediate_bytes"),
		solver.Taken("of jobs with reduces, if neither intermediate_bytes, nor input_bytes of all reduces, nor output_bytes "+
			"of all maps are stated", model.TableJobs, "shuffle_ratio"),
		solver.Always(model.TableTasks, "job", "kind"),
		solver.Taken("of maps, in jobs without map_work; of reduces with --slot-cost measured", model.TableTasks,
			"processing_time"),
		solver.Taken("of reduces, where all of a job state it; of maps where shuffle_ratio counts", model.TableTasks,
			"input_bytes"),
		solver.Sometimes("of maps of jobs with reduces, where neither intermediate_bytes nor input_bytes of all reduces are "+
			"stated; with --slot-cost data or --estimate", func(u solver.Use) bool {
			return u.Takes("tasks.output_bytes") || solver.Bind[params](u.Params).estimate > 0 &&
				slices.Contains(u.Algorithm.Params, estimateParam)
		}, model.TableTasks, "output_bytes"),
		solver.Taken("with --slot-cost data or measured", model.TableTasks, "recorded_node"),
		solver.Always(model.TableSlots, "node"),
		solver.Sometimes("with --slot-cost given", from("given"), model.TableSlots, "cost"),
		solver.Sometimes("with --slot-cost hops or data", from("hops", "data"), model.TableTopology, "parent"),
		solver.Always(model.TableTopology, "kind"),
		solver.Taken("if there are jobs without map_work", model.TableTopology, "map_slots"),
		solver.Sometimes("without the table slots", func(u solver.Use) bool {
			return len(u.Workload.ReduceSlots) == 0
		}, model.TableTopology, "reduce_slots"),
	)
}
