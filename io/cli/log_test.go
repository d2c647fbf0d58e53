package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mrsched/io/engine"
	"mrsched/io/solve"
	"mrsched/model"
	"mrsched/solver"
)

// near is the relative error of values in floating point.
const near = 1e-6

// TestReportsAreTrue: for every problem and objective, reported incumbents are at least the cost of the returned
// schedule, bounds at most that cost, and the last incumbent equals it.
func TestReportsAreTrue(t *testing.T) {
	for _, c := range matrixCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			checked := 0
			for seed := uint64(0); checked < 12; seed++ {
				o := c.open(t, seed)
				if o == nil {
					continue
				}
				for _, a := range o.Problem.Algorithms {
					if runs(o, a) && reportsAreTrue(t, o, a, fmt.Sprintf("%s, instance %d: %s", c.name, seed, a.Name)) {
						checked++
					}
				}
			}
			if checked == 0 {
				t.Error("no case was checked")
			}
		})
	}
}

// reportsAreTrue reports whether the algorithm made a schedule.
func reportsAreTrue(t *testing.T, o *engine.Opened, a solver.Algorithm, about string) bool {
	t.Helper()
	var low, high model.Optional[float64]
	watch := &solver.Watch{OnChange: func(s solver.State) {
		if low.Known && (!s.Bound.Known || s.Bound.Value < low.Value) {
			t.Errorf("%s: the bound falls from %v to %v", about, low, s.Bound)
		}
		if high.Known && (!s.Incumbent.Known || s.Incumbent.Value > high.Value) {
			t.Errorf("%s: the incumbent rises from %v to %v", about, high, s.Incumbent)
		}
		low, high = s.Bound, s.Incumbent
	}}
	v, err := o.Solve(t.Context(), a, solver.Options{Iterations: 40, Seed: 1, Threads: 1, Watch: watch})
	if err != nil {
		return false
	}
	cost, proof := floatOf(o.Cost(v)), engine.Strongest(v)
	if proof != nil {
		value := floatOf(proof.Certified.Value)
		if !low.Known || !a.Exhaustive && math.Abs(low.Value-value.Value) > near*(1+math.Abs(value.Value)) {
			t.Errorf("%s: the last bound is %v, the verified one %v", about, low, value.Value)
		}
	}
	if !cost.Known {
		return false
	}
	if !high.Known || math.Abs(high.Value-cost.Value) > near*(1+math.Abs(cost.Value)) {
		t.Errorf("%s: the last incumbent is %v, the schedule costs %v", about, high, cost.Value)
	}
	if low.Known && low.Value > cost.Value*(1+near) {
		t.Errorf("%s: the bound %v lies above the cost %v", about, low.Value, cost.Value)
	}
	return true
}

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

// TestLogLastLine: in solve and in compare the last line of each run states the values of its result. No result depends
// on the log.
func TestLogLastLine(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"fig1", "dag", "tree", "deadlines", "sorts", "fig7"} {
		instance := filepath.Join(root, "instances", "examples", name+".json")
		for _, command := range []string{"solve", "compare"} {
			at := filepath.Join(dir, name+command)
			file := at + ".log"
			args := []string{command, instance, "-a", "all", "--iterations", "60"}
			plain := run(t, engine.ExitDone, append(args, "-o", at+"0", "--json")...)
			logged := run(t, engine.ExitDone, append(args, "-o", at+"1", "--json", "--log-file", file, "--log-format",
				"json")...)
			if plain != logged {
				t.Errorf("%s %s: the results depend on the log", command, name)
			}
			last := map[string]logEvent{}
			for _, e := range logLines(t, readText(t, file)) {
				if before := last[e.Algorithm]; before.Event == eventEnd && command == "solve" {
					t.Errorf("%s: %s goes on after its end", name, e.Algorithm)
				}
				last[e.Algorithm] = e
			}
			for algorithm, e := range last {
				var r model.Result
				if err := json.Unmarshal([]byte(readText(t, filepath.Join(at+"1", algorithm, "result.json"))), &r); err != nil {
					t.Fatal(err)
				}
				want := logEvent{Event: eventEnd, Status: r.Status}
				if r.Objective != nil {
					want.Incumbent = r.Objective.Value
				}
				if r.LowerBound != nil {
					want.Bound, want.BoundBy = r.LowerBound.Value, r.LowerBound.Method
				}
				if is := (logEvent{Event: e.Event, Status: e.Status, Incumbent: e.Incumbent, Bound: e.Bound,
					BoundBy: e.BoundBy}); is != want {
					t.Errorf("%s %s, %s: the log ends with %+v, the result is %+v", command, name, algorithm, is, want)
				}
			}
		}
	}
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
	if most := logBurst + int(logRate*took.Seconds()) + 3; len(lines) > most || len(lines) < logBurst {
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
	time.Sleep(3 * redraws)
	r.End()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 4 || !strings.HasSuffix(lines[2], "  continues") ||
		!strings.HasSuffix(lines[3], "  end: error, failed") {
		t.Errorf("%q", lines)
	}
}

// TestLogFull: an incompletely written log is an error.
func TestLogFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full: ", err)
	}
	l := &searchLog{path: "/dev/full", force: true}
	l.write(&logEvent{Event: eventBegin, Elapsed: "0"})
	l.write(&logEvent{Event: eventEnd, Elapsed: "1"})
	const want = "--log-file: the log is incomplete: write /dev/full: no space left on device"
	if err := l.close(); err == nil || err.Error() != want {
		t.Error(err)
	}
}
