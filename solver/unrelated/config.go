package unrelated

import (
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/solver"
	"mrsched/solver/lp"
)

const (
	// configTasks, configPairs are the numbers of tasks, and of tasks times machines, up to which there are configuration
	// programs.
	configTasks, configPairs = 1000, 50_000
	// configScale is the largest price of a task in knapsacks. A smaller one makes bounds weaker, a larger one knapsacks
	// slower where times have no large common divisor.
	configScale = 1 << 16
	// configSmooth is how far prices that are tried lie between the best ones known and those of the program (Wentges
	// 1997).
	configSmooth = 0.5
	// Sets may be worse than the best ones by the program's value over configPrecision in total, or, while that value
	// is unknown, by the share configCoarse of all prices; configFiner is the factor by which the next try is more
	// precise.
	configPrecision, configCoarse, configFiner = 4, 1e-3, 16
	// configRounds is how many vectors of prices are tried before a program counts as undecided.
	configRounds = 400
	// configLP converts rows to work: solving the program counts each row as the square of the number of tasks over
	// configLP, in partial sums of a knapsack.
	configLP = 12
	// configTolerance is the value of the program below which all tasks have a place, and the error of shares.
	configTolerance = 1e-6
)

// configuration is the configuration program for a limit T, below the decisions of a branch: is there a fractional
// choice of sets of tasks, one set per machine, each of which fits into T, that covers all tasks? Its dual is
//
//	maximise    Σ_i u_i − Σ_g m_g·e_g − R·θ
//	subject to  Σ_(i in K) u_i ≤ e_g + θ     for every set K that fits on the machines of group g
//	            0 ≤ u ≤ 1, e ≥ 0, θ ≥ 0
//
// whose rows are found by knapsacks with prices u; θ is there only if some machines must stay empty. A value above 0
// refutes T, and u proves it. The m_g machines of a group are interchangeable: of one class, and no decision tells them
// apart.
type configuration struct {
	*Instance
	limit    model.Time
	group    []int32 // by machine
	groups   int32   // all groups are below
	fixed    []int32 // by task: the machine on which a decision puts it, or −1
	excluded []bool  // by task and machine

	pool  [][][]int32       // by class: sets that fit
	known []map[string]bool // by class: those in the pool
	knap  knapsack
	trial []float64 // the best prices so far
}

// configurable says whether an instance is small enough for configuration programs, which need whole tasks.
func (in *Instance) configurable() bool {
	return in.n <= configTasks && in.n*in.m <= configPairs && !in.divisible && !in.partial
}

// newConfiguration starts without decisions, from prices of tasks.
func (in *Instance) newConfiguration(limit model.Time, trial []float64, work int64) *configuration {
	x := &configuration{Instance: in, limit: limit, group: slices.Clone(in.class), groups: int32(len(in.speed)),
		fixed: make([]int32, in.n), excluded: make([]bool, in.n*in.m), pool: make([][][]int32, len(in.speed)), trial: trial}
	for i := range x.fixed {
		x.fixed[i] = -1
	}
	for range in.speed {
		x.known = append(x.known, map[string]bool{})
	}
	x.knap.work = work
	return x
}

// firstTrial are prices of tasks to start from: derived from prices of machines if there are any, else their shortest
// times.
func (in *Instance) firstTrial(b Bound) []float64 {
	u := make([]float64, in.n)
	for i := range u {
		u[i] = float64(in.least[i])
		if b.Proof.Machines == nil {
			continue
		}
		u[i] = math.Inf(1)
		for k, y := range b.Proof.Machines {
			if t := in.on(i, int32(k)); t <= b.Value {
				u[i] = math.Min(u[i], float64(y)*float64(t))
			}
		}
	}
	if most := slices.Max(u); most > 0 {
		for i := range u {
			u[i] /= most
		}
	}
	return u
}

// allowed says whether a task may run on a machine.
func (x *configuration) allowed(i int, k int32) bool {
	if x.fixed[i] >= 0 {
		return x.fixed[i] == k
	}
	return !x.excluded[i*x.m+int(k)] && x.on(i, k) <= x.limit
}

// machineGroup is a group of interchangeable machines.
type machineGroup struct {
	first int32
	count int
}

// grouped lists the groups, in the order of their first machines.
func (x *configuration) grouped() (list []machineGroup) {
	at := make([]int32, x.groups)
	for k, g := range x.group {
		if at[g] == 0 {
			list = append(list, machineGroup{int32(k), 0})
			at[g] = int32(len(list))
		}
		list[at[g]-1].count++
	}
	return list
}

// Verdict is the answer to whether a limit can be kept.
type Verdict int

// The verdicts. Feasible means an assignment; of a configuration program it means a fractional solution only.
const (
	Undecided Verdict = iota
	Refuted
	Feasible
)

// configSolution is a solution of the program: how often sets are chosen.
type configSolution struct {
	groups []machineGroup
	chosen []chosenSet
}

type chosenSet struct {
	group int // in groups
	set   []int32
	times float64
}

// solve solves the program below the present decisions.
func (x *configuration) solve(ctx context.Context) (Verdict, *Proof, *configSolution, error) {
	d := x.dual()
	defer d.close()
	return d.solve(ctx)
}

// solve solves the program; the first time it tries the best prices so far before that. It may be called again after
// the limit has risen, because sets that fit still do. It returns a proof if the limit is refuted, and a solution if it
// is feasible.
func (d *configDual) solve(ctx context.Context) (Verdict, *Proof, *configSolution, error) {
	if d.homeless() {
		return Refuted, &Proof{}, nil, nil
	}
	best := 0.0
	if !d.tried {
		d.tried = true
		value, whole, sets := d.price(d.trial, d.coarse(d.trial))
		switch {
		case sets == nil:
			return Undecided, nil, nil, nil
		case value > 0:
			d.over = value
			return Refuted, &Proof{Tasks: whole}, nil, nil
		}
		best = value
		for g, set := range sets {
			d.keep(g, set)
		}
	}
	if err := d.load(); err != nil {
		return Undecided, nil, nil, err
	}
	for range configRounds {
		if d.knap.work -= int64(d.n*d.n/configLP+1) * int64(len(d.rows)+1); d.knap.work < 0 {
			break
		}
		sol, err := d.solver.Solve(ctx)
		if err != nil {
			return Undecided, nil, nil, &solver.BackendError{Err: err}
		}
		if sol.Status != lp.Optimal { // a limit, or numbers that lp_solve cannot handle
			break
		}
		if sol.Objective <= configTolerance {
			return Feasible, nil, d.solution(sol), nil
		}
		v, proof, err := d.improve(sol, &best)
		switch {
		case err != nil || v == Refuted:
			return v, proof, nil, err
		case v == Feasible:
			return v, nil, d.solution(sol), nil
		}
	}
	return Undecided, nil, nil, nil
}

// homeless reports whether some task may not run on any machine.
func (d *configDual) homeless() bool {
	for i := range d.n {
		if d.fixed[i] < 0 && !slices.ContainsFunc(d.groups, func(g machineGroup) bool { return d.allowed(i, g.first) }) {
			return true
		}
	}
	return false
}
