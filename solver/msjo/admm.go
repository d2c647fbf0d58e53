package msjo

import (
	"context"
	"math"
	"slices"
)

// Settings of the first-order method.
const (
	// admmPenalty times (Σw/Σp)/(Σp/m) is the penalty ρ: weight per second² of processing.
	admmPenalty = 8
	// admmRelaxation is the over-relaxation of the x-step; 1.5 … 1.8 is customary.
	admmRelaxation = 1.6
	// admmCheckEvery is after how many iterations the bound is evaluated.
	admmCheckEvery = 10
	// admmPatience is after how many evaluations without a rise of the bound the method ends.
	admmPatience = 12
)

// admm is the first-order method for the collapsed LP: the alternating direction method of multipliers
// on min w·δ + I_P(y), e + δ = y, in the metric diag(p), where P = {y : Σ_B p_u y_u ≥ p(B)²/2m for all B}.
//
//	δ_j ← max(0, [Σ_{u∈j} p_u (y_u − z_u − e_u) − w_j/ρ] / p(j))
//	y   ← Proj_P(x + z),  z ← z + x − y,  x = e + δ over-relaxed with y
//
// Projecting is sorting by v = x + z and one scan: with A_i the processing time of the first i tasks and
// T_i = A_i²/2m − Σ_{k≤i} p_k v_k, task i moves by the slope at A_i of the least concave, non-decreasing
// majorant of the points (A_i, T_i); the slopes times ρ are prices per second of processing.
//
// Complexity: O(N log N) an iteration. Memory: 56 bytes a task.
type admm struct {
	c      *collapsed
	rho    float64
	total  []float64 // p(j), by job
	delta  []float64
	y, z   []float64
	q      []float64 // slopes of the last projection, by position
	order  []keyed   // of the last projection
	hull   []vertex
	sorter keySorter
}

// vertex is a corner of the majorant: a prefix of the order.
type vertex struct {
	length int
	a, t   float64
}

func newADMM(c *collapsed) *admm {
	n := len(c.task)
	s := &admm{c: c, total: make([]float64, c.in.Jobs), delta: make([]float64, c.in.Jobs),
		y: slices.Clone(c.e), z: make([]float64, n), q: make([]float64, n), order: make([]keyed, n)}
	var w, p float64
	for j := range s.total {
		s.total[j] = c.sumP[int(c.first[j+1])+j]
		p += s.total[j]
		w += c.weight[j]
	}
	if s.rho = admmPenalty * (w / p) / (p / c.m); !(s.rho > 0) || math.IsInf(s.rho, 0) {
		s.rho = 1 // no weight or no work: any penalty does
	}
	for k := range s.order {
		s.order[k].k = int32(k)
	}
	return s
}

// step is one iteration.
func (s *admm) step() {
	c := s.c
	for j := range s.delta {
		var g float64
		for k := c.first[j]; k < c.first[j+1]; k++ {
			g += c.p[k] * (s.y[k] - s.z[k] - c.e[k])
		}
		if s.total[j] > 0 {
			s.delta[j] = max(0, (g-c.weight[j]/s.rho)/s.total[j])
		}
		for k := c.first[j]; k < c.first[j+1]; k++ {
			x := admmRelaxation*(c.e[k]+s.delta[j]) + (1-admmRelaxation)*s.y[k]
			s.z[k] += x // now v = x + z
		}
	}
	for i := range s.order {
		s.order[i].x = s.z[s.order[i].k]
	}
	s.project()
	for k := range s.y {
		s.y[k] = s.z[k] + s.q[k]
		s.z[k] = -s.q[k]
	}
}

// keyBits is the resolution of a keySorter: values that differ by less than 2^−keyBits of their range may
// stay as they are. No bound depends on it: certificates are sorted exactly.
const keyBits = 33

// keySorter sorts positions by their values in linear time; it keeps its buffers.
type keySorter struct {
	radix radixSort
	key   []int64
	perm  []int32
	ident []int32
	from  []keyed
}

// sort orders by x; ties stay as they are.
func (s *keySorter) sort(order []keyed) {
	if len(order) == 0 {
		return
	}
	if len(s.key) != len(order) {
		n := len(order)
		s.key, s.perm, s.ident, s.from = make([]int64, n), make([]int32, n), make([]int32, n), make([]keyed, n)
		s.radix.init(n)
		for i := range s.ident {
			s.ident[i] = int32(i)
		}
	}
	least, most := order[0].x, order[0].x
	for _, o := range order {
		least, most = min(least, o.x), max(most, o.x)
	}
	scale := 0.0
	if most > least {
		scale = (1 << keyBits) / (most - least)
	}
	for i, o := range order {
		s.key[i] = int64((o.x - least) * scale)
	}
	copy(s.from, order)
	s.radix.sort(s.key, s.perm, s.ident)
	for i, k := range s.perm {
		order[i] = s.from[k]
	}
}

// project sorts the order by x, which the caller has set to v, and sets q to the slopes of the majorant.
func (s *admm) project() {
	s.sorter.sort(s.order)
	c := s.c
	s.hull = append(s.hull[:0], vertex{})
	var a, sum float64
	for i, o := range s.order {
		p := c.p[o.k]
		a += p
		sum += p * o.x
		if p == 0 {
			s.hull[len(s.hull)-1].length = i + 1
			continue
		}
		v := vertex{i + 1, a, a*a/(2*c.m) - sum}
		for len(s.hull) > 1 && above(s.hull[len(s.hull)-2], s.hull[len(s.hull)-1], v) {
			s.hull = s.hull[:len(s.hull)-1]
		}
		s.hull = append(s.hull, v)
	}
	for i := 1; i < len(s.hull); i++ {
		from, to := s.hull[i-1], s.hull[i]
		slope := max(0, (to.t-from.t)/(to.a-from.a))
		for _, o := range s.order[from.length:to.length] {
			s.q[o.k] = slope
		}
	}
	for _, o := range s.order[s.hull[len(s.hull)-1].length:] {
		s.q[o.k] = 0
	}
}

// above says that b is not a corner of the concave hull of a, b, v.
func above(a, b, v vertex) bool { return (b.t-a.t)*(v.a-a.a) <= (v.t-a.t)*(b.a-a.a) }

// bound evaluates the prices of the last projection, scaled per job to its weight, and stores them.
func (s *admm) bound(price []float64, order []keyed) float64 {
	c := s.c
	lb := c.constant
	for j := range s.delta {
		var paid float64
		for k := c.first[j]; k < c.first[j+1]; k++ {
			price[k] = s.rho * s.q[k]
			paid += price[k] * c.p[k]
		}
		if paid > c.weight[j] {
			for k := c.first[j]; k < c.first[j+1]; k++ {
				price[k] *= c.weight[j] / paid
			}
		}
	}
	for k, q := range price {
		order[k] = keyed{q, int32(k)}
	}
	s.sorter.sort(order)
	var before float64
	for i := len(order) - 1; i >= 0; i-- { // falling
		k := order[i].k
		p := c.p[k]
		lb += price[k] * p * ((before+p/2)/c.m - c.e[k])
		before += p
	}
	return lb
}

// run iterates until the bound has not risen by more than tolerance, relative, for a while.
func (s *admm) run(ctx context.Context, iterations int, tolerance float64) (best float64, price []float64, done int) {
	best = s.c.constant
	price = make([]float64, len(s.c.task))
	trial, order := make([]float64, len(price)), make([]keyed, len(price))
	mark, since := math.Inf(-1), 0
	for done = 1; done <= iterations && ctx.Err() == nil; done++ {
		s.step()
		if done%admmCheckEvery != 0 {
			continue
		}
		if lb := s.bound(trial, order); lb > best {
			best, price, trial = lb, trial, price
		}
		if best > mark*(1+tolerance) || mark < 0 {
			mark, since = best, 0
		} else if since++; since >= admmPatience {
			break
		}
	}
	return best, price, done
}

// firstOrder solves the LP by the first-order method alone: to a relative accuracy of about tolerance, which
// the gap between the bound of its prices and the value of its point shows.
func (c *collapsed) firstOrder(ctx context.Context, iterations int, tolerance float64) *relaxation {
	s := newADMM(c)
	best, price, done := s.run(ctx, iterations, tolerance)
	r := &relaxation{value: best, price: price, rounds: done, complete: ctx.Err() == nil && done < iterations}
	r.midpoint, r.completion = byDelay{c}.point(s.delta)
	return r
}
