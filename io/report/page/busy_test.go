package page

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/io/report/chart"
	"mrsched/model"
)

// spreadResult has machines with one task each, and idle machines. Counted from 0, the task of machine k takes k·second
// + 1 s and is a reduce if k is odd. The last task starts at wait, all others at 0.
func spreadResult(machines, idle int, second float64, wait model.Time) Result {
	r := msjoResult("x", "a", "b")
	var tasks []Task
	for k := range machines {
		start := model.Time(0)
		if k == machines-1 {
			start = wait
		}
		tasks = append(tasks, Task{ID: fmt.Sprint("t", k), Job: "a", Machine: fmt.Sprint("m", k+1), Reduce: k%2 == 1,
			Start: start,
			End:   start + model.Time((float64(k)*second+1)*1e6), Own: []string{""}})
	}
	r.Tasks, r.Tables = slices.Values(tasks), nil
	r.Instance.Machines = machines + idle
	return r
}

// TestBusyTimeOfMany: of 1000 slots, 400 have a task of 1 to 2 s in a schedule of an hour. The picture is a histogram
// with bars of 0.1 s from 1 s on and about 40 machines each, not flat columns below an hour.
func TestBusyTimeOfMany(t *testing.T) {
	r := spreadResult(400, 600, 1.0/400, 3600*model.Second)
	s := prepared(&r)
	f := (&r).perMachine(s, "x")
	contains(t, f.Caption, "400 machines with tasks, of 1,000 in all", "the busiest machine is m400 with",
		"The schedule ends after 1:00:01;")
	total := 0.0
	for _, row := range f.Table.Rows {
		maps, _ := ungrouped(row[2])
		reduces, _ := ungrouped(row[3])
		if math.Abs(maps-reduces) > 1 {
			t.Errorf("%q: not half of them reduces", row)
		}
		total += maps + reduces
	}
	if total != 400 || len(f.Table.Rows) != 10 || f.Table.Rows[0][0] != "0:00:01" {
		t.Errorf("%v machines in %q", total, f.Table.Rows)
	}
	if n, err := wellFormed(f.file); err != nil || n < 30 || !strings.Contains(f.file, "mostly reduces") {
		t.Errorf("%d elements, %v", n, err)
	}
}

// TestBusyTimeOfSome: with 40 busy machines among 1000, there is a column for each of the 40. Columns reach up to the
// busiest, not to the distant end of the schedule. If the schedule is not much longer, they reach to its end.
func TestBusyTimeOfSome(t *testing.T) {
	for _, c := range []struct {
		machines, idle int
		wait           model.Time
		rows           int
		drawn          bool // the end of the schedule
	}{{40, 960, 3600 * model.Second, 40, false}, {40, 960, 0, 40, true}, {3, 2, 0, 5, true}} {
		r := spreadResult(c.machines, c.idle, 0, c.wait)
		f := r.perMachine(prepared(&r), "x")
		if len(f.Table.Rows) != c.rows || strings.Contains(string(f.SVG), "end of the schedule") != c.drawn {
			t.Errorf("%+v: %d rows; %q", c, len(f.Table.Rows), f.Caption)
		}
		if !c.drawn {
			contains(t, f.Caption, "40 of 1,000 machines with tasks. The schedule ends after 1:00:01.")
		}
	}
}

// TestHistogramEdges: the bars cover all values, are equally wide, and not many.
func TestHistogramEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := rapid.Float64Range(0, 1e8).Draw(t, "top")
		low := rapid.Float64Range(0, top).Draw(t, "low")
		edges := histogramEdges(chart.TimeUnit(max(top, 1e-6)), low, top)
		n := len(edges) - 1
		if n < 1 || n > 3*histogramBars || edges[0] > low+1e-6*top || edges[n] < top-1e-6*top {
			t.Fatalf("from %v to %v: %v", low, top, edges)
		}
		for k := range n {
			if w := edges[k+1] - edges[k]; w <= 0 || math.Abs(w-(edges[1]-edges[0])) > 1e-9*max(top, 1e-6) {
				t.Fatalf("bar %d of %v is %v wide", k, edges, w)
			}
		}
	})
}
