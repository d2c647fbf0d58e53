package workload

import (
	"errors"
	"fmt"
	"strings"

	"mrsched/io/textpos"
	"mrsched/model"
)

// origin is the origin of the workload that an intake reads, as far as the document stated it.
type origin struct {
	value model.Origin
	bad   bool // it was reported, so clock times cannot be judged
}

// missingOrigin is the hint for a clock time without an origin.
const missingOrigin = `say which clock time is time 0: add "origin":"2026-11-23T22:00" (or "22:00") to workload.json, ` +
	"or to a JSON document before its tables"

// readOrigin takes the scalar origin.
func (s *scalars) readOrigin(text string, at place) {
	if text == "" {
		return
	}
	var err error
	if s.intake.origin.value, err = model.ParseOrigin(text); err != nil {
		s.intake.origin.bad = true
		s.intake.findings.Add(clockFinding("origin", text, at.in(s.file), err,
			kinds["clock time"].expects))
	}
}

// clockFinding is the finding of a clock time that cannot be used.
func clockFinding(name, text string, at model.Position, err error, expected string) model.Finding {
	f := model.Finding{Code: model.CodeNumber, Pos: at, What: name + " " + textpos.Quoted(text) + " " + err.Error(),
		Expected: expected, Like: name}
	if e, ok := errors.AsType[*model.ClockError](err); ok {
		f.Code, f.Hint = e.Code, e.Hint
		if e.Code == model.CodeNegative {
			f.Expected = "a clock time not before the origin"
		}
	}
	return f
}

// decimal converts a number with a unit, or a clock time, to a plain decimal. It is empty if the text is neither; ok is
// false if the text was reported.
func (v *values) decimal(c *column, text string) (decimal string, ok bool) {
	if model.LooksLikeClock(text) && c.unit == "seconds" {
		return v.clock(c, text)
	}
	decimal, what, hint := dimensions()[c.unit].plain(text)
	if what != "" {
		v.report(model.CodeNumber, c.name, c.name+" "+textpos.Quoted(text)+" "+what, c.expects, hint)
	}
	return decimal, what == ""
}

// amount says whether a text is a number with a unit of the column.
func (c *column) amount(text string) bool {
	decimal, _, _ := dimensions()[c.unit].plain(text)
	return decimal != ""
}

// clock is the time of a clock time, as a decimal.
func (v *values) clock(c *column, text string) (decimal string, ok bool) {
	shown := c.name + " " + textpos.Quoted(text)
	if c.clock == noClock {
		v.report(model.CodeNumber, c.name, shown+" is a clock time, and this is a duration", c.expects,
			"write how long it takes, such as "+spoken(text))
		return "", false
	}
	after := model.Optional[model.Time]{}
	if c.clock == sinceRelease {
		after = model.Some(*v.since)
	}
	t, err := v.origin.value.Moment(text, after)
	switch {
	case c.signed && t < 0:
	case errors.Is(err, model.ErrNoOrigin):
		if !v.origin.bad {
			v.origin.bad = true // one finding is enough
			hint := missingOrigin
			if c.clock == sinceRelease && !model.HasDate(text) {
				hint = "if it counts from the release, write how long, such as " + spoken(text) + "; else " + hint
			}
			v.report(model.CodeNumber, c.name, shown+" is a clock time, and the workload has no origin", c.expects, hint)
		}
		return "", false
	case err != nil:
		v.findings.Add(clockFinding(c.name, text, v.at(find(v.columns, c.name)).in(v.file), err, c.expects))
		return "", false
	case after.Known && t < after.Value:
		v.report(model.CodeNegative, c.name, shown+" is before the release of the job",
			"a time after the release", "the release is "+v.origin.value.Clock(after.Value, true))
		return "", false
	}
	if t >= 0 {
		v.nextDay(c, text, t, after)
	}
	return (t - after.Value).String(), true
}

// lateNextDay is how far a time of day on the next day may lie from the origin, or from the release, before it more
// likely means one on the same day, shortly before it.
const lateNextDay = 18 * 60 * 60 * model.Second

// nextDay warns of a time of day that lies shortly before the time it counts from, and so is read as one on the next
// day.
func (v *values) nextDay(c *column, text string, t model.Time, after model.Optional[model.Time]) {
	from := v.origin.value.Near(after.Value)
	earlier := v.origin.value.Clock(t, false) < v.origin.value.Clock(after.Value, false)
	if after.Known { // it lay between the origin and the release until the release was put off
		earlier = earlier || t >= model.DaySeconds*model.Second
	}
	if t-after.Value <= lateNextDay || !earlier || model.HasDate(text) {
		return
	}
	before, same := "the origin", "write the origin's time if the job waits already, or state an earlier origin"
	if after.Known {
		before, same = "the release", "correct it or the release"
	}
	minutes := int64((t - after.Value) / (60 * model.Second))
	v.warn(model.CodeNextDay, c.name, fmt.Sprintf("%s %s is before %s %s and is taken as the next day, %d h %d min later",
		c.name, text, before, from, minutes/60, minutes%60), "a time after "+before,
		"if the next day is meant, write the date, in the origin too; else "+same)
}

// spoken is the duration that hours, minutes and seconds with colons may mean.
func spoken(text string) string {
	parts := strings.Split(text, ":")
	switch {
	case strings.Trim(text, "0123456789:") != "":
	case len(parts) == 3:
		return fmt.Sprintf("%sh%sm%ss", parts[0], parts[1], parts[2])
	case len(parts) == 2:
		return fmt.Sprintf("%sh%sm or %sm%ss", parts[0], parts[1], parts[0], parts[1])
	}
	return "1h30m or 5400"
}
