package cli

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"sync"
	"time"

	"mrsched/io/solve"
	"mrsched/model"
	"mrsched/solver"
)

const (
	// heartbeat is how long a run's log is silent at most.
	heartbeat = 3 * time.Second
	// logBurst is how many lines a run may write at once, logRate how many in a second after that. Improvements for which
	// there is no line share the next one.
	logBurst = 40
	logRate  = 4
	// logStep is the relative improvement from which on a line is written at once; smaller ones wait for the next tick.
	logStep = 1e-4
)

// runLog is the search log of one run of an algorithm. It follows a Watch.
type runLog struct {
	log   *searchLog
	title logEvent // instance, problem, algorithm
	ctx   context.Context
	begin time.Time

	mu      sync.Mutex
	seen    solver.State // last
	told    solver.State // in the last line
	entered bool         // a phase began since then
	credit  float64      // lines that may be written now
	at      time.Time    // of credit
	last    time.Time    // of the last line
	over    bool

	stop, stopped chan struct{}
}

// newRunLog begins the log of a run; the title names instance, problem and algorithm.
func newRunLog(ctx context.Context, l *searchLog, title logEvent, watch *solver.Watch) *runLog {
	now := time.Now()
	r := &runLog{log: l, ctx: ctx, begin: now, at: now, last: now, credit: logBurst,
		title: title, stop: make(chan struct{}), stopped: make(chan struct{})}
	r.mu.Lock()
	r.write(eventBegin, "begins", solver.State{})
	r.mu.Unlock()
	watch.OnChange = r.changed
	go r.run()
	return r
}

// changed hears of every change. It must be quick.
func (r *runLog) changed(s solver.State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.Depth > max(r.seen.Depth, 1) && s.Phase != r.told.Phase {
		r.entered = true
	}
	r.seen = s
	if r.entered || worthALine(r.told.Incumbent, s.Incumbent) || worthALine(r.told.Bound, s.Bound) {
		r.tell()
	}
}

// worthALine says whether a value is new or changed enough to be worth a line of its own at once.
func worthALine(before, now model.Optional[float64]) bool {
	return now.Known && (!before.Known || math.Abs(now.Value-before.Value) > logStep*math.Abs(now.Value))
}

// tell writes a line if there is news and the run may write one. The caller holds the lock.
func (r *runLog) tell() {
	if r.over || !r.entered && r.seen.Improvements == r.told.Improvements {
		return
	}
	now := time.Now()
	r.credit = min(logBurst, r.credit+now.Sub(r.at).Seconds()*logRate)
	if r.at = now; r.credit < 1 {
		return
	}
	r.credit--
	s, parts, event := r.seen, []string{}, eventPhase
	if r.entered {
		parts = append(parts, "phase begins")
	}
	news := func(name, by string, changed bool) {
		if !changed {
			return
		}
		if len(parts) == 0 {
			event = name
		}
		if by != "" {
			name += " by " + by
		}
		parts = append(parts, name)
	}
	news(eventIncumbent, s.IncumbentBy, s.Incumbent != r.told.Incumbent)
	news(eventBound, s.BoundBy, s.Bound != r.told.Bound)
	what := strings.Join(parts, ", ")
	if n := s.Improvements - r.told.Improvements; n > 2 {
		what += fmt.Sprintf(" (%s improvements)", grouped(float64(n)))
	}
	r.write(event, what, s)
}

// write writes a line. The caller holds the lock.
func (r *runLog) write(event, what string, s solver.State) {
	e := r.line(event, what)
	e.Phase, e.Done, e.Total = s.Phase, s.Done, s.Total
	if s.Total >= 1<<40 { // an end that nobody reaches
		e.Total = 0
	}
	e.IncumbentBy, e.BoundBy, e.Improvements = s.IncumbentBy, s.BoundBy, s.Improvements-r.told.Improvements
	e.set(s.Incumbent, s.Bound, nil, nil)
	r.told, r.entered = s, false
	r.log.write(e)
}

func (r *runLog) line(event, what string) *logEvent {
	e := r.title
	r.last = time.Now()
	e.Event, e.what = event, what
	e.Elapsed = model.Number(strconv.FormatFloat(r.last.Sub(r.begin).Seconds(), 'f', 3, 64))
	return &e
}

// run writes what changed gave no line, and heartbeats.
func (r *runLog) run() {
	defer close(r.stopped)
	ticker := time.NewTicker(redraws)
	defer ticker.Stop()
	interrupted := r.ctx.Done()
	for {
		select {
		case <-r.stop:
			return
		case <-interrupted:
			interrupted = nil
			r.mu.Lock()
			if !r.over {
				r.write(eventInterrupted, "interrupted: waits for the run to end", r.seen)
			}
			r.mu.Unlock()
		case <-ticker.C:
			r.mu.Lock()
			if r.tell(); !r.over && time.Since(r.last) >= heartbeat {
				r.write(eventProgress, "continues", r.seen)
			}
			r.mu.Unlock()
		}
	}
}

// Ended writes the last line.
func (r *runLog) Ended(e solve.Ending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	what := "end: "
	if e.Again {
		what = "end, by the strongest bound of all: "
	}
	what += string(e.Status)
	switch why := string(e.Why); {
	case why != string(e.Status):
		what += ", " + why
	case e.Objective != nil && (e.Bound == nil || e.Objective.Cmp(e.Bound) > 0):
		what += ", by a complete search"
	}
	line := r.line(eventEnd, what)
	line.Status, line.Why, line.BoundBy = e.Status, e.Why, e.Method
	line.Improvements = r.seen.Improvements - r.told.Improvements
	r.told = r.seen
	line.set(floatOf(e.Objective), floatOf(e.Bound), e.Objective, e.Bound)
	r.log.write(line)
}

func floatOf(v *big.Rat) (f model.Optional[float64]) {
	if v != nil {
		f.Value, _ = v.Float64()
		f.Known = true
	}
	return f
}

// End stops the log; a run without a last line has failed.
func (r *runLog) End() {
	close(r.stop)
	<-r.stopped
	r.mu.Lock()
	over := r.over
	r.mu.Unlock()
	if over {
		return
	}
	why := solve.WhyFailed
	if r.ctx.Err() != nil {
		why = solve.WhyInterrupted
	}
	r.Ended(solve.Ending{Status: "error", Why: why})
}

// followers show one run in several ways.
type followers []solve.Follower

// Ended tells all.
func (f followers) Ended(e solve.Ending) {
	for _, x := range f {
		x.Ended(e)
	}
}

// End ends all.
func (f followers) End() {
	for _, x := range f {
		x.End()
	}
}
