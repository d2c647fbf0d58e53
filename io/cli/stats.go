package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"mrsched/io/disk"
	"mrsched/solver"
)

// stats are timings and memory, which never enter a result.
type stats struct {
	Phases  []*phase `json:"phases"`
	Seconds float64  `json:"seconds"`
	PeakMiB float64  `json:"peak_mib"`

	begin   time.Time
	since   time.Time // when the running phase began, or went on
	running *phase
	output  phase // goes on after every algorithm, and is listed last
}

// phase is what a part of a call took.
type phase struct {
	Name    string   `json:"name"`
	Seconds float64  `json:"seconds"`
	Phases  []*phase `json:"phases,omitempty"` // inside it; what they leave of its time is spent between them
}

// phaseOutput is the phase of settling, writing and printing results.
const phaseOutput = "output"

// newStats begins with the phase of reading.
func newStats() *stats {
	s := &stats{begin: time.Now(), output: phase{Name: phaseOutput}}
	s.enter("read")
	return s
}

// enter ends the running phase and begins another one.
func (s *stats) enter(name string) *phase {
	p := &phase{Name: name}
	s.Phases = append(s.Phases, p)
	s.resume(p)
	return p
}

// resume ends the running phase and goes on with another one.
func (s *stats) resume(p *phase) {
	now := time.Now()
	if s.running != nil {
		s.running.Seconds += now.Sub(s.since).Seconds()
	}
	s.running, s.since = p, now
}

// watched lists what an algorithm spent its time on.
func watched(list []solver.PhaseTime) (phases []*phase) {
	for _, p := range list {
		phases = append(phases, &phase{Name: p.Name, Seconds: p.Time.Seconds()})
	}
	return phases
}

// end ends the last phase.
func (s *stats) end() {
	s.resume(nil)
	s.Seconds, s.PeakMiB = time.Since(s.begin).Seconds(), peakMiB()
	s.Phases = append(s.Phases, &s.output)
}

// finish prints the total and, if a path is given, writes it there with the phases.
func (s *stats) finish(path string, stderr io.Writer, quiet bool) error {
	s.end()
	if !quiet {
		fmt.Fprintf(stderr, "%.2f s in all, %.0f MiB\n", s.Seconds, s.PeakMiB)
	}
	if path == "" {
		return nil
	}
	return disk.WriteFile(path, true, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(s)
	})
}
