// Package multitenant schedules the jobs of users who share a cluster of racks: the policies of ShuffleWatcher and its
// baselines on a simulated network, better plans, and bounds that none can beat.
//
// # Memory, cores and deadlocks
//
// A task starts on a worker only if what running tasks leave of the worker's memory and cores is enough for it. A
// reduce that starts before its job's maps have ended (an early reduce) waits for them and holds what it needs
// meanwhile, so early reduces could together keep out the very maps that they wait for. An early reduce may therefore
// start on a worker only if all early reduces there, it included, leave as much memory and as many cores as any
// single map needs that has not begun and that the worker can hold at all; workers without map slots need not keep
// anything. A reduce whose maps have ended may use whatever is free.
//
// No policy can deadlock. Suppose that tasks are left, all of them released, and that no running task will ever end.
// Running maps end, and so do running reduces whose job's maps have ended, since the network serves every flow. So only
// early reduces run, or nothing does.
//
//   - An early reduce runs: then some map m of its job has not ended, and since no map runs, m has not begun. Some
//     worker with a map slot can hold m alone (model/multitenant refuses other instances), and all its map slots are
//     free. When the last early reduce on that worker began, all of them together left enough for m, because m had not
//     begun. Since then none has been added there, and nothing else runs there. So m fits.
//   - Nothing runs: all workers are empty, and any task that is left and waits for no map fits on some worker with a
//     free slot for it.
//
// Either way a task fits on a free slot, and the policies give it that slot: the free slots of a worker are offered
// again whenever something ends there after a task has found too little, jobs that wait for a better slot do so for a
// limited time, and plans that insist on places where tasks do not fit are loosened when nothing else can happen.
package multitenant

import (
	"context"
	"fmt"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
)

const source = "Ahmad et al., USENIX ATC 2014"

// Parameters of policies.
const (
	saturationParam = "saturation"
	mapsDoneParam   = "maps-done"
	withoutParam    = "without"
	ratioParam      = "shuffle-ratio"
	slowStartParam  = "slow-start"
	waitParam       = "locality-wait"
	windowParam     = "submission-window"
)

// methods lists all algorithms.
func methods() solver.Methods[*run, *solver.Outcome] {
	return append(policies(), plans()...)
}

// Problem is multitenant's entry for the driver.
func Problem() *solver.Problem {
	return solver.Define(solver.Problem{
		Name:        "multitenant",
		Title:       "Users who share a cluster of racks with narrow uplinks",
		Source:      source,
		Algorithms:  methods().Algorithms(),
		Columns:     usedColumns(),
		Results:     multitenant.Describe(),
		Formats:     []string{"lp", "mps"},
		Formulation: "the LP of the bound on the makespan: racks' slots and uplinks",
		Shown:       []string{"jobs_per_hour", "turn_around", "cross_rack_bytes", "jain"},
		Small: solver.Small{ // their optima are not known
			Generate: instances.SmallMultitenant,
			Variants: []map[string]string{{}},
			NeverWorse: [][2]string{{"best", "fair"}, {"best", "delay"}, {"best", "drf"}, {"best", "shufflewatcher"},
				{"best", "sw-drf"}, {"best", "sw-relaxed"}},
		},
	}, solver.Typed[params, *multitenant.Instance, *run]{
		Instance: newInstance,
		Run: func(_ *model.Workload, in *multitenant.Instance, p params) (*run, error) {
			return &run{in: in, p: p}, nil
		},
		Proofs: solver.Proofs[*run]{Witness: (*run).Witness},
	})
}

// params are the settings of a run.
type params struct {
	measureFrom      float64
	measureUntil     float64
	saturation       float64
	mapsDone         float64
	without          string
	shuffleRatio     string
	slowStart        float64
	localityWait     float64
	submissionWindow float64
}

// Table describes the settings and binds them to their fields.
func (p *params) Table() []solver.Param {
	return []solver.Param{
		{Name: "measure-from", Value: &p.measureFrom, Default: "0", Minimum: 0, Maximum: 1e12, View: true,
			Usage: "seconds from which throughput and turn-around are measured, over the jobs that end then"},
		{Name: "measure-until", Value: &p.measureUntil, Default: "0", Minimum: 0, Maximum: 1e12, View: true,
			Usage: "seconds until which throughput and turn-around are measured; 0: the end of the schedule"},
		{Name: saturationParam, Value: &p.saturation, Default: "0.8", Minimum: 0.01, Maximum: 1,
			Usage: "share of a rack's uplink above which NetSat calls the rack saturated"},
		{Name: mapsDoneParam, Value: &p.mapsDone, Default: "0.15", Minimum: 0, Maximum: 1,
			Usage: "share of a job's maps after which SARP trusts where their output lies, not SAMP's forecast"},
		{Name: withoutParam, Value: &p.without,
			Usage: "parts of shufflewatcher to leave out, separated by commas: samp, sarp (with samp), nass (with both)"},
		{Name: ratioParam, Value: &p.shuffleRatio, Default: "estimated", Choices: []string{"estimated", "known"},
			Usage: "what shufflewatcher knows of a job's shuffle volume: 1.0 times its input at first, then what maps have " +
				"put out; or all of it"},
		{Name: slowStartParam, Value: &p.slowStart, Default: "0.05", Minimum: 0, Maximum: 1,
			Usage: "share of a job's maps after which fair, delay and drf start its reduces"},
		{Name: waitParam, Value: &p.localityWait, Default: "5", Minimum: 0, Maximum: 1e6,
			Usage: "seconds that delay and sw-relaxed let a job wait for a node, or a rack, with its data"},
		{Name: windowParam, Value: &p.submissionWindow, Default: "600", Minimum: 1, Maximum: 1e9,
			Usage: "seconds of submission that shufflewatcher treats as one: jobs of earlier windows come first"},
	}
}

func newInstance(w *model.Workload, p params) (*multitenant.Instance, error) {
	from, until := p.measureFrom, p.measureUntil
	if until > 0 && until <= from {
		return nil, model.NewInputError(model.Finding{Code: model.CodeParameter,
			What:     fmt.Sprintf("--measure-from %g --measure-until %g: nothing lies between", from, until),
			Expected: "an end after the beginning, or 0 for that of the schedule"})
	}
	return multitenant.New(w, multitenant.Options{From: model.TimeOf(from), Until: model.TimeOf(until)})
}

// run is one opened instance.
type run struct {
	solver.Unrestricted
	in     *multitenant.Instance
	p      params
	bounds []solver.Bound // nil: not yet known in full; the strongest first
	least  model.Time     // what the bounds say that no schedule ends before; 0: nothing is known
	seen   func(Load)     // see Loads
}

func (r *run) View() model.View { return r.in }

// Solve runs one algorithm; every outcome carries the bounds.
func (r *run) Solve(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	m, err := methods().Find(name)
	if err != nil {
		return nil, err
	}
	bounds, err := r.bound(ctx, opt)
	if err != nil {
		return nil, err
	}
	r.least = atLeast(bounds)
	out, err := m.Solve(ctx, r, opt)
	if err != nil {
		return nil, err
	}
	_, last := r.in.Ends(out.Schedule)
	opt.Watch.Incumbent(last.Seconds())
	out.Algorithm, out.Bounds = name, bounds
	out.CutShort(r.bounds == nil)
	return out, r.addCrossing(ctx, out, opt)
}

func (r *run) Guarantee(name string, limited bool) *model.Guarantee {
	return methods().Promise(r, name, limited)
}
