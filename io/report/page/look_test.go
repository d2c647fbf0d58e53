package page

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
)

// localResult is a job of hta with a map of each locality, in an order that is not the page's.
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
	`<rect class="([a-z0-9-]+)(?: d[12])? edge" x="[^"]*" y="[^"]*" width="12" height="12"/>(<path fill="[^"]*" d="[^"]*"/>)?<text class="t" x="[^"]*" y="[^"]*">([^<]*)</text>`)

// TestOneLookEach: whatever the pictures of a page name, one word has one colour, and one colour, with its hatching,
// one word; jobs and users take the colours in turn, and are not asked here. Localities have the words of the tables,
// in the chart, the legends, the table and the data of the live chart.
func TestOneLookEach(t *testing.T) {
	r := localResult()
	text := written(t, &Document{Results: []Result{r, r}})
	p, err := New(&Document{Results: []Result{r, r}})
	if err != nil {
		t.Fatal(err)
	}
	looks, uses := map[string]string{}, map[string]string{}
	for file, svg := range p.Pictures {
		for _, m := range legendEntry.FindAllStringSubmatch(svg, -1) {
			look, name := m[1], strings.TrimSuffix(m[3], "s")
			if m[2] != "" {
				look += " hatched"
			}
			if name == "map" && look == otherLook { // the Gantt chart's kinds, in the colours of anything
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
	for name, want := range map[string]string{"node-local": "c2", "rack-local": "c4", "off-rack": "c3", "map": mapsLook} {
		if looks[name] != want {
			t.Errorf("%q is %q, want %q", name, looks[name], want)
		}
	}
	if strings.Contains(strings.ReplaceAll(text, "node, rack, remote", ""), "remote") {
		t.Error("the page says remote as well as off-rack")
	}
	for _, want := range []string{`<th scope="col" class="n">off-rack</th>`, "not node-local", `"looks":[2,4,3]`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
}

// TestLocalities: the column is in the page's words and order, every row keeps its own; what is no locality stays, and
// so do other columns.
func TestLocalities(t *testing.T) {
	r := localResult()
	s := scheduleOf(&r)
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
	if got := []string{c.at(0), c.at(1), c.at(2), c.at(3)}; !slices.Equal(got,
		[]string{"x", "", "rack-local", "rack-local"}) {
		t.Errorf("%q", got)
	}
	if got := c.looks(); !slices.Equal(got, []int{4, 6, 6}) {
		t.Errorf("looks %v", got)
	}
	if got := s.own[0].looks(); got != nil {
		t.Errorf("blocks have looks of their own: %v", got)
	}
}

// TestKindsAreNotOther: on a page of jobs with deadlines, what is late looks like no map and no reduce, and points of
// reduces like reduces.
func TestKindsAreNotOther(t *testing.T) {
	r := msjoResult("edf", "a", "b")
	r.Problem = "realtime"
	r.Tables = []model.ResultTable{{Name: "jobs", Columns: []string{"job", "deadline", "completion", "laxity"},
		Rows: slices.Values([][]string{{"a", "20", "30", "-10"}, {"b", "40", "35", "5"}})}}
	svg := string(r.lateness(nil, "x").SVG)
	if !strings.Contains(svg, `class="late"`) || !strings.Contains(svg, `class="in-time"`) ||
		strings.Contains(svg, `class="c`) {
		t.Errorf("lateness: %s", svg)
	}
	r.Problem, r.About, r.Own = "reduceplace", about("reduceplace"), []string{"slot_cost", "cost"}
	tasks := slices.Collect(r.Tasks)
	for i := range tasks {
		tasks[i].Own = []string{"3", "300"}
	}
	r.Tasks = slices.Values(tasks)
	if svg := string(r.slotCost(scheduleOf(&r), "x").SVG); !strings.Contains(svg, `<circle class="`+reducesLook+` dot"`) {
		t.Errorf("slot cost: %s", svg)
	}
}

// TestTiles: numbers are as small or in tiles as wide as they need; text is text.
func TestTiles(t *testing.T) {
	for value, want := range map[string]string{
		"32": "number", "1.015613": "number", "2289.473619 s": "number",
		grouped("290952796590.91"):             "number small",
		grouped("286480127215.845"):            "number small",
		grouped("12624712885877.804"):          "number double",
		grouped("-101659413715597.456"):        "number double",
		grouped("1" + strings.Repeat("0", 35)): "number least",
		"1" + strings.Repeat("0", 90):          "",
		"optimal":                              "",
		"≤ OPT + 2.924":                        "",
		dash:                                   "",
		"<script>":                             "",
		"":                                     "",
	} {
		if got := (fact{Value: value}).Class(); got != want {
			t.Errorf("%q (%.2f em): %q, want %q", value, numberWidth(value), got, want)
		}
	}
}
