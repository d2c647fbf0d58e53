package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
)

// TestBands: a band for each job and rule, the planned end and the deadline, in clock times. What never comes reaches
// to the end of the axis. Of many jobs those with the least slack are drawn.
func TestBands(t *testing.T) {
	r := msjoResult("x", "a", "b")
	r.Origin, _ = model.ParseOrigin("2026-11-27T22:00")
	r.About = about("cluster")
	r.Tables = []model.ResultTable{table("jobs", "job,due", "a,120,", "b,,")}
	s := model.Second
	r.Tasks, r.Own = slices.Values([]Task{{ID: "1", Job: "a", Machine: "m", End: 80 * s}, {ID: "2", Job: "b", Machine: "n",
		End: 95 * s}}), nil
	r.Asked = &Asked{Bands: []Band{{"a", "fifo", 60 * s, 90 * s}, {"a", "order", 60 * s, 1 << 62}, {"none", "order", s, s},
		{"b", "order", 70 * s, 80 * s}}}
	svg := pictures(t, "bands", r)["r1-x-bands.svg"]
	contains(t, svg, ">fifo</text>", "a, fifo&#xA;P50 22:01:00, P95 22:01:30", "P95 never", "b, order",
		">planned end</text>", ">22:01</text>")
	text := written(t, &Document{Results: []Result{r}})
	contains(t, text, "<bdi>22:02:00</bdi>", "from 2026-11-27T22:00:00 on.", "<dd><bdi>22:01:35</bdi>")
	if strings.Count(svg, "<title>") != 4 { // the picture's and three bands
		t.Error(svg)
	}

	many := msjoResult("x", "a", "b")
	var tasks []Task
	var rows []string
	for k := range 40 {
		job := fmt.Sprint("j", k)
		tasks = append(tasks, Task{ID: job, Job: job, Machine: "m", End: 100 * s})
		rows = append(rows, fmt.Sprintf("%s,%d", job, 500-k))
		r.Asked.Bands = append(r.Asked.Bands, Band{job, "order", 100 * s, 200 * s})
	}
	many.Asked, many.About, many.Tasks, many.Own = r.Asked, r.About, slices.Values(tasks), nil
	many.Tables = []model.ResultTable{table("jobs", "job,due", rows...)}
	svg = pictures(t, "many", many)["r1-x-bands.svg"]
	if strings.Contains(svg, ">j9</text>") || !strings.Contains(svg, ">j10</text>") {
		t.Error("not the 30 jobs with the least slack")
	}
}

// TestAbsences: a machine's absences are drawn on each of its lanes, those of others and later ones nowhere.
func TestAbsences(t *testing.T) {
	r := msjoResult("x", "a", "b")
	s := model.Second
	r.Tasks = slices.Values([]Task{{ID: "1", Job: "a", Machine: "n", End: 9 * s}, {ID: "2", Job: "a", Machine: "n", End: 9 * s},
		{ID: "3", Job: "a", Machine: "n/1", End: 9 * s}})
	r.Own = nil
	r.Asked = &Asked{Absences: []Absence{{"n", 9 * s, 99 * s}, {"n", 100 * s, 1 << 62}, {"x", 0, s}}}
	svg := pictures(t, "away", r)["r1-x-gantt.svg"]
	if strings.Contains(svg, "unavailable") || strings.Contains(svg, "n is") {
		t.Error("absences beyond the axis are drawn")
	}
	r.Asked.Absences[0].From = 5 * s
	svg = pictures(t, "away", r)["r1-x-gantt.svg"]
	if strings.Count(svg, "n is unavailable</title>") != 2 || !strings.Contains(svg, ">unavailable</text>") {
		t.Error(svg)
	}
}

// TestGapOfLateness: a tardiness of 100 with a bound of 80 is 20 above it, not 25 %.
func TestGapOfLateness(t *testing.T) {
	r := msjoResult("x", "a", "b")
	r.About, r.Objective.Name = about("cluster"), "tardiness"
	if got := r.gap(); got != "20 s late" {
		t.Error(got)
	}
	if r.Objective.Name = "makespan"; r.gap() != "25.00 %" {
		t.Error(r.gap())
	}
}
