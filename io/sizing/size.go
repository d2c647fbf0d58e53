package sizing

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"time"

	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

// Options are the settings of one call.
type Options struct {
	Problem   engine.Problem
	Workload  *model.Workload
	Params    solver.Params
	Algorithm solver.Algorithm

	Sizes  []int    // in ascending order, at least 1
	Copied []string // named resources that nodes that join have, too
	// Deadline is when the last task must have ended; with a deadline, only the sizes that decide are solved.
	Deadline model.Optional[model.Time]

	Threads, Iterations int
	Seed                uint64
	TimeLimit           time.Duration // of all sizes together; the first is always solved; 0: none
	// Follow shows how one solve goes, until end is called.
	Follow func(machines int, limit time.Duration, watch *solver.Watch) (end func())
}

// objectiveParam names what a schedule costs.
const objectiveParam = "objective"

// Verdict is what is known about a size and the deadline.
type Verdict string

// The verdicts.
const (
	Reached    Verdict = "reached"    // a schedule meets the deadline
	Impossible Verdict = "impossible" // no schedule meets it
	Open       Verdict = "open"
)

// Row is one size that was solved.
type Row struct {
	Machines int
	Verdict  Verdict        // empty without a deadline
	Result   *model.Result  // nil: the instance has no schedule
	Why      *model.Finding // why there is none
	Bound    *big.Rat       // the highest that holds; nil: none
	Method   string         // of Bound
	From     int            // the size whose result proves Bound
	cost     *big.Rat       // of the result, the cheapest for this many machines or fewer; nil: no schedule was found
	bundle   *result.Bundle

	opened   *engine.Opened
	verified *engine.Verified
	limit    time.Duration // of the solve; 0: none
}

// Answer is what is known about all sizes.
type Answer struct {
	Rows  []*Row // by size
	Least int    // the least size that reaches the deadline; 0: none of them
	Most  int    // the largest that is proven too small; 0: none of them
}

type search struct {
	Options
	ctx   context.Context
	rows  map[int]*Row
	until time.Time // when the time limit ends
	left  int       // the number of solves that share the time
}

// Find solves the sizes of the range, or those that decide. If ctx ends, the answer contains what is known by then.
func Find(ctx context.Context, o Options) (*Answer, error) {
	s := &search{Options: o, ctx: ctx, rows: map[int]*Row{}, until: time.Now().Add(o.TimeLimit), left: len(o.Sizes)}
	a := &Answer{}
	var err error
	if !o.Deadline.Known {
		for k, size := range o.Sizes {
			if ctx.Err() != nil || k > 0 && s.late() {
				break
			}
			if err := s.solve(size); err != nil {
				return nil, err
			}
		}
		a.Rows, err = s.judged()
		return a, err
	}
	s.left = min(s.left, 2*bits(s.left)+2)
	most, end := -1, len(o.Sizes)
	for least := end + 1; s.least() < least; { // a size that was to be excluded may reach the deadline
		if _, least, err = s.between(end, func(r *Row) bool { return r.Verdict == Reached }); err != nil {
			return nil, err
		}
		if most, _, err = s.between(least, func(r *Row) bool { return r.Verdict != Impossible }); err != nil {
			return nil, err
		}
	}
	if most >= 0 {
		a.Most = o.Sizes[most]
	}
	if least := s.least(); least < end {
		a.Least = o.Sizes[least]
	}
	a.Rows, err = s.judged()
	return a, err
}

// least is the place of the least known size that reaches the deadline, that after the last if there is none.
func (s *search) least() int {
	for k, size := range s.Sizes {
		if r := s.rows[size]; r != nil && r.Verdict == Reached {
			return k
		}
	}
	return len(s.Sizes)
}

// late says that the time limit is over.
func (s *search) late() bool { return s.TimeLimit > 0 && time.Now().After(s.until) }

// bits is the number of halvings of n.
func bits(n int) (k int) {
	for ; n > 1; n = (n + 1) / 2 {
		k++
	}
	return k
}

// between finds, before some place, that of the largest size for which a condition does not hold, −1 if there is none,
// and that of the least for which it holds, the end if there is none; it holds for all sizes above one for which it
// holds. Sizes are left between the two only if ctx ends.
func (s *search) between(end int, holds func(r *Row) bool) (no, yes int, err error) {
	no, yes = -1, end
	for k := range end { // what is known
		if r := s.rows[s.Sizes[k]]; r != nil && holds(r) {
			yes = k
			break
		}
	}
	for k := range yes {
		if r := s.rows[s.Sizes[k]]; r != nil {
			no = k
		}
	}
	for yes-no > 1 && s.ctx.Err() == nil {
		k := (no + yes) / 2
		if err := s.solve(s.Sizes[k]); err != nil {
			return 0, 0, err
		}
		if _, err := s.judged(); err != nil {
			return 0, 0, err
		}
		if holds(s.rows[s.Sizes[k]]) {
			yes = k
		} else {
			no = k
		}
	}
	return no, yes, nil
}

// sizes are those that were solved, in ascending order.
func (s *search) sizes() (list []int) {
	for k := range s.rows {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

// judged carries schedules to larger sizes and bounds to smaller ones, and compares them with the deadline.
func (s *search) judged() (rows []*Row, err error) {
	for i, k := range s.sizes() {
		rows = append(rows, s.rows[k])
		if i > 0 {
			if err := s.carry(rows[i-1], rows[i]); err != nil {
				return nil, err
			}
		}
	}
	var above *Row
	none := 0 // the largest size without a schedule
	for _, r := range slices.Backward(rows) {
		if above != nil && above.Bound != nil && (r.Bound == nil || above.Bound.Cmp(r.Bound) > 0) {
			r.Bound, r.Method, r.From = above.Bound, above.Method, above.From
		}
		above = r
		if r.Why != nil {
			none = max(none, r.Machines)
		}
		if !s.Deadline.Known {
			continue
		}
		due := s.due()
		switch {
		case r.Machines <= none || r.Bound != nil && r.Bound.Cmp(due) > 0:
			r.Verdict = Impossible
		case r.cost != nil && r.cost.Cmp(due) <= 0:
			r.Verdict = Reached
		default:
			r.Verdict = Open
		}
	}
	return rows, nil
}

// due is the deadline as a cost.
func (s *search) due() *big.Rat { return big.NewRat(int64(s.Deadline.Value), int64(model.Second)) }

// carry gives a row the schedule of a smaller size if that costs less. A size without an instance gets none.
func (s *search) carry(from, to *Row) error {
	if from.cost == nil || to.opened == nil || to.cost != nil && to.cost.Cmp(from.cost) <= 0 {
		return nil
	}
	v, err := s.carried(to.opened, to.verified, from)
	if err != nil {
		return err
	}
	return s.settle(to, v)
}

// open reads the instance with this many nodes.
func (s *search) open(nodes int) (*engine.Opened, error) {
	w, err := s.Workload.Resize(nodes, s.Copied)
	if err != nil {
		return nil, err
	}
	return engine.Open(s.Problem, w, s.Params)
}

// solve makes the row of a size: the algorithm's schedule, or that of the next smaller size if it costs less.
func (s *search) solve(machines int) error {
	r := &Row{Machines: machines}
	o, err := s.open(machines)
	if input, ok := errors.AsType[*model.InputError](err); ok && tooFew(input) {
		r.Why = &input.Findings[0]
		r.Why.More += len(input.Findings) - 1 + input.More
		s.rows[machines], s.left = r, max(1, s.left-1)
		return nil
	}
	if err != nil {
		return err
	}
	r.opened = o
	var v *engine.Verified
	if v, r.limit, err = s.run(o, machines); err != nil {
		return err
	}
	if smaller := s.below(machines); smaller != nil {
		if v, err = s.carried(o, v, smaller); err != nil {
			return err
		}
	}
	s.rows[machines] = r
	return s.settle(r, v)
}

// settle makes the result of a row of its best schedule and the strongest bound.
func (s *search) settle(r *Row, v *engine.Verified) (err error) {
	o, proof := r.opened, engine.Strongest(v)
	r.bundle, err = o.Settle(&model.Result{Instance: model.InstanceSummary{SHA256: workload.Digest(o.W)},
		Parameters: s.limits(r.limit).Stated(o, v.Algorithm), Seed: s.Seed}, v, proof)
	if err != nil {
		return err
	}
	r.Result, r.cost, r.verified = r.bundle.Result, o.Cost(v), v
	if proof != nil && (r.Bound == nil || r.Bound.Cmp(proof.Certified.Value) < 0) {
		r.Bound, r.Method, r.From = proof.Certified.Value, proof.Certified.Method, r.Machines
	}
	if r.Result.Status == model.StatusOptimal { // by a search that check repeats
		r.Bound, r.From = r.cost, r.Machines
		if proof == nil || proof.Certified.Value.Cmp(r.cost) != 0 {
			r.Method = v.Algorithm.Name
		}
	}
	return nil
}

// tooFew reports whether an instance has no schedule because some task fits no node, or a row needs a removed one.
func tooFew(e *model.InputError) bool {
	return !slices.ContainsFunc(e.Findings, func(f model.Finding) bool {
		return f.Code != model.CodeNoRoom && f.Code != model.CodeNodeNeeded
	})
}

// run solves and verifies one size. The time that is left is divided among the solves that may follow.
func (s *search) run(o *engine.Opened, machines int) (*engine.Verified, time.Duration, error) {
	limit := time.Duration(0)
	if s.TimeLimit > 0 {
		limit = max(time.Until(s.until)/time.Duration(s.left), time.Millisecond)
	}
	s.left = max(1, s.left-1)
	limits := s.limits(limit)
	ctx, cancel := limits.Within(s.ctx)
	defer cancel()
	defer s.Follow(machines, limit, limits.Watch)()
	v, err := o.Solve(ctx, s.Algorithm, limits.Options)
	return v, limit, err
}

func (s *search) limits(limit time.Duration) engine.Limits {
	return engine.Limits{Options: solver.Options{Iterations: s.Iterations, Seed: s.Seed, Threads: s.Threads,
		Watch: &solver.Watch{}}, Time: limit}
}

// below is the row of the largest smaller size that has a schedule; nil: there is none.
func (s *search) below(machines int) (r *Row) {
	for _, k := range s.sizes() {
		if k < machines && s.rows[k].cost != nil {
			r = s.rows[k]
		}
	}
	return r
}

// carried is the smaller size's schedule with the bounds of v, if it costs less.
func (s *search) carried(o *engine.Opened, v *engine.Verified, smaller *Row) (*engine.Verified, error) {
	view := o.Run.View()
	schedule := s.Problem.Carried(view, smaller.verified.Schedule)
	if own := o.Cost(v); own != nil && own.Cmp(view.Evaluate(schedule).Total()) <= 0 {
		return v, nil
	}
	return o.Verify(v.Algorithm, &solver.Outcome{Schedule: schedule, Status: v.Status, Bounds: v.Bounds})
}
