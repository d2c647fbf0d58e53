package realtime

import (
	"context"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

const (
	// bestWork is the work on case trees that best does for one iteration (configs.work): the default iterations take some
	// seconds where the gap is hard to close.
	bestWork = 100_000
	// searchLeast is how many moves the search for a job looks at in any case.
	searchLeast = 50_000
)

// bestPartitions knows all true times. It begins with the shortest phase of each job among the schedules of all
// algorithms that construct one. Then it packs each set of each job by greedy lists, by the rounded program, and by
// tabu search; while a bound is below and the set is small enough, case trees close the gap from both sides: what they
// refute raises the bound, what they find lowers the makespan. Where partitions may be split there are no trees; what
// comes of the packing is split again as skewtune does it, by true times.
//
// Guarantee: no more than any algorithm that constructs a schedule, unless a limit stops those.
// Ties: the first set, the first assignment.   Source: mrsched.
func bestPartitions(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	out, _, err := r.pursue(ctx, opt, bestWork)
	return out, err
}

// pursuit is a search for the shortest phases of all jobs.
type pursuit struct {
	*run
	opt  solver.Options
	jobs []*pursued
}

// pursue works on all jobs, with so much work on trees an iteration. The outcome is optimal if the certificate says so.
func (r *run) pursue(ctx context.Context, opt solver.Options, work int64) (*solver.Outcome, []*pursued, error) {
	p := &pursuit{run: r, opt: opt}
	if err := p.begin(ctx); err != nil {
		return nil, nil, err
	}
	proven := p.proves()
	if err := p.improve(ctx, work); err != nil {
		return nil, nil, err
	}
	out := &solver.Outcome{Status: model.StatusFeasible, Schedule: p.schedule()}
	if p.proves() > proven {
		b, err := r.bound(func(k int) []bounded { return p.jobs[k].bounds() })
		if err != nil {
			return nil, nil, err
		}
		out.Bounds = []solver.Bound{*b}
	}
	switch {
	case !slices.ContainsFunc(p.jobs, func(x *pursued) bool { return !x.certified() }):
		out.Status = model.StatusOptimal
	case ctx.Err() != nil:
		out.Status = model.StatusLimit
	}
	return out, p.jobs, nil
}

// proves is what the bounds of all jobs prove.
func (p *pursuit) proves() (sum model.Time) {
	for _, x := range p.jobs {
		sum += leastOf(x.bounds())
	}
	return sum
}

// tell tells who watches how all jobs stand.
func (p *pursuit) tell() {
	if p.opt.Watch == nil {
		return
	}
	sum := model.Time(0)
	for _, x := range p.jobs {
		sum += x.end
	}
	p.opt.Watch.Incumbent(sum.Seconds())
	p.opt.Watch.Bound(p.proves().Seconds())
}

// schedule is that of all jobs' best phases.
func (p *pursuit) schedule() *model.Schedule {
	s := &model.Schedule{}
	now := model.Time(0)
	for _, x := range p.jobs {
		rows := slices.Clone(x.split)
		if rows == nil {
			rows = phases(p.in, []assignment{x.sets[x.of].assignment(x.slot)}).Entries
		}
		s.Entries = append(s.Entries, shifted(rows, now)...)
		now += x.end
	}
	if p.in.Resplit.Known {
		inOrder(s.Entries)
	}
	return s
}

// activeJobs are those with partitions.
func (r *run) activeJobs() []int32 {
	var list []int32
	for j := range int32(r.in.Jobs) {
		if r.in.SetsOf(j)[0].Count > 0 {
			list = append(list, j)
		}
	}
	return list
}

// begin takes for each job the shortest phase among the schedules of all algorithms that construct one, and greedy
// lists.
func (p *pursuit) begin(ctx context.Context) (err error) {
	if p.proven == nil { // nobody asked for the bounds
		if p.proven, err = p.setBounds(ctx, p.opt); err != nil {
			return err
		}
	}
	for _, b := range p.proven {
		x := &pursued{pursuit: p, job: b.job, end: model.MaxTime}
		for k, set := range p.in.SetsOf(b.job) {
			x.sets = append(x.sets, pursuedSet{packed: p.pack(set), bound: b.parts[k], low: b.parts[k].value})
		}
		p.jobs = append(p.jobs, x)
	}
	for _, s := range p.firstSchedules(ctx, p.opt, nil) {
		for k, rows := range phasesOf(p.in, s) {
			p.jobs[k].offer(rows)
		}
	}
	for _, x := range p.jobs {
		for k := range x.sets {
			if k == 0 || ctx.Err() == nil { // the first also after ctx has ended, as it takes no longer than to read the times
				x.take(k, x.sets[k].greedy(bySize))
			}
		}
	}
	return nil
}

// phasesOf are the rows of each job with partitions, from 0 on.
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

// lastEnd is when the last of some rows ends.
func lastEnd(rows []model.Entry) (last model.Time) {
	for _, e := range rows {
		last = max(last, e.End)
	}
	return last
}

// improve searches in rounds, in each of them for one job after another, until all iterations are made, nothing is left
// to be found, or ctx ends.
func (p *pursuit) improve(ctx context.Context, work int64) error {
	ctx, end := p.opt.Phase(ctx, solver.PhaseSearch, 1)
	defer end()
	p.tell()
	done := 0
	for round, n := range rounds(p.opt.Iterations) {
		var open []*pursued
		for _, x := range p.jobs {
			if !x.searched() {
				open = append(open, x)
			}
		}
		trees := work * int64(n)
		for k, x := range open {
			p.opt.Report(done+n/len(open)*k, knownTotal(p.opt.Iterations))
			if ctx.Err() != nil {
				return nil
			}
			own, end := oneOf(ctx, len(open)-k)
			err := x.searchSets(own, p.opt.Seed+uint64(round)<<32, max(searchLeast, n*searchMoves/len(p.jobs)))
			if err == nil {
				trees, err = x.closeGap(own, trees)
			}
			end()
			if err != nil {
				return err
			}
		}
		if done += n; len(open) == 0 {
			break
		}
	}
	return nil
}
