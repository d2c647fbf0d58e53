package page

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/io/report/chart"
	"mrsched/model"
)

// bands draws when jobs end in a simulation by each rule, and when they end in the plan. Of many jobs, it draws those
// whose P95 lies the latest after, or the least before, their deadline; nil if there is no simulation.
func (s *schedule) bands(id string) *figure {
	if len(s.simulated) == 0 {
		return nil
	}
	f := figure{ID: id + "-bands", File: "bands", Title: "Ends of jobs in simulated runs", Wide: true,
		Caption: "A band begins when half of the runs have ended the job, and ends when 95 % have.",
		Table:   newData("job", "as", "#P50", "#P95", "#planned", "#due")}
	var jobs, rules number
	for _, name := range s.jobs {
		jobs.of(name)
	}
	var order []int32
	by, high, ends, slack := map[int32][]Band{}, s.until(), s.ends(), map[int32]model.Time{}
	for _, b := range s.simulated {
		rules.of(b.Rule)
		j := jobs.of(b.Job)
		if int(j) >= len(s.jobs) {
			continue
		}
		if by[j] == nil {
			order = append(order, j)
		}
		due := dash
		by[j], slack[j] = append(by[j], b), model.MaxTime
		if s.due[j] >= 0 {
			due, slack[j] = s.when(s.due[j]), min(slack[j], s.due[j]-b.P95)
		}
		f.Table.row(b.Job, b.Rule, s.when(b.P50), s.when(b.P95), s.when(ends[j]), due)
		for _, t := range []model.Time{b.P50, b.P95} {
			if t <= model.MaxTime {
				high = max(high, t)
			}
		}
	}
	f.Table.cut(plural(len(f.Table.Rows), "row"))
	if len(order) > drawnBars {
		f.Caption += fmt.Sprintf(" The %d of %s with the least slack.", drawnBars, plural(len(order), "job"))
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(slack[a], slack[b]) })
		order = order[:drawnBars]
	}
	var entries []chart.Entry
	for i, rule := range rules.names {
		entries = append(entries, chart.Entry{Class: localities[i%len(localities)].look, Text: rule})
	}
	entries = append(entries, chart.Entry{Class: "bound", Line: true, Text: "planned end"},
		chart.Entry{Class: "ink", Event: chart.Due, Text: "job due"})
	names := make([]string, len(order))
	for row, j := range order {
		names[row] = s.jobs[j]
	}
	const thin = 8.0
	height := thin*float64(len(rules.names)) + 8
	return f.drawn(func(name string, width float64) *chart.Drawing {
		p := chart.NewRows(name, chart.Frame{Width: width, XHigh: high.Seconds() * 1.02, XUnit: s.moment, XLabel: "time",
			Entries: entries}, names, height, 0)
		for row, j := range order {
			top := p.Y.At(float64(row))
			for _, b := range by[j] {
				i := int(rules.of(b.Rule))
				x, to := p.X.At(min(b.P50, high).Seconds()), p.X.At(min(b.P95, high).Seconds())
				p.Titled(localities[i%len(localities)].look, x, top+4+thin*float64(i), max(2, to-x), thin-1,
					fmt.Sprintf("%s, %s\nP50 %s, P95 %s", b.Job, b.Rule, s.when(b.P50), s.when(b.P95)))
			}
			p.Line("bound", p.X.At(ends[j].Seconds()), top+1, p.X.At(ends[j].Seconds()), top+height-1)
			if s.due[j] >= 0 && s.due[j] <= high {
				p.Event("ink", chart.Due, chart.Point{X: p.X.At(s.due[j].Seconds()), Y: top + height/2}, "")
			}
		}
		return &p.Drawing
	})
}

// when is a point in time as people read it.
func (s *schedule) when(t model.Time) string {
	if t > model.MaxTime {
		return "never"
	}
	return s.moment.With(t.Seconds())
}
