package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"mrsched/io/report/chart"
	"mrsched/io/show"
	"mrsched/model"
)

// stack is schedules that are drawn one above the other on one axis of time.
type stack []panel

// panel is one of them.
type panel struct {
	*schedule
	label string // empty if there is one
}

// gantt draws whole schedules: machines from top to bottom, time from left to right.
func (t stack) gantt(name string, width float64) *chart.Drawing {
	var all []*schedule
	until, most := model.Time(0), 0
	for _, p := range t {
		all, until, most = append(all, p.schedule), max(until, p.until()), max(most, len(p.machines))
	}
	first := t[0]
	marks := len(first.jobs) <= markedJobs
	entries := first.ganttEntries(marks)
	grids := make([]*grid, len(t))
	if !detailed(width, all...) {
		perGroup := math.Ceil(float64(most*len(t)) / max(20, math.Floor(heatGroups*width/chart.Wide)))
		for k, p := range t {
			grids[k] = p.gridOf(int(math.Ceil(float64(len(p.machines))/perGroup)), int(heatBuckets*width/chart.Wide))
		}
		entries = append(heatEntries(first.schedule), chart.Entry{Class: "paper", Text: fmt.Sprintf("a cell: %s, %s",
			plural(grids[0].perGroup, "machine"), first.unit.With(grids[0].width/float64(model.Second)))})
	}
	rows, from := t.rows(grids)
	release, due := first.marked()
	strip := 0.0
	if marks = marks && (release || due); marks {
		strip = markStrip
	}
	height := min(26, max(4, 900/float64(max(1, len(rows)))))
	d := chart.NewRows(name, chart.Frame{Width: width, Entries: entries, XHigh: until.Seconds(), XUnit: first.unit,
		XLabel: first.axis()}, rows, height, strip)
	whole := d.Y
	for k, p := range t {
		n := float64(from[k+1] - from[k])
		d.Y = chart.Scale{High: n, From: whole.At(float64(from[k])), To: whole.At(float64(from[k+1]))}
		if grids[k] != nil {
			grids[k].heat(d, p.mixed())
		} else {
			p.bars(d, height)
		}
	}
	if d.Y = whole; marks {
		first.marks(d)
	}
	for _, row := range from[1:] {
		d.Line("axis", d.X.From, d.Y.At(float64(row)), d.X.To, d.Y.At(float64(row)))
	}
	return &d.Drawing
}

// rows are the names of all rows, and where each schedule's begin. Names of several schedules begin with its label.
func (t stack) rows(grids []*grid) (rows [][]string, from []int) {
	deepest := 0
	for k, p := range t {
		from = append(from, len(rows))
		names := p.levels
		if g := grids[k]; g != nil {
			names = make([][]string, g.groups)
			for k := range names {
				first, last := k*g.perGroup, min(len(p.machines), (k+1)*g.perGroup)-1
				names[k] = []string{p.machines[first]}
				if last > first {
					names[k][0] += " … " + p.machines[last]
				}
			}
		} else if len(t) > 1 { // levels lack what is the same in all names of one schedule
			names = make([][]string, len(p.machines))
			for m, name := range p.machines {
				names[m] = strings.Split(name, "/")
			}
		}
		for _, name := range names {
			if len(t) > 1 {
				name = append([]string{p.label}, name...)
			}
			rows, deepest = append(rows, name), max(deepest, len(name))
		}
	}
	for k := range rows {
		for len(rows[k]) < deepest { // a machine with one lane
			rows[k] = append(rows[k], "")
		}
	}
	return rows, append(from, len(rows))
}

// real draws what a real cluster did above the best schedule of the group; nil if one of them is not known.
func (g *group) real(id string, results []Result, schedules []*schedule) *figure {
	for _, l := range g.Rows { // the least objective comes first
		for i := range results {
			if r, s := &results[i], schedules[i]; l.Link == resultID(i) && l.scored && s != nil && len(s.id) > 0 &&
				r.Recorded != nil && len(r.Recorded.schedule.id) > 0 {
				return r.besideRecorded(*r.Recorded.schedule, *s, id)
			}
		}
	}
	return nil
}

// besideRecorded draws a recorded schedule above the result's.
func (r *Result) besideRecorded(was, now schedule, id string) *figure {
	u := now.unit
	f := figure{ID: id, File: id, Title: "What really ran, and the best schedule", Wide: true,
		Caption: fmt.Sprintf("Above, the recorded run, which ends at %s; below, the schedule of %s, which ends at %s. "+
			"Both have one axis of time. Recorded: %s.", u.With(was.horizon.Seconds()), r.Algorithm,
			u.With(now.horizon.Seconds()), r.Recorded.Note)}
	if was.mixed() || now.mixed() {
		f.Caption += " Reduces are hatched."
	}
	f.Table = newData("job", "#"+u.Label("recorded end"), "#"+u.Label("end under "+r.Algorithm))
	ends := now.ends()
	for job, end := range was.ends() {
		f.Table.row(job, u.Text(end.Seconds()), u.Text(ends[job].Seconds()))
	}
	slices.SortFunc(f.Table.Rows, func(a, b []string) int { return show.Natural(a[0], b[0]) })
	f.Table.cut(plural(len(f.Table.Rows), "job"))
	was.horizon = max(was.horizon, now.horizon)
	now.horizon = was.horizon
	return f.drawn(stack{{&was, "recorded"}, {&now, r.Algorithm}}.gantt)
}

// ends are the ends of jobs by name.
func (s *schedule) ends() map[string]model.Time {
	list := map[string]model.Time{}
	for u := range s.id {
		job := s.jobs[s.job[u]]
		list[job] = max(list[job], s.end[u])
	}
	return list
}
