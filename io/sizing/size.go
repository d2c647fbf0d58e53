// Package sizing asks how many machines a workload needs: it solves an instance with several numbers of machines.
//
// A schedule for k machines is one for k + 1 that costs no more (see model.Workload.Resize). Hence the optimum never
// rises with the number of machines: every cost that k machines reach, more machines reach too, and every bound for k
// machines also holds for fewer. A size without any schedule, because a task fits no node, excludes all smaller ones.
package sizing

import (
	"cmp"
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

	Low, High int             // the range of sizes, at least 1
	Like      model.NodeIndex // the node that added ones copy; None: all in turn
	// Deadline is when the last task must have ended; with a deadline, only the sizes that decide are solved.
	Deadline model.Optional[model.Time]

	Threads, Iterations int
	Seed                uint64
	TimeLimit           time.Duration // of all sizes together; the first is always solved; 0: none
	// Follow shows how one solve goes, until end is called.
	Follow func(machines int, limit time.Duration, watch *solver.Watch) (end func())
}

// Parameters: machinesParam belongs to problems with identical machines; the others count nodes of the topology.
// objectiveParam names what a schedule costs.
const machinesParam, objectiveParam = "machines", "objective"

// Alike reports whether the problem's machines are identical: then a size is a value of a parameter.
func Alike(p engine.Problem) bool {
	return slices.ContainsFunc(p.Params, func(q solver.Param) bool { return q.Name == machinesParam })
}

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
	Verdict  Verdict         // empty without a deadline
	Result   *model.Result   // nil: the instance has no schedule
	Why      *model.Finding  // why there is none
	Bound    *big.Rat        // the highest that holds; nil: none
	Method   string          // of Bound
	From     int             // the size whose result proves Bound
	cost     *big.Rat        // of the cheapest schedule for this many machines or fewer; nil: none
	schedule *model.Schedule // of the result
	bundle   *result.Bundle
	instance *model.Workload
}

// Answer is what is known about all sizes.
type Answer struct {
	Rows  []*Row // by size
	Least int    // the least size that reaches the deadline; 0: none in the range
	Most  int    // the largest that is proven too small; Low − 1: none
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
	s := &search{Options: o, ctx: ctx, rows: map[int]*Row{}, until: time.Now().Add(o.TimeLimit), left: o.High - o.Low + 1}
	a := &Answer{Most: o.Low - 1}
	if !o.Deadline.Known {
		for k := o.Low; k <= o.High && ctx.Err() == nil && (k == o.Low || !s.late()); k++ {
			if err := s.solve(k); err != nil {
				return nil, err
			}
		}
		a.Rows = s.judged()
		return a, nil
	}
	s.left = min(s.left, 2*bits(s.left)+2)
	_, least, err := s.between(o.Low, o.High, func(r *Row) bool { return r.Verdict == Reached })
	if err != nil {
		return nil, err
	}
	if a.Most, _, err = s.between(o.Low, least-1, func(r *Row) bool { return r.Verdict != Impossible }); err != nil {
		return nil, err
	}
	if a.Rows = s.judged(); least <= o.High {
		a.Least = least
	}
	return a, nil
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

// between finds the largest size of a range for which a condition does not hold, low − 1 if there is none, and the
// least for which it holds, high + 1 if there is none; it holds for all sizes above one for which it holds. Sizes are
// left between the two only if ctx ends.
func (s *search) between(low, high int, holds func(r *Row) bool) (no, yes int, err error) {
	no, yes = low-1, high+1
	for _, k := range s.sizes() { // what is known
		if r := s.rows[k]; k >= low && k <= high && holds(r) {
			yes = min(yes, k)
		}
	}
	for _, k := range s.sizes() {
		if r := s.rows[k]; k < yes && k >= low && !holds(r) {
			no = max(no, k)
		}
	}
	for yes-no > 1 && s.ctx.Err() == nil {
		k := (no + yes) / 2
		if err := s.solve(k); err != nil {
			return 0, 0, err
		}
		s.judged()
		if holds(s.rows[k]) {
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

// judged carries costs to larger sizes and bounds to smaller ones, and compares them with the deadline.
func (s *search) judged() (rows []*Row) {
	for _, k := range s.sizes() {
		rows = append(rows, s.rows[k])
	}
	var cost *big.Rat
	for _, r := range rows {
		if r.cost == nil || cost != nil && cost.Cmp(r.cost) < 0 {
			r.cost = cost
		}
		cost = r.cost
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
		due := big.NewRat(int64(s.Deadline.Value), int64(model.Second))
		switch {
		case r.Machines <= none || r.Bound != nil && r.Bound.Cmp(due) > 0:
			r.Verdict = Impossible
		case r.cost != nil && r.cost.Cmp(due) <= 0:
			r.Verdict = Reached
		default:
			r.Verdict = Open
		}
	}
	return rows
}

// open reads the instance with this many machines.
func (s *search) open(machines int) (*engine.Opened, error) {
	w, params := s.Workload, s.Params
	if Alike(s.Problem) {
		params = solver.Params{}
		for name, v := range s.Params {
			params[name] = v
		}
		params[machinesParam] = int64(machines)
	} else {
		var err error
		if w, err = w.Resize(machines, s.Like); err != nil {
			return nil, err
		}
	}
	return engine.Open(s.Problem, w, params)
}

// solve makes the row of a size: the algorithm's schedule, or that of the next smaller size if it costs less.
func (s *search) solve(machines int) error {
	r := &Row{Machines: machines}
	o, err := s.open(machines)
	if input, ok := errors.AsType[*model.InputError](err); ok && noRoom(input) {
		r.Why = &input.Findings[0]
		s.rows[machines], s.left = r, max(1, s.left-1)
		return nil
	}
	if err != nil {
		return err
	}
	v, limit, err := s.run(o, s.Algorithm, machines)
	if err != nil {
		return err
	}
	if smaller := s.below(machines); smaller != nil {
		if v, err = s.carried(o, v, smaller); err != nil {
			return err
		}
	}
	if v, err = s.decided(o, v, machines); err != nil {
		return err
	}
	parameters := s.Problem.Parameters(v.Algorithm, o.Params, s.Iterations)
	if limit > 0 {
		parameters["time_limit"] = model.Number(model.FormatFixed(limit.Microseconds(), 6))
	}
	proof := engine.Strongest(v)
	r.bundle, err = o.Settle(&model.Result{Instance: model.InstanceSummary{SHA256: workload.Digest(o.W)},
		Parameters: parameters, Seed: s.Seed}, v, proof)
	if err != nil {
		return err
	}
	r.Result, r.schedule, r.cost, r.instance = r.bundle.Result, v.Schedule, o.Cost(v), o.W
	if proof != nil {
		r.Bound, r.Method, r.From = proof.Certified.Value, proof.Certified.Method, machines
	}
	if r.Result.Status == model.StatusOptimal { // by a search that check repeats
		r.Bound, r.Method, r.From = r.cost, cmp.Or(equalMethod(proof, r.cost), v.Algorithm.Name), machines
	}
	s.rows[machines] = r
	return nil
}

// equalMethod is the method of a bound that equals the cost; empty if it does not.
func equalMethod(p *engine.Proof, cost *big.Rat) string {
	if p == nil || p.Certified.Value.Cmp(cost) != 0 {
		return ""
	}
	return p.Certified.Method
}

// exhaustible is how far, as a factor, an instance may exceed the size for which an exhaustive search is meant and
// still be tried: its iterations limit it.
const exhaustible = 2

// decided is v or, if v leaves open whether the deadline can be met, a schedule that an exhaustive search proves
// optimal.
func (s *search) decided(o *engine.Opened, v *engine.Verified, machines int) (*engine.Verified, error) {
	cost, proof := o.Cost(v), engine.Strongest(v)
	due := big.NewRat(int64(s.Deadline.Value), int64(model.Second))
	if !s.Deadline.Known || s.ctx.Err() != nil || cost == nil || cost.Cmp(due) <= 0 ||
		proof != nil && proof.Certified.Value.Cmp(due) > 0 {
		return v, nil
	}
	for _, a := range s.Problem.Algorithms {
		if !a.Exhaustive || a.SizeLimit*exhaustible < o.Run.View().TaskCount() || o.Run.Excludes(a.Name).Why != "" {
			continue
		}
		exact, _, err := s.run(o, a, machines)
		if err != nil || exact.Status == model.StatusOptimal {
			return exact, err
		}
	}
	return v, nil
}

// noRoom reports whether an instance has no schedule because some task fits no node.
func noRoom(e *model.InputError) bool {
	return !slices.ContainsFunc(e.Findings, func(f model.Finding) bool { return f.Code != model.CodeNoRoom })
}

// run solves and verifies one size. The time that is left is divided among the solves that may follow.
func (s *search) run(o *engine.Opened, a solver.Algorithm, machines int) (*engine.Verified, time.Duration, error) {
	ctx, limit := s.ctx, time.Duration(0)
	if s.TimeLimit > 0 {
		limit = max(time.Until(s.until)/time.Duration(s.left), time.Millisecond)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	s.left = max(1, s.left-1)
	opt := solver.Options{Iterations: s.Iterations, Seed: s.Seed, Threads: s.Threads, Watch: &solver.Watch{}}
	defer s.Follow(machines, limit, opt.Watch)()
	v, err := o.Solve(ctx, a, opt)
	return v, limit, err
}

// below is the row of the largest smaller size that has a schedule; nil: there is none.
func (s *search) below(machines int) (r *Row) {
	for _, k := range s.sizes() {
		if k < machines && s.rows[k].schedule != nil {
			r = s.rows[k]
		}
	}
	return r
}

// carried is the smaller size's schedule with the bounds of v, if it costs less and breaks no constraint here. It
// breaks one if tasks end earlier here than there.
func (s *search) carried(o *engine.Opened, v *engine.Verified, smaller *Row) (*engine.Verified, error) {
	view := o.Run.View()
	if own := o.Cost(v); len(view.Check(smaller.schedule)) > 0 ||
		own != nil && own.Cmp(view.Evaluate(smaller.schedule).Total()) <= 0 {
		return v, nil
	}
	return o.Verify(s.Algorithm, &solver.Outcome{Schedule: smaller.schedule, Status: v.Status, Bounds: v.Bounds})
}
