package lpsolve

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
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

func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func solve(t rapid.TB, l *LP, want SolutionType) {
	t.Helper()
	kind, err := l.Solve(context.Background())
	must(t, err)
	if kind != want {
		t.Fatalf("%v, want %v", kind, want)
	}
}

func wantObjective(t rapid.TB, l *LP, want float64) {
	t.Helper()
	if got := l.Objective(); !(math.Abs(got-want) <= 1e-6*(1+math.Abs(want))) {
		t.Fatalf("objective %v, want %v", got, want)
	}
}

// formulate is the farmer's problem of lp_solve's reference guide (formulate.htm), which golp's documentation uses too:
// the optimum is 6315.625 at (21.875, 53.125).
func formulate(t testing.TB) *LP {
	l := newLP(t, 0, 2)
	must(t, l.AddConstraintSparse([]Entry{{0, 120}, {1, 210}}, LE, 15000))
	must(t, l.AddConstraintSparse([]Entry{{0, 110}, {1, 30}}, LE, 4000))
	must(t, l.AddConstraint([]float64{1, 1}, LE, 75))
	must(t, l.SetObjFn([]float64{143, 60}))
	must(t, l.SetMaximize())
	return l
}

// TestFormulate has its duals from the two tight rows: 110y₂ + y₃ = 143 and 30y₂ + y₃ = 60. The integer optimum, 6266
// at (22, 52), is found by hand: 143x + 60y over the integer points below the same rows.
func TestFormulate(t *testing.T) {
	l := formulate(t)
	solve(t, l, Optimal)
	wantObjective(t, l, 6315.625)
	approx := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	if d := cmp.Diff([]float64{21.875, 53.125}, l.Variables(), approx); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]float64{0, 1.0375, 28.875}, l.Duals(), approx); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]float64{0, 0}, l.ReducedCosts(), approx); d != "" {
		t.Error(d)
	}
	must(t, l.SetInt(0, true))
	must(t, l.SetInt(1, true))
	solve(t, l, Optimal)
	wantObjective(t, l, 6266)
	if l.Duals() != nil || l.ReducedCosts() != nil {
		t.Error("a MIP has duals")
	}
}

func TestEdits(t *testing.T) {
	l := formulate(t)
	solve(t, l, Optimal)
	must(t, l.SetRHS(2, 60))
	solve(t, l, Optimal)
	wantObjective(t, l, 1.0375*4000+28.875*60)
	must(t, l.DelConstraints([]int{2, 0}))
	if l.NumRows() != 1 || l.NumCols() != 2 {
		t.Fatalf("%d rows, %d columns", l.NumRows(), l.NumCols())
	}
	solve(t, l, Optimal)
	wantObjective(t, l, 60*4000./30)
	must(t, l.DelConstraint(0))
	solve(t, l, Unbounded)
	must(t, l.SetBounds(0, 1, 2))
	must(t, l.SetBounds(1, -3, 4))
	solve(t, l, Optimal)
	wantObjective(t, l, 2*143+4*60)
	must(t, l.SetMinimize())
	solve(t, l, Optimal)
	wantObjective(t, l, 143-180)
	must(t, l.SetObjCoef(0, -1))
	must(t, l.SetBinary(1, true))
	must(t, l.AddConstraints([]Constraint{{[]Entry{{0, 1}, {1, 1}}, GE, 1.5}, {[]Entry{{0, 1}, {1, 1}}, LE, 2.5},
		{nil, EQ, 0}}))
	solve(t, l, Optimal)
	wantObjective(t, l, -2)
	must(t, l.SetUnbounded(0))
	must(t, l.SetInt(1, false))
	must(t, l.SetBinary(1, false))
	solve(t, l, Optimal)
	wantObjective(t, l, -2.5)
}

func TestNamesAndTuning(t *testing.T) {
	l := formulate(t)
	must(t, l.SetColName(1, "barley"))
	if got := []string{l.ColName(0), l.ColName(1), l.ColName(2), l.RowName(1), l.RowName(3)}; !cmp.Equal(got,
		[]string{"C1", "barley", "", "R2", ""}) {
		t.Error(got)
	}
	must(t, l.SetPivoting(PriceSteepestEdge|PriceTrueNorm))
	must(t, l.SetScaling(ScaleNone))
	must(t, l.SetSimplexType(SimplexDualDual))
	must(t, l.SetMIPGap(1e-3, 1e-4))
	want := DefaultTuning()
	want.Pivoting, want.Scaling, want.Simplex = PriceSteepestEdge|PriceTrueNorm, ScaleNone, SimplexDualDual
	want.AbsGap, want.RelGap = 1e-3, 1e-4
	if d := cmp.Diff(want, l.Tuning()); d != "" {
		t.Error(d)
	}
	solve(t, l, Optimal)
	wantObjective(t, l, 6315.625)
}

func TestBadArguments(t *testing.T) {
	l := formulate(t)
	nan := math.NaN()
	for name, err := range map[string]error{
		"no column":        l.AddConstraintSparse([]Entry{{2, 1}}, LE, 1),
		"column -1":        l.AddConstraintSparse([]Entry{{-1, 1}}, LE, 1),
		"column twice":     l.AddConstraintSparse([]Entry{{1, 1}, {1, 1}}, LE, 1),
		"NaN coefficient":  l.AddConstraintSparse([]Entry{{1, nan}}, LE, 1),
		"infinite rhs":     l.AddConstraintSparse([]Entry{{1, 1}}, LE, math.Inf(1)),
		"type":             l.AddConstraintSparse(nil, 4, 1),
		"second of two":    l.AddConstraints([]Constraint{{nil, LE, 1}, {nil, 0, 1}}),
		"short row":        l.AddConstraint([]float64{1}, LE, 1),
		"short objective":  l.SetObjFn([]float64{1}),
		"NaN objective":    l.SetObjFn([]float64{1, nan}),
		"no objective col": l.SetObjCoef(2, 1),
		"NaN cost":         l.SetObjCoef(1, nan),
		"no row":           l.DelConstraint(3),
		"row -1":           l.DelConstraint(-1),
		"row twice":        l.DelConstraints([]int{1, 1}),
		"rhs row":          l.SetRHS(3, 1),
		"NaN rhs":          l.SetRHS(0, nan),
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
	wantObjective(t, l, 6315.625)
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

func TestClosed(t *testing.T) {
	l := formulate(t)
	solve(t, l, Optimal)
	for range 2 {
		must(t, l.Close())
	}
	_, solveErr := l.Solve(context.Background())
	_, coldErr := l.SolveCold(context.Background())
	for name, err := range map[string]error{
		"Solve": solveErr, "SolveCold": coldErr, "AddConstraint": l.AddConstraint([]float64{1, 1}, LE, 1),
		"AddConstraints": l.AddConstraints(nil), "DelConstraint": l.DelConstraint(0), "SetObjFn": l.SetObjFn([]float64{1, 1}),
		"SetObjCoef": l.SetObjCoef(0, 1), "SetRHS": l.SetRHS(0, 1), "SetMaximize": l.SetMaximize(),
		"SetInt":    l.SetInt(0, true),
		"SetBinary": l.SetBinary(0, true), "SetBounds": l.SetBounds(0, 0, 1), "SetUnbounded": l.SetUnbounded(0),
		"SetColName": l.SetColName(0, "x"), "DefaultBasis": l.DefaultBasis(), "SetTuning": l.SetTuning(DefaultTuning()),
		"SetScaling": l.SetScaling(0),
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v, want ErrClosed", name, err)
		}
	}
	if l.ColName(0) != "" || l.RowName(0) != "" {
		t.Error("names after Close")
	}
	wantObjective(t, l, 6315.625) // results are copies
	if len(l.Variables()) != 2 || len(l.Duals()) != 3 {
		t.Error("Close discarded the result")
	}
}

func TestUnsolved(t *testing.T) {
	l := formulate(t)
	if l.Variables() != nil || l.Duals() != nil || !math.IsNaN(l.Objective()) || l.Iterations() != 0 {
		t.Error("a result before Solve")
	}
	empty := newLP(t, 2, 0)
	solve(t, empty, Optimal)
	wantObjective(t, empty, 0)
	noInt := newLP(t, 1, 1)
	must(t, noInt.SetBounds(0, 0.25, 0.75))
	must(t, noInt.SetInt(0, true))
	solve(t, noInt, Infeasible)
	must(t, noInt.SetBounds(0, 0.25, 1.75))
	solve(t, noInt, Optimal)
	if x := noInt.Variables(); x[0] != 1 {
		t.Error(x)
	}
}

// TestUnbounded covers columns without coefficients, which lp_solve treats as bounded.
func TestUnbounded(t *testing.T) {
	for _, lower := range []float64{0, 5, -5} {
		l := newLP(t, 0, 2)
		must(t, l.AddConstraintSparse([]Entry{{0, 1}}, GE, 1))
		must(t, l.SetBounds(1, lower, math.Inf(1)))
		must(t, l.SetObjFn([]float64{1, -1}))
		solve(t, l, Unbounded)
		must(t, l.SetMaximize())
		solve(t, l, Unbounded)
		must(t, l.SetObjFn([]float64{-1, -1}))
		solve(t, l, Optimal)
		wantObjective(t, l, -1-lower)
	}
}

// TestColdAfterWarm changes scaling and basis between solves, which must not change the optimum.
func TestColdAfterWarm(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(rt, "n")
		l, err := New(0, n)
		must(rt, err)
		defer l.Close()
		cost := make([]float64, n)
		for j := range cost {
			cost[j] = math.Ldexp(float64(rapid.IntRange(1, 9).Draw(rt, "c")), rapid.IntRange(-8, 8).Draw(rt, "scale"))
		}
		must(rt, l.SetObjFn(cost))
		for range rapid.IntRange(1, 6).Draw(rt, "rounds") {
			var e []Entry
			for j := range n {
				if v := rapid.IntRange(0, 5).Draw(rt, "a"); v > 0 {
					e = append(e, Entry{j, math.Ldexp(float64(v), rapid.IntRange(-8, 8).Draw(rt, "scale"))})
				}
			}
			if len(e) == 0 {
				continue
			}
			must(rt, l.AddConstraintSparse(e, GE, float64(rapid.IntRange(1, 50).Draw(rt, "b"))))
			solve(rt, l, Optimal)
			warm := l.Objective()
			kind, err := l.SolveCold(context.Background())
			must(rt, err)
			if kind != Optimal {
				rt.Fatalf("cold: %v", kind)
			}
			wantObjective(rt, l, warm)
			solve(rt, l, Optimal)
			wantObjective(rt, l, warm)
		}
	})
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
	wantObjective(t, l, 6315.625)
	if l.ColName(1) != "y" {
		t.Errorf("column 1 is %q", l.ColName(1))
	}
	fixed := write("fixed.mps", strings.Join([]string{"NAME          TEST", "ROWS", " N  COST", " G  LIM1", "COLUMNS",
		"    X         COST               2.0   LIM1               1.0", "RHS", "    RHS       LIM1               3.5",
		"ENDATA", ""}, "\n"))
	l2, err := ReadFile(fixed, FormatFixedMPS)
	must(t, err)
	defer l2.Close()
	solve(t, l2, Optimal)
	wantObjective(t, l2, 7)
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

func TestVersion(t *testing.T) {
	if v := Version(); !strings.HasPrefix(v, "5.5.") {
		t.Error(v)
	}
}

func TestStrings(t *testing.T) {
	if s := Infeasible.String() + ", " + SolutionType(77).String(); s != "infeasible, SolutionType(77)" {
		t.Error(s)
	}
}
