package unrelated

import (
	"encoding/binary"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/solver"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

// configDual is the dual of a configuration program in lp_solve: columns u, then e by group, then θ.
type configDual struct {
	*configuration
	groups []machineGroup
	solver lp.Solver // nil: not yet loaded
	theta  lp.Col    // −1: none
	rows   []chosenSet
	has    map[string]bool
	tried  bool
	over   float64 // by how much prices refuted the limit of the last call
}

// dual is the program below the present decisions.
func (x *configuration) dual() *configDual { return &configDual{configuration: x, groups: x.grouped()} }

func (d *configDual) close() {
	if d.solver != nil {
		d.solver.Close()
	}
}

// load makes the solver, if there is none, with the sets of the pool as far as decisions allow.
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
	if d.theta = -1; d.Limited() {
		d.theta = m.AddCol("", -float64(d.most), 0, lp.Inf)
	}
	d.has = map[string]bool{}
	for g, of := range d.groups {
		for _, set := range d.pool[d.class[of.first]] {
			var kept []int32
			for _, i := range set {
				if d.allowed(int(i), of.first) {
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

// improve prices sets at and near a solution and adds those that it lacks. best is the value of the best prices so far.
// The verdict is Feasible if no set is missing that integer prices can distinguish.
func (d *configDual) improve(sol *lp.Solution, best *float64) (Verdict, *Proof, error) {
	coarse := int64(sol.Objective * configScale / configPrecision / float64(d.most))
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
			return Undecided, nil, nil
		}
		if value > *best {
			*best, d.trial = value, u
		}
		if value > 0 {
			d.over = value
			return Refuted, &Proof{Tasks: whole}, nil
		}
		if added, err := d.add(sol, sets); added || err != nil {
			return Undecided, nil, err
		}
	}
	return Feasible, nil, nil
}

// isNew enters a set of a group.
func (d *configDual) isNew(g int, set []int32) bool {
	key := string(binary.AppendUvarint(nil, uint64(g))) + setKey(set)
	if len(set) == 0 || d.has[key] {
		return false
	}
	d.has[key] = true
	d.rows = append(d.rows, chosenSet{group: g, set: set})
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

// add adds the rows of sets that a solution violates, and keeps these sets.
func (d *configDual) add(sol *lp.Solution, sets [][]int32) (added bool, err error) {
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
	class := d.class[d.groups[g].first]
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

// solution reads how often sets are chosen.
func (d *configDual) solution(sol *lp.Solution) *configSolution {
	s := &configSolution{groups: d.groups}
	for k, c := range d.rows {
		if c.times = math.Abs(sol.Dual[k]); c.times > configTolerance {
			s.chosen = append(s.chosen, c)
		}
	}
	return s
}

// price rounds prices to integers and solves the knapsacks for them: see worth.
func (d *configDual) price(u []float64, slack int64) (value float64, whole []int64, sets [][]int32) {
	whole = make([]int64, d.n)
	for i, v := range u {
		whole[i] = int64(math.Round(math.Max(0, v) * configScale))
	}
	value, sets = d.worth(whole, slack)
	return value, whole, sets
}

// coarse is the slack for prices without a known value.
func (d *configDual) coarse(u []float64) int64 {
	sum := 0.0
	for _, v := range u {
		sum += v
	}
	return int64(sum * configScale * configCoarse / float64(d.most))
}

// worth is how much the sum of integer prices exceeds what fits, in units of u, and a good set for each group; without
// sets if the knapsacks are too hard. The knapsacks are solved to within a slack, which shrinks as long as the sign is
// uncertain; so a positive value may be too small, and another one too large.
func (d *configDual) worth(whole []int64, slack int64) (value float64, sets [][]int32) {
	for ; ; slack /= configFiner {
		over, sets := d.excess(whole, slack)
		if over > 0 && sets != nil {
			if over -= slack * int64(d.most); over <= 0 {
				continue
			}
		}
		return float64(over) / configScale, sets
	}
}

// excess is the sum of prices less the worth of sets, one per machine, each worse than the best one by slack at most.
func (d *configDual) excess(whole []int64, slack int64) (over int64, sets [][]int32) {
	d.knap.slack = slack
	for _, v := range whole {
		over += v
	}
	sets = make([][]int32, len(d.groups))
	var worth []int64
	for g, of := range d.groups {
		v, set, ok := d.fill(of.first, d.limit, whole)
		if !ok {
			return 0, nil
		}
		sets[g] = set
		for range of.count {
			worth = append(worth, v)
		}
	}
	slices.Sort(worth)
	for _, v := range worth[max(0, len(worth)-d.most):] {
		over -= v
	}
	return over, sets
}

// heaviest is the largest load that sets make on the machines of their groups.
func (d *configDual) heaviest(sets [][]int32) (most model.Time) {
	for g, set := range sets {
		weight := model.Time(0)
		for _, i := range set {
			weight += d.on(int(i), d.groups[g].first)
		}
		most = max(most, weight)
	}
	return most
}

// fill solves the knapsack of a machine.
func (x *configuration) fill(k int32, limit model.Time, whole []int64) (int64, []int32, bool) {
	x.knap.items = x.knap.items[:0]
	var free []int32 // take no time
	base := int64(0)
	for i, v := range whole {
		if v == 0 || !x.allowed(i, k) {
			continue
		}
		if t := x.on(i, k); t == 0 {
			free = append(free, int32(i))
			base += v
		} else if t <= limit {
			x.knap.items = append(x.knap.items, knapsackItem{task: int32(i), weight: t, value: v})
		}
	}
	v, set, ok := x.knap.solve(limit)
	if len(free) > 0 {
		set = append(set, free...)
		slices.Sort(set)
	}
	return base + v, set, ok
}
