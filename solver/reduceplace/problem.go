// Package reduceplace places reduces: the policies of Tan, Meng, Meng, Zhang, INFOCOM 2013, better ones, and a bound
// that no placement can beat.
package reduceplace

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"mrsched/model"
	"mrsched/model/reduceplace"
	"mrsched/solver"
)

const source = "Tan et al., INFOCOM 2013"

// algorithm is one row of the table of algorithms; it finds the slot by task.
type algorithm = solver.Method[*run, *found]

// found is a placement, the slot by task, and facts about the run.
type found struct {
	slot   []int32 // nil: none
	status model.Status
	facts  map[string]any
}

// algorithms lists all algorithms.
func algorithms() solver.Methods[*run, *found] {
	look := online("lookahead", "leave slots as later jobs were seen to use them; or rhc, greedy, or stationary on "+
		"tiny systems, if that did better so far", "mrsched", func(ctx context.Context, r *run, _ uint64) (policy, error) {
		if _, err := r.law(); err != nil { // flags that contradict each other
			return nil, err
		}
		return newLookahead(ctx, r), nil
	}, append([]string{"window", "load", estimateParam}, lawParams...)...)
	look.Default = true
	return solver.Methods[*run, *found]{
		look,
		online("rhc", "receding horizon: leave the cheapest slots to the next job if this one has little data",
			source+", Thm 4", func(_ context.Context, r *run, _ uint64) (policy, error) {
				return inRanks{newRHC(r), r.in}, nil
			}, "window", estimateParam),
		online("greedy", "the cheapest free slots", source+", §V-B", func(_ context.Context, r *run, _ uint64) (policy,
			error) {
			return inRanks{greedy{r.in}, r.in}, nil
		}),
		online("random", "random free slots, as Hadoop's heartbeats amount to", source+", §V-B",
			func(_ context.Context, r *run, seed uint64) (policy, error) {
				return &random{r.in, rand.New(rand.NewPCG(seed, 0))}, nil
			}),
		online("threshold", "optimal for K jobs of a known law that never leave: thresholds on data a reduce",
			source+", Thms 1–2", func(ctx context.Context, r *run, _ uint64) (policy, error) {
				return newThreshold(ctx, r)
			}, append([]string{"horizon", estimateParam}, lawParams...)...),
		{Algorithm: solver.Algorithm{Name: stationaryName, Summary: "optimal in the long run for random arrivals and " +
			"exponential work, by value iteration; tiny systems only", Source: source + ", Thm 3",
			Params: append([]string{"load", estimateParam}, lawParams...)}, Solve: solveStationary},
		{Algorithm: solver.Algorithm{Name: "clairvoyant", Source: "mrsched", Search: true,
			Summary: "knows all later jobs, which no policy can: slots filled one by one with the most data, " +
				"then exchanges between slots until --iterations"}, Solve: solveClairvoyant},
		{Algorithm: solver.Algorithm{Name: "best", Source: "mrsched", Search: true,
			Summary: "knows all later jobs: exchanges between slots as clairvoyant makes them, and others, " +
				"from the cheapest placement of all policies and clairvoyant",
			Params: append([]string{"window", "load", "horizon", estimateParam}, lawParams...)}, Solve: solveBest},
		{Algorithm: solver.Algorithm{Name: "exact", Summary: "knows all later jobs: branch and bound from the placement " +
			"of clairvoyant", Source: "mrsched", Exhaustive: true, SizeLimit: exactTasks},
			Solve: solveExactly},
	}
}

// online makes the row of a policy.
func online(name, summary, source string, make func(_ context.Context, r *run, seed uint64) (policy, error),
	params ...string) algorithm {
	return algorithm{Algorithm: solver.Algorithm{Name: name, Summary: summary, Source: source, Params: params},
		Solve: func(ctx context.Context, r *run, opt solver.Options) (*found, error) {
			p, err := make(ctx, r, opt.Seed)
			if err != nil {
				return nil, err
			}
			slot, stopped := play(ctx, r.in, p, opt.Report)
			f := &found{slot: slot, status: model.StatusFeasible}
			if stopped {
				f.status = model.StatusLimit
			}
			if r.estimates != nil && slices.Contains(params, estimateParam) {
				f.facts = r.estimates.facts()
			}
			return f, nil
		}}
}

// Problem is reduceplace's entry for the driver.
func Problem() *solver.Problem {
	return &solver.Problem{
		Name:       "reduceplace",
		Title:      "Reduce placement: fetching cost of reduces on slots of different cost",
		Source:     source,
		Algorithms: algorithms().Algorithms(),
		Columns:    usedColumns(),
		Results:    reduceplace.Describe(),
		Params: []solver.Param{
			{Name: "max-running-jobs", Kind: solver.IntParam, Default: "0", Minimum: 0, Maximum: 1e9, View: true,
				Usage: "jobs that share the map phase; 0: the workload's `max_running_jobs`, else all"},
			{Name: "slot-cost", Kind: solver.StringParam, Default: "auto", Choices: append([]string{"auto"},
				reduceplace.SlotCosts...), View: true,
				Usage: "what a slot costs a byte: as the table slots says; hops to all nodes; hops weighted with the map output " +
					"that lies there; the time of recorded reduces there over the average; auto: the table, else hops"},
			{Name: "distances", Kind: solver.StringParam, View: true,
				Usage: "hops between nodes that meet at height 1, 2, … of the topology, separated by commas; empty: 1,2,…"},
			{Name: "window", Kind: solver.IntParam, Default: "100", Minimum: 1, Maximum: 1e7,
				Usage: "latest arrivals from which policies learn"},
			{Name: estimateParam, Kind: solver.FloatParam, Default: "0", Minimum: 0, Maximum: 1,
				Usage: "let policies estimate a job's data from what this share of its maps put out, the first in the table " +
					"tasks, at least one; 0: they know it"},
			{Name: "horizon", Kind: solver.IntParam, Default: "0", Minimum: 0, Maximum: 1e6,
				Usage: "jobs K that threshold expects to come without any leaving; 0: those that may run at a time"},
			{Name: "load", Kind: solver.FloatParam, Default: "0", Minimum: 0, Maximum: 0.999,
				Usage: "share of the time that stationary expects the maps to be busy; 0: mean map work over mean time between " +
					"arrivals"},
			{Name: "law", Kind: solver.StringParam, Default: lawKinds[0], Choices: lawKinds,
				Usage: "law of a job's data a reduce that policies believe in; empirical: that of the workload's jobs"},
			{Name: "law-values", Kind: solver.StringParam, Usage: lawValues},
			{Name: "law-reduces", Kind: solver.IntParam, Default: "0", Minimum: 0, Maximum: 1e4,
				Usage: "jobs have 1 to this many reduces in that law, each number as likely; 0: as in the workload"},
			{Name: levelParam, Kind: solver.IntParam, Default: "1", Minimum: 1, Maximum: 1e9,
				Usage: "slots that pass the network which formulate writes for dimacs"},
		},
		ModelParams: []string{levelParam},
		Formats:     []string{"lp", "mps", "dimacs"},
		Formulation: "the mixed-integer program of exact; as dimacs the network of the bound clairvoyant for --level slots",
		Open:        open,
	}
}

// View opens a workload for checking.
func View(w *model.Workload, p solver.Params) (model.View, error) {
	in, err := newInstance(w, p)
	if err != nil {
		return nil, err
	}
	return in, nil
}

func newInstance(w *model.Workload, p solver.Params) (*reduceplace.Instance, error) {
	o := reduceplace.Options{MaxRunning: p.Int("max-running-jobs"), SlotCost: strings.TrimPrefix(p.Text("slot-cost"),
		"auto")}
	if list := p.Text("distances"); list != "" {
		for _, text := range strings.Split(list, ",") {
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

func open(w *model.Workload, p solver.Params) (solver.Run, error) {
	in, err := newInstance(w, p)
	if err != nil {
		return nil, err
	}
	r := &run{in: in, p: p, believed: make([]float64, in.Jobs)}
	for i := range r.believed {
		if n := in.Reduces[i]; n > 0 {
			r.believed[i] = float64(in.Bytes[i]) / float64(n)
		}
	}
	if share := p.Float(estimateParam); share > 0 {
		if r.estimates, err = r.estimate(w, share); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// run is one opened instance.
type run struct {
	in        *reduceplace.Instance
	p         solver.Params
	believed  []float64      // by job: data a reduce as far as policies know it when the job starts
	bounds    []solver.Bound // nil: not yet known
	curves    *curves        // that the bounds rest on
	estimates *estimates     // nil: policies know all data
}

func (r *run) View() model.View { return r.in }

// Solve proves the clairvoyant bound, runs one algorithm, and continues with the bound if a limit cut it short and time
// is left.
func (r *run) Solve(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	if !r.curves.complete() { // what a limit cut short in an earlier run is forgotten
		r.curves, r.bounds = nil, nil
	}
	if err := r.prove(ctx, opt, solver.BoundShare); err != nil {
		return nil, err
	}
	out, err := r.construction(ctx, name, opt)
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

// construction is an algorithm's outcome without bounds.
func (r *run) construction(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	a, err := algorithms().Find(name)
	if err != nil {
		return nil, err
	}
	f, err := a.Solve(ctx, r, opt)
	if err != nil {
		return nil, err
	}
	out := &solver.Outcome{Algorithm: name, Status: f.status, Found: f.facts}
	if f.slot != nil {
		out.Schedule = r.in.Schedule(f.slot)
		if opt.Watch != nil {
			value, _ := r.in.Fetching(f.slot).Float64()
			opt.Watch.Incumbent(value)
		}
	}
	return out, nil
}

func (r *run) Guarantee(string, bool) *model.Guarantee { return nil }
