package page

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

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

// TestBusyTimeOfMany: of 1000 slots, 400 have a task of 1 to 2 s in a schedule of an hour. There are columns, sorted,
// as high as the busiest, not flat ones below an hour.
func TestBusyTimeOfMany(t *testing.T) {
	r := spreadResult(400, 600, 1.0/400, 3600*model.Second)
	f := (&r).perMachine(prepared(&r), "x")
	contains(t, f.Caption, "400 of 1,000 machines with tasks.", "The schedule ends after 1:00:01.", "Sorted")
	if f.Table.Rows[0][0] != "m400" || f.Table.Note != "The first 200 of 400 machines." {
		t.Errorf("%q, %s", f.Table.Rows[0], f.Table.Note)
	}
	contains(t, f.file, "a column: the first of 2 machines")
	if n, err := wellFormed(f.file); err != nil || n < 200 {
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

// supplied is msjoResult's with two resources that its tasks take, and one that none takes.
func supplied() Result {
	r := msjoResult("x", "a", "b")
	one := func(_, machine string) float64 {
		if machine == "m2" {
			return 4e9
		}
		return 0
	}
	r.Supplies = []model.Supply{
		{Name: "memory", Unit: "B", Takes: one, Has: []model.SupplyStep{{Amount: 8e9}}},
		{Name: "gpu", Takes: func(_, _ string) float64 { return 0 }, Has: []model.SupplyStep{{Amount: 3}}},
		{Name: "cores", Unit: "cores", Takes: func(_, _ string) float64 { return 1 },
			Has: []model.SupplyStep{{Amount: 2}, {From: 30 * model.Second, Amount: 1}, {From: 50 * model.Second, Amount: 9}}},
	}
	return r
}

// TestResources: one task runs from 0 to 5 s, two until 30 s and one until 35 s. They take 60 core-seconds of 65, and
// on m2 30 × 4 GB·s of 35 × 8. The gpu, which no task takes, has no chart.
func TestResources(t *testing.T) {
	r := supplied()
	s := prepared(&r)
	list := r.resources(s, "r1")
	if len(list) != 2 {
		t.Fatalf("%d charts, want 2", len(list))
	}
	cores, memory := list[0], list[1]
	for _, c := range []struct {
		f     *figure
		title string
		said  []string
		head  string
		first []string
		last  []string
	}{
		{cores, "Use of cores over time", []string{"On average, 92.30 % is in use", "240 equal steps of time, 100.00 %",
			"Of 2 resources, this one is used most."}, "in use (cores)", []string{"0", "1.458333", "1", "2"},
			[]string{"33.541667", "35", "1", "1"}},
		{memory, "Use of memory over time", []string{"On average, 42.85 % is in use", "240 equal steps of time, 50.00 %."},
			"in use (GB)", []string{"0", "1.458333", "0", "8"}, []string{"33.541667", "35", "4", "8"}},
	} {
		if c.f.Title != c.title || c.f.Table.Columns[2] != c.head {
			t.Errorf("%q with the column %q", c.f.Title, c.f.Table.Columns[2])
		}
		contains(t, c.f.Caption, c.said...)
		rows := c.f.Table.Rows
		if len(rows) != 24 || !slices.Equal(rows[0], c.first) || !slices.Equal(rows[23], c.last) {
			t.Errorf("%s: %d rows, the first %q, the last %q", c.title, len(rows), rows[0], rows[len(rows)-1])
		}
		contains(t, c.f.file, `class="bound"`, ">available</text>")
	}
	if n := strings.Count(memory.file, `class="c`); n != 2 { // of job b alone: its area, and its place in the legend
		t.Errorf("the chart of memory has %d coloured parts, want 2", n)
	}
}

// TestManyResources: six of eight are drawn, and the first one states this. Files have different names even if a file
// system treats the resources' names as equal.
func TestManyResources(t *testing.T) {
	r := supplied()
	of := r.Supplies[2]
	r.Supplies = nil
	for _, name := range []string{"gpu", "GPU", "g p", "g/p", "g\x00p", hostile, "7", "8"} {
		of.Name = name
		r.Supplies = append(r.Supplies, of)
	}
	files := pictures(t, "resources", r)
	maps.DeleteFunc(files, func(name, _ string) bool { return !strings.Contains(name, "-resource-") })
	if len(files) != drawnResources {
		t.Errorf("pictures %q", slices.Collect(maps.Keys(files)))
	}
	page := written(t, &Document{Results: []Result{r}})
	contains(t, page, "Of 8 resources, this one is used most. The 6 that are used most are drawn.")
	if strings.Contains(page, hostile) {
		t.Error("the page shows a name as markup")
	}
}

// TestRacks: machines are grouped by the racks of their nodes; so are slots and lanes.
func TestRacks(t *testing.T) {
	r := msjoResult("x", "a", "b")
	r.Racks = map[string]string{"m1": "rb", "m2": "ra"}
	s := prepared(&r)
	if want := [][]string{{"ra", "m2"}, {"rb", "m1"}}; !slices.EqualFunc(s.levels, want, slices.Equal) ||
		!slices.Equal(s.machines, []string{"m2", "m1"}) {
		t.Errorf("levels %q of %q", s.levels, s.machines)
	}
	for machine, want := range map[string]string{"m1": "rb", "m1/2": "rb", "m2/1/3": "ra", "m3": "", "m": "", "x/m1": ""} {
		if got := r.rackOf(machine); got != want {
			t.Errorf("%s is in rack %q, want %q", machine, got, want)
		}
	}
}

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
