package page

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/io/report/chart"
	"mrsched/model"
)

// drawnResources is how many resources have a chart: those that are used most.
const drawnResources = 6

// demand is a resource, how much of it tasks take, and how much there is; both are averages of the buckets of time.
type demand struct {
	model.Supply
	index       int // of the resource
	layers      []chart.Layer
	taken, has  []float64
	share, peak float64 // of what there is: until the last task ends, and in the fullest bucket
}

// resources draws of each limited resource how much tasks take, in the hues of the Gantt chart, and how much there is.
// The one that is used most comes first; one that no task takes has no chart.
func (r *Result) resources(s *schedule, id string) (list []*figure) {
	var demands []demand
	for k := range r.Supplies {
		if d := s.demand(k, r.Supplies[k]); d.peak > 0 {
			demands = append(demands, d)
		}
	}
	slices.SortStableFunc(demands, func(a, b demand) int { return cmp.Compare(b.share, a.share) })
	for k, d := range demands[:min(len(demands), drawnResources)] {
		f := figure{ID: fmt.Sprintf("%s-resource-%d", id, d.index+1),
			File:  fmt.Sprintf("resource-%d-%s", d.index+1, fileName(d.Name)),
			Title: fmt.Sprintf("Use of %s over time", d.Name),
			Caption: fmt.Sprintf("What running tasks take, and what the available nodes have. On average, %s is in use until "+
				"the last task ends; in the fullest of %d equal steps of time, %s.", percent(d.share), timeBuckets,
				percent(d.peak))}
		if k == 0 && len(demands) > 1 {
			f.Caption += fmt.Sprintf(" Of %s, this one is used most.", plural(len(demands), "resource"))
		}
		if k == 0 && len(demands) > drawnResources {
			f.Caption += fmt.Sprintf(" The %d that are used most are drawn.", drawnResources)
		}
		list = append(list, d.draw(f, s))
	}
	return list
}

// demand adds up what tasks take of a resource.
func (s *schedule) demand(index int, of model.Supply) demand {
	d := demand{Supply: of, index: index, has: make([]float64, timeBuckets)}
	d.layers, d.taken = s.held(func(u int) float64 { return s.takes[index][u] })
	d.layers = slices.DeleteFunc(d.layers, func(l chart.Layer) bool { return slices.Max(l.Values) <= 0 })
	g := &grid{buckets: timeBuckets, width: max(s.horizon.Seconds(), 1e-6) / timeBuckets}
	for k, step := range of.Has {
		until := max(1, s.horizon)
		if k+1 < len(of.Has) {
			until = of.Has[k+1].From
		}
		g.spread(step.From.Seconds(), until.Seconds(), func(b int, share float64) { d.has[b] += step.Amount * share })
	}
	taken, has := 0.0, 0.0
	for b, v := range d.taken {
		if taken, has = taken+v, has+d.has[b]; v > 0 {
			d.peak = max(d.peak, v/max(v, d.has[b], 1e-9))
		}
	}
	d.share = taken / max(taken, has, 1e-9)
	return d
}

// draw completes a resource's figure.
func (d *demand) draw(f figure, s *schedule) *figure {
	top := max(slices.Max(d.taken), slices.Max(d.has))
	unit := chart.Unit{Size: 1, Name: d.Unit}
	if d.Unit == "" || d.Unit == "B" {
		unit = chart.Prefixed(top, d.Unit)
	}
	edges := bucketEdges(s.horizon.Seconds())
	bare := chart.Unit{Size: unit.Size} // the heads say it
	f.Table = overTimeTable(edges, s.moment, bare, []string{unit.Label("in use"), unit.Label("available")}, d.taken, d.has)
	entries := append(chart.Entries(d.layers), chart.Entry{Class: "bound", Line: true, Text: "available"})
	return f.overTime(edges, d.layers, chart.Frame{YHigh: top * 1.06, XUnit: s.moment, YUnit: unit, YLabel: "in use",
		Entries: entries}, func(p *chart.Plot) { p.Steps("bound", edges, d.has) })
}

// held adds up what running tasks hold in each bucket of time: one layer for each colour, one for tasks without a
// colour, and the total. of says how much a task holds.
func (s *schedule) held(of func(u int) float64) (layers []chart.Layer, sum []float64) {
	by := map[string][]float64{}
	for _, look := range s.key.looks {
		by[look] = make([]float64, timeBuckets)
	}
	sum = make([]float64, timeBuckets)
	g := &grid{buckets: timeBuckets, width: max(s.horizon.Seconds(), 1e-6) / timeBuckets}
	for u := range s.id {
		values, amount := by[s.key.lookOf(u)], of(u)
		if amount == 0 {
			continue
		}
		g.spread(s.start[u].Seconds(), s.end[u].Seconds(), func(k int, share float64) {
			values[k] += amount * share
			sum[k] += amount * share
		})
	}
	for _, e := range s.key.entries() {
		layers = append(layers, chart.Layer{Class: e.Class, Name: e.Text, Values: by[e.Class]})
	}
	return layers, sum
}
