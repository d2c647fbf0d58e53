package shop

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

// solve is how an algorithm makes a schedule.
type solve = func(ctx context.Context, r *run, opt solver.Options) (*made, error)

// insertTasks is the number of tasks up to which lists that fill gaps are part of `-a all` and of best: for every task
// they search the whole plan of every node. price-list fills gaps up to pricedInsertTasks.
const insertTasks, pricedInsertTasks = 100_000, 20_000

const priceListName = "price-list"

// algorithms lists all algorithms. In each group, faster ones come first.
func algorithms() solver.Methods[*run, *made] {
	return solver.Methods[*run, *made]{
		{Algorithm: solver.Algorithm{Name: "best", Default: true, Search: true, Replans: true,
			Summary: "the cheapest schedule of all other algorithms, improved by large neighbourhood search"},
			Solve: solveBest},
		{Algorithm: solver.Algorithm{Name: priceListName,
			Summary: "tasks by their midpoints in the bound's solution, each on the node where it ends " +
				"first"}, Solve: priceList},
		{Algorithm: solver.Algorithm{Name: "tetris",
			Summary: "the task that fits best into a node's free resources, of jobs with little work left"},
			Solve: dispatched(func(b *board) policy { return newPacking(b) })},
		{Algorithm: solver.Algorithm{Name: "fifo",
			Summary: "any task that fits, of the job released first"},
			Solve: dispatched(func(b *board) policy { return newInOrder(b, byRelease(b.in)) })},
		{Algorithm: solver.Algorithm{Name: "fair",
			Summary: "any task that fits, of the tenant with the fewest running tasks"},
			Solve: dispatched(func(b *board) policy { return newSharing(b, false) })},
		{Algorithm: solver.Algorithm{Name: "drf",
			Summary: "any task that fits, of the tenant with the smallest dominant share"},
			Solve: dispatched(func(b *board) policy { return newSharing(b, true) })},
		{Algorithm: solver.Algorithm{Name: "heft", SizeLimit: insertTasks,
			Summary: "the task with the longest path to its job's end first, on the node where it ends first, gaps " +
				"included"}, Solve: heft},
		{Algorithm: solver.Algorithm{Name: "graphene", SizeLimit: insertTasks,
			Summary: "each job's long and large tasks first, the rest packed around them"}, Solve: graphene},
		{Algorithm: solver.Algorithm{Name: "exact", Exhaustive: true, SizeLimit: exactTasks,
			Summary: "learned clauses for makespans on one node, else branch and bound; proves small instances optimal"},
			Solve: solveExactly},
	}
}

// Problem is cluster's entry for the driver.
func Problem() *solver.Problem {
	table := algorithms().Algorithms()
	return solver.Define(solver.Problem{
		Name:       shop.Cluster,
		Title:      "Any workload on any cluster: sizes, speeds, places, precedence, deadlines, what runs already",
		Algorithms: table,
		Columns:    usedColumns(),
		Results:    shop.Describe(),
		Delays:     true,
		Carried:    carried,
		Shown:      []string{string(shop.Makespan), "late_jobs"},
		Small: solver.Small{
			Generate:   func(r *rand.Rand, k int) (*model.Workload, error) { return instances.SmallCluster(r, k) },
			Variants:   variants(),
			NeverWorse: algorithms().BestNeverWorse(),
		},
	}, solver.Typed[params, *shop.Instance, *run]{
		Instance: func(w *model.Workload, p params) (*shop.Instance, error) {
			in, err := shop.New(w)
			if err != nil {
				return nil, err
			}
			return in.Under(shop.Objective(p.objective)), nil
		},
		Run:      func(_ *model.Workload, in *shop.Instance, _ params) (*run, error) { return &run{in: in}, nil },
		Notes:    notes,
		Recorded: recorded,
		Supplies: (*shop.Instance).Supplies,
		Proofs: solver.Proofs[*run]{
			Optimal: func(r *run, ctx context.Context, s *model.Schedule, nodes int) (bool, error) {
				return r.optimal(ctx, s, nodes)
			},
			Conflict:  (*run).Conflict,
			Replanned: (*run).replanned,
			Simulate:  (*run).simulate},
	})
}

// recorded is the schedule that the trace states, judged like any other. If it breaks constraints, it has no objective,
// and the note counts the breaches by rule.
func recorded(in *shop.Instance, _ *model.Workload) *solver.Recorded {
	then, s := in.Recorded()
	if s == nil {
		return nil
	}
	if broken := then.Check(s); len(broken) > 0 {
		return &solver.Recorded{Evaluation: model.Evaluation{Name: string(in.Stated())},
			Note: fmt.Sprintf("what the traced cluster did breaks this model (%s) and has no objective here: %s",
				model.CountByRule(broken), broken[0])}
	}
	r := &solver.Recorded{Evaluation: then.Evaluate(s), Least: slices.Max(in.Alone), Ends: in.Objective == shop.Makespan,
		Note: "what the traced cluster did; it keeps every constraint of this model"}
	for _, e := range s.Entries {
		r.End = max(r.End, e.End)
	}
	return r
}

// variants are the objectives, for validate.
func variants() (list []map[string]string) {
	for _, o := range shop.Objectives() {
		list = append(list, map[string]string{"objective": o})
	}
	return list
}

// params are the settings of a run.
type params struct{ objective string }

// Table describes the settings and binds them to their fields.
func (p *params) Table() []solver.Param {
	return []solver.Param{
		{Name: "objective", Value: &p.objective, Default: string(shop.WeightedEnds), Choices: shop.Objectives(),
			View: true, Usage: "total weighted job completion time, total weighted tardiness, the weight of the late jobs, " +
				"the end of the last task, or the total weighted time from release to end; the first breaks ties of the others"},
	}
}

// notes say how reading is priced without a bandwidth, and which nodes leave for good.
func notes(in *shop.Instance, _ params) (lines []string) {
	if n := in.Unpriced(); n > 0 {
		lines = append(lines, fmt.Sprintf("where no bandwidth is stated, reading takes no time: that concerns %s",
			model.Counted(n, "map")))
	}
	if gone := in.Gone(); gone != "" {
		lines = append(lines, gone)
	}
	return lines
}

// usedColumns are the columns that the problem uses.
func usedColumns() []solver.Column {
	return slices.Concat(
		solver.Machines(),
		solver.Always(model.TableJobs, "release", "weight", "deadline", "tenant"),
		solver.Always(model.TableTasks, "job", "kind", "processing_time", "release", "cpu", "memory_bytes"),
		solver.Always(model.TableTasks, "block", "input_bytes", "shuffle_delay"),
		solver.Always(model.TableDelays, "from", "to", "delay"),
		solver.Always(model.TablePlacements, "block", "node"),
		solver.Always(model.TableTopology, "parent", "kind", "map_slots", "reduce_slots", "speed",
			"bandwidth_bytes_per_s", "cpu", "memory_bytes"),
		solver.Always(model.TableTimes, "job", "task", "worker", "seconds"),
		solver.Always(model.TableCapacities, "node", "resource", "amount"),
		solver.Always(model.TableDemands, "task", "resource", "amount"),
		solver.Always(model.TableDependencies, "job", "after", "delay"),
		solver.Always(model.TableEligible, "job", "task", "place"),
		solver.Always(model.TableUnavailable, "node", "from", "until"),
		solver.Always(model.TableFixed, "task", "node", "start"),
		[]solver.Column{{Name: "now"}, {Name: "grace"}},
		solver.Always(model.TableState, "task", "node", "start", "end", "remaining"),
	)
}

// carried is a schedule for fewer nodes as one for more: a map ends earlier if one of the further nodes has its block.
func carried(view model.View, s *model.Schedule) *model.Schedule {
	in, more := view.(*shop.Instance), &model.Schedule{Entries: slices.Clone(s.Entries)}
	for k := range more.Entries {
		e := &more.Entries[k]
		e.End = e.Start + in.Length(int32(e.Task), e.Machine)
	}
	return more
}
