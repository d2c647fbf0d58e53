package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mrsched/io/report/chart"
	"mrsched/io/show"
)

// plainNumber writes a value for a table, to three digits behind the point.
func plainNumber(v float64) string {
	return show.Grouped(strconv.FormatFloat(math.Round(v*1e3)/1e3, 'f', -1, 64))
}

// cell is the number in a cell; 0 and false if there is none.
func cell(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, false
	}
	return v, true
}

// finished is a job of msjo's table of jobs.
type finished struct {
	job                              string
	weight, earliest, reference, end float64
	share                            float64
}

// completions reads msjo's table of jobs; reference is the LP's completion where it is known, else the earliest.
func completions(r *Result) []finished {
	rows, at, ok := r.table("jobs", "job", "weight", "earliest", "completion", "objective_share")
	if !ok {
		return nil
	}
	var list []finished
	for row := range rows {
		f := finished{job: strings.Clone(row[at[0]])}
		for i, into := range []*float64{&f.weight, &f.earliest, &f.end, &f.share} {
			*into, _ = cell(row[at[i+1]])
		}
		f.reference = f.earliest
		if r.Relaxed != nil {
			v, ok := r.Relaxed.Completion[f.job]
			if !ok {
				continue
			}
			f.reference = v
		}
		list = append(list, f)
	}
	return list
}

// completion draws when jobs end against when they would in the LP, or at the earliest.
func (r *Result) completion(s *schedule, id string) *figure {
	jobs := completions(r)
	if len(jobs) == 0 {
		return nil
	}
	f := figure{ID: id, File: "completion", Title: "Job completion against the LP"}
	axis, column := "earliest completion", "earliest"
	if r.Relaxed != nil {
		axis, column = "completion in the LP "+r.Relaxed.Method, "in the LP"
		f.Caption = fmt.Sprintf("When each job ends, against its completion in the LP %s, whose weighted sum is a lower "+
			"bound: the further above the line, the more the schedule loses on the job. Larger points weigh more.",
			r.Relaxed.Method)
	} else {
		f.Title = "Job completion against the earliest possible"
		f.Caption = "When each job ends, against when it would if all its tasks ran as early as they can. Larger points " +
			"weigh more."
		if r.Relaxes && !r.Checked {
			f.Caption += " Results do not hold the LP's completions: pass --instance to draw them."
		}
	}
	u := r.unit
	f.Table = newData("job", "#weight", "#"+u.Label("completion"), "#"+u.Label(column), "#"+u.Label("later"),
		"#share of the objective")
	slices.SortStableFunc(jobs, func(a, b finished) int { return cmp.Compare(b.share, a.share) })
	for _, j := range jobs {
		f.Table.row(j.job, plainNumber(j.weight), u.Text(j.end), u.Text(j.reference), u.Text(j.end-j.reference),
			plainNumber(j.share))
	}
	f.Table.cut(plural(len(jobs), "job") + ", those with the largest share first")
	return f.drawn(func(id string, width float64) *chart.Drawing { return r.against(s, jobs, axis, id, width) })
}

// against draws a point for each job.
func (r *Result) against(s *schedule, jobs []finished, axis, id string, width float64) *chart.Drawing {
	top, weight := 0.0, 0.0
	for _, j := range jobs {
		top, weight = max(top, j.end, j.reference), max(weight, j.weight)
	}
	p := chart.NewPlot(id, chart.Frame{Width: width, Height: chart.Tall + 40, XHigh: top * 1.04, YHigh: top * 1.04,
		XUnit: r.unit, YUnit: r.unit, XLabel: axis, YLabel: "completion",
		Entries: append(s.jobEntries(), chart.Entry{Class: "bound", Line: true, Text: "as early as that"})})
	p.Line("bound", p.X.At(0), p.Y.At(0), p.X.At(top), p.Y.At(top))
	p.Base()
	for _, j := range jobs {
		size, look := math.Sqrt(j.weight/max(weight, 1e-12)), s.jobLook(j.job)
		if len(jobs) > namedTasks {
			p.Dot(look+" many", p.At(j.reference, j.end), 1+2.5*size, "")
			continue
		}
		p.Dot(look+" dot", p.At(j.reference, j.end), 2.5+4.5*size, fmt.Sprintf("%s\nends at %s\n%s: %s\nweight %s", j.job,
			r.unit.With(j.end), axis, r.unit.With(j.reference), plainNumber(j.weight)))
	}
	return &p.Drawing
}

// jobEntries is the legend of a chart of jobs: what hues stand for, if that is little enough.
func (s *schedule) jobEntries() []chart.Entry {
	if list := s.key.entries(); len(s.jobLooks) > 0 && len(list) <= legendNames {
		return list
	}
	return nil
}

// late is a job with a deadline; it is late by this many seconds, and less than 0 if it is in time.
type late struct {
	job          string
	due, end, by float64
}

// lates are the jobs with deadlines, the latest first, and how many have none.
func (r *Result) lates() (jobs []late, without int) {
	rows, at, ok := r.table("jobs", "job", "deadline", "completion", "laxity")
	if !ok {
		return nil, 0
	}
	for row := range rows {
		laxity, ok := cell(row[at[3]])
		if !ok {
			without++
			continue
		}
		j := late{job: strings.Clone(row[at[0]]), by: -laxity}
		j.due, _ = cell(row[at[1]])
		j.end, _ = cell(row[at[2]])
		jobs = append(jobs, j)
	}
	slices.SortStableFunc(jobs, func(a, b late) int { return cmp.Compare(b.by, a.by) })
	return jobs, without
}

// lateness draws how late jobs are, the latest first, against their deadlines.
func (r *Result) lateness(s *schedule, id string) *figure {
	jobs, without := r.lates()
	if len(jobs) == 0 {
		return nil
	}
	u, missed := r.unit, 0
	c := columns{id: id, file: "lateness", title: "Lateness of jobs", unit: u, label: "lateness", what: "job", order: true,
		boundText: "deadline", colours: s.jobEntries(), data: newData("job", "#"+u.Label("deadline"),
			"#"+u.Label("completion"), "#"+u.Label("lateness"))}
	layer := chart.Layer{Class: restLook}
	for _, j := range jobs {
		if j.by > 0 {
			missed++
		}
		c.data.row(j.job, u.Text(j.due), u.Text(j.end), u.Text(j.by))
		c.names = append(c.names, j.job)
		layer.Values, c.looks = append(layer.Values, j.by), append(c.looks, s.jobLook(j.job))
	}
	c.layers = []chart.Layer{layer}
	c.caption = fmt.Sprintf("%s of %s end after their deadline. What is beyond the line is late; on its other side is "+
		"how early jobs are.", count(missed), plural(len(jobs), "job"))
	if without > 0 {
		c.caption += " " + plural(without, "job") + " without a deadline."
	}
	c.data.cut(plural(len(jobs), "job") + ", the latest first")
	return c.draw()
}
