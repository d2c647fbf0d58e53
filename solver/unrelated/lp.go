package unrelated

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/solver"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

const (
	// lpTimes is the number of times, different tasks by classes, up to which T* comes from lp_solve: some seconds at
	// most. Above, prices have a closed form or come from a sample of the tasks with at most sampleTimes times.
	lpTimes, sampleTimes = 300_000, 50_000
	// relatedTimes is that number for related machines, whose programs are degenerate and hard, and have a solution in
	// closed form.
	relatedTimes = 5_000
	// lpTolerance is the relative error up to which the program counts as fitting into a limit; the exact evaluation of
	// its prices decides.
	lpTolerance = 1e-9
	// lpRows is how many rows a task adds in one round of pricing.
	lpRows = 2
	// shareTolerance is the share below which a task is not on a machine: above lp_solve's errors, and small enough for
	// all tasks of a program together to weigh nothing.
	shareTolerance = 1e-7
)

// share is the part of a task that a fractional assignment puts on a class.
type share struct {
	task, class int32
	part        float64
}

// relaxation is a bound by prices of machines, and the fractional assignment at that bound.
type relaxation struct {
	Bound
	// shares are a vertex of the program at the bound, by task, then class; nil if it was not solved.
	shares []share
	load   []float64 // by class, in microseconds; with shares
	// waste is by how much a task costs more on a class than where it costs least, by task, then class, in microseconds
	// of a machine of the mean price; nil if times are not kept.
	waste []float64
}

// RelaxedBound is the bound by prices of machines: T* if the linear program is small enough to be solved, rounded up to
// a possible load. If the context ends it is what is proven so far. Errors come from lp_solve.
func (in *Instance) RelaxedBound(ctx context.Context) (Bound, error) {
	f, err := in.relaxation(ctx)
	if err != nil {
		return Bound{}, err
	}
	return f.Bound, nil
}

// relaxation solves the relaxation once; one that the context cut short is not kept.
func (in *Instance) relaxation(ctx context.Context) (*relaxation, error) {
	if in.relaxed != nil {
		return in.relaxed, nil
	}
	f, err := in.relax(ctx)
	if err == nil && ctx.Err() == nil {
		in.relaxed = f
		f.useMachines(in)
	}
	return f, err
}

// useMachines computes waste from a bound by prices of machines.
func (f *relaxation) useMachines(in *Instance) {
	y := f.Proof.Machines
	if y == nil || in.times == nil || in.related {
		return
	}
	classes := len(in.speed)
	price := make([]float64, classes) // by class
	for k, c := range in.class {
		price[c] = float64(y[k])
	}
	mean := sumOfMost(in, price) / float64(in.most)
	f.waste = make([]float64, len(in.times))
	for i := range in.n {
		least := math.Inf(1)
		for c := range price {
			if t := in.time(i, c); in.fits(t, f.Value) {
				least = math.Min(least, price[c]*float64(t))
			}
		}
		for c := range price {
			f.waste[i*classes+c] = (price[c]*float64(in.time(i, c)) - least) / mean
		}
	}
}

// relax finds T* and a vertex at T*. It raises T to what the prices of the program at T prove, until the program at T
// fits into T. Each step refutes all limits up to the next one, so the last is T*. Pieces of divisible tasks may lie
// where the whole takes longer, so that there is one step.
func (in *Instance) relax(ctx context.Context) (*relaxation, error) {
	f := &relaxation{}
	if !in.divisible {
		f.Value = in.longest()
	}
	groups := in.alike()
	switch {
	case (groups == nil || len(groups)*len(in.speed) > relatedTimes) && in.related:
		in.relatedBound(ctx, &f.Bound)
		return f, nil
	case groups == nil:
		return f, in.sampledBound(ctx, &f.Bound, sampleTimes)
	}
	x, err := in.newPriceLP(groups, nil, 0)
	if err != nil {
		return nil, err
	}
	defer x.solver.Close()
	for {
		sol, err := x.solve(ctx, f.Value)
		if err == nil && sol == nil { // the context has ended: speeds are prices, too
			in.raise(&f.Bound, in.speed)
		}
		if err != nil || sol == nil {
			return f, err
		}
		better := false
		if sol.Objective*x.scale > float64(f.Value)*(1-lpTolerance) {
			better = in.raise(&f.Bound, x.prices(sol.X))
		}
		if !better || in.divisible {
			f.shares, f.load = x.shares(sol)
			return f, nil
		}
	}
}

// sampledBound raises a bound by the prices of a sample of the tasks with so many times, evenly spaced and divisible.
func (in *Instance) sampledBound(ctx context.Context, b *Bound, times int) error {
	n := max(1, min(in.n, times/len(in.speed)))
	part := New(Spec{Tasks: n, Class: in.class, Speed: in.speed, Most: in.most, Divisible: true,
		Time: func(i, c int) model.Time { return in.time(i*in.n/n, c) }})
	own, err := part.RelaxedBound(ctx)
	if err != nil || own.Proof.Machines == nil {
		return err
	}
	y := make([]float64, len(in.speed))
	for k, c := range in.class {
		y[c] = float64(own.Proof.Machines[k])
	}
	in.raise(b, y)
	return nil
}

// alike groups tasks that take the same time on every class; nil if there are too many times for lp_solve.
func (in *Instance) alike() (list [][]int32) {
	if in.times == nil {
		return nil
	}
	classes := len(in.speed)
	at := map[string]int{}
	key := make([]byte, 0, 8*classes)
	for i := range in.n {
		key = key[:0]
		for _, t := range in.times[i*classes : (i+1)*classes] {
			key = binary.LittleEndian.AppendUint64(key, uint64(t))
		}
		g, ok := at[string(key)]
		if !ok {
			g = len(list)
			if (g+1)*classes > lpTimes {
				return nil
			}
			at[string(key)] = g
			list = append(list, nil)
		}
		list[g] = append(list[g], int32(i))
	}
	return list
}

// priceLP is the dual of the linear program for one limit T:
//
//	maximise    Σ_g n_g·v_g
//	subject to  v_g ≤ p_gc·(y_c + θ)     for every class c with p_gc ≤ T
//	            Σ_c m_c·y_c + R·θ = 1
//	            v, y, θ ≥ 0
//
// A group g is n_g tasks that take the same time on every class; a class c is m_c machines. The value is the least
// makespan of an assignment that splits tasks among machines with p ≤ T and works at most R machines' worth of time in
// all; θ is there only if that is a limit. The duals of the rows are the shares. Rows are added where they are
// violated, so that there are only a few a group, and a larger T only adds rows.
type priceLP struct {
	*Instance
	group  [][]int32 // tasks
	scale  float64   // microseconds of one unit of p
	solver lp.Solver
	theta  lp.Col // −1: none
	row    []pair // by row of the solver, from 1
	has    map[pair]bool

	counters [][]counter // by class, of a limit; nil: none
	limit    model.Time  // of the counters
}

type pair struct{ group, class int32 }

// newPriceLP makes the solver, with one row. Counters are those of a limit.
func (in *Instance) newPriceLP(groups [][]int32, counters [][]counter, limit model.Time) (*priceLP, error) {
	x := &priceLP{Instance: in, group: groups, has: map[pair]bool{}, theta: -1, counters: counters, limit: limit}
	m := lp.NewModel("machine-prices")
	m.Maximize = true
	x.scale = math.Max(1, float64(in.longest()))
	for _, g := range x.group { // v ≤ p, for y + θ ≤ 1; twice that keeps the program bounded and is never reached
		m.AddCol("", float64(len(g)), 0, 2*(math.Max(1, float64(in.least[g[0]]))+float64(limit))/x.scale)
	}
	var norm []lp.Entry
	for _, machines := range in.members {
		norm = append(norm, lp.Entry{Col: m.AddCol("", 0, 0, lp.Inf), Coef: float64(len(machines))})
	}
	if in.Limited() {
		x.theta = m.AddCol("", 0, 0, lp.Inf)
		norm = append(norm, lp.Entry{Col: x.theta, Coef: float64(in.most)})
	}
	for c, list := range counters {
		for k := range list {
			list[k].col = m.AddCol("", 0, 0, lp.Inf)
			room := float64(list[k].most*len(in.members[c])) * x.scale / float64(limit)
			norm = append(norm, lp.Entry{Col: list[k].col, Coef: room})
		}
	}
	m.AddRow("", norm, lp.EQ, 1)
	var err error
	if x.solver, err = lpsolve.NewSolver(m); err != nil {
		return nil, &solver.BackendError{Err: err}
	}
	return x, nil
}

// price is y_c + θ.
func (x *priceLP) price(sol []float64, c int) float64 {
	y := sol[len(x.group)+c]
	if x.theta >= 0 {
		y += sol[x.theta]
	}
	return y
}

// solve adds violated rows until there are none; nil if the context ended.
func (x *priceLP) solve(ctx context.Context, limit model.Time) (*lp.Solution, error) {
	var sol *lp.Solution
	for {
		added, err := x.separate(sol, limit)
		if err != nil || !added && sol != nil {
			return sol, err
		}
		sol, err = x.solver.Solve(ctx)
		if err := failure(sol, err); err != nil {
			return nil, err
		}
		if sol.Status != lp.Optimal {
			return nil, nil
		}
	}
}

// separate adds the rows of each group that a solution violates most; without a solution, those of the shortest times.
func (x *priceLP) separate(sol *lp.Solution, limit model.Time) (added bool, err error) {
	type candidate struct {
		class int32
		worth float64
	}
	var list []candidate
	for g, tasks := range x.group {
		list = list[:0]
		for c := range x.speed {
			t := x.time(int(tasks[0]), c)
			if !x.fits(t, limit) || x.has[pair{int32(g), int32(c)}] {
				continue
			}
			worth := float64(t) / x.scale
			if sol != nil {
				if worth = x.cost(sol.X, g, c); worth >= sol.X[g]-lpTolerance {
					continue
				}
			}
			list = append(list, candidate{int32(c), worth})
		}
		slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.worth, b.worth) })
		for _, e := range list[:min(len(list), lpRows)] {
			if err := x.add(int32(g), e.class); err != nil {
				return false, err
			}
			added = true
		}
	}
	return added, nil
}

// add adds v_g ≤ p_gc·(y_c + θ).
func (x *priceLP) add(g, c int32) error {
	q := float64(x.time(int(x.group[g][0]), int(c))) / x.scale
	row := []lp.Entry{{Col: lp.Col(g), Coef: 1}, {Col: lp.Col(len(x.group) + int(c)), Coef: -q}}
	if x.theta >= 0 {
		row = append(row, lp.Entry{Col: x.theta, Coef: -q})
	}
	for _, n := range x.counting(int(g), int(c)) {
		row = append(row, lp.Entry{Col: n.col, Coef: -1})
	}
	if _, err := x.solver.AddRow("", row, lp.LE, 0); err != nil {
		return &solver.BackendError{Err: err}
	}
	x.row = append(x.row, pair{g, c})
	x.has[pair{g, c}] = true
	return nil
}

// prices are y_c + θ by class.
func (x *priceLP) prices(sol []float64) []float64 {
	y := make([]float64, len(x.speed))
	for c := range y {
		y[c] = math.Max(0, x.price(sol, c))
	}
	return y
}

// shares are the duals of the rows, split by task: the tasks of a group fill its shares on one class after another.
// That keeps the number of cycles in the graph of tasks and classes.
func (x *priceLP) shares(sol *lp.Solution) (list []share, load []float64) {
	by := make([][]share, len(x.group))
	load = make([]float64, len(x.speed))
	for k, r := range x.row {
		if d := sol.Dual[k+1]; d > 0 {
			by[r.group] = append(by[r.group], share{class: r.class, part: d})
			load[r.class] += d * float64(x.time(int(x.group[r.group][0]), int(r.class)))
		}
	}
	for g, tasks := range x.group {
		slices.SortFunc(by[g], func(a, b share) int { return cmp.Compare(a.class, b.class) })
		sum := 0.0
		for _, f := range by[g] {
			sum += f.part
		}
		k, left := 0, 1.0 // of task k this is not placed yet
		for _, f := range by[g] {
			rest := f.part * float64(len(tasks)) / sum
			for rest > shareTolerance && k < len(tasks) {
				part := math.Min(rest, left)
				list = append(list, share{tasks[k], f.class, part})
				rest -= part
				if left -= part; left <= shareTolerance {
					k, left = k+1, 1
				}
			}
		}
	}
	sortShares(list)
	return list, load
}

// sortShares sorts by task, then class.
func sortShares(list []share) {
	slices.SortStableFunc(list, func(a, b share) int {
		return cmp.Or(cmp.Compare(a.task, b.task), cmp.Compare(a.class, b.class))
	})
}
