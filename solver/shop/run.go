package shop

import (
	"context"
	"math/big"
	"sync"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

// run is one opened instance. Bounds are computed once and shared by the algorithms.
type run struct {
	solver.Unrestricted
	solver.Unmodelled
	in      *shop.Instance
	bounded kept
	first   firstSchedule // of the running search
	engine  *engine       // that works beside the running search; nil: none
	follows sync.Once     // makes awaited, which simulations share
	awaited [][]int32
}

// kept are the bounds of the instance. If a limit cut them short, only the call that computed them uses them.
type kept struct {
	value                []solver.Bound
	quick                int             // so many of them are for algorithms that do not search, too
	better               *model.Schedule // that a bound found, for algorithms that search; nil: none
	known, cut, searched bool
}

// of are the bounds of an algorithm: what ran before it makes no difference.
func (k *kept) of(searches bool) []solver.Bound {
	if searches {
		return k.value
	}
	return k.value[:k.quick]
}

func (r *run) View() model.View { return r.in }

// Facts are what results state about a run.
type Facts struct {
	Iterations *int `json:"iterations,omitempty"` // of the search of best
	Nodes      *int `json:"nodes,omitempty"`      // of the search tree of exact
	Conflicts  *int `json:"conflicts,omitempty"`  // of the engine of exact
}

// made is the result of an algorithm besides the bounds.
type made struct {
	schedule *model.Schedule // nil: none was found
	status   model.Status    // empty: feasible
	why      string          // see solver.Outcome
	facts    Facts
	bound    *solver.Bound // that the algorithm itself proves; nil: none
}

// Solve runs one algorithm and bounds the optimum. First comes a schedule, which is worth more under a limit: that of
// the algorithm, or the first one of its search. An algorithm may find none, because nodes may leave for good before
// some task's turn comes.
func (r *run) Solve(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	a, err := algorithms().Find(name)
	if err != nil {
		return nil, err
	}
	least, end := solver.Grace(ctx)
	defer end()
	defer func() {
		if r.bounded.cut {
			r.bounded = kept{}
		}
		r.first, r.engine = firstSchedule{}, nil
	}()
	searches := a.Search || a.Exhaustive
	var m *made
	if searches {
		r.first, err = r.begin(ctx, opt)
	} else {
		m, err = a.Solve(least, r, opt)
	}
	if err != nil {
		return nil, err
	}
	out := &solver.Outcome{Algorithm: name, Status: model.StatusFeasible}
	if err := r.bounds(ctx, least, out, searches, opt); err != nil {
		return nil, err
	}
	if searches {
		if m, err = a.Solve(ctx, r, opt); err != nil {
			return nil, err
		}
	}
	out.Schedule, out.Facts = m.schedule, m.facts
	if m.bound != nil {
		opt.Watch.Bound(r.told(m.bound.Certificate.(*shop.Certificate)), m.bound.Method)
		out.Bounds = append(out.Bounds, *m.bound)
	}
	if m.status != "" {
		out.Status = m.status
	}
	if m.schedule == nil {
		if out.Status, out.Why = model.StatusLimit, m.why; !a.Exhaustive {
			out.Why = "no schedule: tasks are left when the nodes for them have left for good"
		}
		return out, nil
	}
	cost, _ := r.in.Evaluate(m.schedule).Value.Float64()
	opt.Watch.Incumbent(cost, name)
	return out, nil
}

// told is what a signed certificate proves of the objective, for display.
func (r *run) told(c *shop.Certificate) float64 {
	less, _ := r.in.Less().Float64()
	return valueOf(c) - less
}

// valueOf is the value of a signed certificate, for comparisons.
func valueOf(c *shop.Certificate) float64 {
	v, _ := new(big.Rat).SetString(c.Value)
	f, _ := v.Float64()
	return f
}

// Guarantee promises nothing.
func (r *run) Guarantee(string, bool) *model.Guarantee { return nil }
