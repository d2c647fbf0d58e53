package page

import (
	"slices"

	"mrsched/io/report/chart"
	"mrsched/model"
)

// crossing is what leaves a rack for a while, of what reduces fetch and what maps read, as multitenant's table of
// traffic says.
type crossing struct{ from, until, shuffle, maps float64 }

// crossings reads the table of traffic; ok is false if there is none.
func (r *Result) crossings() (list []crossing, ok bool) {
	rows, at, ok := r.table("traffic", "from", "until", "shuffle_out", "map_out")
	if !ok {
		return nil, false
	}
	for row := range rows {
		var c crossing
		for i, into := range []*float64{&c.from, &c.until, &c.shuffle, &c.maps} {
			*into, _ = cell(row[at[i]])
		}
		if c.until > c.from {
			list = append(list, c)
		}
	}
	return list, true
}

// traffic draws what crosses racks, over time.
func (r *Result) traffic(s *schedule, id string) *figure {
	list, ok := r.crossings()
	if !ok {
		return nil
	}
	f := figure{ID: id, File: "traffic", Title: "Rack traffic over time",
		Caption: "Bytes per second that leave racks: what reduces fetch, and what maps read from elsewhere."}
	horizon := s.horizon.Seconds()
	for _, c := range list {
		horizon = max(horizon, c.until)
	}
	g := &grid{buckets: timeBuckets, width: max(horizon, 1e-6) / timeBuckets}
	shuffle, maps := make([]float64, timeBuckets), make([]float64, timeBuckets)
	top := 0.0
	for _, c := range list {
		g.spread(c.from, c.until, func(k int, share float64) {
			shuffle[k] += c.shuffle / (c.until - c.from) * share
			maps[k] += c.maps / (c.until - c.from) * share
			top = max(top, shuffle[k]+maps[k])
		})
	}
	edges, rate := bucketEdges(horizon), chart.Prefixed(top, "B/s")
	f.Table = overTimeTable(edges, s.unit, rate, []string{"shuffle", "map input"}, shuffle, maps)
	layers := kinds(maps, shuffle, "map input", "shuffle")
	return f.overTime(edges, layers, chart.Frame{YHigh: max(top*1.08, 1e-9), XUnit: s.unit, YUnit: rate,
		YLabel: "out of racks", Entries: chart.Entries(layers)}, nil)
}

// users draws how many slots each user's tasks hold, over time, in the hues of the Gantt chart. Users without a hue are
// one layer.
func (r *Result) users(s *schedule, id string) *figure {
	owner := s.column(model.RoleTenant)
	if owner == nil {
		return nil
	}
	total := make([]float64, len(owner.values))
	for u := range s.id {
		total[owner.index[u]] += (s.end[u] - s.start[u]).Seconds()
	}
	layers, sum := s.held(func(int) float64 { return 1 })
	f := figure{ID: id, File: "users", Title: "Users' shares over time",
		Caption: "Slots that the tasks of each user hold."}
	f.Table = r.whole("users", newData("user", "#slot seconds"))
	if len(f.Table.Rows) == 0 {
		for i, name := range owner.values {
			f.Table.row(name, s.unit.With(total[i]))
		}
	}
	f.Table.cut(plural(len(f.Table.Rows), "user"))
	return f.overTime(bucketEdges(s.horizon.Seconds()), layers, chart.Frame{YHigh: max(slices.Max(sum)*1.06, 1e-9),
		XUnit: s.unit, YUnit: chart.Plain, YLabel: "slots held", Entries: chart.Entries(layers)}, nil)
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

// whole is one of the result's own tables; without it, otherwise.
func (r *Result) whole(name string, otherwise *data) *data {
	for _, t := range r.Tables {
		if t.Name != name {
			continue
		}
		d := &data{Numeric: make([]bool, len(t.Columns))}
		for i, name := range t.Columns {
			d.Columns, d.Numeric[i] = append(d.Columns, spaced(name)), i > 0
		}
		for row := range t.Rows {
			cells := slices.Clone(row)
			for i := 1; i < len(cells) && i < len(t.Columns); i++ {
				cells[i] = r.shown(t.Columns[i], model.Number(cells[i]), model.RoundDown)
			}
			d.Rows = append(d.Rows, cells)
		}
		return d
	}
	return otherwise
}
