package lpsolve

import (
	"bytes"
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"mrsched/solver/lp"
)

// drawModel draws a bounded, feasible MILP with awkward names, bounds and numbers. Every row holds at a point within
// the bounds, and costs push columns only towards finite bounds.
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
		lower, upper := -lp.Inf, lp.Inf
		cost := rapid.Float64Range(0.001, 20).Draw(t, "cost")
		kind := rapid.IntRange(0, 4).Draw(t, "bounds")
		if kind != 0 && kind != 3 {
			lower = point[j] - float64(rapid.IntRange(0, 3).Draw(t, "below"))
		}
		if kind >= 2 {
			upper = point[j] + float64(rapid.IntRange(0, 3).Draw(t, "above"))
		}
		switch {
		case kind == 0:
			cost = 0
		case kind == 3 || kind == 4 && rapid.Bool().Draw(t, "down"):
			cost = -cost
		}
		if m.Maximize {
			cost = -cost
		}
		c := m.AddCol(name.Draw(t, "column"), cost, lower, upper)
		if rapid.IntRange(0, 3).Draw(t, "integer") == 0 && kind != 0 {
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

// TestRoundTrip writes models in both formats and lets lp_solve's own parsers read them: same size, same optimum.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	formats := []struct {
		name   string
		format Format
		write  func(io.Writer, *lp.Model) error
	}{{"lp", FormatLP, lp.WriteLP}, {"mps", FormatFreeMPS, lp.WriteMPS}}
	rapid.Check(t, func(rt *rapid.T) {
		m := drawModel(rt)
		sol := fresh(rt, m)
		if sol.Status != lp.Optimal {
			rt.Fatalf("the model itself: %v", sol.Status)
		}
		cols := m.NumCols()
		if m.Offset != 0 || cols == 0 {
			cols++
		}
		for _, f := range formats {
			path := filepath.Join(dir, "model."+f.name)
			var text bytes.Buffer
			must(rt, f.write(&text, m))
			must(rt, os.WriteFile(path, text.Bytes(), 0o644))
			l, err := ReadFile(path, f.format)
			if err != nil {
				rt.Fatalf("%v\n%s", err, &text)
			}
			defer l.Close()
			kind, err := l.Solve(context.Background())
			must(rt, err)
			if got := l.Objective(); l.NumCols() != cols || l.NumRows() != m.NumRows() || kind != Optimal ||
				!(math.Abs(got-sol.Objective) <= tol*(1+math.Abs(got))) {
				rt.Fatalf("%s: %v %v, want %v; %d rows, %d columns, want %d, %d\n%s", f.name, kind, got, sol.Objective,
					l.NumRows(), l.NumCols(), m.NumRows(), cols, &text)
			}
		}
	})
}
