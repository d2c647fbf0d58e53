package msjo

import (
	"cmp"
	"slices"
)

// projection is onto the points x of a group of tasks with Σ_B p_u x_u ≥ p(B)²/2m for every set B of them, in the
// metric diag(p). See admm for the method.
type projection struct {
	p     []float64 // by position
	m     float64   // machines of the group
	order []keyed   // the group's positions; nearly sorted from the last time
	hull  []vertex
}

// sort orders the group by new coordinates; ties by position.
func (s *projection) sort(x func(k int32) float64) {
	for i := range s.order {
		s.order[i].x = x(s.order[i].k)
	}
	slices.SortFunc(s.order, func(a, b keyed) int {
		if a.x != b.x {
			return cmp.Compare(a.x, b.x)
		}
		return int(a.k - b.k)
	})
}

// project sets q, by position, to how far each task of the sorted order moves: the slopes of the majorant.
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
		}
	}
	for _, o := range s.order[s.hull[len(s.hull)-1].length:] {
		q[o.k] = 0
	}
	for _, o := range s.order {
		if s.p[o.k] == 0 {
			q[o.k] = 0
		}
	}
}
