package solver

import (
	"math"
	"slices"
	"sync"
	"time"

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
	active []int // positions in phases: the running phase last, those around it before
	phases []PhaseTime
	since  time.Time // when the running phase began, or went on
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
	Improvements         int  // of incumbent or bound
	CutShort             bool // a time limit ended some phase
	UsedUp               bool // a search used up its iterations
}

// PhaseTime is how long a run spent in a phase, without the phases inside it.
type PhaseTime struct {
	Name string
	Time time.Duration
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

// Phases lists the phases so far, in the order of their first begin.
func (w *Watch) Phases() []PhaseTime {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count()
	return slices.Clone(w.phases)
}

// count adds the time since the last call to the running phase.
func (w *Watch) count() {
	now := time.Now()
	if n := len(w.active); n > 0 {
		w.phases[w.active[n-1]].Time += now.Sub(w.since)
	}
	w.since = now
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
		w.count()
		at := slices.IndexFunc(w.phases, func(p PhaseTime) bool { return p.Name == name })
		if at < 0 {
			at = len(w.phases)
			w.phases = append(w.phases, PhaseTime{Name: name})
		}
		w.active = append(w.active, at)
		s.Phase, s.Done, s.Total, s.Depth = name, 0, 0, len(w.active)
	})
}

// leave ends the running phase; cut says that a time limit ended it.
func (w *Watch) leave(cut bool) {
	w.change(func(s *State) {
		w.count()
		w.active = w.active[:len(w.active)-1]
		s.Phase, s.Done, s.Total, s.Depth, s.CutShort = "", 0, 0, len(w.active), s.CutShort || cut
		if n := len(w.active); n > 0 {
			s.Phase = w.phases[w.active[n-1]].Name
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
	w.state.Improvements++
	if w.OnChange != nil {
		w.OnChange(w.state)
	}
}
