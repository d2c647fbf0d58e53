package workload

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"mrsched/model"
)

// ParseTime reads a time as the columns of times do, and all flags, settings and specs: seconds, or a number with its
// units such as 1h30m.
func ParseTime(text string) (model.Time, error) { return model.ParseTime(inSeconds(text)) }

// ParseDuration is ParseTime for limits of the clock, which may be less than a microsecond.
func ParseDuration(text string) (time.Duration, error) {
	d, err := model.ParseFixed(inSeconds(text), 9)
	return time.Duration(d), err
}

// inSeconds is a time as a plain decimal of seconds, or the text as it is.
func inSeconds(text string) string {
	decimal, _, _ := dimensions()["seconds"].plain(text)
	return cmp.Or(decimal, text)
}

// ParseMoment reads a point in time: a time from time 0 on, as ParseTime does, or a clock time of a workload with an
// origin, for a time of day the first one at or after the origin, or later than a known time. The error says what is
// wrong with the text, and what to do.
func ParseMoment(text string, origin model.Origin, after model.Optional[model.Time]) (model.Time, error) {
	if !model.LooksLikeClock(text) {
		t, err := ParseTime(text)
		if err != nil {
			err = errors.New("is no time; expected seconds, a duration such as 2h30m, or a clock time such as 22:30")
		}
		return t, err
	}
	t, err := origin.Moment(text, after)
	if e, ok := errors.AsType[*model.ClockError](err); ok {
		return 0, fmt.Errorf("%s; %s", e.What, e.Hint)
	} else if err != nil {
		return 0, fmt.Errorf("is a clock time, and the workload has no origin; for a duration write %s; else %s",
			spoken(text), missingOrigin)
	}
	return t, nil
}

// ParseSize reads an amount of memory above 0, as the columns of bytes do: bytes, or a number with its unit, as 4GiB.
func ParseSize(text string) (model.Bytes, error) {
	decimal, _, _ := dimensions()["bytes"].plain(text)
	v, err := model.ParseBytes(cmp.Or(decimal, text))
	if err == nil && v == 0 {
		err = model.ErrNotANumber
	}
	return v, err
}

// ParseCores reads a number of cores above 0.
func ParseCores(text string) (float64, error) {
	v, err := parseFloat(text)
	if err == nil && v == 0 {
		err = model.ErrNotANumber
	}
	return v, err
}
