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
