package msjo

import "math"

// projection is onto the points y of a group's tasks with Σ_B p_u y_u ≥ p(B)²/2m for every set B of them, in
// the metric diag(p). See admm for the method.
type projection struct {
	p      []float64 // by position
	m      float64   // machines of the group
	order  []keyed   // the group's positions
	hull   []vertex
	sorter keySorter
}

func newProjection(p []float64, g group) projection {
	s := projection{p: p, m: g.m, order: make([]keyed, len(g.of))}
	for i, k := range g.of {
		s.order[i].k = k
	}
	return s
}

// newPenalty is the penalty ρ for jobs and tasks of some total weight and work, in seconds.
func newPenalty(weight, work, machines float64) float64 {
	rho := admmPenalty * (weight / work) / (work / machines)
	if !(rho > 0) || math.IsInf(rho, 0) {
		return 1 // without weight or work any penalty works
	}
	return rho
}

// dualStep ends an iteration of either first-order method: from z = x + z it makes y the projection of z, and z the
// rest z − y. q, by position, is the distance that each task moves: the price of its time divided by ρ.
func (s *projection) dualStep(y, z, q []float64) {
	s.sort(func(k int32) float64 { return z[k] })
	s.project(q)
	for _, o := range s.order {
		y[o.k] = z[o.k] + q[o.k]
		z[o.k] = -q[o.k]
	}
}

// vertex is a corner of the majorant: a prefix of the order.
type vertex struct {
	length int
	a, t   float64
}

// above reports whether b is no corner of the concave hull of a, b, v.
func above(a, b, v vertex) bool { return (b.t-a.t)*(v.a-a.a) <= (v.t-a.t)*(b.a-a.a) }

// sort orders the group by new coordinates; see keySorter for ties.
func (s *projection) sort(x func(k int32) float64) {
	for i := range s.order {
		s.order[i].x = x(s.order[i].k)
	}
	s.sorter.sort(s.order)
}

// project sets q, by position, to the distance that each task of the sorted order moves: the slope of the majorant.
func (s *projection) project(q []float64) {
	s.hull = append(s.hull[:0], vertex{})
	var a, sum float64
	for i, o := range s.order {
		p := s.p[o.k]
		a += p
		sum += p * o.x
		if p == 0 {
			continue
		}
		v := vertex{i + 1, a, a*a/(2*s.m) - sum}
		for len(s.hull) > 1 && above(s.hull[len(s.hull)-2], s.hull[len(s.hull)-1], v) {
			s.hull = s.hull[:len(s.hull)-1]
		}
		s.hull = append(s.hull, v)
	}
	for i := 1; i < len(s.hull); i++ {
		from, to := s.hull[i-1], s.hull[i]
		slope := max(0, (to.t-from.t)/(to.a-from.a))
		for _, o := range s.order[from.length:to.length] {
			q[o.k] = slope
			if s.p[o.k] == 0 {
				q[o.k] = 0
			}
		}
	}
	for _, o := range s.order[s.hull[len(s.hull)-1].length:] {
		q[o.k] = 0
	}
}

// bends lists the prefixes of the order at which the last projection bends while it still moves tasks. It holds these
// sets tight.
func (s *projection) bends() [][]keyed {
	var sets [][]keyed
	for i := 1; i < len(s.hull) && s.hull[i].t > s.hull[i-1].t; i++ {
		sets = append(sets, s.order[:s.hull[i].length])
	}
	return sets
}
