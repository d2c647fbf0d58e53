package chart

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		n         int
		want      []float64
	}{
		{0, 10, 5, []float64{0, 2, 4, 6, 8, 10}},
		{0, 1, 5, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}},
		{-7, 12, 4, []float64{-5, 0, 5, 10}},
		{3, 3, 5, []float64{3}},
	} {
		got := ticks(c.low, c.high, c.n)
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("from %v to %v: %v, want %v", c.low, c.high, got, c.want)
		}
		if math.Signbit(got[0]) && got[0] == 0 {
			t.Error("a tick is −0")
		}
	}
	if got := TimeUnit(300).Ticks(0, 300, 5); !slices.Equal(got, []float64{0, 60, 120, 180, 240, 300}) {
		t.Errorf("minutes: %v", got)
	}
}

// TestClockTicks: an axis of clock times from 22:10 on has ticks at whole hours; of more than a day, days as well.
// Where no origin is known, or times are below a minute, the unit stays.
func TestClockTicks(t *testing.T) {
	for _, c := range []struct {
		origin string
		hours  float64
		want   string
	}{{"2026-11-27T22:10", 4, "23:00 00:00 01:00 02:00"}, {"22:10", 4, "23:00 00:00 01:00 02:00"},
		{"2026-11-27T22:10:30", 0.01, ""},
		{"2026-12-30T22:10", 48, "12-31 00:00 12-31 12:00 01-01 00:00 01-01 12:00"},
		{"22:10", 48, "day 2 00:00 day 2 12:00 day 3 00:00 day 3 12:00"}} {
		o, err := model.ParseOrigin(c.origin)
		if err != nil {
			t.Fatal(err)
		}
		u := TimeUnit(c.hours*3600).Since(o, c.hours*3600)
		var got []string
		for _, v := range u.Ticks(0, c.hours*3600, 4) {
			got = append(got, u.Text(v))
		}
		if text := strings.Join(got, " "); c.hours >= 1 && text != c.want {
			t.Errorf("%s: %s, want %s", c.origin, text, c.want)
		} else if c.hours < 1 && u.Origin.Known() {
			t.Errorf("%s: %v of %v hours", c.origin, u, c.hours)
		}
	}
	if u := TimeUnit(7200); u.Since(model.Origin{}, 7200) != u {
		t.Error("no origin, and another unit")
	}
}

// TestGroups: three groups share the width; the longest name gets a second line.
func TestGroups(t *testing.T) {
	short := NewPlot("x", Frame{Width: 590, YHigh: 1, XUnit: Plain, YUnit: Plain, Groups: []string{"a", "b", "c"}})
	long := NewPlot("x", Frame{Width: 590, YHigh: 1, XUnit: Plain, YUnit: Plain, Groups: []string{"a", "b",
		"a name of more than one line"}})
	for _, p := range []*Plot{short, long} {
		if third := (p.X.To - p.X.From) / 3; math.Abs(p.X.At(1)-p.X.At(0)-third) > 1e-9 ||
			math.Abs(p.X.At(0)-p.X.From-third/2) > 1e-9 {
			t.Errorf("groups at %v and %v of %v", p.X.At(0), p.X.At(1), p.X)
		}
	}
	if short.Y.From-long.Y.From != lineHeight {
		t.Errorf("the axis is at %v and at %v", short.Y.From, long.Y.From)
	}
	if got := wrapped("one two extraordinary", 60); !slices.Equal(got, []string{"one two", "extrao…"}) {
		t.Errorf("%q", got)
	}
}

// TestTexts: units fit their values, and texts are cut to a width.
func TestTexts(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{TimeUnit(25).Name, "s"}, {TimeUnit(7200).Name, "h:mm:ss"}, {TimeUnit(7200).With(75.25), "0:01:15.2"}, {TimeUnit(7200).Text(-3600), "-1:00:00"},
		{Prefixed(4e11, "B/s").With(4.2e11), "420 GB/s"}, {Shorten("abcdefghij", 36), "abc…"},
		{Tail("rack1/node17/r12", 50), "…7/r12"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// TestRowNames: with 20 pixels a row all names are written, with 5 every third.
func TestRowNames(t *testing.T) {
	names := []string{"m1", "m2", "m3", "m14", "m5", "m6", "m17"}
	for height, want := range map[float64]string{20: "m1 m2 m3 m14 m5 m6 m17", 5: "m1 m14 m17"} {
		p := NewRows("x", Frame{Width: Wide, XHigh: 1, XUnit: Plain}, names, height, 0)
		var got []string
		for _, m := range regexp.MustCompile(`>(m\d+)</text>`).FindAllStringSubmatch(p.Inline("x"), -1) {
			got = append(got, m[1])
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("rows of %v pixels: %s, want %s", height, text, want)
		}
	}
}
