package model

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"sync"
	"time"
	_ "time/tzdata" // where the machine has no time zones
)

// Origin is the clock time at which time 0 of a workload lies, with or without a date, an offset from UTC, a time zone.
// The zero value is unknown.
type Origin struct {
	clock clockTime
	known bool
}

// clockTime is a time of day, with or without a date.
type clockTime struct {
	second        int64 // since 1970-01-01T00:00, without a date since midnight, on its own clock
	micro         int64
	offset        int64          // of its clock from UTC, in seconds
	dated, offers bool           // it states a date, an offset
	zone          *time.Location // nil: it states none
}

// DaySeconds is how long a day is.
const DaySeconds = 24 * 60 * 60

// clockPattern is what clock times look like: date, hour, minute, second, fraction, offset, time zone (RFC 9557).
var clockPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^(?:(\d{4}-\d\d-\d\d)[T ])?(\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?(Z|[+-]\d\d:?\d\d)?(?:\[([\w/+-]+)\])?$`)
})

// looksLikeClock matches clock times and dates in any common notation.
var looksLikeClock = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^\d{1,2}:\d\d|^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ,].*)?$|^\d{1,2} ?[AaPp]\.?[Mm]\b`)
})

// LooksLikeClock says whether a text seems to be meant as a clock time or a date.
func LooksLikeClock(text string) bool { return looksLikeClock().MatchString(text) }

// ClockError says why a text is not a usable clock time.
type ClockError struct {
	Code       Code
	What, Hint string
}

func (e *ClockError) Error() string { return e.What }

// errClock is the error of a text in another notation.
var errClock = &ClockError{CodeNumber, "is not a clock time that mrsched reads",
	"write 22:30, 22:30:15 or 2026-11-23T22:30"}

// dateAlone matches a date without a time of day, in two notations.
var dateAlone = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(\d{4})-(\d\d)-(\d\d)|(\d\d)\.(\d\d)\.(\d{4}))$`)
})

// dateFirst matches a date and a time of day in other notations.
var dateFirst = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(\d{4})[-/](\d\d)[-/](\d\d)|(\d\d)\.(\d\d)\.(\d{4}))[ ,T]+(\d\d:\d\d(?::\d\d)?)$`)
})

// otherClock is the error of a text that is no clock time: a date lacks the time of day.
func otherClock(text string) error {
	if m := dateFirst().FindStringSubmatch(text); m != nil {
		return &ClockError{CodeNumber, errClock.What, "write " + m[1] + m[6] + "-" + m[2] + m[5] + "-" + m[3] + m[4] + "T" +
			m[7] + ", and state such an \"origin\" in the workload, the clock time of time 0"}
	}
	m := dateAlone().FindStringSubmatch(text)
	if m == nil {
		return errClock
	}
	return &ClockError{CodeNumber, "is a date without a time of day",
		"add the time, as in " + m[1] + m[6] + "-" + m[2] + m[5] + "-" + m[3] + m[4] + "T00:00"}
}

// ErrNoOrigin is the error of a clock time in a workload without an origin.
var ErrNoOrigin = errors.New("a clock time without an origin")

// parseClock reads a clock time.
func parseClock(text string) (c clockTime, err error) {
	m := clockPattern().FindStringSubmatch(text)
	if m == nil {
		return c, otherClock(text)
	}
	number := func(s string) int64 {
		n, _ := strconv.ParseInt(s, 10, 64) // digits, or empty
		return n
	}
	hour, minute, second := number(m[2]), number(m[3]), number(m[4])
	if hour > 23 || minute > 59 || second > 59 {
		return c, &ClockError{CodeNumber, "is no time of day", "hours end at 23; midnight is 00:00"}
	}
	c.second = hour*3600 + minute*60 + second
	c.micro = number((m[5] + "000000")[:microDigits])
	if c.dated = m[1] != ""; c.dated {
		day, err := time.Parse(time.DateOnly, m[1])
		if err != nil {
			return c, &ClockError{CodeNumber, "has a date that does not exist", "dates are year-month-day"}
		}
		c.second += day.Unix()
	}
	if err := c.setOffset(m[6]); err != nil || m[7] == "" {
		return c, err
	}
	c.zone, err = time.LoadLocation(m[7])
	switch {
	case err != nil || m[7] == time.Local.String():
		return c, &ClockError{CodeNumber, "has an unknown time zone", "zones are such as Europe/Berlin or America/New_York"}
	case !c.dated:
		return c, &ClockError{CodeNumber, "has a time zone but no date", "add the date: 2026-11-23T22:30[Europe/Berlin]"}
	}
	return c, nil
}

// instant is the moment, in seconds since 1970 in UTC, at which clocks of a zone show a time; of two, the first, or the
// one with the offset that the time states. Errors: there is none, because the clocks skip it or the offset is another.
func (c *clockTime) instant(zone *time.Location) (int64, error) {
	for _, side := range []int64{-DaySeconds, DaySeconds} { // before the clocks change, after it
		_, offset := time.Unix(c.second+side, 0).In(zone).Zone()
		at := c.second - int64(offset)
		if _, then := time.Unix(at, 0).In(zone).Zone(); then == offset && (!c.offers || c.offset == int64(offset)) {
			return at, nil
		}
	}
	if c.offers {
		return 0, &ClockError{CodeNumber, "has an offset that its time zone does not have then", "leave the offset out"}
	}
	return 0, &ClockError{CodeNumber, "does not exist: clocks in " + zone.String() + " skip it",
		"write a time before or after, or one with its offset from UTC"}
}

// setOffset reads Z, +01:00 or -0330.
func (c *clockTime) setOffset(text string) error {
	if text == "" {
		return nil
	}
	if !c.dated {
		return &ClockError{CodeNumber, "has an offset from UTC but no date", "add the date: 2026-11-23T22:30+01:00"}
	}
	c.offers = true
	if text == "Z" {
		return nil
	}
	hours, _ := strconv.ParseInt(text[1:3], 10, 64)
	minutes, _ := strconv.ParseInt(text[len(text)-2:], 10, 64)
	if hours > 23 || minutes > 59 {
		return &ClockError{CodeNumber, "has an impossible offset from UTC", "offsets are such as +01:00 or Z"}
	}
	if c.offset = hours*3600 + minutes*60; text[0] == '-' {
		c.offset = -c.offset
	}
	return nil
}

// HasDate says whether a text is a clock time with a date.
func HasDate(text string) bool {
	c, err := parseClock(text)
	return err == nil && c.dated
}

// ParseOrigin reads the clock time of time 0: "22:00", "2026-11-23T22:00", "2026-11-23 22:00:00+01:00".
//
// Errors: *ClockError.
func ParseOrigin(text string) (Origin, error) {
	c, err := parseClock(text)
	if err == nil && c.micro != 0 {
		err = &ClockError{CodeNumber, "has a fraction of a second", "an origin is a whole second"}
	}
	if err == nil && c.zone != nil {
		var at int64
		at, err = c.instant(c.zone)
		c.offset, c.offers = c.second-at, true
	}
	if err != nil {
		return Origin{}, err
	}
	return Origin{c, true}, nil
}

// Known says whether the workload states an origin.
func (o Origin) Known() bool { return o.known }

// String is the origin in one notation, "" if it is unknown.
func (o Origin) String() string {
	switch at := time.Unix(o.clock.second, 0).UTC(); {
	case !o.known:
		return ""
	case !o.clock.dated:
		return at.Format(time.TimeOnly)
	default:
		zone := ""
		if o.clock.zone != nil {
			zone = "[" + o.clock.zone.String() + "]"
		}
		return at.Format("2006-01-02T15:04:05") + o.offsetText() + zone
	}
}

func (o Origin) offsetText() string {
	switch seconds := o.clock.offset; {
	case !o.clock.offers:
		return ""
	case seconds == 0:
		return "Z"
	case seconds < 0:
		return fmt.Sprintf("-%02d:%02d", -seconds/3600, -seconds/60%60)
	default:
		return fmt.Sprintf("+%02d:%02d", seconds/3600, seconds/60%60)
	}
}

// Clock is the clock time of a point in time, which may be negative, rounded down to a whole second.
func (o Origin) Clock(t Time, dated bool) string {
	at := o.at(t)
	switch {
	case !dated:
		return at.Format(time.TimeOnly)
	case o.clock.dated:
		return at.Format(time.DateTime)
	}
	hour, minute, second := at.Clock()
	midnight := at.Unix() - int64(hour*3600+minute*60+second)
	return fmt.Sprintf("day %d %s", midnight/DaySeconds+1, at.Format(time.TimeOnly))
}

// At formats a point in time as people write it in the workload: as a clock time if the workload has an origin.
func (w *Workload) At(t Time) string {
	if !w.Origin.Known() {
		return t.String()
	}
	return w.Origin.Near(t)
}

// Near is the clock time of a point in time, with its day unless that is the origin's.
func (o Origin) Near(t Time) string { return o.Clock(t, !o.SameDay(t)) }

// OfDay is how many seconds after midnight the origin lies.
func (o Origin) OfDay() float64 {
	return float64((o.clock.second%DaySeconds + DaySeconds) % DaySeconds)
}

// SameDay says whether a point in time is on the day of the origin.
func (o Origin) SameDay(t Time) bool {
	return o.at(t).YearDay() == o.at(0).YearDay() && t < DaySeconds*Second && t > -DaySeconds*Second
}

func (o Origin) at(t Time) time.Time {
	zone := o.clock.zone
	if zone == nil {
		zone = time.FixedZone("", int(o.clock.offset))
	}
	return time.UnixMicro((o.clock.second-o.clock.offset)*int64(Second) + int64(t)).In(zone)
}

// Stamp is the exact clock time of a point in time for programs: in ISO 8601, with its offset from UTC if the origin
// has one; without a date, as Clock says.
func (o Origin) Stamp(t Time) string {
	at := o.at(t)
	switch year := at.Year(); {
	case !o.clock.dated:
		return o.Clock(t, true)
	case year < 1 || year > 9999:
		return "outside the years 1 to 9999"
	case o.clock.offers:
		return at.Format("2006-01-02T15:04:05.999999Z07:00")
	}
	return at.Format("2006-01-02T15:04:05.999999")
}

// nextIn is the time of day in the origin's zone that follows a time, or is at 0 or later if there is none.
func (o Origin) nextIn(c clockTime, after Optional[Time]) (Time, error) {
	from := o.at(max(0, after.Value))
	for day := int64(0); ; day++ {
		date := time.Date(from.Year(), from.Month(), from.Day(), 0, 0, 0, 0, time.UTC).Unix() + day*DaySeconds
		on := clockTime{second: date + c.second}
		at, err := on.instant(o.clock.zone)
		if err != nil {
			return 0, err
		}
		if t := Time(at-o.clock.second+o.clock.offset)*Second + Time(c.micro); t >= 0 && (!after.Known || t > after.Value) {
			return t, nil
		}
	}
}

// Moment is the time from the origin to a clock time. A time of day is the first such time at or after the origin;
// after a known time, the first one later than that. With an error of CodeNegative it returns the time, too.
//
// Errors: ErrNoOrigin, *ClockError.
func (o Origin) Moment(text string, after Optional[Time]) (Time, error) {
	c, err := parseClock(text)
	switch {
	case err != nil:
		return 0, err
	case !o.known:
		return 0, ErrNoOrigin
	case !c.dated && o.clock.zone != nil:
		return o.nextIn(c, after)
	case !c.dated:
		day := DaySeconds * Second
		t := Time(((c.second-o.clock.second)%DaySeconds+DaySeconds)%DaySeconds)*Second + Time(c.micro)
		if after.Known && t <= after.Value {
			t += ((after.Value-t)/day + 1) * day
		}
		return t, nil
	case !o.clock.dated:
		return 0, &ClockError{CodeNumber, "has a date, and the origin has none", "give the origin a date, too"}
	case (c.offers || c.zone != nil) && !o.clock.offers:
		return 0, &ClockError{CodeNumber, "has an offset from UTC, and the origin has none",
			"give the origin its offset, too"}
	case c.zone == nil && !c.offers:
		c.zone, c.offset = o.clock.zone, o.clock.offset
	}
	at := c.second - c.offset
	if c.zone != nil {
		if at, err = c.instant(c.zone); err != nil {
			return 0, err
		}
	}
	t := Time(at-o.clock.second+o.clock.offset)*Second + Time(c.micro)
	if t < 0 {
		return t, &ClockError{CodeNegative, "is before the origin " + o.String(),
			"time 0 is the origin: nothing happens earlier; if the time is right, state an earlier origin"}
	}
	return t, nil
}
