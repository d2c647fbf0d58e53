package page

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"

	"mrsched/io/show"
	"mrsched/model"
)

// group is the results of one problem and instance that can be compared: of one objective, and made with the same
// settings.
type group struct {
	Name, Title string // of the instance; of the problem and the settings
	Sizes       string
	SHA         string
	Objective   string
	Columns     []tableColumn
	Rows        []line
	Legend      []fact // what objective and metrics mean
	setting     []string
	shown       []string // names of the metrics
	first       *Result
}

// tableColumn is a column of the table of algorithms behind name and status; absent if all its cells are empty.
type tableColumn struct {
	Kind, Name string
	Numeric    bool
}

// line is a result's row in the table of algorithms.
type line struct {
	Link                                                     string // to the result; empty: there is none
	Name, Algorithm, Status, Objective, Bound, Method, Ratio string
	Promise, Source, Verdict, Conditions, Note               string
	Metrics                                                  []string
	Bad                                                      bool // violations were found
	Checked                                                  bool
	value                                                    float64
	scored                                                   bool // there is a value
}

// dash stands for what is not there.
const dash = "–"

func (r *Result) line(metrics []string) line {
	l := line{Algorithm: r.Algorithm, Status: string(r.Status), Objective: dash, Bound: dash, Ratio: dash, Promise: dash}
	name := ""
	if r.Objective != nil {
		name = r.Objective.Name
		l.value, l.scored = float(r.Objective.Value)
		l.Objective = r.shown(name, r.Objective.Value, model.RoundDown)
	}
	if r.LowerBound != nil {
		if name == "" && len(r.About.Criteria) > 0 {
			name = r.About.Criteria[0].Name
		}
		l.Bound, l.Method = r.shown(name, r.LowerBound.Value, model.RoundDown), r.LowerBound.Method
		if !r.LowerBound.Verified {
			l.Method += ", not verified"
		}
	}
	l.Ratio = r.gap()
	if g := r.Guarantee; g != nil {
		l.Promise, l.Source, l.Verdict = promise(g), g.Source, g.Verdict
		l.Conditions = "preconditions met"
		if !g.PreconditionsMet {
			l.Conditions = "preconditions not met"
		}
		if g.Preconditions != "" {
			l.Conditions += ": " + g.Preconditions
		}
	}
	for _, name := range metrics {
		l.Metrics = append(l.Metrics, r.metric(name))
	}
	return l
}

// gap is how far the objective is above the optimum, at most: in per cent, or as a difference.
func (r *Result) gap() string {
	switch {
	case r.Objective != nil && r.LowerBound != nil && r.About.Criterion(r.Objective.Name).Difference:
		value, _ := float(r.Objective.Value)
		bound, _ := float(r.LowerBound.Value)
		late := model.Number(strconv.FormatFloat(value-bound, 'f', 6, 64))
		return show.Value(late, r.About.Unit(r.Objective.Name), model.RoundUp) + " s late"
	case r.Ratio == "":
		return dash
	}
	return show.GapOf(r.Status, r.Ratio)
}

// promise is what a guarantee says, as a formula.
func promise(g *model.Guarantee) string {
	text := "≤ "
	if g.Factor != "1" {
		text += show.Value(g.Factor, model.UnitNone, model.RoundUp) + "·"
	}
	text += "OPT"
	if g.Additive != "" && g.Additive != "0" {
		text += " + " + show.Value(g.Additive, model.UnitNone, model.RoundUp)
	}
	return text
}

// metric is a metric's text.
func (r *Result) metric(name string) string {
	v, ok := r.Metrics[name]
	if !ok {
		return dash
	}
	return r.shown(name, model.Number(fmt.Sprint(v)), model.RoundDown)
}

// groups sorts the results by problem, instance and setting, in the order of their first ones.
func (d *Document) groups() []*group {
	var list []*group
	index := map[string]*group{}
	of := make([]*group, len(d.Results))
	for i := range d.Results {
		r := &d.Results[i]
		key := fmt.Sprintf("%q %q %q", r.Problem, r.Instance.SHA256, r.Setting)
		g := index[key]
		if g == nil {
			g = &group{Name: r.Instance.Name, Title: r.Problem, SHA: r.Instance.SHA256, Objective: "objective",
				setting: r.Setting, first: r, Sizes: fmt.Sprintf("%s, %s, %s", plural(r.Instance.Jobs, "job"),
					plural(r.Instance.Tasks, "task"), plural(r.Instance.Machines, "machine"))}
			index[key] = g
			list = append(list, g)
		}
		if r.Objective != nil {
			g.Objective = r.Objective.Name
		}
		of[i] = g
		for _, name := range r.Shown {
			_, has := r.Metrics[name] // a bound has none
			if has && name != g.Objective && !slices.Contains(g.shown, name) {
				g.shown = append(g.shown, name)
			}
		}
	}
	for i := range d.Results {
		r := &d.Results[i]
		l := r.line(of[i].shown)
		l.Link, l.Name, l.Bad, l.Checked = resultID(i), r.Name, len(r.Violations) > 0, r.Checked
		of[i].Rows = append(of[i].Rows, l)
	}
	distinguish(list)
	for _, o := range d.Others {
		g := of[o.Beside]
		beside := d.Results[o.Beside]
		l := (&Result{Result: o.Result, About: beside.About, unit: beside.unit}).line(g.shown)
		l.Note = o.Note
		g.Rows = append(g.Rows, l)
	}
	for _, g := range list {
		g.sort()
		g.describe()
	}
	return list
}

// describe chooses the columns of the table, those that are not empty, and explains the names of numbers.
func (g *group) describe() {
	add := func(kind, name string, numeric bool, empty func(l line) bool) {
		if !slices.ContainsFunc(g.Rows, func(l line) bool { return !empty(l) }) {
			return
		}
		g.Columns = append(g.Columns, tableColumn{kind, name, numeric})
	}
	add("objective", spaced(g.Objective), true, func(l line) bool { return l.Objective == dash })
	add("bound", "lower bound", true, func(l line) bool { return l.Bound == dash })
	add("ratio", "gap", true, func(l line) bool { return l.Ratio == dash })
	add("promise", "guarantee", false, func(l line) bool { return l.Promise == dash })
	for i, name := range g.shown {
		add(strconv.Itoa(i), spaced(name), true, func(l line) bool { return l.Metrics[i] == dash })
	}
	for _, name := range append([]string{g.Objective}, g.shown...) {
		if text := g.first.About.Quantity(name).About; text != "" && !slices.ContainsFunc(g.Legend,
			func(f fact) bool { return f.Name == spaced(name) }) {
			g.Legend = append(g.Legend, fact{Name: spaced(name), Value: text})
		}
	}
	if slices.ContainsFunc(g.Columns, func(c tableColumn) bool { return c.Kind == "ratio" }) {
		g.Legend = append(g.Legend, fact{Name: "gap", Value: "at most this far above the optimum"})
	}
}

// Cell is a metric's text, by the kind of its column.
func (l line) Cell(kind string) string {
	i, err := strconv.Atoi(kind)
	if err != nil || i >= len(l.Metrics) {
		return dash
	}
	return l.Metrics[i]
}

// distinguish adds to the titles of groups of the same instance the settings that not all of them have.
func distinguish(list []*group) {
	alike, count := map[string]int{}, map[string]int{}
	of := func(g *group, x string) string { return fmt.Sprintf("%q %q %q", g.Title, g.SHA, x) }
	for _, g := range list {
		alike[of(g, "")]++
		for _, x := range g.setting {
			count[of(g, x)]++
		}
	}
	titles := make([]string, len(list))
	for i, g := range list {
		titles[i] = g.Title
		for _, x := range g.setting {
			if count[of(g, x)] < alike[of(g, "")] {
				titles[i] += ", " + x
			}
		}
	}
	for i, g := range list { // titles are compared before
		g.Title = titles[i]
	}
}

// sort puts the least objective first, and last what has none; names that only repeat the algorithm's are left out.
func (g *group) sort() {
	slices.SortStableFunc(g.Rows, func(a, b line) int {
		switch {
		case a.scored && b.scored:
			return cmp.Compare(a.value, b.value)
		case a.scored:
			return -1
		case b.scored:
			return 1
		}
		return 0
	})
	count := map[string]int{}
	for _, l := range g.Rows {
		count[l.Algorithm]++
	}
	for i := range g.Rows {
		if l := &g.Rows[i]; path.Base(l.Name) == l.Algorithm && count[l.Algorithm] == 1 {
			l.Name = ""
		}
	}
}
