package page

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/io/report/chart"
	"mrsched/model"
)

// TestGrid: machine m1 is busy from 0 to 30 s, m2 from 5 to 35 s. In five buckets of 7 s, both machines in one group:
// maps run 7 + 2, 3 + 7, 0 + 1 machine-seconds of 14, reduces the rest.
func TestGrid(t *testing.T) {
	r := msjoResult("x", "a", "b")
	s := prepared(&r)
	g := s.gridOf(1, 5)
	for k, want := range []float64{9, 10, 1, 0, 0} {
		if got := float64(g.maps[k]) * 14; math.Abs(got-want) > 1e-5 {
			t.Errorf("maps in bucket %d: %v, want %v", k, got, want)
		}
	}
	for k, want := range []float64{0, 4, 13, 14, 9} {
		if got := float64(g.reduces[k]) * 14; math.Abs(got-want) > 1e-5 {
			t.Errorf("reduces in bucket %d: %v, want %v", k, got, want)
		}
	}
	if g := s.gridOf(2, 1); g.groups != 2 || math.Abs(float64(g.maps[0]+g.reduces[0])-30.0/35) > 1e-6 {
		t.Errorf("%+v", g)
	}
}

// TestGridKeepsTime: however a schedule is divided into cells, these contain the time of all of its tasks.
func TestGridKeepsTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := msjoResult("x", "a", "b")
		var tasks []Task
		total := 0.0
		for u := range rapid.IntRange(1, 40).Draw(t, "tasks") {
			start := model.Time(rapid.Int64Range(0, 1e9).Draw(t, "start"))
			length := model.Time(rapid.Int64Range(0, 1e9).Draw(t, "length"))
			total += float64(length)
			tasks = append(tasks, Task{ID: fmt.Sprint(u), Job: "a", Machine: fmt.Sprint("m",
				rapid.IntRange(1, 9).Draw(t, "machine")), Reduce: u%2 == 0, Start: start, End: start + length})
		}
		r.Tasks = slices.Values(tasks)
		s := prepared(&r)
		g := s.gridOf(rapid.IntRange(1, 12).Draw(t, "groups"), rapid.IntRange(1, 50).Draw(t, "buckets"))
		sum := 0.0
		for k := range g.maps {
			members := min(g.perGroup, len(s.machines)-k/g.buckets*g.perGroup)
			sum += float64(g.maps[k]+g.reduces[k]) * g.width * float64(members)
		}
		if math.Abs(sum-total) > 1e-4*total+1e-3 {
			t.Errorf("the cells hold %v of %v", sum, total)
		}
	})
}

// TestShown: numbers are as on the terminal, and all times of a page have one unit.
func TestShown(t *testing.T) {
	r := msjoResult("mars", "a", "b")
	for _, c := range []struct {
		span float64
		want string
	}{{35, "35 s"}, {3000, "0:00:35"}, {0.5, "35000 ms"}} {
		r.unit = chart.TimeUnit(c.span)
		if got := r.shown("makespan", "35", model.RoundDown); got != c.want {
			t.Errorf("of %v s: %q, want %q", c.span, got, c.want)
		}
	}
	for _, c := range []struct{ got, want string }{
		{r.shown("twjct", "1234567.5", model.RoundDown), "1,234,567"}, {r.shown("twjct", "word", model.RoundDown), "word"},
		{r.shown("utilisation", "0.12345", model.RoundDown), "12.34 %"}, {percent(0.1234), "12.34 %"}, {count(12345), "12,345"},
		{r.stated("bounds", []any{map[string]any{"method": "cls-lp", "value": json.Number("16092")}}), "cls-lp 16,092"},
		{r.stated("plan", "racks"), "racks"}, {r.stated("makespan", json.Number("35")), "35000 ms"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// TestDivide: on a, tasks 0 and 1 overlap and 2 fits behind 0; b has no overlap.
func TestDivide(t *testing.T) {
	s := &schedule{id: make([]string, 5), machine: []int32{0, 0, 0, 1, 1}, start: []model.Time{0, 2, 5, 0, 4},
		end: []model.Time{5, 9, 6, 4, 8}}
	names := s.divide([]string{"a", "b"})
	if !slices.Equal(names, []string{"a/1", "a/2", "b"}) || !slices.Equal(s.machine, []int32{0, 1, 0, 2, 2}) {
		t.Errorf("%v, %v", names, s.machine)
	}
}

// localResult is a job of hta with a map of each locality, in another order than the page's.
func localResult() Result {
	r := msjoResult("flow", "a", "b")
	var tasks []Task
	for k, where := range []string{"remote", "node", "rack"} {
		tasks = append(tasks, Task{ID: fmt.Sprintf("a.m%d", k+1), Job: "a", Machine: fmt.Sprintf("m%d", k+1),
			End: model.Time(k+1) * model.Second, Own: []string{"b1", where}})
	}
	r.Problem, r.About, r.Objective.Name = "hta", about("hta"), "makespan"
	r.Own, r.Tasks, r.Tables = []string{"block", "locality"}, slices.Values(tasks), nil
	r.Metrics, r.Shown = map[string]any{"node_local": "1", "rack_local": "1", "off_rack": "1", "not_node_local": "2"},
		[]string{"node_local", "rack_local", "off_rack"}
	return r
}

// legendEntry is a swatch and its text.
var legendEntry = regexp.MustCompile(
	`<rect class="([a-z0-9-]+)" x="[^"]*" y="[^"]*" width="12" height="12"/>(<path fill="[^"]*" d="[^"]*"/>)?<text class="t" x="[^"]*" y="[^"]*">([^<]*)</text>`)

// TestOneLookEach: in all pictures of a page, one word has one colour, and one colour, with its hatching, one word;
// only elements without their own colour share one. Localities have the words of the tables in the chart, the legends,
// and the table.
func TestOneLookEach(t *testing.T) {
	r := localResult()
	d := &Document{Results: []Result{r, msjoResult("mars", "a", "b"), r}}
	text := written(t, d)
	looks, uses := map[string]string{}, map[string]string{}
	for file, svg := range pictures(t, "looks", d.Results...) {
		for _, m := range legendEntry.FindAllStringSubmatch(svg, -1) {
			look, name := m[1], strings.TrimSuffix(m[3], "s")
			if look == restLook {
				continue
			}
			if was, ok := looks[name]; ok && was != look {
				t.Errorf("%s: %q is %s, and %s elsewhere", file, name, look, was)
			}
			if was, ok := uses[look]; ok && was != name {
				t.Errorf("%s: %s is %q, and %q elsewhere", file, look, name, was)
			}
			looks[name], uses[look] = look, name
		}
	}
	for name, want := range map[string]string{"node-local": "n0", "rack-local": "n1", "off-rack": "n2", "map": mapsLook,
		"reduce": reducesLook, "a": "c0", "b": "c1"} {
		if looks[name] != want {
			t.Errorf("%q is %q, want %q", name, looks[name], want)
		}
	}
	if strings.Contains(strings.ReplaceAll(text, "node, rack, remote", ""), "remote") {
		t.Error("the page says remote as well as off-rack")
	}
	contains(t, text, `<th scope="col" class="n">off-rack</th>`, "not node-local")
}

// TestLocalities: the column has the page's words and order, and every row keeps its own. A value that is no locality
// stays, and so do other columns.
func TestLocalities(t *testing.T) {
	r := localResult()
	s := prepared(&r)
	where := s.column(model.RoleLocality)
	if want := []string{"node-local", "rack-local", "off-rack"}; !slices.Equal(where.values, want) {
		t.Errorf("%q, want %q", where.values, want)
	}
	for u, want := range []string{"off-rack", "node-local", "rack-local"} {
		if got := where.at(u); got != want {
			t.Errorf("%s: %s, want %s", s.id[u], got, want)
		}
	}
	c := column{name: "locality", role: model.RoleLocality, values: []string{"", "x", "rack"}, index: []int32{1, 0, 2, 2}}
	c.nameLocalities()
	for _, x := range []struct{ got, want []string }{
		{[]string{c.at(0), c.at(1), c.at(2), c.at(3)}, []string{"x", "", "rack-local", "rack-local"}},
		{c.looks(), []string{"n1", restLook, restLook}}, {s.own[0].looks(), []string{"c0"}},
	} {
		if !slices.Equal(x.got, x.want) {
			t.Errorf("%q, want %q", x.got, x.want)
		}
	}
}

// TestJobsKeepTheirColour: jobs have one colour in all charts and results, whichever comes first in each. If there are
// too many jobs, none has a colour.
func TestJobsKeepTheirColour(t *testing.T) {
	r, other := msjoResult("edf", "a", "b"), msjoResult("llf", "b", "a")
	for _, x := range []*Result{&r, &other} {
		x.Problem, x.About = "realtime", about("realtime")
		x.Tables = []model.ResultTable{table("jobs", "job,deadline,completion,laxity", "a,20,30,-10", "b,40,35,5")}
	}
	d := &Document{Results: []Result{r, other}}
	schedules := d.schedules()
	for i, want := range []string{"a c0, b c1", "b c1, a c0"} {
		s := schedules[i]
		var got []string
		for _, job := range s.jobs {
			got = append(got, job+" "+s.jobLook(job))
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("result %d: %s, want %s", i, text, want)
		}
	}
	if svg := string(schedules[0].lateness("x").SVG); !strings.Contains(svg, `class="c0"`) ||
		!strings.Contains(svg, `class="c1"`) {
		t.Errorf("lateness: %s", svg)
	}
	many := largeResult("x", 5000, 10) // of 100 jobs
	s := prepared(&many)
	if got := s.key.entries(); len(got) != 1 || got[0].Class != restLook || got[0].Text != "100 jobs" {
		t.Errorf("the legend of 100 jobs: %+v", got)
	}
}

// TestTenants: if a table states the tenants of jobs, hues stand for tenants. With more tenants than hues, those with
// the most tasks have one. With a single tenant, hues stand for jobs.
func TestTenants(t *testing.T) {
	one := msjoResult("best", "a", "b")
	one.Problem, one.About = "multitenant", about("multitenant")
	one.Tables = []model.ResultTable{table("jobs", "job,user", "a,ann", "b,ann")}
	if s := prepared(&one); s.key.what != "job" || len(s.key.entries()) != 2 {
		t.Errorf("one tenant: %d hues for each %s", len(s.key.entries()), s.key.what)
	}
	for tenants, want := range map[int]int{5: 5, 24: 24, 50: 8} {
		r := largeResult("x", 5000, 10) // 100 jobs of 50 tasks
		r.of(tenants)
		s := prepared(&r)
		coloured := 0
		for _, e := range s.key.entries() {
			if e.Class != restLook {
				coloured++
			}
		}
		if s.key.what != "user" || coloured != want || s.jobLook("j1") != s.key.looks[0] {
			t.Errorf("%d tenants: %d hues for each %s, want %d", tenants, coloured, s.key.what, want)
		}
	}
}

// TestLevels: even the faintest cell stands out of the paper at least as much as a separator. Light: 31 of 255 against
// 28; dark: 25 against 24.
func TestLevels(t *testing.T) {
	faintest, err := strconv.ParseFloat("0"+regexp.MustCompile(`\.h1\{fill-opacity:(\.\d+)\}`).
		FindStringSubmatch(chart.Style)[1], 64)
	try(t, err)
	red := func(theme, name string) float64 {
		v, err := strconv.ParseInt(regexp.MustCompile(`--` + name + `:#(..)`).FindStringSubmatch(theme)[1], 16, 32)
		try(t, err)
		return float64(v)
	}
	light, dark, _ := strings.Cut(chart.Themes(), "\n")
	for _, theme := range []string{light, dark} {
		paper := red(theme, "paper")
		line := math.Abs(red(theme, "grid") - paper)
		for _, look := range kindLooks {
			if cell := faintest * math.Abs(red(theme, look)-paper); cell < line {
				t.Errorf("the faintest cell of %s differs from the paper by %.0f, a separator by %.0f", look, cell, line)
			}
		}
	}
}
