package realtime

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

const (
	// configPartitions, configPairs are the numbers of partitions, and of partitions times slots, up to which there are
	// configuration programs.
	configPartitions, configPairs = 400, 20_000
	// configScale is the largest price of a partition in knapsacks. A smaller one makes bounds weaker, a larger one
	// knapsacks slower where times have no large common divisor.
	configScale = 1 << 16
	// configSmooth is how far prices that are tried lie between the best ones known and those of the LP (Wentges 1997).
	configSmooth = 0.5
	// configPrecision is by which part of the program's value sets may be worse than the best ones in all, configCoarse by
	// which share of all prices where that value is not known, and configFiner by how much better they are tried next.
	configPrecision, configCoarse, configFiner = 4, 1e-3, 16
	// configRounds is how many vectors of prices are tried before a program counts as not answered.
	configRounds = 400
	// configLP is the part of the square of the number of partitions, one in so many, that a row of the program stands for
	// each time that it is solved: the work in sums of a knapsack.
	configLP = 12
	// configTolerance is the value of the program below which all partitions have a place, and the error of shares.
	configTolerance = 1e-6
)

// configs is the configuration program of a packing for a limit T, in the cases that lead to it: is there a fractional
// choice of sets of partitions, one a slot, each of which fits into T, that covers all partitions? Its dual is
//
//	maximise    Σ_i u_i − Σ_g m_g·e_g − R·θ
//	subject to  Σ_(i in K) u_i ≤ e_g + θ     for every set K that fits on the slots of group g
//	            0 ≤ u ≤ 1, e ≥ 0, θ ≥ 0
//
// whose rows are found by knapsacks with prices u; θ is there only if some slots must stay empty. A value above 0
// refutes T, and u proves it (model/realtime, certificate_phases.go). Slots of a group, m_g of them, are alike: of the
// same class and told apart by no case.
type configs struct {
	*packing
	limit  model.Time
	group  []int32 // by candidate
	groups int32   // all groups are below
	fixed  []int32 // by partition: the candidate on which it lies, or −1
	banned []bool  // by partition and candidate

	pool  [][][]int32       // by class: sets that fit
	known []map[string]bool // by class: those in the pool
	knap  knapsack
	trial []float64 // the best prices so far
}

// configurable says whether a packing is small enough.
func (p *packing) configurable() bool {
	return p.n <= configPartitions && p.n*p.m <= configPairs && !p.in.Resplit.Known && !p.partial
}

// newConfigs starts without any case, from prices of partitions.
func (p *packing) newConfigs(limit model.Time, trial []float64, work int64) *configs {
	x := &configs{packing: p, limit: limit, group: slices.Clone(p.Class), groups: int32(len(p.Worker)),
		fixed: make([]int32, p.n), banned: make([]bool, p.n*p.m), pool: make([][][]int32, len(p.Worker)), trial: trial}
	for i := range x.fixed {
		x.fixed[i] = -1
	}
	for range p.Worker {
		x.known = append(x.known, map[string]bool{})
	}
	x.knap.work = work
	return x
}

// allowed says whether a partition may lie on a candidate.
func (x *configs) allowed(i int, k int32) bool {
	if x.fixed[i] >= 0 {
		return x.fixed[i] == k
	}
	return !x.banned[i*x.m+int(k)] && x.on(i, k) <= x.limit
}

// together are the slots of a group; slots is the first of them.
type together struct {
	slot  int32
	count int
}

// grouped lists the groups, in the order of their first slots.
func (x *configs) grouped() []together {
	at := make([]int32, x.groups)
	var list []together
	for k, g := range x.group {
		if at[g] == 0 {
			list = append(list, together{int32(k), 0})
			at[g] = int32(len(list))
		}
		list[at[g]-1].count++
	}
	return list
}

// answer is what a configuration program says.
type answer int

const (
	unanswered answer = iota
	refuted
	relaxed // the program has a solution
)

// relaxation is a solution of the program: how often sets are chosen.
type relaxation struct {
	groups []together
	chosen []choice
}

type choice struct {
	group int // in groups
	set   []int32
	times float64
}

// ask solves the program. If it refutes the limit, proof says why.
func (x *configs) ask(ctx context.Context) (answer, *realtime.Proof, *relaxation, error) {
	d := x.dual()
	defer d.close()
	return d.ask(ctx)
}

// ask solves the program; the first time it tries the best prices so far before. It may be asked again when the limit
// has risen, as sets that fit still do.
func (d *configDual) ask(ctx context.Context) (answer, *realtime.Proof, *relaxation, error) {
	for i := range d.n {
		if !slices.ContainsFunc(d.groups, func(g together) bool { return d.fixed[i] >= 0 || d.allowed(i, g.slot) }) {
			return refuted, &realtime.Proof{}, nil, nil
		}
	}
	best := 0.0
	if !d.tried {
		d.tried = true
		value, whole, sets := d.price(d.trial, d.coarse(d.trial))
		switch {
		case sets == nil:
			return unanswered, nil, nil, nil
		case value > 0:
			d.over = value
			return refuted, &realtime.Proof{Partitions: whole}, nil, nil
		}
		best = value
		for g, set := range sets {
			d.keep(g, set)
		}
	}
	if err := d.load(); err != nil {
		return unanswered, nil, nil, err
	}
	for range configRounds {
		if d.knap.work -= int64(d.n*d.n/configLP+1) * int64(len(d.rows)+1); d.knap.work < 0 {
			return unanswered, nil, nil, nil
		}
		sol, err := d.solver.Solve(ctx)
		if err := backend(sol, err); err != nil {
			return unanswered, nil, nil, err
		}
		if sol.Status != lp.Optimal {
			return unanswered, nil, nil, nil
		}
		if sol.Objective <= configTolerance {
			return relaxed, nil, d.relaxation(sol), nil
		}
		a, proof, err := d.improve(sol, &best)
		switch {
		case err != nil:
			return unanswered, nil, nil, err
		case a == refuted:
			return refuted, proof, nil, nil
		case a == relaxed:
			return relaxed, nil, d.relaxation(sol), nil
		}
	}
	return unanswered, nil, nil, nil
}

// improve prices sets at and near a solution and adds those that it lacks. best is the value of the best prices so far.
// The answer is relaxed if nothing is lacking but what integer prices cannot tell.
func (d *configDual) improve(sol *lp.Solution, best *float64) (answer, *realtime.Proof, error) {
	coarse := int64(sol.Objective * configScale / configPrecision / float64(d.Most))
	for _, try := range []struct {
		smooth float64
		slack  int64
	}{{configSmooth, coarse}, {0, coarse}, {0, 0}} {
		u := make([]float64, d.n)
		for i := range u {
			u[i] = try.smooth*d.trial[i] + (1-try.smooth)*sol.X[i]
		}
		value, whole, sets := d.price(u, try.slack)
		if sets == nil {
			return unanswered, nil, nil
		}
		if value > *best {
			*best, d.trial = value, u
		}
		if value > 0 {
			d.over = value
			return refuted, &realtime.Proof{Partitions: whole}, nil
		}
		added, err := d.add(sol, sets)
		if added || err != nil {
			return unanswered, nil, err
		}
	}
	return relaxed, nil, nil
}

// configDual is the program in lp_solve: columns u, then e by group, then θ.
type configDual struct {
	*configs
	groups []together
	solver lp.Solver // nil: not yet loaded
	theta  lp.Col    // −1: none
	rows   []choice
	has    map[string]bool
	tried  bool
	over   float64 // by how much prices refuted the limit that was asked for last
}

// dual is the program of the present cases.
func (x *configs) dual() *configDual { return &configDual{configs: x, groups: x.grouped()} }

func (d *configDual) close() {
	if d.solver != nil {
		d.solver.Close()
	}
}

// load makes the solver, if there is none, with the sets of the pool as far as cases allow.
func (d *configDual) load() error {
	if d.solver != nil {
		return nil
	}
	m := lp.NewModel("configurations")
	m.Maximize = true
	for range d.n {
		m.AddCol("", 1, 0, 1)
	}
	for _, g := range d.groups {
		m.AddCol("", -float64(g.count), 0, lp.Inf)
	}
	if d.theta = -1; d.limited() {
		d.theta = m.AddCol("", -float64(d.Most), 0, lp.Inf)
	}
	d.has = map[string]bool{}
	for g, of := range d.groups {
		for _, set := range d.pool[d.Class[of.slot]] {
			var kept []int32
			for _, i := range set {
				if d.allowed(int(i), of.slot) {
					kept = append(kept, i)
				}
			}
			if d.isNew(g, kept) {
				m.AddRow("", d.row(g, kept), lp.LE, 0)
			}
		}
	}
	var err error
	if d.solver, err = lpsolve.NewSolver(m); err != nil {
		return &solver.BackendError{Err: err}
	}
	return nil
}

// isNew enters a set of a group.
func (d *configDual) isNew(g int, set []int32) bool {
	key := string(binary.AppendUvarint(nil, uint64(g))) + setKey(set)
	if len(set) == 0 || d.has[key] {
		return false
	}
	d.has[key] = true
	d.rows = append(d.rows, choice{group: g, set: set})
	return true
}

func setKey(set []int32) string {
	var key []byte
	for _, i := range set {
		key = binary.AppendUvarint(key, uint64(i))
	}
	return string(key)
}

// row is Σ_(i in K) u_i − e_g − θ.
func (d *configDual) row(g int, set []int32) []lp.Entry {
	list := make([]lp.Entry, 0, len(set)+2)
	for _, i := range set {
		list = append(list, lp.Entry{Col: lp.Col(i), Coef: 1})
	}
	list = append(list, lp.Entry{Col: lp.Col(d.n + g), Coef: -1})
	if d.theta >= 0 {
		list = append(list, lp.Entry{Col: d.theta, Coef: -1})
	}
	return list
}

// add adds rows for sets that prices of the LP exceed, and keeps them.
func (d *configDual) add(sol *lp.Solution, sets [][]int32) (bool, error) {
	added := false
	for g, set := range sets {
		if d.room(sol, g, set) > -lpTolerance || !d.isNew(g, set) {
			continue
		}
		if _, err := d.solver.AddRow("", d.row(g, set), lp.LE, 0); err != nil {
			return false, &solver.BackendError{Err: err}
		}
		added = true
		d.keep(g, set)
	}
	return added, nil
}

// keep enters a set into the pool.
func (d *configDual) keep(g int, set []int32) {
	class := d.Class[d.groups[g].slot]
	if key := setKey(set); !d.known[class][key] {
		d.known[class][key] = true
		d.pool[class] = append(d.pool[class], set)
	}
}

// room is e_g + θ − Σ_(i in K) u_i.
func (d *configDual) room(sol *lp.Solution, g int, set []int32) float64 {
	room := sol.X[d.n+g]
	if d.theta >= 0 {
		room += sol.X[d.theta]
	}
	for _, i := range set {
		room -= sol.X[i]
	}
	return room
}

// relaxation reads how often sets are chosen.
func (d *configDual) relaxation(sol *lp.Solution) *relaxation {
	r := &relaxation{groups: d.groups}
	for k, c := range d.rows {
		if c.times = math.Abs(sol.Dual[k]); c.times > configTolerance {
			r.chosen = append(r.chosen, c)
		}
	}
	return r
}
