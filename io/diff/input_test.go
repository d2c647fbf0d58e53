package diff

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mrsched/io/result"
	"mrsched/model"
)

// inputOf is an instance as text: jobs with releases, tasks with times, nodes, and eligible places.
func inputOf(jobs, tasks, nodes, eligible [][]string) *model.InputText {
	table := func(name string, keys int, columns []model.InputColumn, rows [][]string) model.InputTable {
		return model.InputTable{Name: name, Keys: keys, Columns: columns, Rows: slices.Values(rows)}
	}
	return &model.InputText{
		Scalars: []model.InputScalar{{Name: "machines"}},
		Tables: []model.InputTable{
			table("jobs", 1, []model.InputColumn{{Name: "id"}, {Name: "release", Default: "0"}, {Name: "tenant"}}, jobs),
			table("topology node", 1, []model.InputColumn{{Name: "id"}, {Name: "parent"}, {Name: "speed"}}, nodes),
			table("tasks", 1, []model.InputColumn{{Name: "id"}, {Name: "job"}, {Name: "block"}, {Name: "processing_time"}}, tasks),
			table("eligible", 2, []model.InputColumn{{Name: "job"}, {Name: "place"}}, eligible),
		}}
}

// ofInput is a result without a schedule.
func ofInput(name, digest string, in *model.InputText) *result.Side {
	r := &model.Result{Format: model.ResultFormat, Problem: problemMSJO, Algorithm: "a", Status: model.StatusFeasible,
		Instance:  model.InstanceSummary{SHA256: digest, Jobs: 1, Tasks: 2, Machines: 3},
		Objective: &model.Objective{Name: objectiveTWJCT, Value: model.Number(fmt.Sprint(len(digest)))}}
	return &result.Side{Name: name, Problem: problemMSJO, Bundle: &result.Bundle{Result: r}, Known: known, Instance: in}
}

// scaled makes tasks of a job with the given times.
func scaled(n int, times func(i int) string) (rows [][]string) {
	for i := range n {
		rows = append(rows, []string{fmt.Sprintf("x.%d", i), "x", "", times(i)})
	}
	return rows
}

// manyChanges is an instance with hundreds of rows that all depend on n.
func manyChanges(n int) *model.InputText {
	var jobs, nodes [][]string
	for i := range 200 {
		jobs = append(jobs, []string{fmt.Sprint("j", i*n), fmt.Sprint(i * i * n), "t"})
		nodes = append(nodes, []string{fmt.Sprint("n", i), "", fmt.Sprint(1 + i*n%17)})
	}
	return inputOf(jobs, scaled(300, func(i int) string { return fmt.Sprint(1 + i*n%101) }), nodes, nil)
}

// TestInputChanges: what was added, removed and changed, by table.
func TestInputChanges(t *testing.T) {
	rows := func(rows ...string) (list [][]string) {
		for _, r := range rows {
			list = append(list, strings.Split(r, ","))
		}
		return list
	}
	none := [][]string(nil)
	for _, c := range []struct {
		name     string
		old, new *model.InputText
		want     string
	}{
		{"jobs and tasks",
			inputOf(rows("billing,600,", "x,0,"), rows("x.1,x,b1,5"), none, rows("x,n")),
			inputOf(rows("audit,0,me", "x,0,", "billing,700,"), rows("x.1,x,,5", "audit.1,audit,b2,5"), none, none),
			"input jobs: 1 added, 1 changed|audit|added|tenant me|billing|release 600 → 700 (+100)|" +
				"input tasks: 1 added, 1 changed|x.1|block b1 → –|audit.1|added|job audit|block b2|processing_time 5|" +
				"input eligible: 1 removed|x, n|removed"},
		{"order", inputOf(rows("a,0,", "b,0,"), none, none, none), inputOf(rows("b,0,", "a,0,"), none, none, none), ""},
	} {
		d := diffed(t, ofInput("o", "1", c.old), ofInput("n", "22", c.new), 0)
		if d.Verdict != "" || d.Same || slices.Contains(d.Notes, "only the order of rows differs") != (c.want == "") {
			t.Errorf("%s: verdict %q, same %v, notes %q", c.name, d.Verdict, d.Same, d.Notes)
		}
		var got []string
		for _, s := range d.Sections {
			if strings.HasPrefix(s.Name, SectionInput+" ") {
				got = append(got, d.title(s))
				lines, _ := s.lines(plainName, 0)
				got = append(got, slices.Concat(lines...)...)
			}
		}
		if text := strings.Join(got, "|"); text != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, text, c.want)
		}
	}
}

// TestInputDocument: the document lists every change of the input and fits its schema.
func TestInputDocument(t *testing.T) {
	d := diffed(t, ofInput("o", "1", manyChanges(1)), ofInput("n", "22", manyChanges(3)), 0)
	if err := schemaOf(t).Validate(read(t, d)); err != nil {
		t.Error(err)
	}
	for _, s := range d.Sections {
		if n := s.Counts[countAdded] + s.Counts[countRemoved] + s.Counts[countChanged]; len(s.Rows) != n {
			t.Errorf("%s lists %d of %d", s.Name, len(s.Rows), n)
		}
	}
	var page bytes.Buffer
	d = diffed(t, ofInput("o", "1", manyChanges(1)), ofInput("n", "22", manyChanges(3)), KeepMarkdown)
	try(t, d.WriteMarkdown(&page))
	if n := strings.Count(page.String(), "\n"); n > 60 {
		t.Errorf("the comment has %d lines", n)
	}
}

// TestInputSame: naming an instance changes nothing for results of one input.
func TestInputSame(t *testing.T) {
	in := inputOf(nil, nil, nil, nil)
	a, b := ofInput("a", "1", in), ofInput("b", "1", in)
	b.Bundle.Result.Objective.Value = "0.5"
	if d := diffed(t, a, b, 0); d.section(SectionInput) != nil || d.Verdict != VerdictBetter {
		t.Errorf("verdict %q", d.Verdict)
	}
}
