package realtime

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

const (
	// conflictStarts bounds the releases and due dates at which windows of a small conflict may begin.
	conflictStarts = 64
	// conflictProofs bounds how often the bound is computed again to make a conflict minimal.
	conflictProofs = 300
)

// Conflict finds a small set of jobs of which at least one is late in every schedule, for goal deadlines. It is nil if
// the bound proves no such set.
//
// A job that is late whatever else runs is a conflict by itself. Otherwise, for every price vector of the bound and
// many windows, it takes the jobs with the most work until they need more than there is room for, and keeps the
// smallest such set. Then it leaves out one job after another, the one with the least work first, as long as the bound
// of the others, computed again, still proves that a job must be late: the deletion filter of Chinneck and Dravnieks,
// ORSA J. on Computing 1991.
func (r *run) Conflict(ctx context.Context) (*model.Conflict, error) {
	if r.goal.serial {
		return nil, nil
	}
	prices, err := latePrices(ctx, r.in)
	if err != nil {
		return nil, err
	}
	l, err := r.in.Lateness(prices)
	if err != nil {
		return nil, err
	}
	if j := slices.Index(l.Sure, true); j >= 0 {
		proof := alone(r.in, l, int32(j))
		if n := l.SureMisses(); n > 1 {
			proof += fmt.Sprintf("; so it is with %d more %s", n-1, model.Plural(n-1, "job"))
		}
		return r.conflict([]int32{int32(j)}, true, proof), nil
	}
	jobs := newLateSearch(r.in, l, prices, math.MaxInt).conflict(ctx)
	if jobs == nil {
		if jobs, err = r.windowJobs(ctx); err != nil || jobs == nil {
			return nil, err
		}
	}
	p := prover{r: r, prices: prices, l: l}
	jobs, minimal, err := p.reduce(ctx, jobs)
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return nil, err
	}
	proof, err := p.proof(ctx, jobs)
	if err != nil || proof == "" {
		return nil, err
	}
	return r.conflict(jobs, minimal, proof), nil
}

// deadlineConflict is Conflict, and whether the goal is that jobs meet deadlines which they have.
func (r *run) deadlineConflict(ctx context.Context) (c *model.Conflict, dated bool, err error) {
	c, err = r.Conflict(ctx)
	return c, !r.goal.serial && slices.Min(r.in.Due) < realtime.NoDeadline, err
}

// conflict describes jobs that conflict, by due date.
func (r *run) conflict(jobs []int32, minimal bool, proof string) *model.Conflict {
	in := r.in
	jobs = slices.Sorted(slices.Values(jobs))
	sortBy(jobs, func(j int32) model.Time { return in.Due[j] })
	id := func(j int32) string { return in.Workload().Jobs[j].ID }
	c := &model.Conflict{What: fmt.Sprintf("of these %d jobs at least one is late in every schedule", len(jobs)),
		Minimal: minimal, Proof: proof}
	if len(jobs) == 1 {
		c.What = fmt.Sprintf("job %s is late in every schedule", id(jobs[0]))
	}
	for _, j := range jobs {
		c.Members = append(c.Members, model.Demand{Kind: "deadline", ID: id(j),
			Text: fmt.Sprintf("job %s arrives at %s and is due at %s", id(j), in.Release[j], in.Due[j])})
	}
	return c
}

// conflict looks for a small set of jobs that do not fit into a window. It tries windows from a release on, with rising
// due dates, and windows back from a due date.
func (s *lateSearch) conflict(ctx context.Context) (smallest []int32) {
	n := len(s.jobs) + 1
	many := max(4, min(conflictStarts, lateSteps/n/n/(len(s.prices)+1)))
	for k := range s.prices {
		for _, a := range thinned(s.start, many) {
			if ctx.Err() != nil {
				return smallest
			}
			pass := s.pass(k, false, s.jobs, func(j int32) bool { return s.in.Release[j] >= a })
			smallest = s.fewest(k, s.jobs, pass, smallest)
		}
		for _, n := range thinned(s.ends, many) {
			if ctx.Err() != nil {
				return smallest
			}
			last := s.in.Due[s.jobs[n-1]]
			pass := s.pass(k, true, s.back, func(j int32) bool { return s.in.Due[j] <= last })
			smallest = s.fewest(k, s.back, pass, smallest)
		}
	}
	return smallest
}

// fewest finds after each job of a pass how few of the jobs so far, those with the most work, need more than the room,
// if they are fewer than known. With fewer jobs the room is no larger, so these alone do not fit either.
func (s *lateSearch) fewest(k int, order []int32, pass iter.Seq2[int, int64], known []int32) []int32 {
	work := func(j int32) int64 { return s.l.Work[k][j] }
	var taken []int32 // the most work first; no more than useful
	all := int64(0)
	for i, room := range pass {
		j := order[i]
		all += work(j)
		at, _ := slices.BinarySearchFunc(taken, work(j), func(i int32, w int64) int { return cmp.Compare(w, work(i)) })
		if taken = slices.Insert(taken, at, j); known != nil {
			taken = taken[:min(len(taken), len(known)-1)]
		}
		sum := int64(0)
		for m := 0; all > room && m < len(taken); m++ {
			if sum += work(taken[m]); sum > room {
				known = slices.Clone(taken[:m+1])
				break
			}
		}
	}
	return known
}

// windowJobs are the jobs of the smallest window of the bound; nil: there is none.
func (r *run) windowJobs(ctx context.Context) ([]int32, error) {
	if err := r.prove(ctx, solver.Options{Threads: 1}, 1); err != nil {
		return nil, err
	}
	late := r.bounds[0].Certificate.(*realtime.Certificate).Late
	l, err := r.in.Lateness(late.Prices)
	if err != nil {
		return nil, err
	}
	var fewest []int32
	for _, w := range late.Windows {
		if jobs := l.Inside(w); fewest == nil || len(jobs) < len(fewest) {
			fewest = jobs
		}
	}
	return fewest, nil
}

// prover proves that at least one of some jobs must be late, by the prices of the whole instance or by a bound for
// these jobs only.
type prover struct {
	r      *run
	prices []realtime.Price
	l      *realtime.Lateness
}

// reduce leaves out jobs as long as it is proven that one of the rest must be late. minimal: none can be left out.
func (p *prover) reduce(ctx context.Context, jobs []int32) (kept []int32, minimal bool, err error) {
	most := func(j int32) (work int64) { // about
		for k := range p.l.Work {
			work = max(work, p.l.Work[k][j])
		}
		return work
	}
	kept = sortBy(slices.Clone(jobs), most)
	proofs := 0
	for i := 0; i < len(kept); {
		if proofs++; proofs > conflictProofs || ctx.Err() != nil {
			return kept, false, nil
		}
		rest := slices.Delete(slices.Clone(kept), i, i+1)
		proof, err := p.proof(ctx, rest)
		if err != nil {
			return nil, false, err
		}
		if proof != "" {
			kept = rest
		} else {
			i++
		}
	}
	return kept, true, nil
}

// proof says in one line why one of some jobs must be late; empty: nothing is known.
func (p *prover) proof(ctx context.Context, jobs []int32) (string, error) {
	if len(jobs) == 0 {
		return "", nil
	}
	in := p.r.only(jobs)
	from, until := realtime.NoDeadline, model.Time(0)
	for _, j := range jobs {
		from, until = min(from, in.Release[j]), max(until, in.Due[j])
	}
	for k := range p.prices {
		for _, backward := range []bool{false, true} {
			w, kind := realtime.Window{From: from, Until: until, Price: k, Backward: backward}, priceKind(&p.prices[k])
			inside := slices.DeleteFunc(slices.Clone(jobs), func(j int32) bool { return !p.l.Has[kind][j] })
			if p.l.Misses(w, inside) > 0 {
				return told(in, p.l, p.prices, w, inside), nil
			}
		}
	}
	c, err := findLate(ctx, in, solver.Options{})
	if err != nil || c.Value == "0" {
		return "", err
	}
	l, err := in.Lateness(c.Late.Prices)
	if err != nil {
		return "", err
	}
	if j := slices.Index(l.Sure, true); j >= 0 {
		return alone(in, l, int32(j)), nil
	}
	w := c.Late.Windows[0]
	return told(in, l, c.Late.Prices, w, l.Inside(w)), nil
}

// told says why the jobs of a window cannot all be on time.
func told(in *realtime.Instance, l *realtime.Lateness, prices []realtime.Price, w realtime.Window,
	jobs []int32) string {
	o := findOverload(in, l, prices, w, jobs)
	return fmt.Sprintf("counted in seconds of a slot of %s, %s", o.worker(in), o.text())
}

// only is the instance in which just some jobs have a deadline, so that its bound is about these alone.
func (r *run) only(jobs []int32) *realtime.Instance {
	in := *r.in
	in.Due = slices.Repeat([]model.Time{realtime.NoDeadline}, in.Jobs)
	for _, j := range jobs {
		in.Due[j] = r.in.Due[j]
	}
	return &in
}
