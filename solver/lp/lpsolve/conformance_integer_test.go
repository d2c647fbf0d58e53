package lpsolve_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"mrsched/solver/lp"
)

func integerModel(m *lp.Model, cols ...int) *lp.Model {
	for _, j := range cols {
		m.SetInt(lp.Col(j))
	}
	return m
}

func (s suite) integer(t *testing.T) {
	binary := func(cost float64) [3]float64 { return [3]float64{cost, 0, 1} }
	cases := []tableCase{
		// The knapsack of Martello and Toth, Knapsack Problems (1990), example 2.3 in small: values 60, 100, 120, weights
		// 10, 20, 30, capacity 50; the LP bound is 240.
		{"knapsack", integerModel(build(true, [][3]float64{binary(60), binary(100), binary(120)},
			[]row{{[]float64{10, 20, 30}, le, 50}}), 0, 1, 2), lp.Optimal, 220},
		{"rounding down is wrong", integerModel(build(true, nonneg(1, 5), []row{
			{[]float64{-2, 10}, le, 15}, {[]float64{1, 0}, le, 4}}), 0, 1), lp.Optimal, 14},
		{"parity", integerModel(build(false, nonneg(1, 1), []row{{[]float64{2, 4}, eq, 7}}), 0, 1), lp.Infeasible, 0},
		{"no integer in between", integerModel(build(false, [][3]float64{{1, 0.2, 0.8}}, nil), 0), lp.Infeasible, 0},
		{"infeasible relaxation", integerModel(build(false, nonneg(1), []row{{[]float64{1}, le, -1}}), 0), lp.Infeasible, 0},
		{"unbounded", integerModel(build(true, nonneg(1), []row{{[]float64{1}, ge, 1}}), 0), lp.Unbounded, 0},
		{"mixed", integerModel(build(false, nonneg(3, 2), []row{{[]float64{1, 1}, ge, 3.5}, {[]float64{0, 1}, le, 1.2}}), 0),
			lp.Optimal, 10},
		{"negative integer", integerModel(build(false, [][3]float64{{1, -3.5, 2}}, nil), 0), lp.Optimal, -3},
		{"free integer", integerModel(build(false, [][3]float64{{1, -inf, inf}}, []row{{[]float64{2}, ge, -7}}), 0),
			lp.Optimal, -3},
		{"upper only", integerModel(build(true, [][3]float64{{1, -inf, -2.5}}, []row{{[]float64{1}, ge, -9}}), 0),
			lp.Optimal, -3},
		// 3x + 5y represents 8 but not 7, the Frobenius number of 3 and 5.
		{"zero objective, infeasible", integerModel(build(false, nonneg(0, 0), []row{{[]float64{3, 5}, eq, 7}}), 0, 1),
			lp.Infeasible, 0},
		{"zero objective", integerModel(build(false, nonneg(0, 0), []row{{[]float64{3, 5}, eq, 8}}), 0, 1), lp.Optimal, 0},
		{"fractional bounds", integerModel(build(true, [][3]float64{{1, 0.3, 4.7}}, []row{{[]float64{2}, le, 100}}), 0),
			lp.Optimal, 4},
	}
	for _, c := range cases {
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

// randomInteger compares small integer programs with enumeration.
func (s suite) randomInteger(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(rt, "n")
		m := lp.NewModel("")
		m.Maximize = rapid.Bool().Draw(rt, "maximize")
		for range n {
			lower := rapid.IntRange(-2, 1).Draw(rt, "lower")
			c := m.AddCol("", float64(rapid.IntRange(-5, 5).Draw(rt, "cost")), float64(lower),
				float64(lower+rapid.IntRange(0, 3).Draw(rt, "width")))
			m.SetInt(c)
		}
		for range rapid.IntRange(0, 4).Draw(rt, "rows") {
			coef := make([]float64, n)
			for j := range coef {
				coef[j] = float64(rapid.IntRange(-4, 4).Draw(rt, "a"))
			}
			rel := rapid.SampledFrom([]lp.Relation{le, ge, eq}).Draw(rt, "rel")
			m.AddRow("", entries(coef), rel, float64(rapid.IntRange(-8, 8).Draw(rt, "b")))
		}
		best, feasible := enumerate(m)
		sol := quickSolve(rt, s.newSolver, m)
		if !feasible {
			if sol.Status != lp.Infeasible {
				rt.Fatalf("status %v, want infeasible", sol.Status)
			}
			return
		}
		if sol.Status != lp.Optimal || !near(sol.Objective, best) {
			rt.Fatalf("%v %v, enumeration finds %v", sol.Status, sol.Objective, best)
		}
		if err := lp.CheckFeasible(m, sol, tol); err != nil {
			rt.Fatal(err)
		}
	})
}

// enumerate tries every integer point within the bounds.
func enumerate(m *lp.Model) (best float64, feasible bool) {
	x := make([]float64, m.NumCols())
	best = math.Inf(1)
	sign := 1.0
	if m.Maximize {
		sign = -1
	}
	var walk func(j int)
	walk = func(j int) {
		if j == len(x) {
			obj := m.Objective(x)
			if lp.CheckFeasible(m, &lp.Solution{X: x, Objective: obj}, 1e-9) == nil {
				feasible = true
				best = math.Min(best, sign*obj)
			}
			return
		}
		lower, upper := m.Bounds(lp.Col(j))
		for v := lower; v <= upper; v++ {
			x[j] = v
			walk(j + 1)
		}
	}
	walk(0)
	return sign * best, feasible
}

// randomMixed compares the optima of small mixed-integer programs with the best LP over all values of the integers.
func (s suite) randomMixed(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := feasibleModel(rt, 5, 4)
		ints := rapid.IntRange(1, 2).Draw(rt, "integers")
		for j := range min(ints, m.NumCols()) {
			m.SetInt(lp.Col(j))
		}
		sol := quickSolve(rt, s.newSolver, m)
		if err := lp.CheckFeasible(m, sol, tol); err != nil || sol.Status != lp.Optimal {
			rt.Fatalf("%v: %v", sol.Status, err)
		}
		// The same columns and rows, continuous, with the first ones fixed in turn.
		sign, best := 1.0, math.Inf(1)
		if m.Maximize {
			sign = -1
		}
		var walk func(fixed []float64)
		walk = func(fixed []float64) {
			if len(fixed) == m.NumInts() {
				if v := quickSolve(rt, s.newSolver, relax(m, fixed)); v.Status == lp.Optimal {
					best = math.Min(best, sign*v.Objective)
				}
				return
			}
			lower, upper := m.Bounds(lp.Col(len(fixed)))
			for v := lower; v <= upper; v++ {
				walk(append(fixed, v))
			}
		}
		walk(nil)
		if !near(sol.Objective, sign*best) {
			rt.Fatalf("%v, enumeration finds %v", sol.Objective, sign*best)
		}
	})
}

// relax returns m as an LP with its first columns fixed.
func relax(m *lp.Model, fixed []float64) *lp.Model {
	p := lp.NewModel("")
	p.Maximize = m.Maximize
	for j := range m.NumCols() {
		lower, upper := m.Bounds(lp.Col(j))
		if j < len(fixed) {
			lower, upper = fixed[j], fixed[j]
		}
		p.AddCol("", m.Cost(lp.Col(j)), lower, upper)
	}
	for i := range m.NumRows() {
		r := lp.Row(i)
		p.AddRow("", m.Entries(r), m.Relation(r), m.RHS(r))
	}
	return p
}
