package show

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

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

// sample is a table with a column of every kind.
func sample() *Table {
	t := &Table{Columns: []Column{{Name: "algorithm"}, {Name: "status", Rank: 2}, {Name: "makespan", Unit: model.UnitSeconds},
		{Name: "empty", Rank: 1}, {Name: "bytes", Unit: model.UnitBytes, Rank: 3}, GapColumn(),
		{Name: "twjct", Number: true, About: "total weighted job completion time", Rank: 1}}}
	t.Add("best", "feasible", "1446.6", "", "26500000000", "1.121396", "16515")
	t.Add("a-very-long-name-of-an-algorithm-that-nobody-would-ever-choose", "limit", "12", "", "", "", "=1+1")
	return t
}

func printed(t *testing.T, o Output) string {
	t.Helper()
	var b strings.Builder
	o.Writer = &b
	try(t, o.Print(sample()))
	return b.String()
}

// TestTable: text for people has units, formats for programs have exact values.
func TestTable(t *testing.T) {
	for _, x := range []struct {
		format Format
		want   string
	}{{FormatTable, `
ALGORITHM                                                       STATUS    MAKESPAN  EMPTY    BYTES      GAP   TWJCT
best                                                            feasible   0:24:06  –      26.5 GB  12.14 %  16,515
a-very-long-name-of-an-algorithm-that-nobody-would-ever-choose  limit      0:00:12  –            –        –    =1+1
GAP: at most this far above the optimum
TWJCT: total weighted job completion time
`}, {FormatCSV, `
algorithm,status,makespan,empty,bytes,ratio,twjct
best,feasible,1446.6,,26500000000,1.121396,16515
a-very-long-name-of-an-algorithm-that-nobody-would-ever-choose,limit,12,,,,'=1+1
`}, {FormatJSON, `
{"algorithm":"best","status":"feasible","makespan":1446.6,"bytes":26500000000,"ratio":1.121396,"twjct":16515}
{"algorithm":"a-very-long-name-of-an-algorithm-that-nobody-would-ever-choose","status":"limit","makespan":12,"twjct":"=1+1"}
`}} {
		if got := printed(t, Output{Format: x.format}); got != x.want[1:] {
			t.Errorf("%s:\n%s", x.format, got)
		}
	}
}

// TestTableFits: on a narrow terminal long texts are cut and columns left out, the empty one first; the table says so.
func TestTableFits(t *testing.T) {
	for _, x := range []struct {
		width int
		lost  string
	}{{120, ""}, {85, ""}, {78, "EMPTY"}, {60, "EMPTY, BYTES, STATUS"}, {50, "EMPTY, BYTES, STATUS, TWJCT"},
		{10, "EMPTY, BYTES, STATUS, TWJCT"}} {
		text := printed(t, Output{Width: x.width})
		told := strings.Join(strings.Fields(text), " ")
		if x.lost == "" && strings.Contains(text, "lack of width") ||
			x.lost != "" && !strings.Contains(told, "not shown for lack of width: "+x.lost+"; ") {
			t.Errorf("%d columns:\n%s", x.width, text)
		}
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(line) - 1; n > max(x.width, 39) {
				t.Errorf("%d columns, not %d: %s", n, x.width, line)
			}
		}
		if !strings.Contains(text, "a-ver") || !strings.Contains(text, "12.14 %") {
			t.Errorf("%d columns: a name or the gap is missing:\n%s", x.width, text)
		}
	}
}

// try fails a test that met an error.
func try(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// text is a table as text of any width.
func text(t *testing.T, table *Table) string {
	t.Helper()
	var b strings.Builder
	try(t, table.Write(&b, 0))
	return b.String()
}

// TestTableVisible: control sequences are escaped, extra lines are under their row, and an empty column has no
// explanation.
func TestTableVisible(t *testing.T) {
	tab := &Table{Columns: []Column{{Name: "job"}, {Name: "start", Unit: model.UnitMoment}}, Indent: "  "}
	tab.Add("a\x1b[31m", "7.25")
	tab.Note("under \x07")
	tab.Add("b", "599.5")
	want := "  JOB            START\n  a\\x1b[31m  0:00:07.2\n    under \\a\n  b          0:09:59.5\n"
	if got := text(t, tab); got != want {
		t.Errorf("%s\nexpected\n%s", got, want)
	}
	table := &Table{Columns: []Column{{Name: "algorithm"}, GapColumn(), {Name: "n", Number: true, About: "a number"}}}
	table.Add("best", "", "1")
	if got := text(t, table); strings.Contains(got, "GAP:") || !strings.Contains(got, "N: a number\n") {
		t.Error(got)
	}
}
