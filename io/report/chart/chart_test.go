package chart

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
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

// TestGroups: three groups share the width; the longest name gets a second line.
func TestGroups(t *testing.T) {
	short := NewPlot("x", Frame{YHigh: 1, XUnit: Plain, YUnit: Plain, Groups: []string{"a", "b", "c"}})
	long := NewPlot("x", Frame{YHigh: 1, XUnit: Plain, YUnit: Plain, Groups: []string{"a", "b",
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

// TestRowNames: names of 24 slots of twelve nodes in three racks, where a name is 13 pixels high. With 20 pixels a row
// all are written. With 10, a node has 20 pixels and a name, and a slot's would touch the line of its node. With 4, a
// node has 8: no lines separate nodes, and of a rack's 32 pixels the names of nodes other than the second would touch
// that one or a line.
func TestRowNames(t *testing.T) {
	var names [][]string
	for k := range 24 {
		names = append(names, []string{fmt.Sprint("rack", k/8+1), fmt.Sprint("n", k/2+1), fmt.Sprint("m", k%2+1)})
	}
	const racks, nodes = "rack1 rack2 rack3 ", "n1 n2 n3 n4 n5 n6 n7 n8 n9 n10 n11 n12"
	for _, c := range []struct {
		height float64
		lines  int // between racks, and between nodes
		want   string
	}{
		{20, 2 + 11, racks + nodes + strings.Repeat(" m1 m2", 12)}, {10, 2 + 11, racks + nodes}, {4, 2, racks + "n2 n6 n10"},
	} {
		p := NewRows("x", Frame{Width: Wide, XHigh: 1, XUnit: Plain}, names, c.height, 0)
		var got []string
		for _, m := range regexp.MustCompile(`>((?:rack|n|m)\d+)</text>`).FindAllStringSubmatch(p.Inline("x"), -1) {
			got = append(got, m[1])
		}
		groups, lines := groupsOf(names, c.height), 0
		for _, begins := range groups[:len(groups)-1] {
			lines += len(begins) - 2
		}
		if text := strings.Join(got, " "); text != c.want || lines != c.lines {
			t.Errorf("rows of %v pixels: %d lines, want %d; %s, want %s", c.height, lines, c.lines, text, c.want)
		}
	}
}
