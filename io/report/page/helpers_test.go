package page

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/model/multitenant"
	"mrsched/model/realtime"
	"mrsched/model/reduceplace"
	"mrsched/model/shop"
)

// hostile is a name that causes harm wherever it is interpreted as markup.
const hostile = `</script><script>alert(1)</script>"'><img src=x onerror=alert(2)>`

// msjoResult is a schedule of two jobs on two machines: a map of 10 s and a reduce of 20 s each, one job a machine, the
// second 5 s later.
func msjoResult(name, first, second string) Result {
	var tasks []Task
	for k, job := range []string{first, second} {
		begin := model.Time(5*k) * model.Second
		machine := fmt.Sprint("m", k+1)
		tasks = append(tasks, Task{ID: job + ".m1", Job: job, Machine: machine, Start: begin, End: begin + 10*model.Second,
			Own: []string{fmt.Sprint("b", k+1)}}, Task{ID: job + ".r1", Job: job, Machine: machine, Reduce: true,
			Start: begin + 10*model.Second, End: begin + 30*model.Second, Own: []string{""}})
	}
	return Result{Name: name, About: about("msjo"), Own: []string{"block"},
		Tasks: slices.Values(tasks), Shown: []string{"makespan"},
		Tables: []model.ResultTable{table("jobs", "job,weight,release,earliest,first_start,completion,objective_share",
			first+",1,0,30,0,30,30", second+",2,5,35,5,35,70")},
		Result: &model.Result{Problem: "msjo", Algorithm: name, Status: model.StatusFeasible,
			Objective:  &model.Objective{Name: "twjct", Value: "100"},
			LowerBound: &model.LowerBound{Value: "80", Method: "cls-lp", Verified: true}, Ratio: "1.25",
			Guarantee: &model.Guarantee{Factor: "3", Additive: "0", Source: "Ling et al.", PreconditionsMet: true,
				Verdict: model.VerdictProven},
			Metrics: map[string]any{"makespan": "35"}, Instance: model.InstanceSummary{SHA256: "abc", Jobs: 2, Tasks: 4,
				Machines: 3},
			Parameters: map[string]any{"machines": 3}, Seed: 1}}
}

// boundResult is a result without a schedule.
func boundResult() Result {
	r := msjoResult("coge", "a", "b")
	r.Tasks, r.Tables, r.Own = nil, nil, nil
	r.Status, r.Objective, r.Ratio, r.Guarantee, r.Metrics = model.StatusBound, nil, "", nil, nil
	return r
}

// largeResult has the given number of tasks, half of them reduces, in jobs of 50 tasks, on machines that are never idle
// for long.
func largeResult(name string, tasks, machines int) Result {
	r := msjoResult(name, "a", "b")
	r.Tables, r.Own = nil, nil
	r.Instance = model.InstanceSummary{SHA256: "large", Jobs: tasks / 50, Tasks: tasks, Machines: machines}
	r.Tasks = func(yield func(Task) bool) {
		free := make([]model.Time, machines)
		state := uint64(len(name))
		for u := range tasks {
			state = state*6364136223846793005 + 1442695040888963407 // Knuth's generator
			m := int(state>>33) % machines
			length := model.Time(1+state>>40%30_000_000) * 1
			job := fmt.Sprintf("j%d", u/50+1)
			id := fmt.Sprintf("%s.m%d", job, u%50+1)
			if u%2 == 1 {
				id = fmt.Sprintf("%s.r%d", job, u%50+1)
			}
			t := Task{ID: id, Job: job, Machine: fmt.Sprintf("m%d", m+1), Reduce: u%2 == 1, Start: free[m],
				End: free[m] + length}
			free[m] += length + model.Time(state>>50)*1000
			if !yield(t) {
				return
			}
		}
	}
	return r
}

// table is a table of rows whose cells have commas between them.
func table(name, columns string, rows ...string) model.ResultTable {
	var cells [][]string
	for _, row := range rows {
		cells = append(cells, strings.Split(row, ","))
	}
	return model.ResultTable{Name: name, Columns: strings.Split(columns, ","), Rows: slices.Values(cells)}
}

// of makes a large result one of some tenants, who take turns.
func (r *Result) of(tenants int) {
	var rows []string
	for j := range 100 {
		rows = append(rows, fmt.Sprintf("j%d,u%d,0.001", j+1, j%tenants))
	}
	r.Problem, r.About = "multitenant", about("multitenant")
	r.Tables = []model.ResultTable{table("jobs", "job,user,arrival", rows...)}
}

// try fails a test that met an error.
func try(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// prepared is a result's schedule with all data of a page.
func prepared(r *Result) *schedule {
	d := &Document{Results: []Result{*r}}
	s := d.schedules()[0]
	r.unit = d.Results[0].unit
	return s
}

// written is a document's page.
func written(t testing.TB, d *Document) string {
	t.Helper()
	p := New(d)
	var b strings.Builder
	try(t, p.Write(&b))
	return b.String()
}

// wellFormed returns the number of elements of a text, or an error if it is not XML.
func wellFormed(text string) (elements int, err error) {
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return elements, nil
		}
		if err != nil {
			return elements, err
		}
		if _, ok := token.(xml.StartElement); ok {
			elements++
		}
	}
}

// about is the description of a problem; empty if it is unknown.
func about(problem string) model.Description {
	for _, d := range []*model.Description{shop.DescribeMSJO(), hta.Describe(), reduceplace.Describe(),
		realtime.Describe(), multitenant.Describe(), shop.Describe()} {
		if d.Problem == problem {
			return *d
		}
	}
	return model.Description{}
}
