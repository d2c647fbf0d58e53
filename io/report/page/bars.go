package page

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/io/report/chart"
	"mrsched/model"
)

// drawnBars is how many items a chart of bars shows; of more, the largest.
const drawnBars = 30

// bars is a chart with a row for each item, whose parts are stacked. Values below 0 have one layer.
type bars struct {
	figure
	label     string // of the values
	what      string // an item is
	unit      chart.Unit
	names     []string
	layers    []chart.Layer // values by item
	looks     []string      // by item; nil: those of the layers
	bound     float64       // a line across
	boundText string        // empty: there is no line
}

func (c *bars) total(i int) float64 {
	sum := 0.0
	for _, l := range c.layers {
		sum += l.Values[i]
	}
	return sum
}

// draw draws the chart and its table.
func (c *bars) draw() *figure {
	order := make([]int, len(c.names))
	for i := range order {
		order[i] = i
	}
	c.layers = slices.DeleteFunc(c.layers, func(l chart.Layer) bool {
		return !slices.ContainsFunc(l.Values, func(v float64) bool { return v != 0 })
	})
	if len(order) > drawnBars || c.looks != nil {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.total(b), c.total(a)) })
	}
	c.Table = c.table(order)
	if len(order) > drawnBars {
		order = order[:drawnBars]
		c.Caption += fmt.Sprintf(" The %d largest of %s.", drawnBars, plural(len(c.names), c.what))
	}
	return c.drawn(func(id string, width float64) *chart.Drawing { return c.rows(id, width, order) })
}

// rows draws a row for every item.
func (c *bars) rows(id string, width float64, order []int) *chart.Drawing {
	low, top := 0.0, max(c.bound, 1e-9)
	names := make([]string, len(order))
	for k, i := range order {
		low, top = min(low, c.total(i)), max(top, c.total(i))
		names[k] = c.names[i]
	}
	var entries []chart.Entry
	if c.looks == nil {
		entries = chart.Entries(c.layers)
	}
	if c.boundText != "" {
		entries = append(entries, chart.Entry{Class: "bound", Line: true, Text: c.boundText})
	}
	const height = 20
	p := chart.NewRows(id, chart.Frame{Width: width, XLow: low * 1.04, XHigh: top * 1.04, XUnit: c.unit, XLabel: c.label,
		Entries: entries}, names, height, 0)
	for k, i := range order {
		y, sum := p.Y.At(float64(k))+2, 0.0
		for _, l := range c.layers {
			v := l.Values[i]
			if v == 0 {
				continue
			}
			class := l.Class
			if c.looks != nil {
				class = c.looks[i]
			}
			x, next := p.X.At(min(sum, sum+v)), p.X.At(max(sum, sum+v))
			sum += v
			p.Titled(class, x, y, max(0.4, next-x-1), height-4,
				fmt.Sprintf("%s: %s %s", c.names[i], l.Name, c.unit.With(v)))
			if l.Hatch {
				p.Hatch(chart.Box(x, y, next-x-1, height-4))
			}
		}
	}
	p.Line("axis", p.X.At(0), p.Y.From, p.X.At(0), p.Y.To)
	if c.boundText != "" {
		p.Line("bound", p.X.At(c.bound), p.Y.From, p.X.At(c.bound), p.Y.To)
	}
	return &p.Drawing
}

// table is the table behind the chart.
func (c *bars) table(order []int) *data {
	heads := []string{c.what}
	for _, l := range c.layers {
		heads = append(heads, "#"+c.unit.Label(cmp.Or(l.Name, c.label)))
	}
	t := newData(heads...)
	for _, i := range order {
		cells := []string{c.names[i]}
		for _, l := range c.layers {
			cells = append(cells, c.unit.Text(l.Values[i]))
		}
		t.row(cells...)
	}
	return t.cut(plural(len(order), c.what))
}

// busy draws how long each machine is busy, of maps by where their data lies if that is known. Where the objective is
// the largest load, a line is its lower bound.
func (r *Result) busy(s *schedule, id string) *figure {
	c := bars{figure: figure{ID: id + "-machines", File: "machines", Title: "Busy time per " + s.row,
		Caption: fmt.Sprintf("%s of %s with tasks.", count(len(s.machines)), plural(s.size, s.row))},
		unit: s.unit, label: s.axis(), what: s.row, names: s.labels}
	layer := func(class, name string, in func(u int) bool) {
		busy := make([]float64, len(s.machines))
		for u := range s.id {
			if in(u) {
				busy[s.machine[u]] += (s.end[u] - s.start[u]).Seconds()
			}
		}
		c.layers = append(c.layers, chart.Layer{Class: class, Name: name, Values: busy})
	}
	if where := s.column(model.RoleLocality); where != nil && r.About.Loads {
		for _, l := range localities {
			layer(l.look, l.name, func(u int) bool { return where.at(u) == l.name })
		}
	} else {
		layer(mapsLook, "maps", func(u int) bool { return !s.reduce[u] })
		if s.reduces > 0 {
			layer(reducesLook, "reduces", func(u int) bool { return s.reduce[u] })
			c.layers[1].Hatch = s.mixed()
		}
	}
	if r.LowerBound != nil && r.About.Loads {
		c.bound, _ = float(r.LowerBound.Value)
		c.boundText = "lower bound " + s.unit.With(c.bound)
	}
	return c.draw()
}

// ends are when jobs end.
func (s *schedule) ends() []model.Time {
	end := make([]model.Time, len(s.jobs))
	for u := range s.id {
		end[s.job[u]] = max(end[s.job[u]], s.end[u])
	}
	return end
}

// lateness draws how late jobs are, the latest first, against their deadlines; nil if there are none.
func (s *schedule) lateness(id string) *figure {
	end := s.ends()
	c := bars{figure: figure{ID: id + "-lateness", File: "lateness", Title: "Lateness of jobs"}, unit: s.unit,
		label: "lateness", what: "job", boundText: "deadline"}
	layer, missed := chart.Layer{Class: restLook, Name: "lateness"}, 0
	for j, job := range s.jobs {
		if s.due[j] < 0 {
			continue
		}
		if end[j] > s.due[j] {
			missed++
		}
		c.names, c.looks = append(c.names, job), append(c.looks, s.jobLook(job))
		layer.Values = append(layer.Values, (end[j] - s.due[j]).Seconds())
	}
	if len(c.names) == 0 {
		return nil
	}
	c.layers = []chart.Layer{layer}
	c.Caption = fmt.Sprintf("%s of %s end after their deadline. What is beyond the line is late; on its other side is "+
		"how early jobs are.", count(missed), plural(len(c.names), "job"))
	return c.draw()
}
