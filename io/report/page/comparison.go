package page

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"

	"mrsched/io/report/chart"
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
	Figures     []*figure
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
	value, bound                                             float64
	scored, bounded                                          bool // there is a value; there is a bound
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
		l.bound, l.bounded = float(r.LowerBound.Value)
		if name == "" && len(r.About.Criteria) > 0 {
			name = r.About.Criteria[0].Name
		}
		l.Bound, l.Method = r.shown(name, r.LowerBound.Value, model.RoundDown), r.LowerBound.Method
		if !r.LowerBound.Verified {
			l.Method += ", not verified"
		}
	}
	if gap := show.GapOf(r.Status, r.Ratio); r.Ratio != "" {
		l.Ratio = gap
	}
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
	for k, g := range list {
		g.sort()
		g.describe()
		if f := g.compare("compare" + strconv.Itoa(k+1)); f != nil {
			f.Name = f.File + ".svg"
			g.Figures = append(g.Figures, f)
		}
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
		g.Legend = append(g.Legend, fact{Name: "gap", Value: "how far the objective lies above the lower bound, and so at " +
			"most above the optimum"})
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

// beside is what is beside a line's bar.
func (l *line) beside() string {
	if l.Ratio == dash {
		return l.Objective
	}
	return l.Objective + " (+" + l.Ratio + ")"
}

// compare draws objectives against lower bounds; nil if fewer than two rows have one.
func (g *group) compare(id string) *figure {
	var bars []line
	top := 0.0
	for _, l := range g.Rows {
		if l.scored {
			bars = append(bars, l)
			top = max(top, l.value, l.bound)
		}
	}
	if len(bars) < 2 || top <= 0 {
		return nil
	}
	f := figure{ID: id, File: id, Title: "Objective against lower bound", Wide: true,
		Caption: fmt.Sprintf("Bars: %s of each schedule. Marks: the lower bound that it is judged against. No schedule "+
			"can lie left of a verified mark.", spaced(g.Objective)),
		Table: newData("algorithm", "#"+spaced(g.Objective), "#lower bound", "#gap")}
	for _, b := range bars {
		f.Table.row(b.Algorithm, b.Objective, b.Bound, b.Ratio)
	}
	u := g.first.axisUnit(g.Objective, top)
	return f.drawn(func(id string, width float64) *chart.Drawing {
		return barsAgainst(id, width, u, spaced(g.Objective), bars, top)
	})
}

// barsAgainst draws a row for each line: its name, its bar, the mark of its bound, and its value to the right.
func barsAgainst(id string, width float64, u chart.Unit, label string, bars []line, top float64) *chart.Drawing {
	names, right := make([][]string, len(bars)), 0.0
	for k, b := range bars {
		names[k], right = []string{b.Algorithm}, max(right, chart.TextWidth(b.beside())+16)
	}
	const height, plotShare = 26, 0.6 // of the width, at least
	p := chart.NewRows(id, chart.Frame{Width: width, XHigh: top / (1 - min(0.6, right/(plotShare*width))), XUnit: u,
		XLabel: label, Entries: []chart.Entry{{Class: restLook, Text: label},
			{Class: "mark", Line: true, Text: "lower bound"}}}, names, height, 0)
	for k, b := range bars {
		y, end := p.Y.At(float64(k)), p.X.At(b.value)
		p.Titled(restLook, p.X.From, y+4, max(0.5, end-p.X.From), height-8, b.Algorithm+": "+b.Objective)
		if b.bounded {
			p.Line("mark", p.X.At(b.bound), y+2, p.X.At(b.bound), y+height-2)
			end = max(end, p.X.At(b.bound))
		}
		p.Text("t", "start", end+8, y+height/2+4, b.beside())
	}
	p.Line("axis", p.X.From, p.Y.From, p.X.From, p.Y.To)
	return &p.Drawing
}
