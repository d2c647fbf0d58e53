package realtime

import (
	"context"
	"strings"

	"mrsched/model/realtime"
	"mrsched/solver"
)

const (
	lstSource = "Lenstra, Shmoys, Tardos 1990"
	// sketched is the suffix of the algorithms that choose among the rows of a job's sketch.
	sketched = "-sketch"
	// exactTasks is the number of tasks up to which "all" includes exact.
	exactTasks = 200
)

// solve runs an algorithm on an instance.
type solve = func(context.Context, *run, solver.Options) (*solver.Outcome, error)

// method is an algorithm of one goal, or of both.
type method struct {
	solver.Method[*run, *solver.Outcome]
	goal realtime.Goal // empty: both
	// needs says what the instance lacks; empty: nothing. It may be nil.
	needs func(r *run) string
}

// table lists all algorithms.
func table() []method {
	// of the algorithms to start from
	params := []string{estimatesParam, neighboursParam, distanceParam, lofParam, partitionParam}
	best := solver.Algorithm{Name: "best", Default: true, Search: true, Params: params,
		Summary: "knows all true times: the best schedule of the fast algorithms, improved by local search"}
	exact := solver.Algorithm{Name: "exact", Exhaustive: true, SizeLimit: exactTasks, Params: params,
		Summary: "knows all true times: branch and bound; proves optimality on small instances"}
	list := []method{newMethod("", best, nil,
		func(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
			return r.goal.best(ctx, r, opt)
		})}
	list = append(append(list, policies()...), assignments()...)
	lst := newMethod(realtime.Partitions, solver.Algorithm{Name: "lst",
		Summary: "knows all true times: rounds a vertex of the linear program at T* along its " +
			"pseudo-forest"},
		needsLST, solveLST)
	lst.Guarantee = guaranteeLST
	return append(list, lst, newMethod("", exact, needsWhole,
		func(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
			return r.goal.exact(ctx, r, opt)
		}))
}

func newMethod(goal realtime.Goal, a solver.Algorithm, needs func(r *run) string, solve solve) method {
	return method{solver.Method[*run, *solver.Outcome]{Algorithm: a, Solve: solve}, goal, needs}
}

// methods is the table as the driver sees it.
func methods() solver.Methods[*run, *solver.Outcome] {
	var list solver.Methods[*run, *solver.Outcome]
	for _, m := range table() {
		list = append(list, m.Method)
	}
	return list
}

// policies lists the algorithms that simulate, for goal deadlines.
func policies() (list []method) {
	for _, p := range policyList() {
		p.Params = append([]string{estimatesParam, neighboursParam, distanceParam, partitionParam}, p.Params...)
		list = append(list, newMethod(realtime.Deadlines, p.Algorithm, nil,
			func(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
				return r.simulate(ctx, p, opt)
			}))
	}
	return list
}

// policyList lists the policies.
func policyList() []policy {
	return []policy{
		{Algorithm: solver.Algorithm{Name: "llf", Params: []string{lofParam},
			Summary: "simulates least laxity first, with jobs that are expected to be late last; moves tasks " +
				"away from overloaded workers"}, rank: llfRank, moves: true},
		{Algorithm: solver.Algorithm{Name: "edf",
			Summary: "simulates earliest deadline first"}, rank: edfRank},
		{Algorithm: solver.Algorithm{Name: "fifo",
			Summary: "simulates first in, first out, Hadoop's default"}, rank: fifoRank},
		{Algorithm: solver.Algorithm{Name: "fair",
			Summary: "simulates fair sharing: the job with the least slot time so far goes first"}, rank: fairRank},
	}
}

// assignments lists the algorithms of the paper for goal partitions.
func assignments() (list []method) {
	estimated := []string{estimatesParam, neighboursParam, distanceParam}
	for _, a := range []solver.Algorithm{
		{Name: "hash", Summary: "Hadoop's hash: partition i goes to reducer i mod R"},
		{Name: "lb", Summary: "the largest partition goes to the reducer with the least data"},
		{Name: "dp", Summary: "the largest partition goes to the reduce slot that is expected to finish first",
			Params: estimated},
		{Name: "lb" + sketched,
			Summary: "lb on every row of the sketch of the keys; keeps the row that balances the data best"},
		{Name: "dp" + sketched, Summary: "dp on every row of the sketch of the keys; keeps the row that is expected to " +
			"finish first", Params: estimated},
	} {
		needs := needsSketch
		if !strings.HasSuffix(a.Name, sketched) {
			needs = nil
		}
		list = append(list, newMethod(realtime.Partitions, a, needs,
			func(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
				return r.solveAssign(ctx, a.Name, opt)
			}))
	}
	return append(list, newMethod(realtime.Partitions, solver.Algorithm{Name: "skewtune",
		Summary: "hash; whenever a reducer idles, splits the rest of the reducer that is expected to " +
			"finish last",
		Params: estimated}, needsSplits, solveSkewtune))
}

// needsSketch says why no algorithm can choose a row of a sketch.
func needsSketch(r *run) string {
	if r.sketchRows() == 0 {
		return "no job has a sketch: they are made of the table keys, with --sketch-delta above 0"
	}
	return ""
}

// needsSplits says why there is no skewtune.
func needsSplits(r *run) string {
	if !r.in.Resplit.Known {
		return "splits partitions: --resplit-cost says at what cost"
	}
	return ""
}

// needsWhole says why there is no exact.
func needsWhole(r *run) string {
	if r.goal.serial && r.in.Resplit.Known {
		return "looks at whole partitions only, and --resplit-cost allows to split them"
	}
	return ""
}
