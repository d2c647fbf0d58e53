package page

import (
	"fmt"
	"slices"

	"mrsched/io/report/chart"
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

// stackedOverTime draws layers, which have a value between any two edges, until a horizon in seconds.
func stackedOverTime(id string, horizon float64, edges []float64, layers []chart.Layer, f chart.Frame) *chart.Plot {
	f.XHigh, f.XUnit, f.XLabel = horizon, chart.TimeUnit(horizon), "time"
	p := chart.NewPlot(id, f)
	p.Stack(edges, layers)
	return p
}

// kinds are the layers of a chart by kind of task, without those that nothing is in.
func kinds(maps, reduces []float64) []chart.Layer {
	var list []chart.Layer
	for _, l := range []chart.Layer{{Class: mapsLook, Name: "maps", Values: maps},
		{Class: reducesLook, Hatch: true, Name: "reduces", Values: reduces}} {
		if slices.Max(l.Values) > 0 {
			list = append(list, l)
		}
	}
	return list
}

// overTime draws which share of all machines is busy, and with what.
func (s *schedule) overTime(id string) *figure {
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
			plural(s.size, "machine"), percent(total))}
	layers := kinds(maps, reduces)
	entries := append(chart.Entries(layers), chart.Entry{Class: "mean", Line: true, Text: "average"})
	p := stackedOverTime(id, s.horizon.Seconds(), bucketEdges(s.horizon.Seconds()), layers, chart.Frame{YHigh: 1,
		YUnit: chart.Unit{Size: 0.01, Name: "%"}, YLabel: "busy", Entries: entries})
	p.Level("mean", total, "")
	const rows = timeBuckets / rowBuckets
	percents := chart.Unit{Size: 0.01}
	coarse := s.gridOf(1, rows)
	f.Table = newData("#from (s)", "#until (s)", "#maps (%)", "#reduces (%)")
	for k := range rows {
		from, until := s.horizon.Seconds()*float64(k)/rows, s.horizon.Seconds()*float64(k+1)/rows
		f.Table.row(chart.Plain.With(from), chart.Plain.With(until),
			percents.With(float64(coarse.maps[k])*share), percents.With(float64(coarse.reduces[k])*share))
	}
	return f.drawn(&p.Drawing)
}

// machineNames are those of the machines with tasks, then empty ones.
func (s *schedule) machineNames() []string {
	return append(slices.Clone(s.machines), make([]string, s.listed-len(s.machines))...)
}

func secondsOf(list []model.Time) []float64 {
	out := make([]float64, len(list))
	for i, t := range list {
		out[i] = t.Seconds()
	}
	return out
}

// plural prints a number, grouped, and what it counts.
func plural(n int, what string) string { return grouped(fmt.Sprint(n)) + " " + model.Plural(n, what) }
