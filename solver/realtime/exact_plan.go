package realtime

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

const (
	// exactPlanNodes is the number of nodes of the search trees per iteration.
	exactPlanNodes = 1000
	// exactPlanSize is the largest number of slots, and of tasks of the jobs that shall be on time, for a search.
	exactPlanSize = 64
	// exactPlanShare is the share of the remaining time limit that best may use.
	exactPlanShare = 0.5
	// phaseProof is the phase of the proof.
	phaseProof = "proof"
)

// exactPlan proves how few jobs can be late. It starts with the schedule of best and asks whether one more job can be
// on time. For that it searches every set of this many jobs (planProof); the other jobs come after them. If no set of a
// size can be on time, no larger set can. If partitions may be split, only the bound can prove optimality.
//
// Complexity: exponential; some 24 tasks on four slots take milliseconds. With more than exactPlanSize tasks or slots,
// or too many nodes, only the bound can prove optimality. Ties: the schedule of best, if no other has fewer misses.
// Source: mrsched.
func exactPlan(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	bound := r.lateBound()
	out, missed, err := r.plan(ctx, opt, bound, exactPlanShare)
	if err != nil {
		return nil, err
	}
	if out.Status = model.StatusOptimal; missed <= bound {
		return out, nil
	}
	ctx, end := opt.Phase(ctx, phaseProof, 1)
	defer end()
	x, err := newPlanSubsets(r.in, exactPlanNodes*min(opt.Iterations, 1<<40))
	if err != nil {
		return nil, err
	}
	x.opt = opt
	complete := false
	for missed > bound {
		entries, done := x.find(ctx, missed-1)
		if complete = done && entries == nil; entries == nil {
			break
		}
		out.Schedule = behind(r.in, entries)
		missed = r.in.Ends(out.Schedule).Missed
		r.tellCost(opt, out.Schedule, phaseProof)
	}
	facts := out.Facts.(Facts)
	facts.Nodes = &x.nodes
	out.Facts = facts
	if out.Status = model.StatusLimit; complete || missed <= bound {
		out.Status = model.StatusOptimal
	}
	out.Why = x.why
	return out, nil
}

// optimalPlan says whether a search of at most so many nodes shows that no schedule has fewer misses.
func optimalPlan(ctx context.Context, r *run, s *model.Schedule, nodes int) (bool, error) {
	missed := r.in.Ends(s).Missed
	if missed == 0 {
		return true, nil
	}
	x, err := newPlanSubsets(r.in, nodes)
	if err != nil {
		return false, err
	}
	entries, complete := x.find(ctx, missed-1)
	if !complete && entries == nil {
		return false, ctx.Err()
	}
	return entries == nil, nil
}

// planSubsets enumerates the sets of jobs that could be on time.
type planSubsets struct {
	in    *realtime.Instance
	sure  int
	jobs  []int32                     // that have a deadline and are not sure to miss it, by due date
	tail  func(task int32) model.Time // latest end of one of their tasks
	ready [2][]model.Time             // by kind, by job: the earliest start
	nodes int                         // searched
	why   string                      // there is no search; see solver.Outcome
	limit int                         // of nodes
	opt   solver.Options
}

func newPlanSubsets(in *realtime.Instance, limit int) (*planSubsets, error) {
	l, err := in.Lateness(nil)
	if err != nil {
		return nil, err
	}
	x := &planSubsets{in: in, sure: l.SureMisses(), limit: limit, ready: l.Head, tail: l.Latest}
	for j := range int32(in.Jobs) {
		if in.Due[j] != realtime.NoDeadline && !l.Sure[j] {
			x.jobs = append(x.jobs, j)
		}
	}
	sortBy(x.jobs, func(j int32) model.Time { return in.Due[j] })
	return x, nil
}

// find looks for a schedule with at most this many late jobs. If it finds none, complete says that there is none.
func (x *planSubsets) find(ctx context.Context, missed int) (entries []model.Entry, complete bool) {
	n := len(x.jobs) - (missed - x.sure)
	if n > len(x.jobs) {
		return nil, true
	}
	switch {
	case x.in.Resplit.Known:
		x.why = "no search: it looks at whole partitions only, and --resplit-cost allows to split them"
	case x.in.Slots > exactPlanSize:
		x.why = fmt.Sprintf("no search: there are %d slots, and it takes %d at most", x.in.Slots, exactPlanSize)
	}
	if x.why != "" {
		return nil, false
	}
	pick := numbers(0, int32(n))
	for {
		jobs, tasks := make([]int32, n), 0
		for k, i := range pick {
			j := x.jobs[i]
			jobs[k] = j
			tasks += int(x.in.FirstMap[j+1] - x.in.FirstMap[j])
			for _, s := range x.in.SetsOf(j) {
				tasks += int(s.Count)
			}
		}
		if tasks > exactPlanSize {
			x.why = fmt.Sprintf("no search: jobs that may be on time have %d tasks, and it takes %d at most", tasks,
				exactPlanSize)
			return nil, false
		}
		p := newPlanProof(x, jobs)
		if complete := p.search(ctx); p.found != nil || !complete {
			return p.found, complete
		}
		k := n - 1 // the next set of n
		for k >= 0 && int(pick[k]) == len(x.jobs)-n+k {
			k--
		}
		if k < 0 {
			return nil, true
		}
		pick[k]++
		for i := k + 1; i < n; i++ {
			pick[i] = pick[i-1] + 1
		}
	}
}

// behind adds the jobs that are missing from entries, by due date, where there is room.
func behind(in *realtime.Instance, entries []model.Entry) *model.Schedule {
	p := newPlanner(in)
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b model.Entry) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	seen := make([]bool, in.Jobs)
	for _, e := range entries {
		p.slots.insert(e.Machine, e.Start, e.End)
		seen[in.JobOf(int32(e.Task))] = true
	}
	rest := slices.DeleteFunc(numbers(0, int32(in.Jobs)), func(j int32) bool { return seen[j] })
	var own planned
	for _, j := range sortBy(rest, func(j int32) model.Time { return in.Due[j] }) {
		p.place(j, &own)
		entries = append(entries, own.entries...)
	}
	return &model.Schedule{Entries: byTask(entries)}
}
