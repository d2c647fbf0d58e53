package lpsolve

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/solver/lp"
)

func newLP(t testing.TB, rows, cols int) *LP {
	t.Helper()
	l, err := New(rows, cols)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// Entry is one coefficient of a row; Col is zero-based.
type Entry struct {
	Col int
	Val float64
}

// line is a row of an LP.
type line struct {
	entries  []Entry
	relation ConstraintType
	rhs      float64
}

func add(t rapid.TB, l *LP, rows ...line) {
	t.Helper()
	var b rowBatch
	for _, r := range rows {
		b.begin()
		for _, e := range r.entries {
			b.entry(e.Col, e.Val)
		}
		b.end(r.relation, r.rhs)
	}
	must(t, l.addRows(&b))
}

func solve(t rapid.TB, l *LP, want SolutionType) {
	t.Helper()
	kind, err := l.Solve(context.Background())
	must(t, err)
	if kind != want {
		t.Fatalf("%v, want %v", kind, want)
	}
}

// formulate is the farmer's problem of lp_solve's reference guide (formulate.htm), which golp's documentation uses too:
// the optimum is 6315.625 at (21.875, 53.125), its signs turned.
func formulate(t testing.TB) *LP {
	l := newLP(t, 0, 2)
	add(t, l, line{[]Entry{{0, 120}, {1, 210}}, LE, 15000}, line{[]Entry{{0, 110}, {1, 30}}, LE, 4000},
		line{[]Entry{{0, 1}, {1, 1}}, LE, 75})
	must(t, l.SetObjFn([]float64{-143, -60}))
	return l
}

// TestFormulate has its duals from the two tight rows: 110y₂ + y₃ = 143 and 30y₂ + y₃ = 60. The integer optimum, 6266
// at (22, 52), is found by hand: 143x + 60y over the integer points below the same rows.
func TestFormulate(t *testing.T) {
	l := formulate(t)
	solve(t, l, Optimal)
	wantObjective(t, l.Objective(), -6315.625)
	for k, want := range []float64{21.875, 53.125, 0, -1.0375, -28.875, 0, 0} {
		wantObjective(t, slices.Concat(l.result.x, l.result.dual, l.result.reduced)[k], want)
	}
	must(t, l.SetInt(0, true))
	must(t, l.SetInt(1, true))
	solve(t, l, Optimal)
	wantObjective(t, l.Objective(), -6266)
	if l.result.dual != nil || l.result.reduced != nil {
		t.Error("a MIP has duals")
	}
}

func TestEdits(t *testing.T) {
	l := formulate(t)
	solve(t, l, Optimal)
	must(t, l.DelConstraints([]int{2, 0}))
	if l.NumRows() != 1 || l.NumCols() != 2 {
		t.Fatalf("%d rows, %d columns", l.NumRows(), l.NumCols())
	}
	solve(t, l, Optimal)
	wantObjective(t, l.Objective(), -60*4000./30)
	must(t, l.DelConstraints([]int{0}))
	solve(t, l, Unbounded)
	must(t, l.SetBounds(0, 1, 2))
	must(t, l.SetBounds(1, -3, 4))
	solve(t, l, Optimal)
	wantObjective(t, l.Objective(), -2*143-4*60)
	must(t, l.SetObjFn([]float64{143, 60}))
	solve(t, l, Optimal)
	wantObjective(t, l.Objective(), 143-180)
	must(t, l.SetObjCoef(0, -1))
	must(t, l.SetInt(1, true))
	must(t, l.SetBounds(1, 0, 1))
	add(t, l, line{[]Entry{{0, 1}, {1, 1}}, GE, 1.5}, line{[]Entry{{0, 1}, {1, 1}}, LE, 2.5}, line{nil, EQ, 0})
	solve(t, l, Optimal)
	wantObjective(t, l.Objective(), -2)
	must(t, l.SetBounds(0, -lp.Inf, lp.Inf))
	must(t, l.SetInt(1, false))
	must(t, l.SetBounds(1, 0, lp.Inf))
	solve(t, l, Optimal)
	wantObjective(t, l.Objective(), -2.5)
}

func TestBadArguments(t *testing.T) {
	l := formulate(t)
	nan := math.NaN()
	for name, err := range map[string]error{
		"short objective":  l.SetObjFn([]float64{1}),
		"NaN objective":    l.SetObjFn([]float64{1, nan}),
		"no objective col": l.SetObjCoef(2, 1),
		"NaN cost":         l.SetObjCoef(1, nan),
		"no row":           l.DelConstraints([]int{3}),
		"row -1":           l.DelConstraints([]int{-1}),
		"row twice":        l.DelConstraints([]int{1, 1}),
		"empty bounds":     l.SetBounds(0, 2, 1),
		"NaN bound":        l.SetBounds(0, nan, 1),
		"bound at -Inf":    l.SetBounds(0, math.Inf(-1), math.Inf(-1)),
		"int column":       l.SetInt(5, true),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	solve(t, l, Optimal) // and the result is unchanged
	wantObjective(t, l.Objective(), -6315.625)
	for _, dim := range [][2]int{{-1, 1}, {1, -1}, {math.MaxInt, 1}, {1, math.MaxInt}} {
		if l, err := New(dim[0], dim[1]); err == nil {
			l.Close()
			t.Errorf("New(%d, %d) succeeds", dim[0], dim[1])
		}
	}
	if _, err := NewSolver(nil); err == nil {
		t.Error("NewSolver(nil) succeeds")
	}
}

func TestUnsolved(t *testing.T) {
	l := formulate(t)
	if l.result.x != nil || l.result.dual != nil || !math.IsNaN(l.Objective()) {
		t.Error("a result before Solve")
	}
	empty := newLP(t, 2, 0)
	solve(t, empty, Optimal)
	wantObjective(t, empty.Objective(), 0)
	noInt := newLP(t, 1, 1)
	must(t, noInt.SetBounds(0, 0.25, 0.75))
	must(t, noInt.SetInt(0, true))
	solve(t, noInt, Infeasible)
	must(t, noInt.SetBounds(0, 0.25, 1.75))
	solve(t, noInt, Optimal)
	if x := noInt.result.x; x[0] != 1 {
		t.Error(x)
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	good := write("good.lp", "max: 143x + 60y;\n120x + 210y <= 15000;\n110x + 30y <= 4000;\nx + y <= 75;\n")
	l, err := ReadFile(good, FormatLP)
	must(t, err)
	defer l.Close()
	solve(t, l, Optimal)
	wantObjective(t, l.Objective(), 6315.625)
	if got := l.ColName(1) + l.ColName(2) + l.RowName(1) + l.RowName(3); got != "yR2" {
		t.Error(got)
	}
	fixed := write("fixed.mps", strings.Join([]string{"NAME          TEST", "ROWS", " N  COST", " G  LIM1", "COLUMNS",
		"    X         COST               2.0   LIM1               1.0", "RHS", "    RHS       LIM1               3.5",
		"ENDATA", ""}, "\n"))
	l2, err := ReadFile(fixed, FormatFixedMPS)
	must(t, err)
	defer l2.Close()
	solve(t, l2, Optimal)
	wantObjective(t, l2.Objective(), 7)
	for name, f := range map[string]func() (*LP, error){
		"missing":   func() (*LP, error) { return ReadFile(filepath.Join(dir, "none.lp"), FormatLP) },
		"malformed": func() (*LP, error) { return ReadFile(write("bad.lp", "max: 3 x y z >= <= ;;"), FormatLP) },
		"wrong":     func() (*LP, error) { return ReadFile(good, FormatFreeMPS) },
		"format":    func() (*LP, error) { return ReadFile(good, 9) },
	} {
		if l, err := f(); err == nil {
			l.Close()
			t.Errorf("%s: no error", name)
		}
	}
}
