package simulation

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"mrsched/io/show"
	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

// Table has, job by job, a row for each case.
func Table(cases []*Case) *show.Table {
	share := func(name, title string, mode model.Rounding) show.Column {
		return show.Column{Name: name, Title: title, Unit: model.UnitShare, Mode: mode, Rank: 1}
	}
	t := &show.Table{Origin: cases[0].in.Workload().Origin, Columns: []show.Column{{Name: "job"}, {Name: "as"},
		{Name: "result"}, {Name: "p50", Unit: model.UnitMoment}, {Name: "p95", Unit: model.UnitMoment},
		{Name: "deadline", Unit: model.UnitMoment, Rank: 2}, share("probability", "IN TIME", model.RoundDown).Ranked(0),
		share("low", "", model.RoundDown), share("high", "", model.RoundUp), {Name: "runs", Whole: true, Rank: 5},
		{Name: "slack", Unit: model.UnitSeconds, Rank: 2, About: "from P95 to the deadline"},
		{Name: "delayed_by", Rank: 3, About: "the task that most often delays the job: of those for which its end has to " +
			"wait, the one that takes the most longer than planned; if the job never ends, a task that never does, though " +
			"all that it waits for does"},
		share("delayed", "IN", model.RoundDown).Ranked(4)}}
	t.Columns[6].About = "the share of the runs that keep the deadline, from LOW to HIGH with 95 % confidence (Wilson); " +
		"where runs draw nights, from as many nights as there are"
	t.Columns[12].About = "so many of the late runs; of all runs, if none is late"
	for j := range cases[0].in.Jobs {
		for _, c := range cases {
			t.Add(c.row(j)...)
		}
	}
	return t
}

// row is what is known of a job.
func (c *Case) row(j int) []string {
	in, ends, runs := c.in, c.ends[j], len(c.ends[j])
	row := []string{in.Workload().Jobs[j].ID, c.Rule, c.Name, moment(model.DurationOf("p50", ends)), "", "", "", "", "",
		strconv.Itoa(runs), "", "", ""}
	high := model.DurationOf("p95", ends)
	row[4] = moment(high)
	late := func(end model.Time) bool { return end > in.Due[j] }
	if due := in.Due[j]; due < shop.Never {
		kept := runs - len(slices.DeleteFunc(slices.Clone(ends), func(t model.Time) bool { return !late(t) }))
		low, most := wilson(float64(kept)/float64(runs), c.sample)
		row[5], row[6] = due.String(), part(kept, runs)
		row[7], row[8] = share(low, model.RoundDown), share(most, model.RoundUp)
		if moment(high) != "" {
			row[10] = (due - high).String()
		}
	}
	if !slices.ContainsFunc(ends, late) {
		late = func(model.Time) bool { return true }
	}
	of, most, count := 0, int32(model.None), map[int32]int{}
	for k, u := range c.delayed[j] {
		if late(ends[k]) {
			if of++; u != model.None {
				count[u]++
			}
		}
	}
	for u := range int32(in.Tasks) {
		if count[u] > count[most] {
			most = u
		}
	}
	if most != model.None {
		row[11] = in.Workload().Tasks[most].ID
		row[12] = part(count[most], of)
	}
	return row
}

// moment is a time; empty if it never comes.
func moment(t model.Time) string {
	if t > model.MaxHorizon {
		return ""
	}
	return t.String()
}

// part is a part of a whole as a text.
func part(n, of int) string {
	return model.FormatRat(big.NewRat(int64(n), int64(of)), model.ValueDigits, model.RoundDown)
}

// share is a probability as a text.
func share(v float64, mode model.Rounding) string {
	return model.FormatRat(new(big.Rat).SetFloat64(min(max(v, 0), 1)), model.ValueDigits, mode)
}

// wilson is the interval in which a probability lies with 95 % confidence if it came true in a share p of n runs.
func wilson(p float64, n int) (low, high float64) {
	const z = 1.959964
	size := float64(n)
	scale := 1 + z*z/size
	middle := (p + z*z/(2*size)) / scale
	half := z / scale * math.Sqrt(p*(1-p)/size+z*z/(4*size*size))
	return middle - half, middle + half
}

// Notes say what people should know of the runs that were drawn.
func (p *Past) Notes(opt Options, w *model.Workload) (notes []string) {
	drawn := "past run"
	if opt.Night {
		drawn = fmt.Sprintf("run of one of %s", model.Counted(len(p.nights), "past night"))
	}
	notes = append(notes, fmt.Sprintf("%s; each draws for each task one %s, of %s in all, in %s", model.Counted(opt.Runs,
		"simulated run"), drawn, model.Counted(p.Runs, "run"), model.Counted(p.Tries, "attempt")))
	if p.Without > 0 {
		notes = append(notes, fmt.Sprintf("without a past run that succeeded, and so by processing_time: %s of %d",
			model.Counted(p.Without, "task"), len(w.Tasks)))
	}
	if p.Failed > 0 {
		notes = append(notes, fmt.Sprintf("%s never succeeded and %s not drawn", model.Counted(p.Failed, "past run"),
			model.Are(p.Failed)))
	}
	if p.Zero > 0 {
		notes = append(notes, fmt.Sprintf("%s of 0 s %s taken to last 0.000001 s", model.Counted(p.Zero, "attempt"),
			model.Are(p.Zero)))
	}
	return notes
}

// NeedsPlan says that a rule follows a plan.
func NeedsPlan(rule string) bool { return rule != solver.OwnRule }
