package lpsolve_test

import (
	"testing"

	"mrsched/solver/lp"
)

const (
	le = lp.LE
	ge = lp.GE
	eq = lp.EQ
)

var inf = lp.Inf

type tableCase struct {
	name  string
	model *lp.Model
	want  lp.Status
	obj   float64
}

func tableCases() []tableCase {
	free := [3]float64{1, -inf, inf}
	offset := build(false, nonneg(1), []row{{[]float64{1}, ge, 2}})
	offset.Offset = -10
	return []tableCase{
		// Dantzig's example in Chvátal, Linear Programming (1983), p. 13: optimum 13.
		{"chvatal", build(true, nonneg(5, 4, 3), []row{
			{[]float64{2, 3, 1}, le, 5}, {[]float64{4, 1, 2}, le, 11}, {[]float64{3, 4, 2}, le, 8}}), lp.Optimal, 13},
		{"min ge", build(false, nonneg(2, 3), []row{{[]float64{1, 1}, ge, 4}, {[]float64{1, 3}, ge, 6}}), lp.Optimal, 9},
		{"infeasible rows", build(false, nonneg(1), []row{{[]float64{1}, ge, 2}, {[]float64{1}, le, 1}}), lp.Infeasible, 0},
		{"infeasible bounds", build(false, [][3]float64{{1, 0, 1}, {1, 0, 1}}, []row{{[]float64{1, 1}, ge, 3}}),
			lp.Infeasible, 0},
		{"infeasible equality", build(false, nonneg(1, 1), []row{{[]float64{1, 1}, eq, 1}, {[]float64{2, 2}, eq, 3}}),
			lp.Infeasible, 0},
		{"unbounded", build(true, nonneg(1, 1), []row{{[]float64{1, -1}, le, 1}}), lp.Unbounded, 0},
		{"unbounded free", build(false, [][3]float64{free, free}, []row{{[]float64{1, 1}, le, 1}}), lp.Unbounded, 0},
		{"unbounded column in no row", build(false, [][3]float64{{1, 0, inf}, {-1, 5, inf}}, []row{{[]float64{1, 0}, ge, 1}}),
			lp.Unbounded, 0},
		{"bounded column in no row", build(false, [][3]float64{{1, 0, inf}, {-1, -5, 7}}, []row{{[]float64{1, 0}, ge, 1}}),
			lp.Optimal, -6},
		{"degenerate vertex", build(true, nonneg(1, 1), []row{
			{[]float64{1, 0}, le, 1}, {[]float64{0, 1}, le, 1}, {[]float64{1, 1}, le, 2}, {[]float64{2, 1}, le, 3}}),
			lp.Optimal, 2},
		{"redundant equalities", build(false, nonneg(1, 2), []row{
			{[]float64{1, 1}, eq, 2}, {[]float64{2, 2}, eq, 4}, {[]float64{3, 3}, eq, 6}}), lp.Optimal, 2},
		{"free variable", build(false, [][3]float64{free, {2, 0, inf}}, []row{{[]float64{1, 1}, ge, -3},
			{[]float64{1, -1}, ge, -7}}), lp.Optimal, -3},
		{"free variable in equality", build(false, [][3]float64{{0, -inf, inf}, {1, 0, inf}, {1, 0, inf}},
			[]row{{[]float64{1, 1, -1}, eq, -5}, {[]float64{1, 0, 0}, ge, -3}}), lp.Optimal, 2},
		{"two free variables", build(false, [][3]float64{{1, -inf, inf}, {1, -inf, inf}},
			[]row{{[]float64{2, 1}, ge, -4}, {[]float64{1, 3}, ge, -7}}), lp.Optimal, -3},
		{"negative lower bound", build(false, [][3]float64{{1, -5, inf}}, nil), lp.Optimal, -5},
		{"negative lower bound in a row", build(false, [][3]float64{{1, -5, 5}, {1, -2, 1}},
			[]row{{[]float64{1, 1}, ge, -6}}), lp.Optimal, -6},
		{"negative upper bound", build(true, [][3]float64{{1, -inf, -2}}, []row{{[]float64{1}, ge, -9}}), lp.Optimal, -2},
		{"negative upper bound, minimise", build(false, [][3]float64{{1, -inf, -2}}, []row{{[]float64{1}, ge, -9}}),
			lp.Optimal, -9},
		{"upper bounds", build(true, [][3]float64{{3, 0, 2}, {2, 0, 2}, {1, 0, 2}}, []row{{[]float64{1, 1, 1}, le, 5}}),
			lp.Optimal, 11},
		{"fixed column", build(false, [][3]float64{{1, 3, 3}, {1, 0, inf}}, []row{{[]float64{1, 1}, ge, 5}}), lp.Optimal, 5},
		{"equality", build(false, nonneg(1, 3), []row{{[]float64{1, 2}, eq, 4}, {[]float64{1, -1}, eq, 1}}), lp.Optimal, 5},
		{"negative right-hand side", build(false, nonneg(1, 1), []row{{[]float64{-1, -2}, le, -4}}), lp.Optimal, 2},
		{"empty rows", build(false, nonneg(1), []row{{nil, le, 3}, {[]float64{1}, ge, 1}, {nil, ge, -3}, {nil, eq, 0}}),
			lp.Optimal, 1},
		{"infeasible empty row", build(false, nonneg(1), []row{{nil, ge, 3}, {[]float64{1}, ge, 1}}), lp.Infeasible, 0},
		{"no rows", build(false, [][3]float64{{1, 2, inf}, {-1, 0, 7}}, nil), lp.Optimal, -5},
		{"no rows, unbounded", build(false, nonneg(-1), nil), lp.Unbounded, 0},
		{"no columns", build(false, nil, []row{{nil, le, 1}}), lp.Optimal, 0},
		{"no columns, infeasible", build(false, nil, []row{{nil, ge, 1}}), lp.Infeasible, 0},
		{"nothing", build(true, nil, nil), lp.Optimal, 0},
		{"zero objective", build(false, nonneg(0, 0), []row{{[]float64{1, 1}, ge, 2}}), lp.Optimal, 0},
		{"zero objective, maximise", build(true, nonneg(0, 0), []row{{[]float64{1, 1}, le, 2}}), lp.Optimal, 0},
		{"offset", offset, lp.Optimal, -8},
		{"wide range", build(false, nonneg(1e-4, 1e5), []row{{[]float64{1e-3, 1e4}, ge, 1}, {[]float64{1e2, -1}, ge, -1e6}}),
			lp.Optimal, 0.1},
		{"tiny columns", build(false, nonneg(1, 1), []row{{[]float64{1e-5, 1}, ge, 1}, {[]float64{1, 1e-5}, ge, 1}}),
			lp.Optimal, 2 / 1.00001},
	}
}

func (s suite) table(t *testing.T) {
	for _, c := range tableCases() {
		t.Run(c.name, func(t *testing.T) {
			sol := mustSolve(t, s.solver(t, c.model))
			wantStatus(t, sol, c.want)
			if c.want == lp.Optimal {
				proven(t, c.model, sol)
				wantObjective(t, sol, c.obj)
			}
		})
	}
}

// duals pins the sign convention on a problem solved by hand, both ways: min 2x+3y and max −2x−3y over x+y >= 4, y >=
// 1, x <= 5. The optimum is x=3, y=1, cost 9. One more unit of the first right-hand side costs 2, of the second 1.
func (s suite) duals(t *testing.T) {
	for _, maximize := range []bool{false, true} {
		sign := 1.0
		if maximize {
			sign = -1
		}
		m := build(maximize, [][3]float64{{sign * 2, 0, 5}, {sign * 3, 0, inf}, {sign * 7, 0, inf}}, []row{
			{[]float64{1, 1, 1}, ge, 4}, {[]float64{0, 1, 0}, ge, 1}, {[]float64{1, 0, 0}, le, 5}})
		sol := mustSolve(t, s.solver(t, m))
		proven(t, m, sol)
		wantObjective(t, sol, sign*9)
		for i, want := range []float64{2, 1, 0} {
			if !near(sol.Dual[i], sign*want) {
				t.Errorf("maximize %v: dual %d is %v, want %v", maximize, i, sol.Dual[i], sign*want)
			}
		}
		for j, want := range []float64{0, 0, 5} {
			if !near(sol.ReducedCost[j], sign*want) {
				t.Errorf("maximize %v: reduced cost %d is %v, want %v", maximize, j, sol.ReducedCost[j], sign*want)
			}
		}
	}
}

// cycling solves the classic problems on which a textbook simplex cycles forever.
func (s suite) cycling(t *testing.T) {
	cases := []struct {
		name string
		m    *lp.Model
		obj  float64
	}{
		// Beale 1955, as in Chvátal p. 38 and lp_solve's own tests: optimum −1/20.
		{"Beale", build(false, nonneg(-0.75, 150, -0.02, 6), []row{
			{[]float64{0.25, -60, -0.04, 9}, le, 0}, {[]float64{0.5, -90, -0.02, 3}, le, 0}, {[]float64{0, 0, 1, 0}, le, 1}}),
			-0.05},
		// Kuhn's example, in Balinski and Tucker 1969: optimum −2.
		{"Kuhn", build(false, nonneg(-2, -3, 1, 12), []row{
			{[]float64{-2, -9, 1, 9}, le, 0}, {[]float64{1. / 3, 1, -1. / 3, -2}, le, 0}, {[]float64{2, 3, -1, -12}, le, 2}}),
			-2},
		// Marshall and Suurballe 1969: optimum −1 with the bounding row.
		{"Marshall-Suurballe", build(true, nonneg(10, -57, -9, -24), []row{
			{[]float64{0.5, -5.5, -2.5, 9}, le, 0}, {[]float64{0.5, -1.5, -0.5, 1}, le, 0}, {[]float64{1, 0, 0, 0}, le, 1}}), 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			sol := mustSolve(t, s.solver(t, c.m))
			proven(t, c.m, sol)
			wantObjective(t, sol, c.obj)
		})
	}
	t.Run("assignment", func(t *testing.T) {
		// An assignment polytope is massively degenerate: n! vertices, 2n−1 of n² columns basic, n of them zero.
		const n = 9
		m := lp.NewModel("assignment")
		for k := range n * n {
			m.AddCol("", float64((k*k*7+k*3)%11), 0, inf)
		}
		for i := range n {
			var r, c []lp.Entry
			for j := range n {
				r = append(r, lp.Entry{Col: lp.Col(i*n + j), Coef: 1})
				c = append(c, lp.Entry{Col: lp.Col(j*n + i), Coef: 1})
			}
			m.AddRow("", r, eq, 1)
			m.AddRow("", c, eq, 1)
		}
		proven(t, m, mustSolve(t, s.solver(t, m)))
	})
}
