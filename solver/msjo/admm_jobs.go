package msjo

import (
	"context"
	"math"
	"slices"

	"mrsched/solver"
)

// Settings of the first-order method.
const (
	// admmPenalty times (Σw/Σp)/(Σp/m) is the penalty ρ, in weight per second² of processing.
	admmPenalty = 8
	// admmRelaxation is the over-relaxation of the x-step; 1.5 … 1.8 is customary.
	admmRelaxation = 1.6
	// admmCheckEvery is the number of iterations between evaluations of the bound.
	admmCheckEvery = 10
	// admmPatience is the number of evaluations without a rise of the bound after which the method ends. Small instances,
	// on which more evaluations are cheap, get admmPatience·(1 + admmSmall/N), but at most admmStubborn.
	admmPatience = 12
	admmSmall    = 2000
	admmStubborn = 200
	// floatError exceeds the relative rounding error of a bound in floating-point numbers.
	floatError = 1e-9
)

// admm is the first-order method for the collapsed LP: the alternating direction method of multipliers on
// min w·δ + I_P(y), e + δ = y, in the metric diag(p), where P = {y : Σ_B p_u y_u ≥ p(B)²/2m for all sets B of tasks}:
//
//	δ_j ← max(0, [Σ_{u∈j} p_u (y_u − z_u − e_u) − w_j/ρ] / p(j))
//	y   ← Proj_P(x + z),  z ← z + x − y,  x = e + δ over-relaxed with y
//
// Projecting is sorting by v = x + z and one scan. With A_i the processing time of the first i tasks and T_i = A_i²/2m
// − Σ_{k≤i} p_k v_k, task i moves by the slope at A_i of the least concave, non-decreasing majorant of the points (A_i,
// T_i). The slopes times ρ are prices per second of processing.
//
// Complexity: O(N) per iteration.   Memory: about 100 bytes per task.
type admm struct {
	c       *collapsed
	rho     float64
	total   []float64 // p(j), by job
	delta   []float64
	y, z, q []float64 // by position
	proj    projection
	order   []keyed // for bound
	sorts   keySorter
}

// newADMM starts at δ = 0.
func newADMM(c *collapsed) *admm {
	n := len(c.task)
	s := &admm{c: c, total: make([]float64, c.in.Jobs), delta: make([]float64, c.in.Jobs), y: slices.Clone(c.e),
		z: make([]float64, n), q: make([]float64, n), proj: newProjection(c.p, c.all()[0]), order: make([]keyed, n)}
	var w, p float64
	for j := range s.total {
		p += c.sumP[int(c.first[j+1])+j]
		w += c.weight[j]
	}
	for k, j := range c.job {
		s.total[j] += c.p[k]
	}
	s.rho = newPenalty(w, p, c.m)
	return s
}

// step is one iteration.
func (s *admm) step() {
	for j := range s.delta {
		s.stepJob(j)
	}
	s.proj.dualStep(s.y, s.z, s.q)
}

// stepJob updates δ_j and writes the coordinates v = x + z of the job's tasks to z.
func (s *admm) stepJob(j int) {
	c := s.c
	from, to := c.first[j], c.first[j+1]
	var g float64
	for k := from; k < to; k++ {
		g += c.p[k] * (s.y[k] - s.z[k] - c.e[k])
	}
	if s.total[j] > 0 {
		s.delta[j] = max(0, (g-c.weight[j]/s.rho)/s.total[j])
	}
	for k := from; k < to; k++ {
		s.z[k] += admmRelaxation*(c.e[k]+s.delta[j]) + (1-admmRelaxation)*s.y[k]
	}
}

// prices copies the prices of the last projection, by position. It scales those of each job to the job's weight.
func (s *admm) prices(price []float64) {
	c := s.c
	for j := range s.delta {
		var paid float64
		for k := c.first[j]; k < c.first[j+1]; k++ {
			price[k] = s.rho * s.q[k]
			paid += price[k] * c.p[k]
		}
		if paid <= c.weight[j] {
			continue
		}
		for k := c.first[j]; k < c.first[j+1]; k++ {
			price[k] *= c.weight[j] / paid
		}
	}
}

// bound is the value that prices prove, up to rounding.
func (s *admm) bound(price []float64) float64 {
	c := s.c
	lb := c.constant
	for k, q := range price {
		s.order[k] = keyed{q, int32(k)}
	}
	s.sorts.sort(s.order)
	var before float64
	for n := len(s.order) - 1; n >= 0 && s.order[n].x > 0; n-- { // falling
		k := s.order[n].k
		p := c.p[k]
		lb += price[k] * p * ((before+p/2)/c.m - c.e[k])
		before += p
	}
	return lb
}

// run iterates until the bound rises by no more than tolerance, relative, in patience evaluations, or ctx ends. It
// returns the best bound and its prices, by position.
func (s *admm) run(ctx context.Context, patience int, tolerance float64, opt solver.Options) (best float64,
	price []float64, done int) {
	best = s.c.constant
	price, trial := make([]float64, len(s.c.task)), make([]float64, len(s.c.task))
	look := func() {
		s.prices(trial)
		if lb := s.bound(trial); lb > best {
			best, price, trial = lb, trial, price
			opt.Watch.Bound(best*(1-floatError), byFirstOrder)
		}
	}
	mark, since := math.Inf(-1), 0
	for done = 1; done <= opt.Iterations; done++ {
		if ctx.Err() != nil {
			if done > 1 { // include the last iteration
				look()
			}
			break
		}
		s.step()
		if done%admmCheckEvery != 0 {
			continue
		}
		look()
		opt.Report(done, opt.Iterations)
		if best > mark*(1+tolerance) || mark < 0 {
			mark, since = best, 0
		} else if since++; since >= patience {
			break
		}
	}
	return best, price, done
}

// firstOrder solves the LP by the first-order method alone. Its relative accuracy is about tolerance.
func (c *collapsed) firstOrder(ctx context.Context, opt solver.Options, tolerance float64) *relaxation {
	s := newADMM(c)
	patience := min(admmPatience*(1+admmSmall/len(s.order)), admmStubborn)
	best, price, done := s.run(ctx, patience, tolerance, opt)
	r := s.relaxation(best, price)
	r.Rounds, r.complete = done, ctx.Err() == nil && done < opt.Iterations
	return r
}

// relaxation is the last point, with the bound and the prices that run returned.
func (s *admm) relaxation(best float64, price []float64) *relaxation {
	r := &relaxation{value: best, price: s.c.byTask(price)}
	r.midpoint, r.completion = byDelay{s.c}.point(s.delta)
	return r
}
