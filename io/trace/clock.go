package trace

import (
	"cmp"
	"fmt"
	"time"

	"mrsched/model"
)

// Clock reads the clock times of a trace.
type Clock struct {
	zone   *time.Location // of times that state none; nil: unknown
	Stated bool           // some time stated its offset from UTC
}

// Zone sets the zone of times that state none, such as Europe/Berlin; "" leaves it unknown.
func (o Options) Zone(name string) (c Clock) {
	if name == "" {
		return c
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		o.Bad(fmt.Sprintf("time zone %q", name), "a name of the time zone database, such as Europe/Berlin or UTC")
		return c
	}
	return Clock{zone: zone}
}

// The forms of ISO 8601 that traces have: dates and times of day, whose seconds may have a fraction, and offsets.
var (
	clockDays = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "20060102T150405", "2006-01-02T15:04",
		"2006-01-02 15:04"}
	clockOffsets = []string{"", "Z07:00", "Z07", "Z0700"}
)

// Parse reads a clock time; false if it has none of the forms.
func (c *Clock) Parse(text string) (time.Time, bool) {
	zone := c.zone
	if zone == nil {
		zone = time.UTC
	}
	for _, day := range clockDays {
		for _, offset := range clockOffsets {
			if t, err := time.ParseInLocation(day+offset, text, zone); err == nil {
				c.Stated = c.Stated || offset != ""
				return t.In(zone), t.Year() > 0 && t.Year() < 9999
			}
		}
	}
	return time.Time{}, false
}

// Origin is a point in time as the origin of a workload, in whole seconds: in the zone that is given, else in that
// which the trace states, which may be nil. It has an offset from UTC if some time of the trace or a zone has.
func (c *Clock) Origin(t time.Time, stated *time.Location) model.Origin {
	zone, layout, name := cmp.Or(c.zone, stated), "2006-01-02T15:04:05", ""
	if zone != nil || c.Stated {
		zone = cmp.Or(zone, time.UTC)
		if t, layout = t.In(zone), layout+"Z07:00"; zone != time.UTC && zone.String() != "" {
			name = "[" + zone.String() + "]"
		}
	}
	o, _ := model.ParseOrigin(t.Format(layout) + name) // which reads what this writes
	return o
}

// Twin is the other time at which a clock that is put back showed the same; if there is none, the time itself.
func Twin(t time.Time) time.Time {
	for _, d := range []time.Duration{-time.Hour, time.Hour} {
		if u := t.Add(d); u.Format(time.DateTime) == t.Format(time.DateTime) {
			return u
		}
	}
	return t
}

// Since is the time from one clock time to another; 0 if that is earlier.
func Since(from, to time.Time) model.Time {
	seconds := to.Unix() - from.Unix()
	return max(0, model.Time(seconds)*model.Second+model.Time(to.Nanosecond()-from.Nanosecond())/1000)
}
