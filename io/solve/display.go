package solve

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"math/big"
	"slices"

	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/model"
)

// Best is the result of a pair with the lower objective: the first one unless the second is lower. A nil one, or one
// without schedule, is no result.
func Best(first, second *result.Bundle) *result.Bundle {
	if second == nil || second.Rows == nil {
		return first
	}
	if first == nil {
		return second
	}
	a, known := first.Result.Objective.Value.Rat()
	b, ok := second.Result.Objective.Value.Rat()
	if known && ok && b.Cmp(a) < 0 {
		return second
	}
	return first
}

// Display prints the jobs of a result that is not written, for people below the table of results, and how to keep it; b
// is nil if there is no schedule.
func (j *Job) Display(b *result.Bundle) error {
	out, ok := j.people()
	if !ok || j.Out != "" {
		return nil
	}
	if b == nil {
		_, err := io.WriteString(out, "no algorithm made a schedule\n")
		return err
	}
	if _, err := fmt.Fprintf(out, "\nJobs of %s:\n", b.Result.Algorithm); err != nil {
		return err
	}
	lines := j.jobLines(b)
	all := len(lines)
	if all > maxJobs {
		slices.SortStableFunc(lines, moreImportant)
		lines = lines[:maxJobs]
	}
	if err := out.Print(j.jobTable(b, lines)); err != nil {
		return err
	}
	if left := all - len(lines); left > 0 {
		why := "end last"
		switch {
		case slices.ContainsFunc(lines, func(l *jobLine) bool { return l.late.Value > 0 }):
			why = "are latest"
		case lines[0].cost != nil:
			why = "cost most"
		}
		if _, err := fmt.Fprintf(out, "… and %s; those above %s\n", show.Counted(left, "more job"), why); err != nil {
			return err
		}
	}
	_, err := io.WriteString(out, "add -o DIR to keep the schedule and the certificate of its bound\n")
	return err
}

// maxJobs is how many jobs are listed for people.
const maxJobs = 20

// jobLine is the outcome of a job; unknown values are empty.
type jobLine struct {
	id                     string
	release, due, earliest string
	start, end             string
	share                  string // of the objective, exactly
	first, last            model.Time
	late                   model.Optional[model.Time] // by how much it ends after its deadline; 0: it does not
	cost                   *big.Rat                   // the share; nil: unknown
}

// jobLines are the jobs in the workload's order. Start and end come from the schedule's rows, other times from the
// columns that the problem names.
func (j *Job) jobLines(b *result.Bundle) []*jobLine {
	about := j.Problem.Results
	lines, byID := make([]*jobLine, len(j.W.Jobs)), make(map[string]*jobLine, len(j.W.Jobs))
	for k := range j.W.Jobs {
		lines[k] = &jobLine{id: j.W.Jobs[k].ID}
		byID[lines[k].id] = lines[k]
	}
	cost := about.Column(model.RoleCost)
	for r := range b.Rows.Each() {
		l := byID[r.Job]
		if l == nil {
			continue
		}
		if l.start == "" || r.Start < l.first {
			l.first, l.start = r.Start, r.Start.String()
		}
		if l.end == "" || r.End > l.last {
			l.last, l.end = r.End, r.End.String()
		}
		for _, c := range r.Columns {
			l.take(about.When, c.Name, c.Text)
			if c.Name == cost {
				l.addCost(c.Text)
			}
		}
	}
	share := about.Criterion(b.Result.Objective.Name).ShareColumn
	for id, cells := range jobRows(b) {
		if l := byID[id]; l != nil {
			for name, text := range cells {
				l.take(about.When, name, text)
				if name == share {
					l.addCost(text)
				}
			}
		}
	}
	for _, l := range lines {
		l.settle()
	}
	return lines
}

// jobRows are the rows of the problem's table jobs, by job; none if it has no such table.
func jobRows(b *result.Bundle) iter.Seq2[string, iter.Seq2[string, string]] {
	return func(yield func(string, iter.Seq2[string, string]) bool) {
		for _, t := range b.Tables() {
			if t.Name != "jobs" {
				continue
			}
			for row := range t.Rows {
				cells := func(yield func(string, string) bool) {
					for k, name := range t.Columns {
						if !yield(name, row[k]) {
							return
						}
					}
				}
				if !yield(row[0], cells) {
					return
				}
			}
		}
	}
}

// take keeps a column that states one of the job's times.
func (l *jobLine) take(when model.JobTimes, name, text string) {
	switch {
	case text == "" || name == "":
	case name == when.Release:
		l.release = text
	case name == when.Due:
		l.due = text
	case name == when.Earliest:
		l.earliest = text
	}
}

func (l *jobLine) addCost(text string) {
	v, ok := show.Rational(model.Number(text))
	if !ok {
		return
	}
	if l.cost == nil {
		l.cost = new(big.Rat)
	}
	l.cost.Add(l.cost, v)
}

// settle derives what follows from the rest.
func (l *jobLine) settle() {
	if l.cost != nil {
		l.share = string(model.ExactNumber(l.cost))
	}
	if due, err := model.ParseTime(l.due); err == nil && l.end != "" {
		l.late = model.Some(max(0, l.last-due))
	}
}

// slowdown is the time from the job's release to its end, over that to its earliest end; empty: unknown.
func (l *jobLine) slowdown() string {
	earliest, err := model.ParseTime(l.earliest)
	release, wrong := model.ParseTime(cmp.Or(l.release, "0"))
	if err != nil || wrong != nil || l.end == "" {
		return ""
	}
	return string(model.Ratio(big.NewRat(int64(l.last-release), 1), big.NewRat(int64(earliest-release), 1)))
}

// onTime prints by how much a job is late.
func onTime(exact string) string {
	if exact == "0" {
		return "on time"
	}
	return show.Value(model.Number(exact), model.UnitSeconds, model.RoundUp)
}

// moreImportant sorts jobs: by how late they are, then by what they cost, then by their end; the largest first.
func moreImportant(a, b *jobLine) int {
	if c := cmp.Compare(b.late.Value, a.late.Value); c != 0 {
		return c
	}
	if a.cost != nil && b.cost != nil {
		if c := b.cost.Cmp(a.cost); c != 0 {
			return c
		}
	}
	return cmp.Compare(b.last, a.last)
}

// origin is the clock time of time 0; unknown for problems whose schedules ignore releases, since their times are not
// real.
func (j *Job) origin() model.Origin {
	if j.Problem.Results.When.Release == "" {
		return model.Origin{}
	}
	return j.W.Origin
}

// jobTable is the table of some jobs, without columns that have no values.
func (j *Job) jobTable(b *result.Bundle, lines []*jobLine) *show.Table {
	about := j.Problem.Results
	objective := b.Result.Objective.Name
	share := show.Column{Name: "objective_share", Title: "SHARE OF " + show.Heading(objective), Number: true,
		Unit: about.Unit(objective), Rank: 5}
	earliest := show.Column{Name: "earliest", Unit: model.UnitMoment, Rank: 4,
		About: about.Quantity(about.When.Earliest).About}
	slow := show.Column{Name: "slowdown", Unit: model.UnitRatio, Mode: model.RoundUp, Rank: 3,
		About: "how much longer than that the job takes, counted from its release"}
	late := show.Column{Name: "late_by", Unit: model.UnitSeconds, Show: onTime}
	t := &show.Table{Origin: j.origin(), Columns: []show.Column{{Name: "job"},
		{Name: "release", Unit: model.UnitMoment, Rank: 2}, j.when("start").Ranked(1), j.when("end"),
		{Name: "due", Unit: model.UnitMoment, About: "the job's release plus its deadline"}, late, earliest, slow, share}}
	for _, l := range lines {
		late := ""
		if l.late.Known {
			late = l.late.Value.String()
		}
		t.Add(l.id, l.release, l.start, l.end, l.due, late, l.earliest, l.slowdown(), l.share)
	}
	return t.Filled()
}

// when is the column of a row's start or end; if costs are not times, these are loads of the machine.
func (j *Job) when(name string) show.Column {
	c := show.Column{Name: name, Unit: j.Problem.Results.Unit(name), Number: true}
	if c.Unit == model.UnitNone {
		c.Title = map[string]string{"start": "LOAD BEFORE", "end": "LOAD AFTER"}[name]
	}
	return c
}
