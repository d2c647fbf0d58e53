package multitenant

import (
	"context"
	"fmt"
	"slices"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
)

// Names of the policies' parameters.
const (
	saturationParam = "saturation"
	mapsDoneParam   = "maps-done"
	withoutParam    = "without"
	ratioParam      = "shuffle-ratio"
	slowStartParam  = "slow-start"
	waitParam       = "locality-wait"
	windowParam     = "submission-window"
	multipleParam   = "window-multiple"
)

// methods lists all algorithms.
func methods() solver.Methods[*run, *solver.Outcome] {
	return append(policies(), solver.Method[*run, *solver.Outcome]{
		Algorithm: solver.Algorithm{Name: "best", Default: true, Search: true,
			Summary: "the policy that ends first; then plans that know all jobs, simulated like the policies " +
				"and improved by local search; no policy ends earlier",
			Params: []string{saturationParam, mapsDoneParam, withoutParam, ratioParam, slowStartParam, waitParam, windowParam,
				multipleParam}},
		Solve: best,
	})
}

// Problem describes multitenant to the driver.
func Problem() *solver.Problem {
	return solver.Define(solver.Problem{
		Name:       "multitenant",
		Title:      "Users who share a cluster of racks with narrow uplinks",
		Algorithms: methods().Algorithms(),
		Removed:    map[string]string{"sw-spill": "sw-relaxed"},
		Columns:    usedColumns(),
		Results:    multitenant.Describe(),
		Shown:      []string{"jobs_per_hour", "turn_around", "cross_rack_bytes", "jain"},
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
	windowMultiple   float64
}

// Table describes the settings and binds them to their fields.
func (p *params) Table() []solver.Param {
	return []solver.Param{
		{Name: "measure-from", Value: &p.measureFrom, Seconds: true, Default: "0", Minimum: 0, Maximum: 1e12, View: true,
			Usage: "start, in seconds, of the interval whose job ends count for throughput and turn-around"},
		{Name: "measure-until", Value: &p.measureUntil, Seconds: true, Default: "0", Minimum: 0, Maximum: 1e12, View: true,
			Usage: "end, in seconds, of that interval; 0: the end of the schedule"},
		{Name: saturationParam, Value: &p.saturation, Default: "0.8", Minimum: 0.01, Maximum: 1,
			Usage: "share of a rack's uplink above which NetSat considers the rack saturated"},
		{Name: mapsDoneParam, Value: &p.mapsDone, Default: "0.15", Minimum: 0, Maximum: 1,
			Usage: "share of a job's maps after which SARP uses the places of their output instead of SAMP's " +
				"forecast"},
		{Name: withoutParam, Value: &p.without, List: true,
			Usage: "parts of shufflewatcher to disable, separated by commas: samp, sarp (with samp), nass " +
				"(with both)"},
		{Name: ratioParam, Value: &p.shuffleRatio, Default: "estimated", Choices: []string{"estimated", "known"},
			Usage: "what shufflewatcher knows of a job's shuffle volume: an estimate (1.0 times its input at " +
				"first, then what its maps have written), or the true volume"},
		{Name: slowStartParam, Value: &p.slowStart, Default: "0.05", Minimum: 0, Maximum: 1,
			Usage: "share of a job's maps after which fair, delay and drf start its reduces"},
		{Name: waitParam, Value: &p.localityWait, Seconds: true, Default: "5", Minimum: 0, Maximum: 1e6,
			Usage: "seconds that delay and sw-relaxed let a job wait for a node, or a rack, with its data"},
		{Name: windowParam, Value: &p.submissionWindow, Seconds: true, Default: "0", Minimum: 0, Maximum: 1e9,
			Usage: "length, in seconds, of the submission windows of shufflewatcher; jobs of earlier windows " +
				"come first; 0: --window-multiple decides, 600: what the paper says sufficed on its cluster"},
		{Name: multipleParam, Value: &p.windowMultiple, Default: "1", Minimum: 0.001, Maximum: 1e6,
			Usage: "the same as a multiple of the jobs' mean turn-around under fair, which is simulated first"},
	}
}

func newInstance(w *model.Workload, p params) (*multitenant.Instance, error) {
	from, until := p.measureFrom, p.measureUntil
	if until > 0 && until <= from {
		return nil, model.NewInputError(model.Finding{Code: model.CodeParameter,
			What:     fmt.Sprintf("--measure-from %g --measure-until %g: there is nothing between", from, until),
			Expected: "an end after the beginning, or 0 for that of the schedule"})
	}
	return multitenant.New(w, multitenant.Options{From: model.TimeOf(from), Until: model.TimeOf(until)})
}

// run is one opened instance.
type run struct {
	solver.Unrestricted
	solver.Unmodelled
	in     *multitenant.Instance
	p      params
	bounds []solver.Bound // nil: not yet known in full; the strongest first
	least  model.Time     // by the bounds no schedule ends earlier
	seen   func(Load)     // see Observe
	window model.Time     // see submissionWindow
}

func (r *run) View() model.View { return r.in }

// Solve runs one algorithm; every outcome carries the bounds.
func (r *run) Solve(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	bounds, err := r.bound(ctx, opt)
	if err != nil {
		return nil, err
	}
	r.least = atLeast(bounds)
	out, err := r.SolveBare(ctx, name, opt)
	if err != nil {
		return nil, err
	}
	_, last := r.in.Ends(out.Schedule)
	opt.Watch.Incumbent(last.Seconds(), name)
	out.Bounds = bounds
	out.CutShort(r.bounds == nil)
	return out, r.addCrossing(ctx, out, opt)
}

// SolveBare is Solve without the bounds, which take longer than most policies.
func (r *run) SolveBare(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	m, err := methods().Find(name)
	if err != nil {
		return nil, err
	}
	out, err := m.Solve(ctx, r, opt)
	if err != nil {
		return nil, err
	}
	out.Algorithm = name
	return out, nil
}

// Guarantee says that no algorithm has one.
func (r *run) Guarantee(string, bool) *model.Guarantee { return nil }

// Load is what the uplinks carried in an interval.
type Load struct {
	From, Until model.Time
	Carried     [2][]model.Bytes // out of racks and into them, by rack
}

// Observe shows the loads that NetSat sees in the simulations that follow, one per second or per longer interval with
// constant rates; nil: to nobody.
func (r *run) Observe(see func(Load)) { r.seen = see }

func usedColumns() []solver.Column {
	const mapsState = "unless all maps of each job with reduces state output_bytes"
	return slices.Concat(
		solver.Machines(),
		solver.Always(model.TableJobs, "release", "tenant", "reduces"),
		solver.Taken(mapsState, model.TableJobs, "intermediate_bytes"),
		solver.Taken(mapsState+" or it states intermediate_bytes", model.TableJobs, "shuffle_ratio"),
		solver.Taken("of tasks without processing_time", model.TableJobs, "task_overhead", "map_bytes_per_s",
			"reduce_bytes_per_s"),
		solver.Always(model.TableTasks, "job", "kind", "processing_time", "release", "output_bytes"),
		solver.Sometimes("of maps", func(u solver.Use) bool {
			return u.SomeTask(func(t *model.Task) bool { return t.Kind == model.Map && t.InputBytes.Known })
		}, model.TableTasks, "input_bytes"),
		solver.Sometimes("if nodes state cpu, or by drf, sw-drf and best", func(u solver.Use) bool {
			return u.Takes("tasks.cpu") || shares(u)
		}, model.TableTasks, "cpu"),
		solver.Taken("if nodes state memory_bytes", model.TableTasks, "memory_bytes"),
		solver.Sometimes("if there are placements", func(u solver.Use) bool { return len(u.Workload.Placements) > 0 },
			model.TableTasks, "block"),
		solver.Always(model.TablePlacements, "block", "node"),
		solver.Always(model.TableTopology, "parent", "kind", "map_slots", "reduce_slots", "speed", "bandwidth_bytes_per_s"),
		solver.Sometimes("if tasks state cpu or, by drf, sw-drf and best, memory_bytes where all nodes state theirs",
			func(u solver.Use) bool {
				return u.Takes("topology.cpu") || shares(u) && u.Takes("topology.memory_bytes") &&
					u.View.(*multitenant.Instance).RAM > 0
			}, model.TableTopology, "cpu"),
		solver.Taken("if tasks state memory_bytes", model.TableTopology, "memory_bytes"),
	)
}

// fairShares are the algorithms that depend on users' dominant shares.
var fairShares = []string{"drf", "sw-drf", "best"}

func shares(u solver.Use) bool { return slices.Contains(fairShares, u.Algorithm.Name) }
