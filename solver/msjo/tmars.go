package msjo

import (
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/solver"
)

// byLPCompletion starts, whenever a machine is free, the available task with the least LP completion. That is
// tmars-list. tmars first divides the LP completion times into intervals of doubling length, and runs the tasks of each
// interval in a separate period.
//
// Guarantee: tmars has TWTCT ≤ 7·LP; proof: docs/mathematics.md. tmars-list has none. The unit of time is the least
// positive LP completion: with seconds, as printed, a single task of 0.01 s would start at 1 s.
//
// Complexity: O(N log N) after the LP.   Ties: predecessors first, then the lower task index.
// Source: Ling et al. 2016, Algorithm 3; tmars-list is mrsched's own.   Differs: the unit of time; delays between
// tasks; machine-driven inside the intervals, as in the text but not in the listing. Under the job objective it plans
// in the same way, but the guarantee does not hold.
func byLPCompletion(intervals bool) solve {
	return func(ctx context.Context, r *run, opt solver.Options) (*made, error) {
		p := r.planner(opt)
		t, err := p.taskRelaxation(ctx, silent(opt))
		if err != nil {
			return nil, err
		}
		m := &made{}
		m.limited(t.limited)
		g := graph(r.in)
		if intervals {
			g.Earliest = slices.Clone(g.Earliest)
			for u, at := range intervalStarts(p.in.Least[:p.in.Tasks], t.completion, p.in.Nodes) {
				g.Earliest[u] = max(g.Earliest[u], at)
			}
		}
		m.schedule = g.NeverIdle(ranks(byTime(r.in, t.completion)), r.in.Nodes)
		return m, nil
	}
}

// intervalStarts is t̄_{n−1} for every task, the begin of its interval's period. Let t_n = 2^(n−1) units, B_n the tasks
// of LP completion in (t_{n−1}, t_n] and α_n = p(B_n)/m. Then t̄_n = 1 + Σ_{k≤n} (t_k + α_k). Tasks that complete at 0
// in the LP have length 0 and start there.
func intervalStarts(processing []model.Time, completion []float64, machines int) []model.Time {
	unit := math.Inf(1)
	for _, c := range completion {
		if c > 0 {
			unit = min(unit, c)
		}
	}
	number := make([]int, len(completion)) // n; 0: completes at 0
	var load []float64                     // α_n, in units
	for u, c := range completion {
		if c <= 0 {
			continue
		}
		fraction, exponent := math.Frexp(max(1, c/unit))
		if fraction > 0.5 {
			exponent++
		}
		number[u] = exponent
		for len(load) <= exponent {
			load = append(load, 0)
		}
		load[exponent] += processing[u].Seconds() / unit / float64(machines)
	}
	begin := make([]float64, len(load)+1) // t̄_{n−1}
	begin[min(1, len(load))] = 1
	for n := 2; n < len(load); n++ {
		begin[n] = begin[n-1] + math.Ldexp(1, n-2) + load[n-1]
	}
	starts := make([]model.Time, len(completion))
	for u, n := range number {
		if n > 0 {
			starts[u] = model.Time(begin[n] * unit * float64(model.Second)) // rounded down: ends are whole microseconds
		}
	}
	return starts
}

// guaranteeTMars is factor 7 on the task objective.
func guaranteeTMars(*run) *model.Guarantee {
	return &model.Guarantee{Factor: "7", Additive: "0", Source: source + ", Thm 5", PreconditionsMet: true,
		Preconditions: "none"}
}
