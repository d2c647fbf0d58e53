package command

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"mrsched/io/disk"
)

// stats are timings and memory, which never enter a result.
type stats struct {
	Phases  []phase `json:"phases"`
	Seconds float64 `json:"seconds"`
	PeakMiB float64 `json:"peak_mib"`
	begin   time.Time
	last    time.Time
}

type phase struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

func newStats() *stats {
	now := time.Now()
	return &stats{begin: now, last: now}
}

// lap ends a phase.
func (s *stats) lap(name string) {
	now := time.Now()
	s.Phases = append(s.Phases, phase{name, now.Sub(s.last).Seconds()})
	s.last = now
}

// finish prints the total and, if a path is given, writes it there with the phases.
func (s *stats) finish(path string, stderr io.Writer, quiet bool) error {
	s.lap("output")
	s.Seconds, s.PeakMiB = time.Since(s.begin).Seconds(), peakMiB()
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
