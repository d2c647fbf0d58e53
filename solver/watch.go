package solver

import (
	"math"
	"sync"

	"mrsched/model"
)

// Watch follows a run: its phase, the progress of that phase, the best schedule and the best bound so far. No result
// depends on it. Goroutines may call its methods concurrently, also on a nil Watch, which does nothing; phases begin
// and end in one goroutine.
type Watch struct {
	// OnChange, if set, is called with every change, one call at a time in the order of the changes; it must not call the
	// Watch. It must be set before the run begins.
	OnChange func(State)

	mu     sync.Mutex
	state  State
	active []string // the running phase last, those around it before
}

// State is what a Watch has seen.
type State struct {
	Phase       string // empty between phases
	Depth       int    // phases around the running one, and itself
	Done, Total int    // of the phase; Total is 0 if nobody knows
	// Incumbent is the cost of the best schedule so far, Bound the best lower bound, both in the objective's unit.
	Incumbent, Bound model.Optional[float64]
	// IncumbentBy and BoundBy name what found them; empty: the algorithm itself, or nobody knows.
	IncumbentBy, BoundBy string
	CutShort             bool // a time limit ended some phase
	UsedUp               bool // a search used up its iterations
}

// State is a copy of what has been seen so far.
func (w *Watch) State() State {
	if w == nil {
		return State{}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state
}

// change applies a change and reports it.
func (w *Watch) change(apply func(s *State)) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	apply(&w.state)
	if w.OnChange != nil {
		w.OnChange(w.state)
	}
}

// enter begins a phase inside the running one; leave ends it.
func (w *Watch) enter(name string) {
	w.change(func(s *State) {
		w.active = append(w.active, name)
		s.Phase, s.Done, s.Total, s.Depth = name, 0, 0, len(w.active)
	})
}

// leave ends the running phase; cut says that a time limit ended it.
func (w *Watch) leave(cut bool) {
	w.change(func(s *State) {
		w.active = w.active[:len(w.active)-1]
		s.Phase, s.Done, s.Total, s.Depth, s.CutShort = "", 0, 0, len(w.active), s.CutShort || cut
		if n := len(w.active); n > 0 {
			s.Phase = w.active[n-1]
		}
	})
}

// Progress says how much of the running phase is done.
func (w *Watch) Progress(done, total int) {
	w.change(func(s *State) { s.Done, s.Total = done, total })
}

// Incumbent reports a schedule's cost in the objective's unit, and what found it. Costs that are no better than before
// are ignored.
func (w *Watch) Incumbent(cost float64, by string) {
	w.improve(func(s *State) bool {
		if s.Incumbent.Known && cost >= s.Incumbent.Value || math.IsInf(cost, 0) || math.IsNaN(cost) {
			return false
		}
		s.Incumbent, s.IncumbentBy = model.Some(cost), by
		return true
	})
}

// Bound reports a lower bound in the objective's unit, and the method behind it. Bounds that are no better than before
// are ignored.
func (w *Watch) Bound(value float64, by string) {
	w.improve(func(s *State) bool {
		if s.Bound.Known && value <= s.Bound.Value || math.IsInf(value, 0) || math.IsNaN(value) {
			return false
		}
		s.Bound, s.BoundBy = model.Some(value), by
		return true
	})
}

// UsedUp reports that a search ended because its iterations are used up.
func (w *Watch) UsedUp() {
	w.change(func(s *State) { s.UsedUp = true })
}

// improve applies a change, and reports it if it is one.
func (w *Watch) improve(apply func(s *State) bool) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !apply(&w.state) {
		return
	}
	if w.OnChange != nil {
		w.OnChange(w.state)
	}
}
