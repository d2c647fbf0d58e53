package page

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"mrsched/model"
	"mrsched/model/tier"
)

// contains requires texts in a page.
func contains(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, want := range texts {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// pictures are the files of pictures of results; all of them are well-formed.
func pictures(t *testing.T, about string, results ...Result) map[string]string {
	t.Helper()
	p := New(&Document{Results: results})
	files := map[string]string{}
	for name, svg := range p.Pictures {
		if _, err := wellFormed(svg); err != nil || strings.Contains(svg, "NaN ") || strings.Contains(svg, "Inf ") ||
			files[name] != "" {
			t.Errorf("%s: %s: %v", about, name, err)
		}
		files[name] = svg
	}
	return files
}

// TestPage checks the contents of a page of three results, the first of which is a bound, without metrics.
func TestPage(t *testing.T) {
	page := func() string {
		bound := boundResult()
		bound.Shown = nil
		return written(t, &Document{Results: []Result{bound, msjoResult("mars", "a", "b"), msjoResult("stf", "a", "b")},
			Others: []Other{{Beside: 0, Result: &model.Result{Algorithm: "exact", Status: model.StatusSkipped},
				Note: "for up to 18 tasks"}}})
	}
	text := page()
	contains(t, text, "msjo: 3 results", "2 jobs, 4 tasks, 3 machines", "cls-lp", "1.25", "≤ 3·OPT", "proven",
		"Ling et al.", "for up to 18 tasks", "4 tasks of 2 jobs on 2 machines", "2 maps, 2 reduces",
		"2 of 3 machines with tasks", `id="r2-gantt"`, `id="r3-machines"`,
		"it proves a bound", `class="n">makespan`)
	if strings.Contains(text, "Do not trust") {
		t.Error("an alarm without a violation")
	}
	if page() != text {
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
	if n := strings.Count(text, "<script"); n != 1 {
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

// TestHostileNames: a name with markup is shown as text in the page and in its pictures. One that would change the
// writing direction, hide itself or control a terminal is escaped there.
func TestHostileNames(t *testing.T) {
	const steering = "\u202egnp.\x1b[2J\u2028\u200b\u009b"
	steers := func(c rune) bool { return c != '\n' && c != '\t' && !unicode.IsGraphic(c) }
	for _, name := range []string{hostile, steering} {
		r := msjoResult(name, name, "b")
		r.Violations = []model.Violation{{Code: model.CodeFileDigest, What: name}}
		r.Metrics[name] = name
		r.Shown = []string{name}
		text := written(t, &Document{Results: []Result{r, r}, Unreadable: []Unreadable{{name, r.Violations}}})
		contains(t, text, "Do not trust 3 results", "is no result", "K616")
		if name == steering {
			contains(t, text, `\u202egnp.\x1b[2J\u2028\u200b\u009b`)
		}
		files := pictures(t, name, r, r)
		for _, want := range []string{"r1-" + fileName(name) + "-gantt.svg",
			"r2-" + fileName(name) + "-utilisation.svg"} {
			if files[want] == "" {
				t.Errorf("no picture %s", want)
			}
		}
		files["page"] = text
		for file, text := range files {
			for _, bad := range []string{"<script>alert", "<img", "onerror=alert(2)>"} {
				if strings.Contains(text, bad) {
					t.Errorf("%s contains %s", file, bad)
				}
			}
			if at := strings.IndexFunc(text, steers); at >= 0 {
				t.Errorf("%s contains %q", file, text[max(0, at-60):at+8])
			}
			if file != "page" && (strings.Contains(text, "var(--") || !regexp.MustCompile(`^[a-z0-9-]+\.svg$`).MatchString(file)) {
				t.Errorf("the picture %q", file)
			}
		}
	}
}

// TestLarge: the page of a large schedule is small, drawn as tasks or as cells.
func TestLarge(t *testing.T) {
	for tasks, cells := range map[int]bool{drawnTasks: false, 100_000: true} {
		text := written(t, &Document{Results: []Result{largeResult("result", tasks, 100)}})
		if len(text) > 2<<20 || strings.Contains(text, "a cell: ") != cells {
			t.Errorf("a page of %d tasks and %d bytes", tasks, len(text))
		}
	}
}

// TestProblems: each problem has its own pictures.
func TestProblems(t *testing.T) {
	for _, c := range []struct {
		problem, objective string
		own                []string
		cells              []string
		tables             []model.ResultTable
		want               []string
		says               string
	}{
		{"hta", "makespan", []string{"block", "locality"}, []string{"b1", "rack"}, nil, []string{"gantt", "utilisation", "machines"},
			"rack-local"},
		{"reduceplace", "fetching_cost", []string{"node", "arrival", "slot_cost", "cost"}, []string{"a", "0", "3", "300"}, nil,
			[]string{"gantt", "utilisation", "machines"}, "2 of 3 machines"},
		{"realtime", "deadline_misses", []string{"bytes", "due"}, []string{"1", "3"},
			[]model.ResultTable{table("jobs", "job,class,arrival,deadline,first_start,completion,laxity,tardiness,late",
				"a,,0,20,0,30,-10,10,1", "b,,0,40,0,35,5,0,0", "c,,0,,0,35,,,")},
			[]string{"gantt", "utilisation", "machines", "lateness"}, "2 of 2 jobs end after their deadline"},
		{"realtime", "reduce_makespan", []string{"bytes", "due"}, []string{"1", ""}, nil, []string{"gantt", "utilisation", "machines"},
			"Busy time"},
		{"multitenant", "makespan", []string{"rack", "locality", "read_across"}, []string{"A", "node", "0"},
			[]model.ResultTable{table("jobs", "job,user", "a,ann", "b,bob"),
				table("users", "user,jobs", "ann,1", "bob,1")},
			[]string{"gantt", "utilisation", "machines"}, "bob"},
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

// TestTampered: for any stated sizes and times there is a page: machines beyond number, exponents, tasks of length 0,
// with ends before their starts, overlapping, or none at all, on few and on many machines.
func TestTampered(t *testing.T) {
	tier.Slow(t)
	tasks := func(list ...Task) func(r *Result) {
		return func(r *Result) { r.Tasks = slices.Values(list) }
	}
	spread := func(length model.Time) func(r *Result) {
		return func(r *Result) {
			list := slices.Collect(spreadResult(300, 0, 0, 0).Tasks)
			for i := range list {
				list[i].End = list[i].Start + length
			}
			r.Tasks, r.Instance.Machines = slices.Values(list), 300
		}
	}
	for name, change := range map[string]func(r *Result){
		"machines": func(r *Result) { r.Instance.Machines = 1 << 60 },
		"negative": func(r *Result) { r.Instance = model.InstanceSummary{Jobs: -1, Tasks: -1, Machines: -1} },
		"exponent": func(r *Result) {
			r.Objective.Value, r.LowerBound.Value, r.Guarantee.Factor = "1e999999999", "-1e999999999", "1e-999999999"
			r.Metrics["makespan"] = "1e999999999"
		},
		"no length": tasks(Task{ID: "a", Job: "a", Machine: "m"}),
		"backwards": tasks(Task{ID: "a", Job: "a", Machine: "m", Start: 9, End: 3},
			Task{ID: "b", Job: "a", Machine: "m", Start: model.MaxTime, End: model.MaxTime}),
		"nobody": tasks(Task{}),
		"empty":  tasks(),
		"tables": func(r *Result) {
			r.Tables[0].Rows = slices.Values([][]string{{"a", "x", "", "NaN", "Inf", "-1", "1e400"}})
		},
		"many, no length": spread(0),
		"many, backwards": spread(-5 * model.Second),
		"many, short":     spread(1),
		"many, long":      spread(model.MaxTime / 4),
	} {
		for _, problem := range []string{"msjo", "hta", "reduceplace", "realtime", "multitenant", "none"} {
			if strings.HasPrefix(name, "many") && problem != "msjo" {
				continue // all problems draw them alike
			}
			r := msjoResult("x", "a", "b")
			r.Problem, r.Own, r.About = problem, []string{"locality", "slot_cost", "cost"}, about(problem)
			if len(r.About.Criteria) > 0 {
				r.Objective.Name = r.About.Criteria[len(name)%len(r.About.Criteria)].Name
			}
			change(&r)
			pictures(t, name+", "+problem, r, r)
		}
	}
}

// TestOtherSettingsAreNotCompared: results of one instance for different objectives, or on other machines, are in
// separate tables that state the difference.
func TestOtherSettingsAreNotCompared(t *testing.T) {
	jobs, tasks, fewer := msjoResult("mars", "a", "b"), msjoResult("tmars", "a", "b"), msjoResult("stf", "a", "b")
	tasks.Objective = &model.Objective{Name: "twtct", Value: "160"}
	jobs.Setting, tasks.Setting, fewer.Setting = []string{"objective twjct", "machines 3"},
		[]string{"objective twtct", "machines 3"}, []string{"objective twjct", "machines 2"}
	text := written(t, &Document{Results: []Result{jobs, tasks, fewer}})
	contains(t, text, "<h3>msjo, objective twjct, machines 3 ", "<h3>msjo, objective twtct, machines 3 ",
		"<h3>msjo, objective twjct, machines 2 ")
	tasks.Setting, tasks.Objective = jobs.Setting, jobs.Objective
	contains(t, written(t, &Document{Results: []Result{jobs, tasks}}), "<h3>msjo ")
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
	contains(t, written(t, &Document{Results: []Result{r}}), "2 tasks in 4 pieces of 1 job on 3 machines",
		"1 map, 1 reduce<")
}

// TestWritten recognises a page only by its mark, in the place where Write puts it.
func TestWritten(t *testing.T) {
	dir := t.TempDir()
	text := "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" + mark
	if !strings.HasPrefix(pageTemplate, strings.TrimSuffix(text, mark)+"{{.Mark}}\n") {
		t.Error("pages do not begin like that")
	}
	for name, text := range map[string]string{"page": text, "empty": "", "quoted": "notes about " + mark,
		"late": "<!DOCTYPE html>" + strings.Repeat(" ", markedBefore) + mark} {
		try(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	try(t, os.Symlink("page", filepath.Join(dir, "link")))
	for _, name := range []string{"page", "empty", "quoted", "late", "link", "absent", "."} {
		if Written(filepath.Join(dir, name)) != (name == "page") {
			t.Error(name)
		}
	}
}
