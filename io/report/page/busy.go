package page

import (
	"fmt"
	"math"
	"slices"

	"mrsched/io/report/chart"
	"mrsched/model"
)

// histogramBars is about how many bars a histogram has.
const histogramBars = 20

// endShown is the part of the schedule that the busiest machine must be busy for a chart to reach to its end: else all
// bars would be flat.
const endShown = 1.0 / 3

// perMachine draws how long each machine is busy; of more machines than a chart has columns, how many are busy for how
// long.
func (r *Result) perMachine(s *schedule, id string) *figure {
	maps, reduces := make([]model.Time, s.listed), make([]model.Time, s.listed)
	for u := range s.id {
		if length := s.end[u] - s.start[u]; s.reduce[u] {
			reduces[s.machine[u]] += length
		} else {
			maps[s.machine[u]] += length
		}
	}
	if len(s.machines) > chart.MostColumns {
		return s.busyHistogram(id, maps[:len(s.machines)], reduces[:len(s.machines)])
	}
	c := columns{id: id, file: "machines", title: "Busy time per " + s.row, unit: s.unit, label: "busy", what: s.row,
		caption: fmt.Sprintf("%s of %s with tasks.", count(len(s.machines)), plural(s.size, s.row)),
		names:   s.machineNames(), levels: s.machineLevels()}
	if s.listed > chart.NamedRows && len(s.machines) > 0 { // the idle ones are told, and not drawn
		maps, reduces, c.names, c.levels = maps[:len(s.machines)], reduces[:len(s.machines)], s.machines, s.levels
	}
	c.layers = []stackOf{{class: mapsLook, name: "maps", value: secondsOf(maps)},
		{class: reducesLook, hatch: s.mixed(), name: "reduces", value: secondsOf(reduces)}}
	_, busy := busiest(maps, reduces)
	if busy.Seconds() >= endShown*s.horizon.Seconds() {
		c.bound, c.boundText = s.horizon.Seconds(), "end of the schedule"
	} else {
		c.caption += " The schedule ends after " + s.unit.With(s.horizon.Seconds()) + "."
	}
	return c.draw()
}

// busiest is the machine with the most busy time; the first of several.
func busiest(maps, reduces []model.Time) (machine int, busy model.Time) {
	for m := range maps {
		if b := maps[m] + reduces[m]; b > busy {
			machine, busy = m, b
		}
	}
	return machine, busy
}

// busyHistogram draws how many of the machines with tasks are busy for how long.
func (s *schedule) busyHistogram(id string, maps, reduces []model.Time) *figure {
	most, top := busiest(maps, reduces)
	low := top
	for m := range maps {
		low = min(low, maps[m]+reduces[m])
	}
	u := s.unit
	edges := histogramEdges(u, low.Seconds(), top.Seconds())
	width := edges[1] - edges[0]
	many := [2][]float64{make([]float64, len(edges)-1), make([]float64, len(edges)-1)} // mostly maps, mostly reduces
	for m := range maps {
		kind := 0
		if reduces[m] > maps[m] {
			kind = 1
		}
		k := int(((maps[m]+reduces[m]).Seconds()-edges[0])/width + 1e-9)
		many[kind][min(max(k, 0), len(edges)-2)]++
	}
	f := figure{ID: id, File: "machines", Title: "Busy time of machines",
		Caption: fmt.Sprintf("How many of the %s with tasks, of %s in all, are busy for how long, by what they run most. "+
			"The schedule ends after %s; the busiest machine is %s with %s.",
			plural(len(maps), s.row), count(s.size),
			u.With(s.horizon.Seconds()), s.machines[most], u.With(top.Seconds()))}
	var layers []chart.Layer
	for kind, name := range []string{"mostly maps", "mostly reduces"} {
		if slices.Max(many[kind]) > 0 {
			layers = append(layers, chart.Layer{Class: kindLooks[kind], Hatch: kind == 1 && s.mixed(), Name: name,
				Values: many[kind]})
		}
	}
	f.Table = newData("#"+u.Label("busy from"), "#"+u.Label("until"), "#machines mostly with maps", "#mostly with reduces")
	for k := range many[0] {
		f.Table.row(u.Text(edges[k]), u.Text(edges[k+1]), plainNumber(many[0][k]), plainNumber(many[1][k]))
	}
	return f.drawn(func(id string, width float64) *chart.Drawing { return histogram(id, width, u, edges, layers) })
}

// histogram draws how many machines there are between every two edges.
func histogram(id string, width float64, u chart.Unit, edges []float64, layers []chart.Layer) *chart.Drawing {
	high := 0.0
	for k := range len(edges) - 1 {
		sum := 0.0
		for _, l := range layers {
			sum += l.Values[k]
		}
		high = max(high, sum)
	}
	p := chart.NewPlot(id, chart.Frame{Width: width, XLow: edges[0], XHigh: edges[len(edges)-1], YHigh: high * 1.08,
		XUnit: u, YUnit: chart.Plain, XLabel: "busy", YLabel: "machines", Entries: chart.Entries(layers)})
	for k := range len(edges) - 1 {
		x, next, y := p.X.At(edges[k]), p.X.At(edges[k+1]), 0.0
		for _, l := range layers {
			if v := l.Values[k]; v > 0 {
				above := p.Y.At(y + v)
				p.Titled(l.Class, x+1, above, next-x-2, p.Y.At(y)-above, fmt.Sprintf("busy %s to %s: %s %s",
					u.With(edges[k]), u.With(edges[k+1]), plural(int(v), "machine"), l.Name))
				if l.Hatch {
					p.Hatch(chart.Box(x+1, above, next-x-2, p.Y.At(y)-above))
				}
				y += v
			}
		}
	}
	p.Base()
	return &p.Drawing
}

// histogramEdges are the borders of bars that hold all values from low to top, in seconds: round in the unit, from 0 on
// unless the values lie close together. There are two at least.
func histogramEdges(u chart.Unit, low, top float64) []float64 {
	if low < top/2 || low >= top {
		low = 0
	}
	top = max(top, 1e-6)
	inside := u.Ticks(low, top, histogramBars)
	step := top - low
	if len(inside) > 1 {
		step = inside[1] - inside[0]
	}
	if u.Clock {
		step = max(step, 0.1) // clocks show no less
	}
	first := math.Floor(low/step+1e-9) * step
	n := max(1, int(math.Ceil((top-first)/step-1e-9)))
	edges := make([]float64, n+1)
	for k := range edges {
		edges[k] = first + step*float64(k)
	}
	return edges
}
