package page

import (
	"fmt"
	"slices"
	"strconv"

	"mrsched/io/report/chart"
	"mrsched/io/show"
	"mrsched/model"
)

// timeBuckets is how many steps a curve over time has, at most.
const timeBuckets = 240

// rowBuckets is how many of them a row of the table behind a curve stands for.
const rowBuckets = 10

// bucketEdges are the borders of timeBuckets, in seconds.
func bucketEdges(horizon float64) []float64 {
	edges := make([]float64, timeBuckets+1)
	for k := range edges {
		edges[k] = max(1e-6, horizon) * float64(k) / timeBuckets
	}
	return edges
}

// overTimeTable is the table behind curves over time: means of rowBuckets values, which are named.
func overTimeTable(edges []float64, time, unit chart.Unit, names []string, values ...[]float64) *data {
	heads := []string{"#" + time.Label("from"), "#" + time.Label("until")}
	for _, name := range names {
		heads = append(heads, "#"+name)
	}
	d := newData(heads...)
	for k := 0; k+rowBuckets < len(edges); k += rowBuckets {
		cells := []string{time.Text(edges[k]), time.Text(edges[k+rowBuckets])}
		for _, list := range values {
			sum := 0.0
			for _, v := range list[k : k+rowBuckets] {
				sum += v
			}
			cells = append(cells, unit.With(sum/rowBuckets))
		}
		d.row(cells...)
	}
	return d
}

// overTime completes a figure with layers, which have a value between any two edges, and what mark draws above them.
func (f figure) overTime(edges []float64, layers []chart.Layer, frame chart.Frame, mark func(p *chart.Plot)) *figure {
	frame.XHigh, frame.XLabel = edges[len(edges)-1], "time"
	return f.drawn(func(id string, width float64) *chart.Drawing {
		frame.Width = width
		p := chart.NewPlot(id, frame)
		p.Stack(edges, layers)
		if mark != nil {
			mark(p)
		}
		return &p.Drawing
	})
}

// kinds are the layers of a chart by kind of task, without those that nothing is in. Reduces are hatched if there are
// both.
func kinds(maps, reduces []float64, mapsName, reducesName string) []chart.Layer {
	list := []chart.Layer{{Class: mapsLook, Name: mapsName, Values: maps},
		{Class: reducesLook, Hatch: slices.Max(maps) > 0, Name: reducesName, Values: reduces}}
	return slices.DeleteFunc(list, func(l chart.Layer) bool { return slices.Max(l.Values) <= 0 })
}

// utilisation draws which share of all machines is busy, and with what.
func (s *schedule) utilisation(id string) *figure {
	g := s.gridOf(1, timeBuckets)
	share := float64(len(s.machines)) / float64(max(1, s.size))
	maps, reduces := make([]float64, timeBuckets), make([]float64, timeBuckets)
	total := 0.0
	for k := range maps {
		maps[k], reduces[k] = float64(g.maps[k])*share, float64(g.reduces[k])*share
		total += (maps[k] + reduces[k]) / timeBuckets
	}
	f := figure{ID: id, File: "utilisation", Title: "Machine utilisation over time",
		Caption: fmt.Sprintf("Share of the %s that run a task; %s on average until the last task ends.",
			plural(s.size, s.row), percent(total))}
	layers := kinds(maps, reduces, "maps", "reduces")
	percents := chart.Unit{Size: 0.01, Name: "%"}
	edges := bucketEdges(s.horizon.Seconds())
	names, values := []string{"maps", "reduces"}, [][]float64{maps, reduces}
	if s.reduces == 0 {
		names, values = names[:1], values[:1]
	}
	f.Table = overTimeTable(edges, s.moment, percents, names, values...)
	return f.overTime(edges, layers, chart.Frame{YHigh: 1, XUnit: s.moment, YUnit: percents,
		YLabel: "busy", Entries: append(chart.Entries(layers), chart.Entry{Class: "mean", Line: true, Text: "average"})},
		func(p *chart.Plot) { p.Level("mean", total, "") })
}

// plural prints a number, grouped, and what it counts.
func plural(n int, what string) string { return count(n) + " " + model.Plural(n, what) }

// count prints a number, grouped.
func count(n int) string { return show.Grouped(strconv.Itoa(n)) }
