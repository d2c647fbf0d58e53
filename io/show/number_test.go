package show

import (
	"slices"
	"testing"

	"mrsched/model"
)

func TestValue(t *testing.T) {
	for _, x := range []struct {
		number   model.Number
		unit     model.Unit
		down, up string
	}{
		{"0", model.UnitSeconds, "0 s", "0 s"},
		{"12.5", model.UnitSeconds, "12.5 s", "12.5 s"},
		{"12.34567", model.UnitSeconds, "12.34 s", "12.35 s"},
		{"0.000123456", model.UnitSeconds, "0.0001234 s", "0.0001235 s"},
		{"60", model.UnitSeconds, "0:01:00", "0:01:00"},
		{"599.99", model.UnitSeconds, "0:09:59.9", "0:10:00"},
		{"1446.6", model.UnitSeconds, "0:24:06", "0:24:07"},
		{"1700", model.UnitMoment, "0:28:20", "0:28:20"},
		{"3599.5", model.UnitMoment, "0:59:59", "1:00:00"},
		{"360000000", model.UnitMoment, "100,000:00:00", "100,000:00:00"},
		{"-1446.6", model.UnitSeconds, "-0:24:07", "-0:24:06"},
		{"434400000000", model.UnitBytes, "434.4 GB", "434.4 GB"},
		{"28072345678", model.UnitBytes, "28.07 GB", "28.08 GB"},
		{"512", model.UnitBytes, "512 B", "512 B"},
		{"290000000000", model.UnitByteCost, "290 G", "290 G"},
		{"999", model.UnitByteCost, "999", "999"},
		{"123456789012345678901234567890", model.UnitBytes, "123,456,789,012 EB", "123,456,789,013 EB"},
		{"16515", model.UnitWeightedSeconds, "16,515", "16,515"},
		{"100755.123456", model.UnitWeightedSeconds, "100,755", "100,756"},
		{"398.749", model.UnitWeightedSeconds, "398.7", "398.8"},
		{"7.465781", model.UnitNone, "7.465", "7.466"},
		{"0.716138", model.UnitNone, "0.7161", "0.7162"},
		{"0.0000000000000001", model.UnitNone, "0", "0.000000000001"},
		{"0.324621", model.UnitShare, "32.46 %", "32.47 %"},
		{"97.123", model.UnitPercent, "97.12 %", "97.13 %"},
		{"", model.UnitSeconds, "–", "–"},
		{"n/a", model.UnitSeconds, "n/a", "n/a"},
		{"1/3", model.UnitNone, "1/3", "1/3"},
		{"1e999999999", model.UnitNone, "1e999999999", "1e999999999"},
	} {
		down, up := Value(x.number, x.unit, model.RoundDown), Value(x.number, x.unit, model.RoundUp)
		if down != x.down || up != x.up {
			t.Errorf("%s, unit %d: rounded down %q and up %q, expected %q and %q", x.number, x.unit, down, up, x.down, x.up)
		}
	}
}

// TestGap: a gap is rounded up, and only a proven optimum has 0 %.
func TestGap(t *testing.T) {
	for _, x := range []struct {
		status model.Status
		ratio  model.Number
		want   string
	}{
		{model.StatusFeasible, "1.026287", "2.63 %"}, {model.StatusFeasible, "1.000001", "0.01 %"},
		{model.StatusFeasible, "13.5", "1,250.00 %"}, {model.StatusLimit, "1", "0 %"}, {model.StatusBound, "", "–"},
		{model.StatusOptimal, "1.333334", "0 %"}, {model.StatusOptimal, "", "0 %"},
	} {
		if got := GapOf(x.status, x.ratio); got != x.want {
			t.Errorf("%s, ratio %s: %q, expected %q", x.status, x.ratio, got, x.want)
		}
	}
}

func TestNatural(t *testing.T) {
	got := []string{"m10", "m2", "m1", "a", "m2x", "m02", "", "é", "m1/r10", "m1/r9"}
	slices.SortStableFunc(got, Natural)
	if want := []string{"", "a", "m1", "m1/r9", "m1/r10", "m02", "m2", "m2x", "m10", "é"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
