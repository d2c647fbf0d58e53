package solve

import (
	"encoding/json"
	"fmt"
	"io"
	"syscall"
	"time"

	"mrsched/io/disk"
	"mrsched/solver"
)

// Stats are timings and memory, which never enter a result.
type Stats struct {
	Phases  []*Phase `json:"phases"`
	Seconds float64  `json:"seconds"`
	PeakMiB float64  `json:"peak_mib"`

	Begin   time.Time `json:"-"`
	since   time.Time // when the running phase began, or went on
	running *Phase
	Output  Phase `json:"-"` // continues after every algorithm, and is listed last
}

// Phase is what a part of a call took.
type Phase struct {
	Name    string   `json:"name"`
	Seconds float64  `json:"seconds"`
	Phases  []*Phase `json:"phases,omitempty"` // inside it; the rest of its time is spent between them
}

// PhaseOutput is the phase of settling, writing and printing results.
const PhaseOutput = "output"

// NewStats begins with the phase of reading.
func NewStats() *Stats {
	s := &Stats{Begin: time.Now(), Output: Phase{Name: PhaseOutput}}
	s.enter("read")
	return s
}

// enter ends the running phase and begins another one.
func (s *Stats) enter(name string) *Phase {
	p := &Phase{Name: name}
	s.Phases = append(s.Phases, p)
	s.Resume(p)
	return p
}

// Resume ends the running phase and continues with another one.
func (s *Stats) Resume(p *Phase) {
	now := time.Now()
	if s.running != nil {
		s.running.Seconds += now.Sub(s.since).Seconds()
	}
	s.running, s.since = p, now
}

// watched lists what an algorithm spent its time on.
func watched(list []solver.PhaseTime) (phases []*Phase) {
	for _, p := range list {
		phases = append(phases, &Phase{Name: p.Name, Seconds: p.Time.Seconds()})
	}
	return phases
}

// End ends the last phase.
func (s *Stats) End() {
	s.Resume(nil)
	s.Seconds, s.PeakMiB = time.Since(s.Begin).Seconds(), peakMiB()
	s.Phases = append(s.Phases, &s.Output)
}

// Finish prints the total and, if a path is given, writes it there with the phases.
func (s *Stats) Finish(path string, stderr io.Writer, quiet bool) error {
	s.End()
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

// peakMiB is the largest resident set of this process so far.
func peakMiB() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Maxrss) / 1024 // Linux counts KiB
}
