package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"mrsched/io/report/chart"
	"mrsched/model"
)

// plainNumber writes a value for a table, to three digits behind the point.
func plainNumber(v float64) string {
	return grouped(strconv.FormatFloat(math.Round(v*1e3)/1e3, 'f', -1, 64))
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
		f := finished{job: row[at[0]]}
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
func (r *Result) completion(_ *schedule, id string) *figure {
	jobs := completions(r)
	if len(jobs) == 0 {
		return nil
	}
	f := figure{ID: id, File: "completion", Title: "Job completion against the LP"}
	axis, column := "earliest completion", "earliest (s)"
	if r.Relaxed != nil {
		axis, column = "completion in the LP "+r.Relaxed.Method, "in the LP (s)"
		f.Caption = fmt.Sprintf("When each job ends, against its completion in the LP %s, whose weighted sum is a lower "+
			"bound: the further above the line, the more the schedule loses on the job. Larger points weigh more.",
			r.Relaxed.Method)
	} else {
		f.Title = "Job completion against the earliest possible"
		f.Caption = "When each job ends, against when it would with all machines to itself. Larger points weigh more. " +
			"Results do not hold the LP's completions: pass --instance to draw them."
	}
	top, weight := 0.0, 0.0
	for _, j := range jobs {
		top, weight = max(top, j.end, j.reference), max(weight, j.weight)
	}
	u := chart.TimeUnit(top)
	p := chart.NewPlot(id, chart.Frame{Height: chart.Tall + 40, XHigh: top * 1.04, YHigh: top * 1.04, XUnit: u, YUnit: u,
		XLabel: axis, YLabel: "completion",
		Entries: []chart.Entry{{Class: objectiveLook, Text: "a job"},
			{Class: "bound", Line: true, Text: "as early as that"}}})
	p.Line("bound", p.X.At(0), p.Y.At(0), p.X.At(top), p.Y.At(top))
	p.Base()
	for _, j := range jobs {
		size := math.Sqrt(j.weight / max(weight, 1e-12))
		if len(jobs) > namedTasks {
			p.Dot(objectiveLook+" many", p.At(j.reference, j.end), 1+2.5*size, "")
			continue
		}
		p.Dot(objectiveLook+" dot", p.At(j.reference, j.end), 2.5+4.5*size, fmt.Sprintf(
			"%s\nends at %s s\n%s: %s s\nweight %s", j.job, plainNumber(j.end), axis, plainNumber(j.reference),
			plainNumber(j.weight)))
	}
	f.Table = newData("job", "#weight", "#completion (s)", "#"+column, "#later (s)", "#share of the objective")
	slices.SortStableFunc(jobs, func(a, b finished) int { return cmp.Compare(b.share, a.share) })
	for _, j := range jobs {
		f.Table.row(j.job, plainNumber(j.weight), plainNumber(j.end), plainNumber(j.reference),
			plainNumber(j.end-j.reference), plainNumber(j.share))
	}
	f.Table.cut(model.Counted(len(jobs), "job") + ", those with the largest share first")
	return f.drawn(&p.Drawing)
}

// shares draws which jobs the objective is made of.
func (r *Result) shares(_ *schedule, id string) *figure {
	jobs := completions(r)
	if len(jobs) == 0 || r.Objective == nil {
		return nil
	}
	c := columns{id: id, file: "shares", title: "What the objective is made of", label: r.Objective.Name, what: "job",
		order:   true,
		caption: "Each job's weight times its completion (with the objective twtct that of its tasks)."}
	c.layers = []stackOf{{class: objectiveLook}}
	for _, j := range jobs {
		c.names = append(c.names, j.job)
		c.layers[0].value = append(c.layers[0].value, j.share)
	}
	return c.draw()
}

// lateness draws how late jobs are, the latest first, against their deadlines.
func (r *Result) lateness(_ *schedule, id string) *figure {
	rows, at, ok := r.table("jobs", "job", "deadline", "completion", "laxity")
	if !ok {
		return nil
	}
	type job struct {
		id, deadline, end string
		late              float64
	}
	var jobs []job
	without, late := 0, 0
	for row := range rows {
		v, ok := cell(row[at[3]])
		if !ok {
			without++
			continue
		}
		if v < 0 {
			late++
		}
		jobs = append(jobs, job{row[at[0]], row[at[1]], row[at[2]], -v})
	}
	if len(jobs) == 0 {
		return nil
	}
	slices.SortStableFunc(jobs, func(a, b job) int { return cmp.Compare(b.late, a.late) })
	f := figure{ID: id, File: "lateness", Title: "Lateness of jobs",
		Caption: fmt.Sprintf("%s of %s end after their deadline. Above the line: how late; below: laxity, what was left. "+
			"The latest first.", grouped(strconv.Itoa(late)), plural(len(jobs), "job"))}
	if without > 0 {
		f.Caption += " " + plural(without, "job") + " without a deadline."
	}
	high, low := max(0, jobs[0].late), min(0, jobs[len(jobs)-1].late)
	margin := max((high-low)*0.08, 1e-6)
	u := chart.TimeUnit(max(high, -low))
	ids := make([]string, len(jobs))
	for k := range jobs {
		ids[k] = jobs[k].id
	}
	p := chart.NewColumns(id, ids, "job", chart.Frame{YLow: low - margin, YHigh: high + margin, YUnit: u,
		YLabel: "lateness", Entries: []chart.Entry{{Class: lateLook, Text: "late"}, {Class: inTimeLook, Text: "in time"},
			{Class: "bound", Line: true, Text: "deadline"}}})
	for k := range p.N {
		j := jobs[k*p.Each]
		p.Label(k)
		y := p.Y.At(max(0, j.late))
		h := max(0.5, p.Y.At(min(0, j.late))-y)
		class := inTimeLook
		if j.late > 0 {
			class = lateLook
		}
		p.Titled(class, p.Left(k), y, p.ColumnWidth, h, fmt.Sprintf("%s\nends at %s s, due at %s s", j.id, j.end, j.deadline))
	}
	p.Level("bound", 0, "")
	f.Table = newData("job", "#deadline (s)", "#completion (s)", "#lateness (s)")
	for _, j := range jobs {
		f.Table.row(j.id, grouped(j.deadline), grouped(j.end), plainNumber(j.late))
	}
	f.Table.cut(model.Counted(len(jobs), "job") + ", the latest first")
	return f.drawn(&p.Drawing)
}
