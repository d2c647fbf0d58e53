package lpsolve

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"mrsched/solver/lp"
)

// drawModel draws a bounded, feasible LP with awkward names, bounds and numbers, and columns that may be integer. Every
// row holds at a point within the bounds, and costs push columns only towards finite bounds.
func drawModel(t *rapid.T) *lp.Model {
	name := rapid.OneOf(rapid.SampledFrom([]string{"", "x", "R2", "R1", "C1", "int", "free", "e1", "E12", "1e5", "sin",
		"sec", "-x",
		"RHS", "MARKER", "objective", "objective_offset", "x y", ">= 3", "inf", "a_2", "a", "min", "*c", "/* c */", "st"}),
		rapid.String())
	m := lp.NewModel(name.Draw(t, "model"))
	m.Maximize = rapid.Bool().Draw(t, "maximize")
	if rapid.Bool().Draw(t, "offset") {
		m.Offset = rapid.Float64Range(-100, 100).Draw(t, "constant")
	}
	n := rapid.IntRange(0, 5).Draw(t, "n")
	point := make([]float64, n)
	for j := range point {
		point[j] = float64(rapid.IntRange(-6, 6).Draw(t, "x"))
		lower, upper := point[j]-float64(rapid.IntRange(0, 3).Draw(t, "below")), lp.Inf
		cost := rapid.Float64Range(0, 20).Draw(t, "cost")
		if rapid.Bool().Draw(t, "bounded") {
			upper = point[j] + float64(rapid.IntRange(0, 3).Draw(t, "above"))
			if rapid.Bool().Draw(t, "down") {
				cost = -cost
			}
		}
		if m.Maximize {
			cost = -cost
		}
		c := m.AddCol(name.Draw(t, "column"), cost, lower, upper)
		if rapid.IntRange(0, 3).Draw(t, "integer") == 0 {
			m.SetInt(c)
		}
	}
	for range rapid.IntRange(0, 5).Draw(t, "rows") {
		var e []lp.Entry
		var act float64
		for j, x := range point {
			if v := rapid.IntRange(-4, 4).Draw(t, "a"); v != 0 {
				e = append(e, lp.Entry{Col: lp.Col(j), Coef: float64(v) / 3})
				act += float64(v) / 3 * x
			}
		}
		rel := rapid.SampledFrom([]lp.Relation{lp.LE, lp.GE, lp.EQ}).Draw(t, "rel")
		slack := float64(rapid.IntRange(0, 4).Draw(t, "slack"))
		switch rel {
		case lp.LE:
			act += slack
		case lp.GE:
			act -= slack
		}
		m.AddRow(name.Draw(t, "row"), e, rel, act)
	}
	return m
}

// TestRoundTrip writes models in both formats and lets lp_solve's own parsers read them: same size, same optimum
// without integrality.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		m := drawModel(rt)
		sol := fresh(rt, m)
		if sol.Status != lp.Optimal {
			rt.Fatalf("the model itself: %v", sol.Status)
		}
		want := m.NumCols()
		if m.Offset != 0 || want == 0 {
			want++
		}
		for _, format := range []string{"lp", "mps"} {
			path := filepath.Join(dir, "model."+format)
			var text bytes.Buffer
			must(rt, lp.Write(&text, m, format))
			must(rt, os.WriteFile(path, text.Bytes(), 0o644))
			rows, cols, ints, got, err := ReadFile(path, format == "mps")
			if err != nil || cols != want || rows != m.NumRows() || ints != m.NumInts() ||
				!(math.Abs(got-sol.Objective) <= tol*(1+math.Abs(got))) {
				rt.Fatalf("%s: %v, %v, want %v; %d rows, %d columns, want %d, %d; %d integer\n%s", format, err, got,
					sol.Objective, rows, cols, m.NumRows(), want, ints, &text)
			}
		}
	})
	if _, _, _, _, err := ReadFile(filepath.Join(dir, "none.lp"), false); err == nil {
		t.Error("a file that is not there was read")
	}
}
