package realtime

import (
	"slices"

	"mrsched/model/realtime"
)

// change derives next from order: it moves a late job to where it may be on time, or gives up a job near it, or both,
// or swaps two jobs. It returns the first and the last position that differ; if first ≥ last, none does.
func (s *planSearch) change() (first, last int) {
	for _, j := range s.next {
		s.moved[j] = false
	}
	s.next = append(s.next[:0], s.order...)
	n := len(s.next)
	if n < 2 {
		return 0, 0
	}
	from := s.lateJob()
	to := s.target(from)
	switch s.random.IntN(8) {
	case 0, 1, 2:
		s.shift(from, to)
	case 3:
		s.shift(from, max(0, min(n-1, from+s.random.IntN(2*planNear+1)-planNear)))
	case 4:
		s.giveUp(s.victim(from))
	case 5, 6: // the late job takes the place of another, which is given up
		if v := s.victim(to); v != from {
			j := s.next[from]
			s.giveUp(v)
			s.shift(slices.Index(s.next, j), min(v, n-1))
		}
	default:
		a := s.random.IntN(n)
		b := max(0, min(n-1, a+s.random.IntN(2*planNear+1)-planNear))
		s.next[a], s.next[b] = s.next[b], s.next[a]
		s.moved[s.next[a]], s.moved[s.next[b]] = true, true
	}
	for first < n && s.next[first] == s.order[first] {
		first++
	}
	last = n - 1
	for last > first && s.next[last] == s.order[last] {
		last--
	}
	if first == n {
		return 0, 0
	}
	return first, last
}

// lateJob is the position of a late job, or of any job if none is.
func (s *planSearch) lateJob() int {
	n := len(s.order)
	at := s.random.IntN(n)
	for k := range n {
		if p := (at + k) % n; s.jobs[s.order[p]].end > s.in.Due[s.order[p]] {
			return p
		}
	}
	return at
}

// target is a position at which the job of another could be on time: near the first that is due after it, or ends after
// the latest time at which it could begin.
func (s *planSearch) target(from int) int {
	j := s.order[from]
	due := s.in.Due[j]
	if due == realtime.NoDeadline {
		return s.random.IntN(len(s.order))
	}
	at := slices.IndexFunc(s.order, func(o int32) bool { return s.in.Due[o] > due && s.in.Due[o] != realtime.NoDeadline })
	if s.random.IntN(2) == 0 {
		at = slices.IndexFunc(s.order, func(o int32) bool { return o != j && s.jobs[o].end > due-s.path[j] })
	}
	if at < 0 {
		at = from
	}
	return max(0, min(len(s.order)-1, at+s.random.IntN(planNear)-planNear/2))
}

// victim is the position of a job near another that may be given up: of two random ones, that with more work.
func (s *planSearch) victim(near int) int {
	pick := func() int {
		return max(0, min(len(s.order)-1, near+s.random.IntN(2*planNear+1)-planNear))
	}
	a, b := pick(), pick()
	if s.work[s.order[b]] > s.work[s.order[a]] {
		return b
	}
	return a
}

// shift moves the job at one position to another.
func (s *planSearch) shift(from, to int) {
	j := s.next[from]
	s.moved[j] = true
	s.next = slices.Insert(slices.Delete(s.next, from, from+1), to, j)
}

// giveUp moves the job at a position to the end.
func (s *planSearch) giveUp(p int) { s.shift(p, len(s.next)-1) }
