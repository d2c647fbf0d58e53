package page

import (
	"fmt"

	"mrsched/io/report/chart"
	"mrsched/model"
)

// bound is the lower bound and its name; 0 if there is none.
func (r *Result) bound() (v float64, text string) {
	if r.LowerBound == nil {
		return 0, ""
	}
	v, _ = float(r.LowerBound.Value)
	return v, "lower bound"
}

// loads draws the load of each machine, of maps by where their data lies.
func (r *Result) loads(s *schedule, id string) *figure {
	c := columns{id: id, file: "load", title: "Load per worker", unit: "s", label: "load", what: "worker",
		names:   s.machineNames(),
		caption: "How long each worker works off partitions. Of one job, the largest load is the objective."}
	c.bound, c.boundText = r.bound()
	where := s.column(model.RoleLocality)
	layer := func(class, name string, hatch bool, in func(u int) bool) {
		load := make([]model.Time, s.listed)
		for u := range s.id {
			if in(u) {
				load[s.machine[u]] += s.end[u] - s.start[u]
			}
		}
		c.layers = append(c.layers, stackOf{class: class, hatch: hatch, name: name, value: secondsOf(load)})
	}
	if where == nil {
		layer(reducesLook, "partitions", true, func(int) bool { return true })
		return c.draw()
	}
	c.title, c.what, c.order = "Load per server", "server", true
	c.caption = "The time of each server's maps, by where their blocks lie (in schedule.csv node, rack, remote). The " +
		"largest load is the objective."
	for _, l := range localities {
		layer(colourClass(l.colour), l.name, false, func(u int) bool { return where.at(u) == l.name })
	}
	return c.draw()
}

// slotGet is a slot that a reduce gets: when, at what cost a byte, and for what cost in all.
type slotGet struct{ at, slot, cost float64 }

// slotGets lists them, with the latest time, the highest cost a byte and the most bytes.
func slotGets(s *schedule, slot, cost *column) (gets []slotGet, span, top, most float64) {
	span = 1e-6
	for u := range s.id {
		a, ok1 := cell(slot.at(u))
		b, ok2 := cell(cost.at(u))
		if !ok1 || !ok2 {
			continue
		}
		g := slotGet{s.start[u].Seconds(), a, b}
		gets = append(gets, g)
		span, top = max(span, g.at), max(top, a)
		if a > 0 {
			most = max(most, b/a)
		}
	}
	return gets, span, top, most
}

// slotCost draws what the slots cost that jobs get, over time, and what has come together until then.
func (r *Result) slotCost(s *schedule, id string) *figure {
	slot, cost := s.column(model.RoleSlotCost), s.column(model.RoleCost)
	if slot == nil || cost == nil || len(s.id) == 0 {
		return nil
	}
	f := figure{ID: id, File: "slot-cost", Title: "Slot cost over time",
		Caption: "The cost of every slot that a reduce gets, when its job starts; larger points fetch more. The line is " +
			"the mean of the jobs that start in the same stretch of time, by bytes."}
	gets, span, top, most := slotGets(s, slot, cost)
	u := chart.TimeUnit(span)
	p := chart.NewPlot(id, chart.Frame{XHigh: span * 1.02, YHigh: max(top*1.1, 1e-9), XUnit: u,
		YUnit: chart.Plain, XLabel: "start of the job", YLabel: "slot cost",
		Entries: []chart.Entry{{Class: reducesLook, Text: "a reduce"},
			{Class: "mean curve", Line: true, Text: "mean by bytes"}}})
	p.Base()
	const stretches = 40
	sum, bytes, n := make([]float64, stretches), make([]float64, stretches), make([]int, stretches)
	for _, g := range gets {
		k := min(stretches-1, int(g.at/span*stretches))
		amount := 0.0
		if g.slot > 0 {
			amount = g.cost / g.slot
		}
		sum[k], bytes[k], n[k] = sum[k]+g.cost, bytes[k]+amount, n[k]+1
		radius := 3.0
		if most > 0 {
			radius += 4 * amount / most
		}
		p.Dot(reducesLook+" dot", p.At(g.at, g.slot), radius, "")
	}
	var line []chart.Point
	f.Table = newData("#from (s)", "#until (s)", "#reduces", "#mean slot cost", "#cost")
	for k := range stretches {
		if n[k] == 0 {
			continue
		}
		mean := 0.0
		if bytes[k] > 0 {
			mean = sum[k] / bytes[k]
		}
		line = append(line, p.At(span*(float64(k)+0.5)/stretches, mean))
		f.Table.row(plainNumber(span*float64(k)/stretches), plainNumber(span*float64(k+1)/stretches), fmt.Sprint(n[k]),
			plainNumber(mean), plainNumber(sum[k]))
	}
	if len(line) == 1 {
		line = append(line, line[0])
	}
	p.Path("mean curve", chart.Outline(line))
	return f.drawn(&p.Drawing)
}

// costSum draws what fetching has cost so far, against the lower bound of it all.
func (r *Result) costSum(s *schedule, id string) *figure {
	cost := s.column(model.RoleCost)
	if cost == nil || len(s.id) == 0 {
		return nil
	}
	span, total := s.horizon, 0.0
	values := make([]float64, timeBuckets)
	for u := range s.id {
		v, _ := cell(cost.at(u))
		k := 0
		if span > 0 {
			k = min(timeBuckets-1, int(float64(s.start[u])/float64(span)*timeBuckets))
		}
		values[k] += v
		total += v
	}
	for k := 1; k < timeBuckets; k++ {
		values[k] += values[k-1]
	}
	bound, text := r.bound()
	f := figure{ID: id, File: "fetching-cost", Title: "Fetching cost so far",
		Caption: "What all reduces that have started fetch, times the cost of their slots; at the end it is the objective."}
	u := chart.Prefixed(max(total, bound), "")
	edges := bucketEdges(span.Seconds())
	p := stackedOverTime(id, edges[timeBuckets], edges, []chart.Layer{{Class: objectiveLook, Values: values}},
		chart.Frame{YHigh: max(total, bound, 1e-9) * 1.12, YUnit: u, YLabel: "cost × bytes"})
	if bound > 0 {
		p.Level("bound", bound, text+" of all "+u.With(bound))
	}
	f.Table = newData("#until (s)", "#cost so far")
	for k := rowBuckets - 1; k < timeBuckets; k += rowBuckets {
		f.Table.row(plainNumber(edges[k+1]), plainNumber(values[k]))
	}
	return f.drawn(&p.Drawing)
}
