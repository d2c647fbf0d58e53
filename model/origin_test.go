package model

import "testing"

// TestClockOfOrigin: points in time as clock times, by hand.
func TestClockOfOrigin(t *testing.T) {
	const minute = 60 * Second
	for _, c := range []struct {
		origin string
		at     Time
		dated  bool
		want   string
		same   bool
	}{
		{"22:00", 0, false, "22:00:00", true},
		{"22:00", 119*minute + 59*Second + Second/2, false, "23:59:59", true},
		{"22:00", 120 * minute, true, "day 2 00:00:00", false},
		{"22:00", 90 * minute, true, "day 1 23:30:00", true},
		{"22:00", 24 * 60 * minute, true, "day 2 22:00:00", false},
		{"2026-12-31T22:00", 150 * minute, true, "2027-01-01 00:30:00", false},
		{"2026-12-31T22:00", 365 * 24 * 60 * minute, true, "2027-12-31 22:00:00", false},
		{"2026-12-31T22:00:30+01:00", minute, false, "22:01:30", true},
		{"22:00", -Second / 2, false, "21:59:59", true},
		{"2026-10-24T22:00[Europe/Berlin]", 5 * 60 * minute, true, "2026-10-25 02:00:00", false},
		{"2026-10-24T22:00[Europe/Berlin]", 6 * 60 * minute, true, "2026-10-25 03:00:00", false},
		{"2026-03-28T22:00[Europe/Berlin]", 4 * 60 * minute, true, "2026-03-29 03:00:00", false},
	} {
		o, err := ParseOrigin(c.origin)
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Clock(c.at, c.dated); got != c.want {
			t.Errorf("%s after %s: %q, want %q", c.at, c.origin, got, c.want)
		}
		if got := o.SameDay(c.at); got != c.same {
			t.Errorf("%s after %s: same day %v", c.at, c.origin, got)
		}
	}
}

// TestStamps: points in time as programs read them, with the offset that clocks then have, by hand.
func TestStamps(t *testing.T) {
	const hour = 3600 * Second
	for _, c := range []struct {
		origin string
		at     Time
		want   string
	}{
		{"22:00", 4*hour + hour/2, "day 2 02:30:00"},
		{"22:00", -23 * hour, "day 0 23:00:00"},
		{"2026-11-27T22:00", 4*hour + hour/2, "2026-11-28T02:30:00"},
		{"2026-11-27T22:00Z", Second / 4, "2026-11-27T22:00:00.25Z"},
		{"2026-11-27T22:00-03:30", 2*hour + 1, "2026-11-28T00:00:00.000001-03:30"},
		{"2026-11-27T22:00+01:00", -hour, "2026-11-27T21:00:00+01:00"},
		{"2026-10-24T22:00[Europe/Berlin]", 4*hour + hour/2, "2026-10-25T02:30:00+02:00"},
		{"2026-10-24T22:00[Europe/Berlin]", 5*hour - 1, "2026-10-25T02:59:59.999999+02:00"},
		{"2026-10-24T22:00[Europe/Berlin]", 5 * hour, "2026-10-25T02:00:00+01:00"},
		{"2026-10-24T22:00[Europe/Berlin]", 9 * hour, "2026-10-25T06:00:00+01:00"},
		{"2026-03-28T22:00[Europe/Berlin]", 4*hour - 1, "2026-03-29T01:59:59.999999+01:00"},
		{"2026-03-28T22:00[Europe/Berlin]", 4 * hour, "2026-03-29T03:00:00+02:00"},
		{"2026-03-28T22:00[Europe/Berlin]", 7 * hour, "2026-03-29T06:00:00+02:00"},
		{"9999-12-31T22:00Z", 2 * hour, "outside the years 1 to 9999"},
	} {
		o, err := ParseOrigin(c.origin)
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Stamp(c.at); got != c.want {
			t.Errorf("%s after %s: %q, want %q", c.at, c.origin, got, c.want)
		}
	}
}

// In the night in which clocks change, a time of day is where clocks show it: by hand. In Berlin they went from 03:00
// to 02:00 on 2026-10-25, and from 02:00 to 03:00 on 2026-03-29.
func TestMomentsInZones(t *testing.T) {
	const hour = 3600 * Second
	for _, c := range []struct {
		origin, text string
		want         Time
		says         string
	}{
		{"2026-10-24T22:00[Europe/Berlin]", "06:00", 9 * hour, ""},
		{"2026-10-24T22:00[Europe/Berlin]", "2026-10-25T06:00", 9 * hour, ""},
		{"2026-10-24T22:00[Europe/Berlin]", "02:30", 4*hour + hour/2, ""},
		{"2026-10-24T22:00[Europe/Berlin]", "2026-10-25T02:30+01:00", 5*hour + hour/2, ""},
		{"2026-10-24T22:00[Europe/Berlin]", "2026-10-25T00:00[America/New_York]", 8 * hour, ""},
		{"2026-10-25T02:30+01:00[Europe/Berlin]", "04:00", hour + hour/2, ""},
		{"2026-10-24T22:00+02:00", "2026-10-25T06:00[Europe/Berlin]", 9 * hour, ""},
		{"2026-03-28T22:00[Europe/Berlin]", "06:00", 7 * hour, ""},
		{"2026-03-28T22:00[Europe/Berlin]", "02:30", 0, "does not exist: clocks in Europe/Berlin skip it"},
		{"2026-03-28T22:00[Europe/Berlin]", "21:00", 22 * hour, ""},
		{"2026-03-28T22:00", "2026-03-29T00:00[Europe/Berlin]", 0, "has an offset from UTC, and the origin has none"},
		{"2026-03-28T22:00[Europe/Berlin]", "06:00[Europe/Berlin]", 0, "has a time zone but no date"},
		{"2026-03-28T22:00+05:00[Europe/Berlin]", "", 0, "has an offset that its time zone does not have then"},
		{"2026-03-28T22:00[Europe/Burlin]", "", 0, "has an unknown time zone"},
	} {
		o, err := ParseOrigin(c.origin)
		var got Time
		if err == nil && c.text != "" {
			if again, err := ParseOrigin(o.String()); err != nil || again.String() != o.String() {
				t.Errorf("%s is written %s: %v", c.origin, o, err)
			}
			got, err = o.Moment(c.text, Some(Time(0)))
		}
		if says := ""; err != nil || c.says != "" {
			if err != nil {
				says = err.Error()
			}
			if says != c.says {
				t.Errorf("%s, %s: %q, want %q", c.origin, c.text, says, c.says)
			}
		} else if got != c.want {
			t.Errorf("%s after %s: %s, want %s", c.text, c.origin, got, c.want)
		}
	}
}
