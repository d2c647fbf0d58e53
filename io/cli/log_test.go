package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mrsched/io/solve"
	"mrsched/model"
	"mrsched/solver"
)

// logLines reads a log of JSON lines.
func logLines(t *testing.T, text string) (lines []logEvent) {
	t.Helper()
	for line := range strings.Lines(text) {
		var e logEvent
		d := json.NewDecoder(strings.NewReader(line))
		if d.DisallowUnknownFields(); d.Decode(&e) != nil {
			t.Fatalf("%q", line)
		}
		lines = append(lines, e)
	}
	return lines
}

// TestLogThrottle: a run with 100 000 improvements writes few lines, quickly, and the last one counts all.
func TestLogThrottle(t *testing.T) {
	var out bytes.Buffer
	l := &searchLog{stderr: &out, json: true}
	watch := &solver.Watch{}
	r := newRunLog(t.Context(), l, logEvent{Algorithm: "best"}, watch)
	_, end := (solver.Options{Watch: watch}).Phase(t.Context(), "outer", 1)
	const improvements = 100_000
	begin := time.Now()
	for k := range improvements {
		watch.Incumbent(float64(10*improvements-9*k), "")
		watch.Progress(k, improvements)
	}
	took := time.Since(begin)
	end()
	r.Ended(solve.Ending{Status: model.StatusFeasible, Why: solve.WhyIterations})
	r.End()
	lines, sum := logLines(t, out.String()), 0
	for _, e := range lines {
		sum += e.Improvements
	}
	if most := int(took/redraws) + 4; len(lines) > most || len(lines) < 3 {
		t.Errorf("%d lines in %v, expected %d at most", len(lines), took, most)
	}
	if sum != improvements {
		t.Errorf("%d improvements of %d", sum, improvements)
	}
	if took > 2*time.Second {
		t.Errorf("%d improvements took %v", improvements, took)
	}
}

// TestLogHeartbeat: a run without reports still writes a line at intervals, and a failing run logs its error.
func TestLogHeartbeat(t *testing.T) {
	var out bytes.Buffer
	watch := &solver.Watch{}
	r := newRunLog(t.Context(), &searchLog{stderr: &out}, logEvent{Algorithm: "best"}, watch)
	r.mu.Lock()
	r.last = r.last.Add(-heartbeat)
	r.mu.Unlock()
	time.Sleep(2 * redraws)
	r.End()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 4 || !strings.HasSuffix(lines[2], "  continues") ||
		!strings.HasSuffix(lines[3], "  end: error, failed") {
		t.Errorf("%q", lines)
	}
}
