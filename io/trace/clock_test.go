package trace

import (
	"testing"
	"time"

	"mrsched/model"
)

// TestClock reads one time in every form, with the zone that it states, or else the one that is given.
func TestClock(t *testing.T) {
	var found model.Findings
	berlin := Options{&found}.Zone("Europe/Berlin")
	for _, text := range []string{"2024-05-01T10:00:00+02:00", "2024-05-01T08:00:00Z", "2024-05-01T08:00:00",
		"2024-05-01T03:30:00-0430", "2024-05-01 08:00:00", "20240501T080000Z", "20240501T080000",
		"2024-05-01T08:00:00.000000", "2024-05-01 10:00:00.25+02"} {
		if at, ok := new(Clock).Parse(text); !ok || at.Unix() != 1714550400 {
			t.Errorf("%s: %v %v", text, at, ok)
		}
	}
	at, ok := berlin.Parse("2024-05-01T10:00:00")
	if !ok || at.Unix() != 1714550400 || berlin.Origin(at, nil).String() != "2024-05-01T10:00:00+02:00[Europe/Berlin]" {
		t.Error(at, ok, berlin.Origin(at, nil))
	}
	if o := new(Clock).Origin(at, nil); o.String() != "2024-05-01T10:00:00" {
		t.Error(o)
	}
	if o := new(Clock).Origin(at, time.FixedZone("", -3600)); o.String() != "2024-05-01T07:00:00-01:00" {
		t.Error(o)
	}
	once, _ := berlin.Parse("2024-10-27T02:30:00")
	if u := Twin(once); u.Equal(once) || !Twin(u).Equal(once) || !Twin(at).Equal(at) {
		t.Error(once, u)
	}
	if d := Since(at, at.Add(90*time.Minute+time.Microsecond)); d != 5400*model.Second+1 || Since(at, at.Add(-1)) != 0 {
		t.Error(d)
	}
	if _, ok := new(Clock).Parse("yesterday"); ok {
		t.Error("yesterday is a time")
	}
	if (Options{&found}).Zone("Middle/Earth"); found.Empty() {
		t.Error("there is a zone Middle/Earth")
	}
}

// TestUsage: what begins when something else ends does not overlap it, and what takes no time is never in use.
func TestUsage(t *testing.T) {
	var u Usage
	u.Add(0, 10, 3)
	u.Add(10, 20, 4)
	u.Add(5, 12, 2)
	u.Add(11, 11, 100)
	if most := u.Peak(); most != 6 {
		t.Error(most)
	}
}
