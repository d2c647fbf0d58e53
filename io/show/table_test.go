package show

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mrsched/model"
)

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
