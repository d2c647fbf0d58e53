package cli

import (
	"context"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"sync"
	"time"

	"mrsched/io/solve"
	"mrsched/model"
	"mrsched/solver"
)

// heartbeat is how long a run's log is silent at most.
const heartbeat = 3 * time.Second

// runLog is the search log of one run of an algorithm. It looks at a Watch as often as a status line is drawn; what
// happens in between shares a line.
type runLog struct {
	log   *searchLog
	title logEvent // instance, problem, algorithm
	ctx   context.Context
	watch *solver.Watch
	begin time.Time

	mu   sync.Mutex
	told solver.State // in the last line
	last time.Time    // of the last line
	over bool

	stop, stopped chan struct{}
}

// newRunLog begins the log of a run; the title names instance, problem and algorithm.
func newRunLog(ctx context.Context, l *searchLog, title logEvent, watch *solver.Watch) *runLog {
	r := &runLog{log: l, ctx: ctx, begin: time.Now(), watch: watch, title: title, stop: make(chan struct{}),
		stopped: make(chan struct{})}
	r.write(eventBegin, "begins", solver.State{})
	go r.run()
	return r
}

// tell writes a line if there is news, or if the log was silent for long. The caller holds the lock.
func (r *runLog) tell() {
	s, parts, event := r.watch.State(), []string{}, eventPhase
	if s.Depth > 1 && s.Phase != r.told.Phase {
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
	switch n := s.Improvements - r.told.Improvements; {
	case r.over:
		return
	case what == "" && time.Since(r.last) < heartbeat:
		return
	case what == "":
		event, what = eventProgress, "continues"
	case n > 2:
		what += fmt.Sprintf(" (%s improvements)", grouped(float64(n)))
	}
	r.write(event, what, s)
}

// write writes a line.
func (r *runLog) write(event, what string, s solver.State) {
	e := r.line(event, what)
	e.Phase, e.Done, e.Total = s.Phase, s.Done, s.Total
	if s.Total >= 1<<40 { // an end that nobody reaches
		e.Total = 0
	}
	e.IncumbentBy, e.BoundBy, e.Improvements = s.IncumbentBy, s.BoundBy, s.Improvements-r.told.Improvements
	e.set(s.Incumbent, s.Bound, nil, nil)
	r.told = s
	r.log.write(e)
}

func (r *runLog) line(event, what string) *logEvent {
	e := r.title
	r.last = time.Now()
	e.Event, e.what = event, what
	e.Elapsed = model.Number(strconv.FormatFloat(r.last.Sub(r.begin).Seconds(), 'f', 3, 64))
	return &e
}

// run writes the lines of a run until it ends.
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
				r.write(eventInterrupted, "interrupted: waits for the run to end", r.watch.State())
			}
			r.mu.Unlock()
		case <-ticker.C:
			r.mu.Lock()
			r.tell()
			r.mu.Unlock()
		}
	}
}

// Ended writes the last line.
func (r *runLog) Ended(e solve.Ending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tell()
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
	why := solve.WhyFailed
	if r.ctx.Err() != nil {
		why = solve.WhyInterrupted
	}
	if !r.over {
		r.Ended(solve.Ending{Status: "error", Why: why})
	}
}
