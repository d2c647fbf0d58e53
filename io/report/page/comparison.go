package page

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"

	"mrsched/io/report/chart"
	"mrsched/model"
)

// group is the results of one problem and instance that can be compared: of one objective, and made with the same
// settings.
type group struct {
	Title     string
	Sizes     string
	SHA       string
	Objective string
	Metrics   []string // headings
	Rows      []line
	Figure    *figure // nil: nothing to compare
	setting   []string
	shown     []string // names of the metrics
}

// line is a result's row in the table of algorithms.
type line struct {
	Link                                                     string // to the result; empty: there is none
	Name, Algorithm, Status, Objective, Bound, Method, Ratio string
	Promise, Source, Verdict, Conditions, Note               string
	Metrics                                                  []string
	Bad                                                      bool // violations were found
	Checked                                                  bool
}

// dash stands for what is not there.
const dash = "–"

func lineOf(r *model.Result, metrics []string) line {
	l := line{Algorithm: r.Algorithm, Status: string(r.Status), Objective: dash, Bound: dash, Ratio: dash, Promise: dash}
	if r.Objective != nil {
		l.Objective = shown(r.Objective.Value, model.RoundDown)
	}
	if r.LowerBound != nil {
		l.Bound, l.Method = shown(r.LowerBound.Value, model.RoundDown), r.LowerBound.Method
		if !r.LowerBound.Verified {
			l.Method += ", not verified"
		}
	}
	if r.Ratio != "" {
		l.Ratio = string(r.Ratio)
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
		l.Metrics = append(l.Metrics, metric(r, name))
	}
	return l
}

// promise is what a guarantee says, as a formula.
func promise(g *model.Guarantee) string {
	text := "≤ "
	if g.Factor != "1" {
		text += shown(g.Factor, model.RoundUp) + "·"
	}
	text += "OPT"
	if g.Additive != "" && g.Additive != "0" {
		text += " + " + shown(g.Additive, model.RoundUp)
	}
	return text
}

// metric is a metric's text.
func metric(r *model.Result, name string) string {
	v, ok := r.Metrics[name]
	if !ok {
		return dash
	}
	return shown(model.Number(fmt.Sprint(v)), model.RoundDown)
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
			g = &group{Title: r.Problem, SHA: r.Instance.SHA256, Objective: "objective", setting: r.Setting,
				Sizes: fmt.Sprintf("%s, %s, %s", plural(r.Instance.Jobs, "job"), plural(r.Instance.Tasks, "task"),
					plural(r.Instance.Machines, "machine"))}
			index[key] = g
			list = append(list, g)
		}
		if r.Objective != nil {
			g.Objective = r.Objective.Name
		}
		of[i] = g
		for _, name := range r.Shown {
			if _, has := r.Metrics[name]; has && !slices.Contains(g.shown, name) { // a bound has no metrics
				g.shown, g.Metrics = append(g.shown, name), append(g.Metrics, spaced(name))
			}
		}
	}
	for i := range d.Results {
		r := &d.Results[i]
		l := lineOf(r.Result, of[i].shown)
		l.Link, l.Name, l.Bad, l.Checked = "r"+strconv.Itoa(i+1), r.Name, len(r.Violations) > 0, r.Checked
		of[i].Rows = append(of[i].Rows, l)
	}
	distinguish(list)
	for _, o := range d.Others {
		g := of[o.Beside]
		l := lineOf(o.Result, g.shown)
		l.Note = o.Note
		g.Rows = append(g.Rows, l)
	}
	for k, g := range list {
		g.sort()
		if g.Figure = g.compare(fmt.Sprintf("compare%d", k+1)); g.Figure != nil {
			g.Figure.Name = g.Figure.File + ".svg"
		}
	}
	return list
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
		x, has := ungrouped(a.Objective)
		y, have := ungrouped(b.Objective)
		switch {
		case has && have:
			return cmp.Compare(x, y)
		case has:
			return -1
		case have:
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

// beside is what stands beside a line's bar.
func (l *line) beside() string {
	if l.Ratio == dash {
		return l.Objective
	}
	return l.Objective + " (×" + l.Ratio + ")"
}

// compare draws objectives against lower bounds; nil if fewer than two rows have one.
func (g *group) compare(id string) *figure {
	type bar struct {
		line
		value, bound float64
		bounded      bool
	}
	var bars []bar
	top, left, right := 0.0, 0.0, 0.0
	for _, l := range g.Rows {
		b := bar{line: l}
		var has bool
		b.value, has = ungrouped(l.Objective)
		b.bound, b.bounded = ungrouped(l.Bound)
		if has {
			bars = append(bars, b)
			top = max(top, b.value, b.bound)
			left, right = max(left, chart.TextWidth(l.Algorithm)), max(right, chart.TextWidth(b.beside()))
		}
	}
	if len(bars) < 2 || top <= 0 {
		return nil
	}
	const height = 26
	f := figure{ID: id, File: id, Title: "Objective against lower bound", Wide: true,
		Caption: fmt.Sprintf("Bars: %s of each schedule. Marks: the lower bound that it is judged against. No schedule "+
			"can lie left of a verified mark.", spaced(g.Objective)),
		Table: newData("algorithm", "#"+spaced(g.Objective), "#lower bound", "#ratio")}
	u := chart.Prefixed(top, "")
	d := &chart.Plot{Drawing: chart.Drawing{Name: id, Width: chart.Wide}}
	y := 14 + d.Legend(8, 18, chart.Wide, []chart.Entry{{Class: objectiveLook, Text: spaced(g.Objective)},
		{Class: "mark", Line: true, Text: "lower bound"}})
	left = min(left, 200) + 18
	d.X = chart.Scale{High: top, From: left, To: chart.Wide - 24 - right}
	d.Y = chart.Scale{High: float64(len(bars)), From: y, To: y + height*float64(len(bars))}
	d.Height = d.Y.To + 42
	for _, v := range u.Ticks(0, top, 8) {
		x := d.X.At(v)
		d.Line("grid", x, d.Y.From, x, d.Y.To)
		d.Text("t", "middle", x, d.Y.To+18, u.Text(v))
	}
	d.Text("t m", "middle", (d.X.From+d.X.To)/2, d.Height-5, u.Label(spaced(g.Objective)))
	for k, b := range bars {
		y := d.Y.At(float64(k))
		d.Text("t", "end", left-8, y+height/2+4, chart.Shorten(b.Algorithm, left-12))
		d.Titled(objectiveLook, d.X.From, y+4, max(0.5, d.X.At(b.value)-d.X.From), height-8, b.Algorithm+": "+b.Objective)
		if b.bounded {
			d.Line("mark", d.X.At(b.bound), y+2, d.X.At(b.bound), y+height-2)
		}
		d.Text("t", "start", max(d.X.At(b.value), d.X.At(b.bound))+8, y+height/2+4, b.beside())
		f.Table.row(b.Algorithm, b.Objective, b.Bound, b.Ratio)
	}
	d.Line("axis", d.X.From, d.Y.From, d.X.From, d.Y.To)
	return f.drawn(&d.Drawing)
}
