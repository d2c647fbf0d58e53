package realtime

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// Conflict finds a small set of jobs of which at least one is late in every schedule, for goal deadlines. It is nil if
// the bound proves no such set.
//
// A job that is late whatever else runs is a conflict by itself. Otherwise it takes the jobs of the bound's smallest
// window and leaves out jobs as long as the bound of the others, computed again, still proves that one must be late.
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
	jobs, err := r.windowJobs(ctx)
	if err != nil || jobs == nil {
		return nil, err
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

// reduce leaves out jobs, those with the least work first, as long as it is proven that one of the rest must be late.
// minimal: none can be left out.
func (p *prover) reduce(ctx context.Context, jobs []int32) (kept []int32, minimal bool, err error) {
	most := func(j int32) (work int64) { // about
		for k := range p.l.Work {
			work = max(work, p.l.Work[k][j])
		}
		return work
	}
	return smallest(ctx, sortBy(slices.Clone(jobs), most), func(list []int32) (bool, error) {
		proof, err := p.proof(ctx, list)
		return proof != "", err
	})
}

// maxProofs bounds how often smallest asks for a proof.
const maxProofs = 300

// smallest leaves out members of a conflict, in their order, as long as what is left is proven to conflict: several at
// a time first, then one by one. is says that none of those kept can be left out.
//
// Source: the deletion filter of Chinneck and Dravnieks, ORSA J. on Computing 1991.
func smallest(ctx context.Context, members []int32, proven func(list []int32) (bool, error)) (kept []int32, is bool,
	err error) {
	kept = slices.Clone(members)
	proofs := 0
	for size := max(1, len(kept)/2); ; size = max(1, size/2) {
		for i := 0; i < len(kept); {
			if proofs++; proofs > maxProofs || ctx.Err() != nil {
				return kept, false, nil
			}
			rest := slices.Delete(slices.Clone(kept), i, min(i+size, len(kept)))
			ok, err := proven(rest)
			if err != nil {
				return nil, false, err
			}
			if ok {
				kept = rest
			} else {
				i += size
			}
		}
		if size == 1 {
			return kept, true, nil
		}
	}
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
		w, kind := realtime.Window{From: from, Until: until, Price: k}, p.prices[k].TaskKind()
		inside := slices.DeleteFunc(slices.Clone(jobs), func(j int32) bool { return !p.l.Has[kind][j] })
		if p.l.Misses(w, inside) > 0 {
			return told(in, p.l, p.prices, w, inside), nil
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

// overload is the first group of a window's jobs that cannot all be on time.
type overload struct {
	price      *realtime.Price
	jobs       []int32
	work, room int64
	from, to   model.Time
	dearest    int32 // worker
}

// findOverload takes the jobs of a window by due date until they need more than there is room for; if that never
// happens, it takes all.
func findOverload(in *realtime.Instance, l *realtime.Lateness, prices []realtime.Price, w realtime.Window,
	jobs []int32) *overload {
	o := &overload{price: &prices[w.Price]}
	for k, y := range o.price.Worker {
		if y > o.price.Worker[o.dearest] {
			o.dearest = int32(k)
		}
	}
	kind := o.price.TaskKind()
	order := sortBy(slices.Clone(jobs), func(j int32) model.Time { return l.End[kind][j] })
	o.from = realtime.NoDeadline
	for _, j := range order {
		o.from = min(o.from, l.Head[kind][j])
	}
	for n, j := range order {
		o.work += l.Work[w.Price][j]
		o.to = l.End[kind][j]
		o.jobs, o.room = order[:n+1], l.Room(w.Price, o.to-o.from)
		if o.work > o.room {
			break
		}
	}
	return o
}

// seconds are work in seconds of a slot of the most expensive worker, rounded down.
func (o *overload) seconds(work int64) model.Number {
	v := new(big.Rat).SetInt64(work)
	v.Mul(v, new(big.Rat).SetFrac64(o.price.Unit, max(1, o.price.Worker[o.dearest])))
	return model.LowerNumber(v.Mul(v, big.NewRat(1, int64(model.Second))))
}

func (o *overload) worker(in *realtime.Instance) string { return in.WorkerName(o.dearest) }

func (o *overload) kinds() string {
	if o.price.TaskKind() == model.Map {
		return "maps"
	}
	return "partitions"
}

// text says in one line what does not fit. If the unit of the prices is above the prices, work and room are whole
// multiples of a piece.
func (o *overload) text() string {
	text := fmt.Sprintf("from %s to %s the %s of %s need %s s of such a slot, and all slots together have", o.from, o.to,
		o.kinds(), model.Counted(len(o.jobs), "job"), o.seconds(o.work))
	if o.price.Unit > o.price.Worker[o.dearest] {
		return fmt.Sprintf("%s room for %s, in whole pieces of %s s", text, o.seconds(o.room), o.seconds(1))
	}
	return fmt.Sprintf("%s %s", text, o.seconds(o.room))
}

// alone says why a job is late in every schedule.
func alone(in *realtime.Instance, l *realtime.Lateness, j int32) string {
	head, due := l.Head[model.Reduce][j], in.Due[j]
	switch {
	case !l.Has[model.Reduce][j]:
		return fmt.Sprintf("its maps cannot all end by %s, when it is due", due)
	case head+l.Tail(j) <= due:
		return fmt.Sprintf("a partition is released too late to end by %s, when it is due", due)
	case l.Has[model.Map][j]:
		return fmt.Sprintf("its partitions start at %s at the earliest and take %s at least; it is due at %s", head,
			l.Tail(j), due)
	}
	return fmt.Sprintf("its partitions start at %s at the earliest and take longer than until %s, when it is due", head,
		due)
}
