package sat

import (
	"math/bits"
	"testing"
)

// search finds a feasible assignment by brute force, as an independent judge of the reduction. A server with a remote
// task holds nothing else, and any task may be that one. So an assignment is feasible exactly if some set of servers,
// one for each task that the others cannot hold, three local tasks each, is set aside: try every set.
type search struct {
	*gadgets
	aside uint   // a bit a server
	held  []int  // tasks on a server
	at    []int  // server, by task; -1: none yet
	tried []bool // servers, in the current augmentation
}

func newSearch(g *gadgets) *search {
	return &search{gadgets: g, held: make([]int, g.servers()), at: make([]int, g.tasks()),
		tried: make([]bool, g.servers())}
}

// run returns a feasible assignment, or nil.
func (s *search) run() *assignment {
	for s.aside = range uint(1) << s.servers() {
		room := bits.OnesCount(s.aside)
		if s.tasks()-room > Capacity*(s.servers()-room) {
			continue
		}
		if s.match(room) {
			return s.complete()
		}
	}
	return nil
}

// match gives local servers to all but spare tasks, if it can.
func (s *search) match(spare int) bool {
	clear(s.held)
	for k := range s.at {
		s.at[k] = -1
	}
	for k := range s.at {
		clear(s.tried)
		if !s.augment(k) {
			if spare--; spare < 0 {
				return false
			}
		}
	}
	return true
}

// augment finds a local server for a task, moving others to their other one.
func (s *search) augment(task int) bool {
	first, second := s.replicas(task)
	for _, server := range []int{first, second} {
		if s.tried[server] || s.aside>>server&1 == 1 {
			continue
		}
		s.tried[server] = true
		if s.held[server] < Capacity {
			s.held[server]++
			s.at[task] = server
			return true
		}
		for k, where := range s.at {
			if where == server && s.augment(k) { // k now lies elsewhere
				s.at[task] = server
				return true
			}
		}
	}
	return false
}

// complete gives the servers that are set aside to the tasks without one.
func (s *search) complete() *assignment {
	next := 0
	for k := range s.at {
		if s.at[k] >= 0 {
			continue
		}
		for s.aside>>next&1 == 0 {
			next++
		}
		s.at[k] = next
		next++
	}
	return newAssignment(s.gadgets, s.at)
}

// TestReduction: Theorem 3.1 on tiny formulas, by searches on both sides.
func TestReduction(t *testing.T) {
	texts := []string{
		"p cnf 2 1\n1 2 0", "p cnf 3 1\n1 2 -3 0", "p cnf 2 1\n1 -1 2 0",
		"p cnf 2 2\n1 2 0\n-1 -2 0", "p cnf 2 2\n1 -2 0\n2 0", "p cnf 2 2\n1 1 2 0\n-1 -1 2 0",
		"p cnf 2 3\n1 0\n-1 2 0\n-2 -1 0", // the one with two variables that has no solution
	}
	for _, first := range []string{"1 1 1", "1 1 -1", "1 -1 -1", "-1 -1 -1"} {
		texts = append(texts, "p cnf 1 1\n"+first+" 0")
		for _, second := range []string{"1 1 1", "1 1 -1", "1 -1 -1", "-1 -1 -1"} {
			texts = append(texts, "p cnf 1 2\n"+first+" 0\n"+second+" 0")
		}
	}
	unsatisfiable := 0
	for _, text := range texts {
		f := parse(t, text)
		a := newSearch(newGadgets(f)).run()
		if got, want := a != nil, len(solutions(f)) > 0; got != want {
			t.Errorf("%q: feasible %v, satisfiable %v", text, got, want)
		}
		if a == nil {
			unsatisfiable++
			continue
		}
		if err := a.feasible(); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if truth, err := a.decode(); err != nil || f.Falsified(truth) >= 0 {
			t.Errorf("%q: decoded to %v, %v", text, truth, err)
		}
	}
	if unsatisfiable != 3 {
		t.Errorf("%d formulas without a solution", unsatisfiable)
	}
}
