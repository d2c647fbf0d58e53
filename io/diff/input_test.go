package diff

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/io/result"
	"mrsched/model"
)

// inputOf is an instance as text: jobs with releases, tasks with times, nodes, and placements.
func inputOf(jobs, tasks, nodes, placements [][]string) *model.InputText {
	table := func(name, row string, keys int, columns []model.InputColumn, rows [][]string) model.InputTable {
		return model.InputTable{Name: name, Row: row, Keys: keys, Columns: columns, Rows: slices.Values(rows)}
	}
	return &model.InputText{
		Scalars: []model.InputScalar{{Name: "machines"}},
		Tables: []model.InputTable{
			table("jobs", "job", 1, []model.InputColumn{{Name: "id"}, {Name: "release", Default: "0"}, {Name: "tenant"}}, jobs),
			table("topology", "node", 1, []model.InputColumn{{Name: "id"}, {Name: "parent", Refers: "topology"}, {Name: "speed"}},
				nodes),
			table("tasks", "task", 1, []model.InputColumn{{Name: "id"}, {Name: "job", Refers: "jobs"},
				{Name: "block", Refers: model.TableBlocks}, {Name: "processing_time"}}, tasks),
			table("placements", "placement", 2, []model.InputColumn{{Name: "block", Refers: model.TableBlocks},
				{Name: "node", Refers: "topology"}}, placements),
		}}
}

// ofInput is a result without a schedule.
func ofInput(name, digest string, in *model.InputText, unused ...string) *result.Side {
	r := &model.Result{Format: model.ResultFormat, Problem: problemMSJO, Algorithm: "a", Status: model.StatusFeasible,
		Instance:  model.InstanceSummary{SHA256: digest, Jobs: 1, Tasks: 2, Machines: 3},
		Objective: &model.Objective{Name: objectiveTWJCT, Value: model.Number(fmt.Sprint(len(digest)))},
		Inputs:    &model.Inputs{Unused: unused}}
	return &result.Side{Name: name, Problem: problemMSJO, Bundle: &result.Bundle{Result: r}, Known: known, Instance: in}
}

// changesOf returns the lines about the input.
func changesOf(t *testing.T, old, new *result.Side, most int) []string {
	t.Helper()
	d := diffed(t, old, new, 0)
	if d.Input == nil || d.Verdict != "" || d.Same {
		t.Fatalf("input %v, verdict %q, same %v", d.Input, d.Verdict, d.Same)
	}
	return (&inputText{in: d.Input, name: plainName, most: most}).lines()
}

// scaled makes tasks of a job with the given times.
func scaled(n int, times func(i int) string) (rows [][]string) {
	for i := range n {
		rows = append(rows, []string{fmt.Sprintf("x.%d", i), "x", "", times(i)})
	}
	return rows
}

// TestInputChanges: root causes come first, and their consequences are counted.
func TestInputChanges(t *testing.T) {
	jobs := func(rows ...string) (list [][]string) {
		for _, r := range rows {
			list = append(list, strings.Split(r, ","))
		}
		return list
	}
	for _, c := range []struct {
		name     string
		old, new *model.InputText
		want     string
	}{
		{"a release, a job with its tasks and the blocks that it alone reads",
			inputOf(jobs("billing,600,", "x,0,"), jobs("x.1,x,b1,5"), jobs("r,,", "n,r,1"), jobs("b1,n")),
			inputOf(jobs("billing,700,", "x,0,", "audit,0,"), jobs("x.1,x,b1,5", "audit.1,audit,b2,5", "audit.2,audit,b3,5"),
				jobs("r,,", "n,r,1"), jobs("b1,n", "b2,n", "b3,n")),
			"job audit added, with 2 tasks, 2 placements|job billing: release 600 → 700 (+100)"},
		{"a rack that is gone, with its nodes and replicas",
			inputOf(nil, nil, jobs("n1,r1,1", "r1,s,", "s,root,", "root,,", "n2,root,1"), jobs("b,n1", "b,n2")),
			inputOf(nil, nil, jobs("root,,", "n2,root,0.5"), jobs("b,n2")),
			"node s removed: parent root, with 2 nodes, 1 placement|node n2: speed 1 → 0.5 (-0.5)"},
		{"a factor in each of several tables",
			inputOf(jobs("a,2,", "b,4,", "c,6,"), scaled(1000, func(i int) string { return fmt.Sprint(10 + i) }),
				jobs("n,,1", "m,,1"), nil),
			inputOf(jobs("a,4,", "b,8,", "c,12,"), scaled(1000, func(i int) string { return fmt.Sprint(20 + 2*i) }),
				jobs("n,,2", "m,,2"), nil),
			"job a: release 2 → 4 (+2)|job b: release 4 → 8 (+4)|job c: release 6 → 12 (+6)|" +
				"node n: speed 1 → 2 (+1)|node m: speed 1 → 2 (+1)|task x.0: processing_time 10 → 20 (+10)|" +
				"task x.1: processing_time 11 → 22 (+11)|… and 998 more changed, processing_time × 2"},
		{"values that differ in other ways are counted",
			inputOf(nil, scaled(50, func(i int) string { return fmt.Sprint(100 + i) }), nil, nil),
			inputOf(nil, scaled(50, func(i int) string { return fmt.Sprint(100 + i*i) }), nil, nil),
			"task x.49: processing_time 149 → 2501 (+2352)|task x.48: processing_time 148 → 2404 (+2256)|" +
				"task x.47: processing_time 147 → 2309 (+2162)|task x.46: processing_time 146 → 2216 (+2070)|" +
				"task x.45: processing_time 145 → 2125 (+1980)|task x.44: processing_time 144 → 2036 (+1892)|" +
				"task x.43: processing_time 143 → 1949 (+1806)|task x.42: processing_time 142 → 1864 (+1722)|" +
				"… and 40 more changed, processing_time × 1.019 to × 16.785"},
		{"what the problem ignores comes last", inputOf(jobs("a,0,me"), nil, jobs("n,,1"), nil),
			inputOf(jobs("a,0,you"), nil, jobs("n,,2"), nil), "node n: speed 1 → 2 (+1)|job a: tenant me → you (not used)"},
		{"order", inputOf(jobs("a,0,", "b,0,"), nil, nil, nil), inputOf(jobs("b,0,", "a,0,"), nil, nil, nil),
			"the rows of jobs have another order"},
	} {
		got := changesOf(t, ofInput("o", "1", c.old, "jobs.tenant"), ofInput("n", "22", c.new, "jobs.tenant"), inputLines)
		if text := strings.Join(got, "|"); text != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.ReplaceAll(text, "|", "\n"), strings.ReplaceAll(c.want, "|", "\n"))
		}
	}
}

// TestInputMirrored: swapped sides have the same changes, with old and new swapped.
func TestInputMirrored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) *model.InputText {
			var jobs, tasks [][]string
			for j := range 6 {
				job := fmt.Sprint("j", j)
				if rapid.Bool().Draw(t, name) {
					jobs = append(jobs, []string{job, fmt.Sprint(rapid.IntRange(0, 2).Draw(t, name)), ""})
				}
				for u := range rapid.IntRange(0, 2).Draw(t, name) {
					tasks = append(tasks, []string{fmt.Sprint(job, ".", u), job, "", fmt.Sprint(rapid.IntRange(1, 3).Draw(t, name))})
				}
			}
			return inputOf(jobs, tasks, nil, nil)
		}
		a, b := ofInput("a", "1", draw("a")), ofInput("b", "22", draw("b"))
		there, back := diffed(t, a, b, 0).Input, diffed(t, b, a, 0).Input
		count := func(in *InputDifference, added, removed string) map[string]int {
			counts := map[string]int{}
			name := map[string]string{added: "added", removed: "removed"}
			for _, c := range in.Changes {
				counts[c.Table+name[c.Change]] += c.Rows
				for _, r := range c.List {
					for _, w := range r.With {
						counts[w.Table+name[c.Change]] += w.Rows
					}
				}
			}
			return counts
		}
		if x, y := count(there, inputAdded, inputRemoved), count(back, inputRemoved, inputAdded); !maps.Equal(x, y) {
			t.Errorf("%v\n%v", x, y)
		}
	})
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

// TestInputBounded: however many changes there are, the text is short, and the document is complete and fits its
// schema.
func TestInputBounded(t *testing.T) {
	old, new := ofInput("o", "1", manyChanges(1)), ofInput("n", "22", manyChanges(3))
	d := diffed(t, old, new, Keep)
	var text, all, brief, page bytes.Buffer
	if err := errors.Join(d.WriteText(&text, false), diffed(t, old, new, 0).WriteText(&all, true), d.WriteBrief(&brief),
		d.WriteMarkdown(&page)); err != nil {
		t.Fatal(err)
	}
	lines := func(b *bytes.Buffer) int { return strings.Count(b.String(), "\n") }
	if lines(&text) > 25 || lines(&page) > 40 || lines(&all) < 500 || strings.Contains(all.String(), "… and") {
		t.Errorf("%d lines; as Markdown %d, with --all %d\n%s%s", lines(&text), lines(&page), lines(&all), &text, &page)
	}
	for line := range strings.Lines(brief.String()) {
		if len(line) > briefWidth+1 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	document := read(t, diffed(t, old, new, 0))
	if err := schemaOf(t).Validate(document); err != nil {
		t.Error(err)
	}
	for _, c := range document["input"].(map[string]any)["changes"].([]any) {
		x := c.(map[string]any)
		if list, _ := x["list"].([]any); fmt.Sprint(len(list)) != fmt.Sprint(x["rows"]) {
			t.Errorf("%v lists %d of %v", x["about"], len(list), x["rows"])
		}
	}
}

// TestInputFromResults: results alone give jobs, tasks, and the columns that they repeat.
func TestInputFromResults(t *testing.T) {
	side := func(name, digest, release string, more ...result.Row) *result.Side {
		s := ofInput(name, digest, nil, name+".column")
		s.Bundle.Rows = result.RowsOf(append([]result.Row{{Task: "a.1", Job: "a", Kind: "map", Machine: "m",
			End: model.Second}}, more...))
		table := model.ResultTable{Name: jobsTable, Columns: []string{"job", "weight", "release", "completion"},
			Rows: slices.Values([][]string{{"a", "1", release, "9"}})}
		s.Tables = []model.ResultTable{table}
		return s
	}
	got := changesOf(t, side("o", "1", "3"), side("n", "22", "4", result.Row{Task: "a.2", Job: "a", Kind: "reduce",
		Machine: "m", Start: 3, End: 5}), 0)
	want := []string{"job a: release 3 → 4 (+1)", "task a.2 added: job a, kind reduce, processing_time 0.000002",
		"column n.column has values now (not used)", "column o.column has no values any more (not used)"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}

// TestInputSame: naming an instance changes nothing for results of one input.
func TestInputSame(t *testing.T) {
	in := inputOf(nil, nil, nil, nil)
	a, b := ofInput("a", "1", in), ofInput("b", "1", in)
	b.Bundle.Result.Objective.Value = "0.5"
	if d := diffed(t, a, b, 0); d.Input != nil || d.Verdict != VerdictBetter || d.Instance != "1" {
		t.Errorf("input %v, verdict %q", d.Input, d.Verdict)
	}
}
