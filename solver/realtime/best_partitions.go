package realtime

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
	"mrsched/solver/search"
	"mrsched/solver/unrelated"
)

const (
	// bestWork is best's work on trees per iteration: the default iterations take seconds where the gap is hard to close.
	bestWork = 100_000
	// movesPerIteration bounds the moves and swaps that one iteration tries for all jobs together: the default iterations
	// take a second. The search for one job tries leastMoves in any case.
	movesPerIteration, leastMoves = 30_000, 30_000
	// exactWork is exact's work on trees per iteration: the default iterations take about a minute at most.
	exactWork = 2_000_000
)

// bestPartitions knows all true times. It begins with the shortest phase of each job among the schedules of all
// algorithms that construct one. Then it searches the assignments of each set of each job by greedy lists, by the
// rounded program, and by tabu search. While a bound is below and the set is small enough, trees close the gap from
// both sides; where partitions may be split there are none.
//
// Guarantee: no more than any algorithm that constructs a schedule, unless a limit stops those.
// Ties: the first set, the first assignment.   Source: mrsched.
func bestPartitions(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	out, _, err := r.searchPhases(ctx, opt, bestWork)
	return out, err
}

// exactPartitions is best with larger trees, which need not leave a proof behind. FoundNodes counts the nodes of the
// trees that refute every makespan below the optimum; optimalPartitions needs as many.
//
// Complexity: exponential, limited by the iterations.   Ties: those of best.   Source: mrsched.
func exactPartitions(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	out, jobs, err := r.searchPhases(ctx, opt, exactWork)
	if err != nil || out.Status == model.StatusOptimal {
		return out, err
	}
	out.Status = model.StatusLimit
	used := 0
	for _, x := range jobs {
		if !x.Done() {
			return out, nil
		}
		n, ok, err := unrelated.Confirm(ctx, r.instances(x.job), x.end(), math.MaxInt)
		if used += n; err != nil || !ok {
			return out, err
		}
	}
	used = max(1, used) // even if no tree has nodes
	out.Status, out.Facts = model.StatusOptimal, Facts{Nodes: &used}
	return out, nil
}

// optimalPartitions says whether a search of at most so many nodes shows that no schedule is shorter.
func optimalPartitions(ctx context.Context, r *run, s *model.Schedule, nodes int) (bool, error) {
	if r.in.Resplit.Known {
		return false, ctx.Err()
	}
	jobs, used := r.activeJobs(), 0
	for k, rows := range phasesOf(r.in, s) {
		n, ok, err := unrelated.Confirm(ctx, r.instances(jobs[k]), lastEnd(rows), nodes-used)
		if used += n; err != nil || !ok {
			return false, cmp.Or(err, ctx.Err())
		}
	}
	return true, nil
}

// phasesSearch looks for the shortest phases of all jobs.
type phasesSearch struct {
	*run
	opt  solver.Options
	jobs []*phaseSearch
}

// phaseSearch looks for the shortest phase of one job.
type phaseSearch struct {
	*unrelated.Search
	*phasesSearch
	job      int32
	splitEnd model.Time    // of split
	split    []model.Entry // the best phase, from 0 on, that splits partitions; nil: whole ones are better
}

func (x *phaseSearch) end() model.Time {
	_, _, cost := x.Best()
	return min(cost, x.splitEnd)
}

// rows are the entries of the best phase, which begins at 0.
func (x *phaseSearch) rows() []model.Entry {
	if _, _, cost := x.Best(); x.splitEnd <= cost {
		return slices.Clone(x.split)
	}
	return phases(x.in, []assignment{x.whole()}).Entries
}

// whole is the best assignment without split partitions.
func (x *phaseSearch) whole() assignment {
	of, a, _ := x.Best()
	return x.phase(x.in.SetsOf(x.job)[of]).assignment(a)
}

// certified says whether bounds prove that nothing is shorter.
func (x *phaseSearch) certified() bool { return leastOf(x.Bounds()) >= x.end() }

// searchPhases searches for all jobs; work is that on trees per iteration. The outcome is optimal if the certificate
// proves it.
func (r *run) searchPhases(ctx context.Context, opt solver.Options, work int64) (*solver.Outcome, []*phaseSearch,
	error) {
	p := &phasesSearch{run: r, opt: opt}
	if err := p.begin(ctx); err != nil {
		return nil, nil, err
	}
	proven := p.proves()
	if err := p.improve(ctx, work); err != nil {
		return nil, nil, err
	}
	out := &solver.Outcome{Status: model.StatusFeasible, Schedule: p.schedule()}
	if p.proves() > proven {
		b, err := r.bound(func(k int) []unrelated.Bound { return p.jobs[k].Bounds() })
		if err != nil {
			return nil, nil, err
		}
		out.Bounds = []solver.Bound{*b}
	}
	switch {
	case !slices.ContainsFunc(p.jobs, func(x *phaseSearch) bool { return !x.certified() }):
		out.Status = model.StatusOptimal
	case ctx.Err() != nil:
		out.Status = model.StatusLimit
	}
	return out, p.jobs, nil
}

// proves is what the bounds of all jobs prove.
func (p *phasesSearch) proves() (sum model.Time) {
	for _, x := range p.jobs {
		sum += leastOf(x.Bounds())
	}
	return sum
}

// tell reports the makespan and the bound of all jobs together.
func (p *phasesSearch) tell() {
	if p.opt.Watch == nil {
		return
	}
	sum := model.Time(0)
	for _, x := range p.jobs {
		sum += x.end()
	}
	p.opt.Watch.Incumbent(sum.Seconds(), "")
	p.opt.Watch.Bound(p.proves().Seconds(), "")
}

// schedule runs all jobs' best phases one after another.
func (p *phasesSearch) schedule() *model.Schedule {
	s, now := &model.Schedule{}, model.Time(0)
	for _, x := range p.jobs {
		s.Entries = append(s.Entries, shifted(x.rows(), now)...)
		now += x.end()
	}
	if p.in.Resplit.Known {
		byTask(s.Entries)
	}
	return s
}

// begin takes for each job the shortest phase among greedy lists and the schedules of all constructive algorithms.
func (p *phasesSearch) begin(ctx context.Context) (err error) {
	if p.proven == nil { // bounds were not requested
		if p.proven, err = p.setBounds(ctx, p.opt); err != nil {
			return err
		}
	}
	for _, b := range p.proven {
		p.jobs = append(p.jobs, &phaseSearch{phasesSearch: p, job: b.job, splitEnd: model.MaxTime,
			Search: unrelated.NewSearch(p.instances(b.job), b.parts, p.tell)})
	}
	made, err := p.firstSchedules(ctx, p.opt, nil)
	if err != nil {
		return err
	}
	for _, s := range made {
		for k, rows := range phasesOf(p.in, s) {
			p.jobs[k].offer(rows)
		}
	}
	for _, x := range p.jobs {
		x.Start(ctx)
	}
	return nil
}

func (x *phaseSearch) offer(rows []model.Entry) {
	set := x.in.SetOf(int32(rows[0].Task))
	if len(rows) == int(set.Count) {
		x.Offer(int(set.Row), x.phase(set).machines(rows))
	} else {
		x.offerSplit(rows, lastEnd(rows))
	}
}

// offerSplit takes a phase that splits partitions if it is better.
func (x *phaseSearch) offerSplit(rows []model.Entry, end model.Time) bool {
	if end >= x.end() {
		return false
	}
	x.split, x.splitEnd = rows, end
	x.Cutoff(end)
	return true
}

// improve searches in rounds, in each for one job after another, until the iterations are used up, every job is proven
// optimal, or ctx ends.
func (p *phasesSearch) improve(ctx context.Context, work int64) error {
	ctx, end := p.opt.Phase(ctx, solver.PhaseSearch, 1)
	defer end()
	p.tell()
	done := 0
	for round, n := range search.Doubling(p.opt.Iterations) {
		open := slices.DeleteFunc(slices.Clone(p.jobs), func(x *phaseSearch) bool { return x.Done() })
		trees := work * int64(n)
		for k, x := range open {
			p.opt.Report(done+n/len(open)*k, search.Known(p.opt.Iterations))
			if ctx.Err() != nil {
				return nil
			}
			own, end := oneOf(ctx, len(open)-k)
			seed, moves := p.opt.Seed+uint64(round)<<32, max(leastMoves, n*movesPerIteration/len(p.jobs))
			var err error
			trees, err = x.Round(own, seed, moves, trees)
			if end(); err != nil {
				return err
			}
		}
		if done += n; len(open) == 0 {
			return nil
		}
	}
	p.opt.Watch.UsedUp()
	return nil
}

// phasesOf are the entries of each job with partitions, shifted to begin at 0.
func phasesOf(in *realtime.Instance, s *model.Schedule) (list [][]model.Entry) {
	of := make([][]model.Entry, in.Jobs)
	for _, e := range s.Entries {
		j := in.JobOf(int32(e.Task))
		of[j] = append(of[j], e)
	}
	begin := model.Time(0)
	for _, rows := range of {
		if rows == nil {
			continue
		}
		next := lastEnd(rows)
		list, begin = append(list, shifted(rows, -begin)), next
	}
	return list
}

func lastEnd(rows []model.Entry) (last model.Time) {
	for _, e := range rows {
		last = max(last, e.End)
	}
	return last
}

// shifted moves rows in time.
func shifted(rows []model.Entry, by model.Time) []model.Entry {
	for i := range rows {
		rows[i].Start += by
		rows[i].End += by
	}
	return rows
}

// reducersOf are the slots of an assignment and, if the job has more reducers, as many of the first other ones.
func reducersOf(in *realtime.Instance, a assignment) []int32 {
	used := map[int32]bool{}
	for _, slot := range a.slot {
		used[slot] = true
	}
	left := int(in.Reducers[a.set.Job]) - len(used)
	return slices.DeleteFunc(slices.Clone(in.ReduceSlots), func(slot int32) bool {
		if !used[slot] {
			left--
		}
		return !used[slot] && left < 0
	})
}
