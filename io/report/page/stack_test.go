package page

import (
	"regexp"
	"slices"
	"strconv"
	"testing"

	"mrsched/model"
)

// recordedResult is msjoResult's with a recorded schedule: each task ran ten seconds later, the second job's on machine
// m3.
func recordedResult(name string) Result {
	r := msjoResult(name, "a", "b")
	tasks := slices.Collect(r.Tasks)
	for i := range tasks {
		tasks[i].Start, tasks[i].End = tasks[i].Start+10*model.Second, tasks[i].End+10*model.Second
		if tasks[i].Job == "b" {
			tasks[i].Machine = "m3"
		}
	}
	r.Recorded = &Recorded{Tasks: slices.Values(tasks), Note: "what the traced cluster did"}
	return r
}

// bar is a task's bar in a picture.
type bar struct{ x, y, width float64 }

// barsOf returns the bars of a picture whose title begins with a task's id, from top to bottom.
func barsOf(svg, id string) (bars []bar) {
	rect := regexp.MustCompile(`<rect[^>]* x="([^"]*)" y="([^"]*)" width="([^"]*)"[^>]*><title>` + id + `(?:\n|&#xA;)`)
	for _, m := range rect.FindAllStringSubmatch(svg, -1) {
		number := func(k int) float64 { v, _ := strconv.ParseFloat(m[k], 64); return v }
		bars = append(bars, bar{number(1), number(2), number(3)})
	}
	return bars
}

// TestRecordedAboveBest: the recorded schedule is above the best one, on the same axis: equal times have equal
// positions, and there is one row of ticks.
func TestRecordedAboveBest(t *testing.T) {
	worse, best := recordedResult("fifo"), recordedResult("best")
	best.Recorded, best.Objective = worse.Recorded, &model.Objective{Name: "twjct", Value: "90"}
	f := figures(t, 2, worse, best)[1] // behind a comparison
	contains(t, f.Caption, "recorded run, which ends at 45 s", "the schedule of best, which ends at 35 s",
		"what the traced cluster did")
	if want := [][]string{{"a", "40", "30"}, {"b", "45", "35"}}; !slices.EqualFunc(f.Table.Rows, want, slices.Equal) {
		t.Errorf("table %q", f.Table.Rows)
	}
	contains(t, f.file, ">recorded</text>", ">best</text>", ">m3</text>")
	m, r := barsOf(f.file, "a.m1"), barsOf(f.file, "a.r1")
	if len(m) != 2 || len(r) != 2 {
		t.Fatalf("bars of a.m1 %v, of a.r1 %v; want one in each schedule", m, r)
	}
	// a.m1 takes 10 s from 10 and from 0 s, a.r1 20 s from 20 and from 10 s. A bar ends one pixel early.
	ten := m[0].width + 1
	near := func(got, want float64) bool { return got-want < 0.25 && want-got < 0.25 }
	if !near(m[1].width+1, ten) || !near(r[0].width+1, 2*ten) || !near(r[1].width+1, 2*ten) || !near(m[0].x-m[1].x, ten) ||
		!near(r[1].x, m[0].x) || m[0].y >= m[1].y {
		t.Errorf("not on one axis: a.m1 %v, a.r1 %v", m, r)
	}
	var ticks []string
	for _, m := range regexp.MustCompile(`text-anchor="middle"[^>]*>(\d+)<`).FindAllStringSubmatch(f.file, -1) {
		ticks = append(ticks, m[1])
	}
	if want := []string{"0", "5", "10", "15", "20", "25", "30", "35", "40", "45"}; !slices.Equal(ticks, want) {
		t.Errorf("ticks %q, want one row %q", ticks, want)
	}
}

// figures are those that compare results; there are n.
func figures(t *testing.T, n int, results ...Result) []*figure {
	t.Helper()
	p, err := New(&Document{Results: results})
	try(t, err)
	list := p.c.Groups[0].Figures
	if len(list) != n {
		t.Fatalf("%s: %d figures, want %d", results[0].Algorithm, len(list), n)
	}
	return list
}

// TestRecordedCells: with many tasks both schedules are drawn as cells, with a label each. Without a recorded schedule,
// or without a schedule beside it, there is no picture.
func TestRecordedCells(t *testing.T) {
	r, was := largeResult("best", 20_000, 200), largeResult("recorded", 20_000, 120)
	r.Recorded = &Recorded{Tasks: was.Tasks}
	contains(t, figures(t, 1, r)[0].file, "a cell: ", ">recorded</text>")
	bound := boundResult()
	bound.Recorded = recordedResult("x").Recorded
	figures(t, 0, bound)
	figures(t, 0, msjoResult("mars", "a", "b"))
}
