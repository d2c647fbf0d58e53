package multitenant

import (
	"context"
	"math"

	"mrsched/model"
	"mrsched/solver"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

const (
	// cutTolerance is the relative gap between the best prices found and the upper bound at which the search ends.
	cutTolerance = 1e-4
	// The number of queries is between leastCuts and mostCuts, with about cutWork numbers in all.
	leastCuts, mostCuts = 8, 150
	cutWork             = 500_000_000
	// smoothing is the position of the next prices between the master's (0) and the best ones (1).
	smoothing = 0.5
)

// dual is the concave problem of finding the best prices λ ≥ 0, per unit of a resource's work in a second:
//
//	maximise  Σ_j c_j(λ) + Σ_r λ_r·worth_r  subject to  Σ_r λ_r = 1 (simplex), or λ_r ≤ most
//
// where c_j is the payment of job j, in seconds with the simplex, otherwise in bytes.
type dual struct {
	*oracle
	windows []model.Time // each has its own λ; jobs that arrive in it or later pay for it
	limit   []float64    // the oracle's capacity, by window and resource
	worth   []float64    // by window and resource
	simplex bool
	most    float64 // of every λ_r without the simplex
	// unit is about the value, and time about the span; the master is scaled by them. With the simplex they are equal.
	unit, time float64
	known      float64 // with the simplex: prices that cannot prove more are not refined
}

// query evaluates λ: the value, and each chunk's answer.
func (d *dual) query(lambda []float64) (float64, []answer) {
	value := 0.0
	for r, c := range d.limit {
		if c > 0 {
			value += lambda[r] * d.worth[r]
		}
	}
	list, n := make([]answer, len(d.chunk)-1), len(d.capacity)
	for c := range list {
		list[c].use = make([]float64, len(d.limit))
	}
	now := make([]float64, n) // the sum of the windows' λ so far
	for k, from := range d.windows {
		until := model.MaxTime
		if k+1 < len(d.windows) {
			until = d.windows[k+1]
		}
		for r := range now {
			now[r] += lambda[k*n+r]
		}
		for c, part := range d.ask(d.prices(now), from, until) {
			a := &list[c]
			a.paid, a.cross = a.paid+part.paid, a.cross+part.cross
			for r := range a.use[:(k+1)*n] {
				a.use[r] += part.use[r%n]
			}
			value += part.paid
		}
	}
	return value, list
}

// newDual is the problem for windows, still without worth and bounds of λ.
func (o *oracle) newDual(windows ...model.Time) *dual {
	d := &dual{oracle: o, windows: windows}
	for _, from := range windows {
		d.limit = append(d.limit, o.capacity...)
		d.worth = append(d.worth, o.idle(o.x.Window(from))...)
	}
	return d
}

// start is the first λ to try: on the simplex the mean, over the kinds of resources, of prices of one kind alone in
// proportion to capacity; otherwise 0.
func (d *dual) start() []float64 {
	mix, count := make([]float64, len(d.limit)), 0.0
	if !d.simplex {
		return mix
	}
	links, racks := 2*d.places, d.in.Racks
	kinds := []int{0, d.places, links, links + racks, links + 2*racks, d.crossAt()}
	for k, first := range kinds[:len(kinds)-1] {
		all := sum(d.capacity[first:kinds[k+1]])
		for r := first; r < kinds[k+1] && all > 0; r++ {
			mix[r] = d.capacity[r] / all
		}
		if all > 0 {
			count++
		}
	}
	for r := range mix {
		mix[r] /= count
	}
	return mix
}

// maximise finds prices by cutting planes: lp_solve maximises over the answers so far, and the next query is between
// its prices and the best ones. Errors: of the backend. If ctx ends, it returns the best prices so far.
//
// Complexity: O(groups·racks + kinds·places) per query.   Source: Kelley 1960; smoothing: Wentges 1997.
func (d *dual) maximise(ctx context.Context) ([]float64, error) {
	m, err := d.newMaster()
	if err != nil {
		return nil, err
	}
	defer m.solver.Close()
	best, value := []float64(nil), math.Inf(-1)
	try := func(lambda []float64) (bool, error) {
		v, answers := d.query(lambda)
		if err := m.cut(answers); err != nil {
			return false, err
		}
		if v > value {
			best, value = lambda, v
			return true, nil
		}
		return false, nil
	}
	if ctx.Err() != nil {
		return nil, nil
	}
	if _, err := try(d.start()); err != nil {
		return nil, err
	}
	queries := min(mostCuts, max(leastCuts, cutWork/max(1, d.work)))
	for k := range queries {
		if d.report != nil {
			d.report(k, queries)
		}
		lambda, most, err := m.solve(ctx)
		if err != nil || lambda == nil {
			return best, err
		}
		if most-value <= cutTolerance*math.Abs(value) || d.simplex && most <= d.known {
			break
		}
		next := make([]float64, len(lambda))
		for r := range next {
			next[r] = smoothing*best[r] + (1-smoothing)*lambda[r]
		}
		better, err := try(next)
		if err != nil {
			return nil, err
		}
		if !better {
			if _, err := try(lambda); err != nil {
				return nil, err
			}
		}
	}
	return best, nil
}

// master is the LP over the cuts:
//
//	maximise Σ_c θ_c + Σ_r λ_r·worth_r  subject to  θ_c ≤ cross_c + Σ_r λ_r·use_cr/capacity_r for every answer of chunk c
type master struct {
	*dual
	solver lp.Solver
	column []int // by column of λ: the resource
	chunks int
}

func (d *dual) newMaster() (*master, error) {
	m := &master{dual: d, chunks: len(d.chunk) - 1}
	program := lp.NewModel("prices")
	program.Maximize = true
	for range m.chunks {
		program.AddCol("", 1, 0, lp.Inf) // answers use and cross no less than nothing
	}
	upper := lp.Inf
	if !d.simplex {
		upper = d.most * d.time / d.unit
	}
	var sum []lp.Entry
	for r, c := range d.limit {
		if c > 0 {
			m.column = append(m.column, r)
			sum = append(sum, lp.Entry{Col: program.AddCol("", d.worth[r]/d.time, 0, upper), Coef: 1})
		}
	}
	if d.simplex {
		program.AddRow("", sum, lp.EQ, 1)
	}
	var err error
	if m.solver, err = lpsolve.NewSolver(program); err != nil {
		return nil, &solver.BackendError{Err: err}
	}
	return m, nil
}

// cut adds a cut for each answer of one query.
func (m *master) cut(answers []answer) error {
	for c := range answers {
		row := []lp.Entry{{Col: lp.Col(c), Coef: 1}}
		for k, r := range m.column {
			if u := answers[c].use[r]; u > 0 {
				row = append(row, lp.Entry{Col: lp.Col(m.chunks + k), Coef: -u / m.limit[r] / m.time})
			}
		}
		rhs := 0.0
		if !m.simplex {
			rhs = answers[c].cross / m.unit
		}
		if _, err := m.solver.AddRow("", row, lp.LE, rhs); err != nil {
			return &solver.BackendError{Err: err}
		}
	}
	return nil
}

// solve is the best λ under the cuts and its value; nil if ctx ended or the backend found none.
func (m *master) solve(ctx context.Context) ([]float64, float64, error) {
	sol, err := m.solver.Solve(ctx)
	if err != nil {
		return nil, 0, &solver.BackendError{Err: err}
	}
	if sol.Status != lp.Optimal {
		return nil, 0, nil
	}
	lambda := make([]float64, len(m.limit))
	for k, r := range m.column {
		lambda[r] = max(0, sol.X[m.chunks+k]) * (m.unit / m.time)
	}
	return lambda, sol.Objective * m.unit, nil
}
