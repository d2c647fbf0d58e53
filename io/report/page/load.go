package page

import (
	"mrsched/io/report/chart"
	"mrsched/model"
)

// bound is the lower bound; 0 if there is none.
func (r *Result) bound() (v float64) {
	if r.LowerBound != nil {
		v, _ = float(r.LowerBound.Value)
	}
	return v
}

// loads draws the load of each machine, of maps by where their data lies.
func (r *Result) loads(s *schedule, id string) *figure {
	c := columns{id: id, file: "load", title: "Load per worker", unit: s.unit, label: "load", what: "worker",
		names: s.machineNames(), levels: s.machineLevels(),
		caption: "How long each worker processes partitions. With one job, the largest load is the objective."}
	if c.bound = r.bound(); c.bound > 0 {
		c.boundText = "lower bound " + s.unit.With(c.bound)
	}
	where := s.column(model.RoleLocality)
	layer := func(class, name string, in func(u int) bool) {
		load := make([]model.Time, s.listed)
		for u := range s.id {
			if in(u) {
				load[s.machine[u]] += s.end[u] - s.start[u]
			}
		}
		c.layers = append(c.layers, chart.Layer{Class: class, Name: name, Values: secondsOf(load)})
	}
	if where == nil {
		layer(reducesLook, "partitions", func(int) bool { return true })
		return c.draw()
	}
	c.title, c.what, c.order = "Load per server", "server", true
	c.caption = "The time of each server's maps, by where their blocks lie (in schedule.csv node, rack, remote). The " +
		"largest load is the objective."
	for _, l := range localities {
		layer(l.look, l.name, func(u int) bool { return where.at(u) == l.name })
	}
	return c.draw()
}

// slotGet is a slot that a reduce gets: when, at what cost a byte, for what cost in all, and for which job.
type slotGet struct {
	at, slot, cost float64
	job            int32
}

// bytes is what the reduce fetches.
func (g slotGet) bytes() float64 {
	if g.slot > 0 {
		return g.cost / g.slot
	}
	return 0
}

// slotGets lists them, with the latest time, the highest cost a byte and the most bytes.
func slotGets(s *schedule, slot, cost *column) (gets []slotGet, span, top, most float64) {
	span = 1e-6
	for u := range s.id {
		a, ok1 := cell(slot.at(u))
		b, ok2 := cell(cost.at(u))
		if !ok1 || !ok2 {
			continue
		}
		g := slotGet{s.start[u].Seconds(), a, b, s.job[u]}
		gets = append(gets, g)
		span, top, most = max(span, g.at), max(top, a), max(most, g.bytes())
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
	const stretches = 40
	sum, bytes, n := make([]float64, stretches), make([]float64, stretches), make([]int, stretches)
	for _, g := range gets {
		k := min(stretches-1, int(g.at/span*stretches))
		sum[k], bytes[k], n[k] = sum[k]+g.cost, bytes[k]+g.bytes(), n[k]+1
	}
	var means []chart.Point
	f.Table = newData("#"+s.unit.Label("from"), "#"+s.unit.Label("until"), "#reduces", "#mean slot cost", "#cost")
	for k := range stretches {
		if n[k] == 0 {
			continue
		}
		mean := 0.0
		if bytes[k] > 0 {
			mean = sum[k] / bytes[k]
		}
		means = append(means, chart.Point{X: span * (float64(k) + 0.5) / stretches, Y: mean})
		f.Table.row(s.unit.Text(span*float64(k)/stretches), s.unit.Text(span*float64(k+1)/stretches), count(n[k]),
			plainNumber(mean), chart.Prefixed(sum[k], "").With(sum[k]))
	}
	return f.drawn(func(id string, width float64) *chart.Drawing {
		p := chart.NewPlot(id, chart.Frame{Width: width, XHigh: span * 1.02, YHigh: max(top*1.1, 1e-9), XUnit: s.unit,
			YUnit: chart.Plain, XLabel: "start of the job", YLabel: "slot cost",
			Entries: append(s.jobEntries(), chart.Entry{Class: "mean curve", Line: true, Text: "mean by bytes"})})
		p.Base()
		for _, g := range gets {
			radius := 3.0
			if most > 0 {
				radius += 4 * g.bytes() / most
			}
			p.Dot(s.jobLook(s.jobs[g.job])+" dot", p.At(g.at, g.slot), radius, "")
		}
		line := make([]chart.Point, 0, len(means)+1)
		for _, m := range means {
			line = append(line, p.At(m.X, m.Y))
		}
		if len(line) == 1 {
			line = append(line, line[0])
		}
		p.Path("mean curve", chart.Outline(line))
		return &p.Drawing
	})
}
