package lp

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestModel(t *testing.T) {
	m := NewModel("m")
	x := m.AddCol("x", 1, 0, Inf)
	y := m.AddCol("y", 2, -3, 1e30)
	m.SetInt(y)
	m.SetInt(y)
	r := m.AddRow("r", []Entry{{y, 2}, {x, 1}, {y, -1}, {x, 0}}, LE, 4)
	z := m.AddRow("z", []Entry{{x, 1}, {x, -1}}, GE, -1)
	if x != 0 || y != 1 || r != 0 || z != 1 {
		t.Fatal(x, y, r, z)
	}
	if m.NumCols() != 2 || m.NumRows() != 2 || m.NumNonzeros() != 2 || m.NumInts() != 1 {
		t.Error(m.NumCols(), m.NumRows(), m.NumNonzeros(), m.NumInts())
	}
	if d := cmp.Diff([]Entry{{x, 1}, {y, 1}}, m.Entries(r)); d != "" {
		t.Error(d)
	}
	if len(m.Entries(z)) != 0 || m.RHS(z) != -1 || m.Relation(z) != GE || m.rowName[r] != "r" || m.ColName(y) != "y" {
		t.Error("row z or a name")
	}
	if l, u := m.Bounds(y); l != -3 || u != Inf || !m.IsInt(y) || m.IsInt(x) || m.Cost(y) != 2 {
		t.Error(l, u)
	}
	m.Offset = 10
	if v := m.Objective([]float64{3, 4}); v != 21 {
		t.Error(v)
	}
	if err := m.Err(); err != nil {
		t.Error(err)
	}
}

func TestDeleteRows(t *testing.T) {
	m := NewModel("")
	x := m.AddCol("x", 1, 0, Inf)
	for i := range 6 {
		m.AddRow(string(rune('a'+i)), []Entry{{x, float64(i)}}, GE, float64(10*i))
	}
	for name, rows := range map[string][]Row{"none": {6}, "negative": {-1}, "twice": {2, 3, 2}} {
		if m.DeleteRows(rows) == nil || m.NumRows() != 6 {
			t.Errorf("%s: %d rows", name, m.NumRows())
		}
	}
	if err := m.DeleteRows([]Row{4, 0, 1}); err != nil {
		t.Fatal(err)
	}
	m.AddRow("g", []Entry{{x, 6}}, LE, 60)
	got := ""
	for i := range m.NumRows() {
		r := Row(i)
		got += m.rowName[r]
		if e := m.Entries(r); len(e) != 1 || 10*e[0].Coef != m.RHS(r) {
			t.Errorf("row %d: %v %v", i, e, m.RHS(r))
		}
	}
	if got != "cdfg" {
		t.Error(got)
	}
	if err := m.DeleteRows([]Row{0, 1, 2, 3}); err != nil || m.NumRows() != 0 || m.NumNonzeros() != 0 {
		t.Error(err, m.NumRows(), m.NumNonzeros())
	}
}

func TestInvalid(t *testing.T) {
	nan := math.NaN()
	for name, f := range map[string]func(*Model){
		"cost":           func(m *Model) { m.AddCol("", nan, 0, 1) },
		"infinite cost":  func(m *Model) { m.AddCol("", -1e30, 0, 1) },
		"bounds crossed": func(m *Model) { m.AddCol("", 0, 1, 0) },
		"NaN bound":      func(m *Model) { m.AddCol("", 0, nan, 0) },
		"lower +Inf":     func(m *Model) { m.AddCol("", 0, Inf, Inf) },
		"lower -Inf":     func(m *Model) { m.AddCol("", 0, -Inf, 1) },
		"SetInt":         func(m *Model) { m.SetInt(1) },
		"row column":     func(m *Model) { m.AddRow("", []Entry{{1, 1}}, LE, 0) },
		"row -1":         func(m *Model) { m.AddRow("", []Entry{{-1, 1}}, LE, 0) },
		"row NaN":        func(m *Model) { m.AddRow("", []Entry{{0, nan}}, LE, 0) },
		"row sum":        func(m *Model) { m.AddRow("", []Entry{{0, 9e29}, {0, 9e29}}, LE, 0) },
		"row rhs":        func(m *Model) { m.AddRow("", nil, LE, Inf) },
		"row relation":   func(m *Model) { m.AddRow("", nil, 3, 0) },
		"offset":         func(m *Model) { m.Offset = nan },
	} {
		m := NewModel("")
		m.AddCol("x", 1, 0, 1)
		f(m)
		if m.Err() == nil {
			t.Errorf("%s: no error", name)
		}
		if m.NumCols() != 1 || m.NumRows() != 0 || m.NumNonzeros() != 0 {
			t.Errorf("%s leaves a trace", name)
		}
		if WriteLP(discard{}, m) == nil || WriteMPS(discard{}, m) == nil {
			t.Errorf("%s: written", name)
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func TestStrings(t *testing.T) {
	got := LE.String() + GE.String() + EQ.String() + " " + Relation(9).String() + " " + NumericalFailure.String() + " " +
		Status(99).String()
	if got != "<=>== Relation(9) numerical failure Status(99)" {
		t.Error(got)
	}
}
