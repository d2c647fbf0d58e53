package solver

import (
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
	Done, Total int    // of the phase; Total is 0 if nobody knows
	// Incumbent is the cost of the best schedule so far, Bound the best lower bound, both in the objective's unit.
	Incumbent, Bound model.Optional[float64]
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
		s.Phase, s.Done, s.Total = name, 0, 0
	})
}

func (w *Watch) leave() {
	w.change(func(s *State) {
		w.count()
		w.active = w.active[:len(w.active)-1]
		s.Phase, s.Done, s.Total = "", 0, 0
		if n := len(w.active); n > 0 {
			s.Phase = w.phases[w.active[n-1]].Name
		}
	})
}

// Progress says how much of the running phase is done.
func (w *Watch) Progress(done, total int) {
	w.change(func(s *State) { s.Done, s.Total = done, total })
}

// Incumbent reports a schedule's cost in the objective's unit; costs that are no better than before are ignored.
func (w *Watch) Incumbent(cost float64) {
	w.change(func(s *State) {
		if !s.Incumbent.Known || cost < s.Incumbent.Value {
			s.Incumbent = model.Some(cost)
		}
	})
}

// Bound reports a lower bound in the objective's unit; bounds that are no better than before are ignored.
func (w *Watch) Bound(value float64) {
	w.change(func(s *State) {
		if !s.Bound.Known || value > s.Bound.Value {
			s.Bound = model.Some(value)
		}
	})
}
