package lpsolve

import (
	"testing"

	"pgregory.net/rapid"

	"mrsched/solver/lp"
)

// TestOptimum: theory judges outcomes, not another solver: optima are proven by lp.CheckKKT, infeasibility and
// unboundedness by hand.
func TestOptimum(t *testing.T) {
	offset := build(false, nonneg(1), []row{{[]float64{1}, lp.GE, 2}})
	offset.Offset = -10
	for _, c := range []struct {
		name  string
		model *lp.Model
		want  lp.Status
		obj   float64
	}{
		// Dantzig's example in Chvátal, Linear Programming (1983), p. 13: optimum 13.
		{"chvatal", build(true, nonneg(5, 4, 3), []row{{[]float64{2, 3, 1}, lp.LE, 5}, {[]float64{4, 1, 2}, lp.LE, 11},
			{[]float64{3, 4, 2}, lp.LE, 8}}), lp.Optimal, 13},
		// The farmer's problem of lp_solve's reference guide (formulate.htm).
		{"farmer", build(true, nonneg(143, 60), []row{{[]float64{120, 210}, lp.LE, 15000}, {[]float64{110, 30}, lp.LE, 4000},
			{[]float64{1, 1}, lp.LE, 75}}), lp.Optimal, 6315.625},
		// Beale 1955, as in Chvátal p. 38, on which a textbook simplex cycles forever: optimum −1/20.
		{"Beale", build(false, nonneg(-0.75, 150, -0.02, 6), []row{{[]float64{0.25, -60, -0.04, 9}, lp.LE, 0},
			{[]float64{0.5, -90, -0.02, 3}, lp.LE, 0}, {[]float64{0, 0, 1, 0}, lp.LE, 1}}), lp.Optimal, -0.05},
		{"infeasible equality", build(false, nonneg(1, 1), []row{{[]float64{1, 1}, lp.EQ, 1}, {[]float64{2, 2}, lp.EQ, 3}}),
			lp.Infeasible, 0},
		{"unbounded", build(true, nonneg(1, 1), []row{{[]float64{1, -1}, lp.LE, 1}}), lp.Unbounded, 0},
		{"unbounded column in no row", build(false, [][3]float64{{1, 0, lp.Inf}, {-1, 5, lp.Inf}},
			[]row{{[]float64{1, 0}, lp.GE, 1}}), lp.Unbounded, 0},
		{"bounded column in no row", build(false, [][3]float64{{1, 0, lp.Inf}, {-1, -5, 7}},
			[]row{{[]float64{1, 0}, lp.GE, 1}}), lp.Optimal, -6},
		{"redundant equalities", build(false, nonneg(1, 2), []row{{[]float64{1, 1}, lp.EQ, 2}, {[]float64{2, 2}, lp.EQ, 4},
			{[]float64{3, 3}, lp.EQ, 6}}), lp.Optimal, 2},
		{"two negative variables", build(false, [][3]float64{{1, -9, lp.Inf}, {1, -9, lp.Inf}},
			[]row{{[]float64{2, 1}, lp.GE, -4}, {[]float64{1, 3}, lp.GE, -7}}), lp.Optimal, -3},
		{"negative bounds", build(false, [][3]float64{{1, -5, lp.Inf}, {-1, -9, -2}}, []row{{[]float64{1, 1}, lp.GE, -9}}),
			lp.Optimal, -3},
		{"empty rows", build(false, nonneg(1), []row{{nil, lp.LE, 3}, {[]float64{1}, lp.GE, 1}, {nil, lp.GE, -3},
			{nil, lp.EQ, 0}}), lp.Optimal, 1},
		{"infeasible empty row", build(false, nonneg(1), []row{{nil, lp.GE, 3}, {[]float64{1}, lp.GE, 1}}), lp.Infeasible, 0},
		{"no rows", build(false, [][3]float64{{1, 2, lp.Inf}, {-1, 0, 7}}, nil), lp.Optimal, -5},
		{"no rows, unbounded", build(false, nonneg(-1), nil), lp.Unbounded, 0},
		{"no columns", build(false, nil, []row{{nil, lp.LE, 1}}), lp.Optimal, 0},
		{"no columns, infeasible", build(false, nil, []row{{nil, lp.GE, 1}}), lp.Infeasible, 0},
		{"nothing", build(true, nil, nil), lp.Optimal, 0},
		{"zero objective, maximise", build(true, nonneg(0, 0), []row{{[]float64{1, 1}, lp.LE, 2}}), lp.Optimal, 0},
		{"offset", offset, lp.Optimal, -8},
		{"wide range", build(false, nonneg(1e-4, 1e5), []row{{[]float64{1e-3, 1e4}, lp.GE, 1},
			{[]float64{1e2, -1}, lp.GE, -1e6}}), lp.Optimal, 0.1},
		{"tiny columns", build(false, nonneg(1, 1), []row{{[]float64{1e-5, 1}, lp.GE, 1}, {[]float64{1, 1e-5}, lp.GE, 1}}),
			lp.Optimal, 2 / 1.00001},
	} {
		t.Run(c.name, func(t *testing.T) { judge(t, opened(t, c.model), c.want, c.obj) })
	}
}

// TestSigns pins the sign convention on a problem solved by hand, both ways: min 2x+3y and max −2x−3y over x+y >= 4, y
// >= 1, x <= 5. The optimum is x=3, y=1, cost 9. One more unit of the first right-hand side costs 2, of the second 1.
func TestSigns(t *testing.T) {
	for maximize, sign := range map[bool]float64{false: 1, true: -1} {
		m := build(maximize, [][3]float64{{sign * 2, 0, 5}, {sign * 3, 0, lp.Inf}, {sign * 7, 0, lp.Inf}}, []row{
			{[]float64{1, 1, 1}, lp.GE, 4}, {[]float64{0, 1, 0}, lp.GE, 1}, {[]float64{1, 0, 0}, lp.LE, 5}})
		sol := judge(t, opened(t, m), lp.Optimal, sign*9)
		for i, want := range []float64{2, 1, 0} {
			wantObjective(t, sol.Dual[i], sign*want)
		}
	}
}

// TestRandomLP draws every mixture of bounds and relations, feasible or not. Other LPs check claims of infeasibility
// and unboundedness: phase 1, and the recession cone. An LP that is feasible and bounded by construction has an
// optimum.
func TestRandomLP(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		safe := feasibleModel(t, 12, 14)
		proven(t, safe, fresh(t, safe))
		m := lp.NewModel("")
		m.Maximize = rapid.Bool().Draw(t, "maximize")
		n, small := rapid.IntRange(1, 6).Draw(t, "n"), rapid.IntRange(-5, 5)
		for range n {
			lower, upper := float64(small.Draw(t, "lower")), lp.Inf
			if w := rapid.IntRange(-2, 6).Draw(t, "width"); w >= 0 {
				upper = lower + float64(w)
			}
			m.AddCol("", float64(small.Draw(t, "cost")), lower, upper)
		}
		drawRows(t, m)
		switch sol := fresh(t, m); sol.Status {
		case lp.Optimal:
			proven(t, m, sol)
		case lp.Infeasible:
			if v := fresh(t, phaseOne(m)); v.Status != lp.Optimal || v.Objective <= tol {
				t.Fatalf("infeasible, but phase 1 ends %v with %v", v.Status, v.Objective)
			}
		case lp.Unbounded:
			if v := fresh(t, recession(m)); v.Status != lp.Optimal || v.Objective <= tol {
				t.Fatalf("unbounded, but the best ray is %v with %v", v.Status, v.Objective)
			}
		default:
			t.Fatalf("status %v", sol.Status)
		}
	})
}

// drawRows adds up to six rows of small numbers.
func drawRows(t *rapid.T, m *lp.Model) {
	small := rapid.IntRange(-5, 5)
	for range rapid.IntRange(0, 6).Draw(t, "rows") {
		coef := make([]float64, m.NumCols())
		for j := range coef {
			coef[j] = float64(small.Draw(t, "a"))
		}
		relation := rapid.SampledFrom([]lp.Relation{lp.LE, lp.GE, lp.EQ}).Draw(t, "relation")
		m.AddRow("", entries(coef), relation, float64(small.Draw(t, "b")))
	}
}

// phaseOne returns the LP that minimises the total violation of m's rows: positive exactly if m is infeasible.
func phaseOne(m *lp.Model) *lp.Model {
	p := lp.NewModel("phase one")
	for j := range m.NumCols() {
		lower, upper := m.Bounds(lp.Col(j))
		p.AddCol("", 0, lower, upper)
	}
	for i := range m.NumRows() {
		r := lp.Row(i)
		e := append([]lp.Entry(nil), m.Entries(r)...)
		if m.Relation(r) != lp.LE {
			e = append(e, lp.Entry{Col: p.AddCol("", 1, 0, lp.Inf), Coef: 1})
		}
		if m.Relation(r) != lp.GE {
			e = append(e, lp.Entry{Col: p.AddCol("", 1, 0, lp.Inf), Coef: -1})
		}
		p.AddRow("", e, m.Relation(r), m.RHS(r))
	}
	return p
}

// recession returns the LP that maximises the improvement along directions of m's recession cone within the unit box:
// positive exactly if m, when feasible, is unbounded.
func recession(m *lp.Model) *lp.Model {
	p := lp.NewModel("recession")
	p.Maximize = true
	for j := range m.NumCols() {
		_, upper := m.Bounds(lp.Col(j))
		cost := m.Cost(lp.Col(j))
		if !m.Maximize {
			cost = -cost
		}
		up := 1.0
		if upper < lp.Inf {
			up = 0
		}
		p.AddCol("", cost, 0, up)
	}
	for i := range m.NumRows() {
		p.AddRow("", m.Entries(lp.Row(i)), m.Relation(lp.Row(i)), 0)
	}
	return p
}
