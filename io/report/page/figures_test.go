package page

import (
	"fmt"
	"maps"
	"slices"
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

// TestBusyTimeOfMany: of 1000 slots, 400 have a task of 1 to 2 s. The busiest are drawn, and the table has more.
func TestBusyTimeOfMany(t *testing.T) {
	r := spreadResult(400, 600, 1.0/400, 3600*model.Second)
	f := r.busy(prepared(&r), "x")
	contains(t, f.Caption, "400 of 1,000 machines with tasks.", "The 30 largest of 400 machines.")
	if f.Table.Rows[0][0] != "m400" || f.Table.Note != "The first 200 of 400 machines." {
		t.Errorf("%q, %s", f.Table.Rows[0], f.Table.Note)
	}
	if n := strings.Count(f.file, "<title>m"); n != drawnBars {
		t.Errorf("%d bars", n)
	}
}

// TestBusyTimeBound: where the objective is the largest load, the chart has its bound, and maps by locality.
func TestBusyTimeBound(t *testing.T) {
	r := localResult()
	f := r.busy(prepared(&r), "x")
	contains(t, f.file, "lower bound 80", ">rack-local</text>")
	other := msjoResult("x", "a", "b")
	if f := other.busy(prepared(&other), "x"); strings.Contains(f.file, "lower bound") {
		t.Error("a bound on another objective")
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

// TestLanesInUse: where rows are lanes, resources take the place of the share of lanes.
func TestLanesInUse(t *testing.T) {
	for row, want := range map[string]string{"machine": "gantt utilisation machines resource-3-cores resource-1-memory",
		"lane": "gantt resource-3-cores resource-1-memory machines"} {
		r := supplied()
		s := prepared(&r)
		s.row = row
		var files []string
		for _, f := range figuresOf(&r, s, "r1") {
			files = append(files, f.File)
		}
		if got := strings.Join(files, " "); got != want {
			t.Errorf("%s: %s", row, got)
		}
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
	if !slices.Equal(s.labels, []string{"ra/m2", "rb/m1"}) || !slices.Equal(s.machines, []string{"m2", "m1"}) {
		t.Errorf("labels %q of %q", s.labels, s.machines)
	}
	for machine, want := range map[string]string{"m1": "rb", "m1/2": "rb", "m2/1/3": "ra", "m3": "", "m": "", "x/m1": ""} {
		if got := r.rackOf(machine); got != want {
			t.Errorf("%s is in rack %q, want %q", machine, got, want)
		}
	}
}
