package page

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"mrsched/model"
)

// TestPage checks the contents of a page of three results.
func TestPage(t *testing.T) {
	other := Other{Beside: 0, Result: &model.Result{Algorithm: "exact", Status: model.StatusSkipped},
		Note: "for up to 18 tasks"}
	text := written(t, &Document{Results: []Result{msjoResult("mars", "a", "b"), msjoResult("stf", "a", "b"),
		boundResult()}, Others: []Other{other}})
	for _, want := range []string{
		"msjo: 3 results", "2 jobs, 4 tasks, 3 machines", "cls-lp", "1.25", "≤ 3·OPT", "proven", "Ling et al.",
		"for up to 18 tasks",
		"4 tasks of 2 jobs on 2 machines", "2 maps, 2 reduces", "2 of 3 machines with tasks", `id="r1-gantt"`,
		`id="r2-completion"`, `id="compare1"`,
		"pass --instance", "it proves a bound",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(text, "Do not trust") {
		t.Error("an alarm without a violation")
	}
	if again := written(t, &Document{Results: []Result{msjoResult("mars", "a", "b"), msjoResult("stf", "a", "b"),
		boundResult()}, Others: []Other{other}}); again != text {
		t.Error("equal documents are different pages")
	}
}

// TestPolicy: the digests of the content security policy are those of the page's only script and style, and it allows
// no other source.
func TestPolicy(t *testing.T) {
	text := written(t, &Document{Results: []Result{msjoResult("mars", "a", "b")}})
	inside := func(begin, end string) string {
		_, rest, ok1 := strings.Cut(text, begin)
		body, _, ok2 := strings.Cut(rest, end)
		if !ok1 || !ok2 {
			t.Fatalf("no %s in the page", begin)
		}
		return body
	}
	policy := strings.ReplaceAll(inside(`http-equiv="Content-Security-Policy" content="`, `"`), "&#39;", "'")
	policy = strings.ReplaceAll(policy, "&#43;", "+")
	want := "default-src 'none'; base-uri 'none'; form-action 'none'; script-src " +
		digestOf(inside("<script>", "</script>")) + "; style-src " + digestOf(inside("<style>", "</style>"))
	if policy != want {
		t.Errorf("the policy is\n%s\nnot\n%s", policy, want)
	}
	if n := strings.Count(text, "<script"); n != 2 {
		t.Errorf("%d scripts", n)
	}
	for _, address := range regexp.MustCompile(`(?:https?:)?//[a-z0-9]+\.[a-z0-9.]+`).FindAllString(text, -1) {
		if address != "http://www.w3.org" {
			t.Errorf("the page names %s", address)
		}
	}
	if strings.Contains(text, " style=") || regexp.MustCompile(` on[a-z]+=`).MatchString(text) {
		t.Error("an attribute is a style or a script; the policy forbids both")
	}
}

// TestHostile: a name with markup is shown as text everywhere.
func TestHostile(t *testing.T) {
	r := msjoResult(hostile, hostile, "b")
	r.Violations = []model.Violation{{Code: model.CodeFileDigest, What: hostile}}
	r.Metrics[hostile] = hostile
	r.Shown = []string{hostile}
	d := &Document{Results: []Result{r, r}, Unreadable: []Unreadable{{Name: hostile, Violations: r.Violations}}}
	text := written(t, d)
	for _, bad := range []string{"<script>alert", "<img", "onerror=alert(2)>"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page contains %s", bad)
		}
	}
	for _, want := range []string{"Do not trust 3 results", "is no result", "K616"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	p, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for name, svg := range p.Pictures {
		if _, err := wellFormed(svg); err != nil || strings.Contains(svg, "<img") || strings.Contains(svg, "var(--") {
			t.Errorf("%s: %v", name, err)
		}
		if names[name] || !regexp.MustCompile(`^[a-z0-9-]+\.svg$`).MatchString(name) {
			t.Errorf("the picture %q", name)
		}
		names[name] = true
	}
	for _, want := range []string{"compare1.svg", "r1-" + fileName(hostile) + "-gantt.svg",
		"r2-" + fileName(hostile) + "-utilisation.svg"} {
		if !names[want] {
			t.Errorf("no picture %s among %v", want, names)
		}
	}
}

// TestSteering: a name that would change the writing direction, hide itself or control a terminal is escaped in the
// page and in its pictures.
func TestSteering(t *testing.T) {
	const name = "\u202egnp.\x1b[2J\u2028\u200b\u009b"
	r := msjoResult(name, name, "b")
	r.Violations = []model.Violation{{Code: model.CodeFileDigest, What: name}}
	r.Metrics[name] = name
	r.Shown = []string{name}
	d := &Document{Results: []Result{r, r}, Unreadable: []Unreadable{{Name: name, Violations: r.Violations}}}
	steers := func(text string) int {
		return strings.IndexFunc(text, func(c rune) bool { return c != '\n' && c != '\t' && !unicode.IsGraphic(c) })
	}
	text := written(t, d)
	if at := steers(text); at >= 0 {
		t.Errorf("the page contains %q", text[max(0, at-60):at+8])
	}
	if !strings.Contains(text, `\u202egnp.\x1b[2J\u2028\u200b\u009b`) {
		t.Error("the name is not shown")
	}
	p, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	for file, svg := range p.Pictures {
		if at := steers(svg); at >= 0 {
			t.Errorf("%s contains %q", file, svg[max(0, at-60):at+8])
		}
	}
}

// TestLarge: the page of 100 000 tasks is complete and at most 5 MB. So is that of ten such results, which states which
// of them are only drawn.
func TestLarge(t *testing.T) {
	const limit = 5 << 20
	text := written(t, &Document{Results: []Result{largeResult("one", 100_000, 500)}})
	t.Logf("100 000 tasks: %d bytes", len(text))
	if len(text) > limit || strings.Contains(text, "still picture") || !strings.Contains(text, `"whole":true`) {
		t.Errorf("a page of %d bytes", len(text))
	}
	var many []Result
	for k := range 10 {
		many = append(many, largeResult(fmt.Sprint("result", strings.Repeat("x", k)), 100_000, 500))
	}
	text = written(t, &Document{Results: many})
	t.Logf("10 results of 100 000 tasks: %d bytes, %d of them whole", len(text), strings.Count(text, `"whole":true`))
	if len(text) > limit || !strings.Contains(text, "still picture") || !strings.Contains(text, `"whole":true`) {
		t.Errorf("a page of %d bytes", len(text))
	}
}

// TestProblems: each problem has its own pictures.
func TestProblems(t *testing.T) {
	table := func(name, columns string, rows ...string) model.ResultTable {
		var cells [][]string
		for _, r := range rows {
			cells = append(cells, strings.Split(r, ","))
		}
		return model.ResultTable{Name: name, Columns: strings.Split(columns, ","), Rows: slices.Values(cells)}
	}
	for _, c := range []struct {
		problem, objective string
		own                []string
		cells              []string
		tables             []model.ResultTable
		want               []string
		says               string
	}{
		{"hta", "makespan", []string{"block", "locality"}, []string{"b1", "rack"}, nil, []string{"gantt", "utilisation", "load"},
			"rack-local"},
		{"reduceplace", "fetching_cost", []string{"node", "arrival", "slot_cost", "cost"}, []string{"a", "0", "3", "300"}, nil,
			[]string{"gantt", "utilisation", "machines", "slot-cost", "fetching-cost"}, "lower bound of all"},
		{"realtime", "deadline_misses", []string{"bytes", "due"}, []string{"1", "3"},
			[]model.ResultTable{table("jobs", "job,class,arrival,deadline,first_start,completion,laxity,tardiness,late",
				"a,,0,20,0,30,-10,10,1", "b,,0,40,0,35,5,0,0", "c,,0,,0,35,,,")},
			[]string{"gantt", "utilisation", "machines", "lateness"}, "1 of 2 jobs end after their deadline"},
		{"realtime", "reduce_makespan", []string{"bytes", "due"}, []string{"1", ""}, nil, []string{"gantt", "utilisation", "load"},
			"Load per worker"},
		{"multitenant", "makespan", []string{"rack", "locality", "read_across"}, []string{"A", "node", "0"},
			[]model.ResultTable{table("jobs", "job,user", "a,ann", "b,bob"), table("traffic",
				"from,until,rack,shuffle_out,shuffle_in,map_out,map_in", "0,10,A,100,0,50,0", "0,10,B,0,100,0,50"),
				table("users", "user,jobs", "ann,1", "bob,1")},
			[]string{"gantt", "utilisation", "machines", "traffic", "racks", "users"}, "bob"},
	} {
		r := msjoResult("x", "a", "b")
		tasks := slices.Collect(r.Tasks)
		for i := range tasks {
			tasks[i].Own = c.cells
		}
		r.Problem, r.Own, r.Tasks, r.Tables, r.About = c.problem, c.own, slices.Values(tasks), c.tables, about(c.problem)
		r.Objective.Name = c.objective
		v := viewOf(&r, prepared(&r), 0)
		var got []string
		text := ""
		for _, f := range v.Figures {
			got = append(got, f.File)
			text += f.Title + f.Caption + string(f.SVG)
			if len(f.Table.Rows) == 0 {
				t.Errorf("%s: no data behind %s", c.problem, f.File)
			}
			if _, err := wellFormed(f.file); err != nil {
				t.Errorf("%s: %s: %v", c.problem, f.File, err)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: pictures %v, want %v", c.problem, got, c.want)
		}
		if !strings.Contains(text, c.says) {
			t.Errorf("%s: %q is missing", c.problem, c.says)
		}
	}
}

// TestRelaxed: with the LP's completions jobs are drawn against them; jobs that the LP lacks are left out.
func TestRelaxed(t *testing.T) {
	r := msjoResult("mars", "a", "b")
	r.Relaxed = &Relaxed{Method: "cls-lp", Completion: map[string]float64{"b": 20}}
	jobs := completions(&r)
	if len(jobs) != 1 || jobs[0].reference != 20 || jobs[0].end != 35 || jobs[0].share != 70 {
		t.Errorf("%+v", jobs)
	}
	if f := r.completion(prepared(&r), "x"); !strings.Contains(f.Caption, "LP cls-lp") || f.Table.Rows[0][4] != "15" {
		t.Errorf("%+v", f.Table)
	}
}

// TestTampered: for any stated sizes and times there is a page: machines beyond number, exponents, tasks of length 0,
// with ends before their starts, overlapping, or none at all.
func TestTampered(t *testing.T) {
	for name, change := range map[string]func(r *Result){
		"machines": func(r *Result) { r.Instance.Machines = 1 << 60 },
		"negative": func(r *Result) { r.Instance = model.InstanceSummary{Jobs: -1, Tasks: -1, Machines: -1} },
		"exponent": func(r *Result) {
			r.Objective.Value, r.LowerBound.Value, r.Guarantee.Factor = "1e999999999", "-1e999999999", "1e-999999999"
			r.Metrics["makespan"] = "1e999999999"
		},
		"no length": func(r *Result) { r.Tasks = slices.Values([]Task{{ID: "a", Job: "a", Machine: "m"}}) },
		"backwards": func(r *Result) {
			r.Tasks = slices.Values([]Task{{ID: "a", Job: "a", Machine: "m", Start: 9, End: 3},
				{ID: "b", Job: "a", Machine: "m", Start: model.MaxTime, End: model.MaxTime}})
		},
		"nobody": func(r *Result) { r.Tasks = slices.Values([]Task{{}}) },
		"empty":  func(r *Result) { r.Tasks = slices.Values([]Task(nil)) },
		"tables": func(r *Result) {
			r.Tables[0].Rows = slices.Values([][]string{{"a", "x", "", "NaN", "Inf", "-1", "1e400"}})
		},
	} {
		for _, problem := range []string{"msjo", "hta", "reduceplace", "realtime", "multitenant", "none"} {
			r := msjoResult("x", "a", "b")
			r.Problem, r.Own, r.About = problem, []string{"locality", "slot_cost", "cost"}, about(problem)
			if len(r.About.Criteria) > 0 {
				r.Objective.Name = r.About.Criteria[len(name)%len(r.About.Criteria)].Name
			}
			change(&r)
			p, err := New(&Document{Results: []Result{r, r}})
			if err != nil {
				t.Fatal(name, err)
			}
			for file, svg := range p.Pictures {
				if _, err := wellFormed(svg); err != nil || strings.Contains(svg, "NaN ") || strings.Contains(svg, "Inf ") {
					t.Errorf("%s of %s: %s: %v", name, problem, file, err)
				}
			}
		}
	}
}

// TestOtherSettingsAreNotCompared: results of one instance for different objectives, or on other machines, are in
// separate tables that state the difference. No chart has bars of both.
func TestOtherSettingsAreNotCompared(t *testing.T) {
	jobs, tasks, fewer := msjoResult("mars", "a", "b"), msjoResult("tmars", "a", "b"), msjoResult("stf", "a", "b")
	tasks.Objective = &model.Objective{Name: "twtct", Value: "160"}
	jobs.Setting, tasks.Setting, fewer.Setting = []string{"objective twjct", "machines 3"},
		[]string{"objective twtct", "machines 3"}, []string{"objective twjct", "machines 2"}
	text := written(t, &Document{Results: []Result{jobs, tasks, fewer}})
	for _, want := range []string{"<h3>msjo, objective twjct, machines 3 ", "<h3>msjo, objective twtct, machines 3 ",
		"<h3>msjo, objective twjct, machines 2 "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(text, "Objective against lower bound") {
		t.Error("different objectives are compared")
	}
	tasks.Setting, tasks.Objective = jobs.Setting, jobs.Objective
	if text := written(t, &Document{Results: []Result{jobs, tasks}}); !strings.Contains(text, "<h3>msjo ") ||
		!strings.Contains(text, "Objective against lower bound") {
		t.Error("equal settings are not compared")
	}
}

// TestMetricsBehindABound: the table has the metrics of all results, also if the first is a bound, which has none.
func TestMetricsBehindABound(t *testing.T) {
	first := boundResult()
	first.Shown = nil
	if text := written(t, &Document{Results: []Result{first, msjoResult("mars", "a", "b")}}); !strings.Contains(text,
		">makespan</th>") && !strings.Contains(text, `class="n">makespan`) {
		t.Error("no column makespan")
	}
}

// TestPiecesAreNotTasks: a reduce in three pieces is one reduce, in the caption, the table and the facts.
func TestPiecesAreNotTasks(t *testing.T) {
	r := msjoResult("lst", "a", "b")
	piece := func(machine string, from, to model.Time) Task {
		return Task{ID: "a.r1", Job: "a", Machine: machine, Reduce: true, Start: from * model.Second, End: to * model.Second,
			Own: []string{""}}
	}
	r.Tasks = slices.Values([]Task{{ID: "a.m1", Job: "a", Machine: "m1", End: 2 * model.Second, Own: []string{""}},
		piece("m1", 2, 4), piece("m2", 2, 5), piece("m3", 3, 6)})
	s := prepared(&r)
	if got := s.perJob().Rows; len(got) != 1 || !slices.Equal(got[0], []string{"a", "1", "1", "0", "6"}) {
		t.Errorf("per job: %q", got)
	}
	text := written(t, &Document{Results: []Result{r}})
	for _, want := range []string{"2 tasks in 4 pieces of 1 job on 3 machines", "1 map, 1 reduce<"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
}
