package page

import (
	"fmt"
	"slices"
	"strings"

	"mrsched/io/report/chart"
	"mrsched/io/show"
	"mrsched/model"
)

// crossing is a row of multitenant's table of traffic.
type crossing struct {
	from, until   float64
	rack          string
	shuffle, maps float64 // out of the rack
	in            float64
}

// crossings reads the table of traffic.
func (r *Result) crossings() []crossing {
	rows, at, ok := r.table("traffic", "from", "until", "rack", "shuffle_out", "map_out", "shuffle_in", "map_in")
	if !ok {
		return nil
	}
	var list []crossing
	for row := range rows {
		c := crossing{rack: strings.Clone(row[at[2]])}
		c.from, _ = cell(row[at[0]])
		c.until, _ = cell(row[at[1]])
		c.shuffle, _ = cell(row[at[3]])
		c.maps, _ = cell(row[at[4]])
		a, _ := cell(row[at[5]])
		b, _ := cell(row[at[6]])
		c.in = a + b
		if c.until > c.from {
			list = append(list, c)
		}
	}
	return list
}

// traffic draws what crosses racks, over time.
func (r *Result) traffic(s *schedule, id string) *figure {
	list := r.crossings()
	if _, _, ok := r.table("traffic", "from"); !ok {
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
	for _, c := range list {
		g.spread(c.from, c.until, func(k int, share float64) {
			shuffle[k] += c.shuffle / (c.until - c.from) * share
			maps[k] += c.maps / (c.until - c.from) * share
		})
	}
	top := 0.0
	for k := range shuffle {
		top = max(top, shuffle[k]+maps[k])
	}
	edges := make([]float64, timeBuckets+1)
	for k := range edges {
		edges[k] = g.width * float64(k)
	}
	rate := chart.Prefixed(top, "B/s")
	f.Table = newData("#"+s.unit.Label("from"), "#"+s.unit.Label("until"), "#shuffle", "#map input")
	for k := 0; k < timeBuckets; k += rowBuckets {
		a, b := 0.0, 0.0
		for i := range rowBuckets {
			a, b = a+shuffle[k+i]/rowBuckets, b+maps[k+i]/rowBuckets
		}
		f.Table.row(s.unit.Text(edges[k]), s.unit.Text(edges[k+rowBuckets]), rate.With(a), rate.With(b))
	}
	layers := kinds(maps, shuffle, "map input", "shuffle")
	return f.overTime(edges, layers, chart.Frame{YHigh: max(top*1.08, 1e-9), XUnit: s.unit, YUnit: rate,
		YLabel: "out of racks", Entries: chart.Entries(layers)}, nil)
}

// heat draws cells in rows of this many, the darker the nearer to the top value.
func heat(p *chart.Plot, cells []float64, each int, top, height float64) {
	paths := make([]strings.Builder, heatLevels)
	width := (p.X.To - p.X.From) / float64(each)
	for i, v := range cells {
		if v > 0 {
			paths[min(heatLevels-1, int(v/top*heatLevels*0.9999))].WriteString(chart.Box(p.X.From+width*float64(i%each),
				p.Y.At(float64(i/each))+0.5, width, height-1))
		}
	}
	for level := range paths {
		p.Path(heatClass(restLook, level+1), paths[level].String())
	}
}

// racks draws which racks' uplinks are busy when: the darker, the more of the busiest moment of any.
func (r *Result) racks(s *schedule, id string) *figure {
	list := r.crossings()
	if len(list) == 0 {
		return nil
	}
	var names number
	out, in := []float64{}, []float64{}
	horizon := s.horizon.Seconds()
	for _, c := range list {
		if k := names.of(c.rack); int(k) == len(out) {
			out, in = append(out, 0), append(in, 0)
		}
		horizon = max(horizon, c.until)
	}
	order := slices.Clone(names.names)
	slices.SortStableFunc(order, show.Natural)
	const buckets, most = 150, 40
	g := &grid{groups: len(order), buckets: buckets, width: max(horizon, 1e-6) / buckets}
	rate := make([]float64, len(order)*buckets)
	top := 0.0
	for _, c := range list {
		i := names.of(c.rack)
		out[i], in[i] = out[i]+c.shuffle+c.maps, in[i]+c.in
		row := slices.Index(order, c.rack)
		g.spread(c.from, c.until, func(k int, share float64) {
			v := &rate[row*buckets+k]
			*v += (c.shuffle + c.maps + c.in) / (c.until - c.from) * share
			top = max(top, *v)
		})
	}
	f := figure{ID: id, File: "racks", Title: "Traffic of each rack",
		Caption: fmt.Sprintf("In and out together, in fifths of the busiest stretch of any rack, %s.",
			chart.Prefixed(top, "B/s").With(top))}
	rows := min(len(order), most)
	if rows < len(order) {
		f.Caption += fmt.Sprintf(" The first %d of %s.", rows, plural(len(order), "rack"))
	}
	f.Table = newData("rack", "#out", "#in")
	for _, n := range order {
		i := names.of(n)
		f.Table.row(n, chart.Prefixed(out[i], "B").With(out[i]), chart.Prefixed(in[i], "B").With(in[i]))
	}
	f.Table.cut(plural(len(order), "rack"))
	var entries []chart.Entry
	for level := 1; level <= heatLevels; level++ {
		entries = append(entries, chart.Entry{Class: heatClass(restLook, level),
			Text: fmt.Sprintf("≤ %d %%", level*100/heatLevels)})
	}
	labels := make([][]string, rows)
	for k := range labels {
		labels[k] = order[k : k+1]
	}
	return f.drawn(func(id string, width float64) *chart.Drawing {
		height := min(24, max(7, 220/float64(rows)))
		p := chart.NewRows(id, chart.Frame{Width: width, Entries: entries, XHigh: max(horizon, 1e-6), XUnit: s.unit,
			XLabel: "time"}, labels, height, 0)
		heat(p, rate[:rows*buckets], buckets, top, height)
		return &p.Drawing
	})
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
