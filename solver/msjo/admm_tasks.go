package msjo

import (
	"math"
	"slices"

	"mrsched/model/shop"
)

// completionADMM is the first-order method for the LP on completion times (byCompletion): the alternating direction
// method of multipliers on min cost(x) + I_P(y), x = y, where x keeps releases and precedence and y the inequalities
// over sets. Coordinates are x_u = C_u − shift (see byCompletion).
//
//	x ← per job the cheapest point for cost(x) + ρ/2 Σ p_u (x_u − y_u + z_u)²: one convex step in the barrier's time
//	y ← Proj_P(x + z),  z ← z + x − y,  x over-relaxed with y, as in admm
//
// The step leaves out the arcs of general jobs (those with rows of delays). Their tasks only keep their heads, so the
// result is a relaxation for them.
//
// Complexity: O(N log N) per iteration. Memory: some 100 bytes per task.
type completionADMM struct {
	f     byCompletion
	rho   float64
	jobs  []splitJob
	low   []float64 // by position: h_u + p_u
	cost  []float64 // by position: W_u; 0 under the job objective
	shift []float64 // by position: C − x
	done  []float64 // by position: C of the last step
	y, z  []float64
	q     []float64    // slopes of the last projection, by position
	parts []projection // one per group
}

// splitJob holds the data of one job's step. A job without a barrier has all positions in before.
type splitJob struct {
	before, after []int32   // positions of tasks before and after the barrier
	delay         []float64 // by place in before
	barrier       float64   // least time of the barrier
	alone, weight float64   // least completion and its cost; weight 0 under the task objective
}

func newCompletionADMM(f byCompletion) *completionADMM {
	c, in := f.c, f.c.in
	s := &completionADMM{f: f, jobs: make([]splitJob, in.Jobs)}
	for _, v := range []*[]float64{&s.low, &s.cost, &s.shift, &s.done, &s.y, &s.z, &s.q} {
		*v = make([]float64, len(c.task))
	}
	var w, p float64
	for k, u := range c.task {
		s.low[k] = (in.Head[u] + in.Least[u]).Seconds()
		s.shift[k] = f.shift(c.p[k])
		s.y[k] = s.low[k] - s.shift[k]
		p += c.p[k]
		if in.Objective == shop.WeightedTaskEnds {
			s.cost[k] = in.TaskWeight[u].Float()
			w += s.cost[k]
		}
	}
	for j := range s.jobs {
		s.jobs[j] = s.split(j)
		w += s.jobs[j].weight
	}
	for _, g := range f.groups() {
		s.parts = append(s.parts, newProjection(c.p, g))
	}
	s.rho = newPenalty(w, p, c.m)
	return s
}

// split divides a job's positions at its barrier. Only a map-reduce job with both kinds of task has one.
func (s *completionADMM) split(j int) splitJob {
	c, in := s.f.c, s.f.c.in
	var job splitJob
	if in.Objective == shop.WeightedEnds {
		job.weight = c.weight[j]
	}
	job.alone = in.Alone[j].Seconds()
	hasBarrier := slices.ContainsFunc(in.JobSteps(j), func(u int32) bool { return u >= int32(in.Tasks) })
	for k := c.first[j]; k < c.first[j+1]; k++ {
		u := c.task[k]
		first := in.SuccFirst[u]
		last := first == in.SuccFirst[u+1]
		if last && hasBarrier && in.Preds[u] > 0 {
			job.after = append(job.after, k)
			continue
		}
		delay := 0.0
		if !last && in.SuccStep[first] >= int32(in.Tasks) {
			delay = in.SuccDelay[first].Seconds()
			job.barrier = in.Head[in.SuccStep[first]].Seconds()
		}
		job.before, job.delay = append(job.before, k), append(job.delay, delay)
	}
	return job
}

// place sets the completions of one job to the cheapest ones for the targets t = v − cost/(ρp). The earlier tasks end,
// including their delays, by the barrier, and all tasks by the ceiling.
func (s *completionADMM) place(j *splitJob, t []float64) {
	p := s.f.c.p
	barrier, ceiling := math.Inf(1), math.Inf(1)
	last, longest := j.before, 0.0
	if len(j.after) > 0 {
		barrier = root(func(b float64) (float64, float64) { return s.barrierSlope(j, t, b) }, j.barrier)
		last = j.after
		for _, k := range last {
			longest = max(longest, p[k])
		}
	}
	if j.weight > 0 {
		ceiling = max(j.alone, root(func(c float64) (float64, float64) { return s.ceilingSlope(j, last, t, c) }, j.alone))
		if len(j.after) > 0 && barrier > ceiling-longest { // barrier and ceiling meet: move them together
			barrier = root(func(b float64) (float64, float64) {
				g, curve := s.barrierSlope(j, t, b)
				g2, curve2 := s.ceilingSlope(j, last, t, b+longest)
				return g + g2, curve + curve2
			}, j.barrier)
			ceiling = max(j.alone, barrier+longest)
		}
	}
	for i, k := range j.before {
		end := ceiling
		if len(j.after) > 0 {
			end = barrier - j.delay[i]
		}
		s.done[k] = max(min(t[k], end), s.low[k])
	}
	for _, k := range j.after {
		s.done[k] = max(min(t[k], ceiling), barrier+p[k], s.low[k])
	}
}

// barrierSlope returns the first and second derivative of a job's cost by the time b of its barrier. The barrier holds
// earlier tasks back and pushes later ones.
func (s *completionADMM) barrierSlope(j *splitJob, t []float64, b float64) (g, curve float64) {
	p := s.f.c.p
	for i, k := range j.before {
		if end := b - j.delay[i]; t[k] > end && p[k] > 0 {
			g -= s.rho * p[k] * (t[k] - end)
			curve += s.rho * p[k]
		}
	}
	for _, k := range j.after {
		if x := b + p[k]; x > max(t[k], s.low[k]) {
			cost := 0.0
			if p[k] == 0 {
				cost = s.cost[k] // only the barrier holds a task of length 0
			}
			g += s.rho*p[k]*(x-t[k]) + cost
			curve += s.rho * p[k]
		}
	}
	return g, curve
}

// ceilingSlope returns both derivatives by a job's completion c, which holds its last tasks back.
func (s *completionADMM) ceilingSlope(j *splitJob, last []int32, t []float64, c float64) (g, curve float64) {
	p := s.f.c.p
	g = j.weight
	for _, k := range last {
		if t[k] > c && p[k] > 0 {
			g -= s.rho * p[k] * (t[k] - c)
			curve += s.rho * p[k]
		}
	}
	return g, curve
}

// root finds the zero of a non-decreasing, piecewise linear slope, starting from low.
func root(slope func(float64) (g, curve float64), low float64) float64 {
	b := low
	g, curve := slope(b)
	if g >= 0 {
		return b
	}
	high := math.Inf(1)
	for range 60 {
		next := math.Inf(1)
		if curve > 0 {
			next = b - g/curve
		}
		if next >= high || next <= low {
			if math.IsInf(high, 1) {
				return b
			}
			next = (low + high) / 2
		}
		if math.Abs(next-b) <= 1e-12*(1+math.Abs(b)) {
			return next
		}
		b = next
		if g, curve = slope(b); g < 0 {
			low = b
		} else {
			high = b
		}
	}
	return b
}

// step is one iteration.
func (s *completionADMM) step() {
	p := s.f.c.p
	t := s.done // targets, then completions
	for k := range t {
		t[k] = s.y[k] - s.z[k] + s.shift[k]
		if p[k] > 0 {
			t[k] -= s.cost[k] / (s.rho * p[k])
		} else {
			t[k] = s.low[k]
		}
	}
	for j := range s.jobs {
		s.place(&s.jobs[j], t)
	}
	for k := range s.z {
		x := admmRelaxation*(s.done[k]-s.shift[k]) + (1-admmRelaxation)*s.y[k]
		s.z[k] += x // now v = x + z
	}
	for i := range s.parts {
		s.parts[i].dualStep(s.y, s.z, s.q)
	}
}

// excess is approximately the factor by which the last completions must be stretched to satisfy every set. Stretching
// keeps releases and precedence.
func (s *completionADMM) excess() float64 {
	p, worst := s.f.c.p, 1.0
	for i := range s.parts {
		part := projection{order: slices.Clone(s.parts[i].order), m: s.parts[i].m} // the last order belongs to the last hull
		part.sort(func(k int32) float64 { return s.done[k] - s.shift[k] })
		var a, sum, shifts float64
		for _, o := range part.order {
			a += p[o.k]
			sum += p[o.k] * s.done[o.k]
			shifts += p[o.k] * s.shift[o.k]
			if sum > 0 {
				worst = max(worst, (a*a/(2*part.m)+shifts)/sum)
			}
		}
	}
	return worst
}

// value is the cost of the last completions.
func (s *completionADMM) value() float64 {
	var sum float64
	for k, w := range s.cost {
		sum += w * s.done[k]
	}
	for j := range s.jobs {
		job := &s.jobs[j]
		end := job.alone
		for _, k := range slices.Concat(job.before, job.after) {
			end = max(end, s.done[k])
		}
		sum += job.weight * end
	}
	return sum
}

// sets lists the sets at which the last projections bend. They include nearly all that are tight at the optimum.
func (s *completionADMM) sets() (sets [][]keyed) {
	for i := range s.parts {
		sets = append(sets, s.parts[i].bends()...)
	}
	return sets
}
