package hta

import (
	"context"
	"fmt"
	"slices"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/model/hta/sat"
	"mrsched/solver"
	"mrsched/solver/flow"
)

const (
	source         = "Fischer, Su, Yin, SPAA 2010"
	flowName       = "flow"
	flowLPName     = "flow-lp"
	roundRobinName = "round-robin"
)

// Facts are what results state about a run.
type Facts struct {
	Nodes       *int            `json:"nodes,omitempty"` // of the search trees of exact
	Satisfiable *bool           `json:"satisfiable,omitempty"`
	Truth       map[string]bool `json:"truth_assignment,omitempty"` // by variable, x1, x2, …: those that occur
}

// found is an algorithm's assignment, the server by task, and facts about the run.
type found struct {
	server []int32
	status model.Status
	why    string // see solver.Outcome
	facts  Facts
}

// algorithms lists all algorithms.
func algorithms() solver.Methods[*run, *found] {
	return solver.Methods[*run, *found]{
		{Algorithm: solver.Algorithm{Name: "best",
			Summary: "starts from the better of flow and round-robin, then packs the maps into makespans just above " +
				"the bound",
			Default: true, Search: true}, Solve: solveBest, Guarantee: guaranteeFlow},
		{Algorithm: solver.Algorithm{Name: flowName,
			Summary: "maximum flows for every number of local tasks per server, the rest balanced; keeps the " +
				"best"}, Solve: solveFlow, Guarantee: guaranteeFlow},
		{Algorithm: solver.Algorithm{Name: flowLPName,
			Summary:   "flow with an LP instead of each maximum flow: the reference",
			SizeLimit: flowLPTasks}, Solve: solveFlowLP, Guarantee: guaranteeFlow},
		{Algorithm: solver.Algorithm{Name: roundRobinName,
			Summary: "servers take turns; each takes a local task if one is left, else any",
			Params:  []string{"tie"}}, Solve: solveRoundRobin, Guarantee: guaranteeRoundRobin},
		{Algorithm: solver.Algorithm{Name: "exact",
			Summary:    "mixed-integer programs for makespans below that of best; proves optimality",
			Exhaustive: true, SizeLimit: exactTasks}, Solve: solveExactly},
	}
}

// Problem is hta's entry for the driver.
func Problem() *solver.Problem {
	return solver.Define(solver.Problem{
		Name:        "hta",
		Title:       "Hadoop task assignment: makespan of maps that cost more away from their blocks",
		Algorithms:  algorithms().Algorithms(),
		Columns:     usedColumns(),
		Results:     hta.Describe(),
		ModelParams: []string{"tau"},
		Formats:     []string{"lp", "mps", "dimacs"},
		Formulation: "max-cover: how many maps can run where their block lies, at most --tau on a server",
		Shown:       []string{"node_local", "rack_local", "off_rack"},
		Small: solver.Small{
			Generate:      instances.SmallHTA,
			Variants:      []map[string]string{{"tie": "first"}, {"tie": "random"}, {"tie": "worst"}},
			NeverWorse:    [][2]string{{"best", flowName}, {"best", roundRobinName}, {"exact", "best"}},
			OwnGuarantees: true,
		},
	}, solver.Typed[params, *hta.Instance, *run]{
		Instance: func(w *model.Workload, _ params) (*hta.Instance, error) { return hta.New(w) },
		Run: func(w *model.Workload, in *hta.Instance, p params) (*run, error) {
			return &run{in: in, w: w, p: p}, nil
		},
		Notes:    notes,
		Recorded: recorded,
		Proofs:   solver.Proofs[*run]{Optimal: (*run).Optimal, Witness: (*run).Witness},
	})
}

// recorded is how local the maps were on the traced cluster, with the makespan if the cluster ran all maps of the
// instance on its servers.
func recorded(in *hta.Instance, w *model.Workload) *solver.Recorded {
	r := in.Recorded(w)
	if r == nil {
		return nil
	}
	e := in.Evaluation(r.Loads)
	if !r.Complete() {
		e.Value = nil
	}
	return &solver.Recorded{Evaluation: e,
		Note: fmt.Sprintf("the servers that the traced cluster chose, at this workload's cost; %s", r)}
}

// notes reports columns about time that people may expect to count, and maps that no server could run node-locally.
func notes(in *hta.Instance, _ params) (list []string) {
	if in.Timed() {
		list = append(list, "hta only places maps and plans no job times, although the workload states some: for these use "+
			"msjo (weights) or realtime (deadlines)")
	}
	if in.Racks == 0 {
		list = append(list, fmt.Sprintf("the table topology is missing: the servers are the %s that placements name, "+
			"and racks do not count", model.Counted(in.Servers, "node")))
	}
	switch in.Unheld {
	case 0:
		return list
	case 1:
		return append(list,
			"the block of 1 map lies only on nodes without map slots, which run no maps: it cannot be node-local")
	}
	return append(list, fmt.Sprintf("the blocks of %d maps lie only on nodes without map slots, which run no maps: "+
		"they cannot be node-local", in.Unheld))
}

// params are the settings of a run.
type params struct {
	tie string
	tau int64
}

// Table describes the settings and binds them to their fields.
func (p *params) Table() []solver.Param {
	return []solver.Param{
		{Name: "tie", Value: &p.tie, Default: "first", Choices: ties,
			Usage: "which task round-robin takes if several are possible: the first, a random one, or the " +
				"worst one for later servers"},
		{Name: "tau", Value: &p.tau, Default: "0", Minimum: 0, Maximum: 1e9,
			Usage: "largest number of local tasks per server in the max-cover problem that formulate writes; " +
				"0: tasks divided by servers, rounded up"},
	}
}

// run is one opened instance. Its algorithms share the balanced semi-matching.
type run struct {
	solver.Unrestricted
	in       *hta.Instance
	w        *model.Workload
	p        params
	balanced *flow.SemiMatching
	// mayBeRemote caches remoteLimit.
	mayBeRemote *int
	proven      bool           // no limit cut the bounds short
	bounds      []solver.Bound // the strongest first
	value       model.Time     // that it proves
	yprice      []int64        // of servers, that prove most
	formula     *sat.Formula   // that the workload reduces; without clauses: none; nil: not yet known
}

func (r *run) View() model.View { return r.in }

// Solve proves the bounds, then runs one algorithm; every outcome includes the bounds.
func (r *run) Solve(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	a, err := algorithms().Find(name)
	if err != nil {
		return nil, err
	}
	if !r.proven { // results that a limit cut short in an earlier run are dropped
		r.balanced, r.bounds, r.value, r.yprice = nil, nil, 0, nil
	}
	if err := r.prove(ctx, opt); err != nil {
		return nil, err
	}
	balanced := r.balanced.Balanced
	f, err := a.Solve(ctx, r, opt)
	if err != nil {
		return nil, err
	}
	if !balanced && r.balanced.Balanced { // the algorithm got further than the bound's share of the time allowed
		if err := r.prove(ctx, opt); err != nil {
			return nil, err
		}
	}
	if err := r.answer(&f.facts, f.server, f.status == model.StatusOptimal); err != nil {
		return nil, err
	}
	opt.Watch.Incumbent(r.in.Measure(f.server).Makespan.Seconds(), name)
	out := &solver.Outcome{Algorithm: name, Status: f.status, Schedule: r.in.Schedule(f.server), Bounds: r.bounds,
		Facts: f.facts, Why: f.why}
	out.CutShort(!r.proven)
	return out, nil
}

func (r *run) Guarantee(name string, limited bool) *model.Guarantee {
	return algorithms().Promise(r, name, limited)
}

// usedColumns are the columns that the problem uses.
func usedColumns() []solver.Column {
	return slices.Concat(
		solver.Always("", "cost"),
		solver.Always(model.TableTasks, "job", "kind", "block"),
		solver.Always(model.TablePlacements, "block", "node"),
		solver.Always(model.TableTopology, "parent", "kind", "map_slots"),
	)
}
