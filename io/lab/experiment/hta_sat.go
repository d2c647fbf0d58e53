package experiment

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"mrsched/model"
	"mrsched/model/hta/sat"
)

// The formulas of hta-sat: satCount of each length per seed. The more clauses, the fewer formulas are satisfiable.
const satVariables, satCount = 3, 10

var satClauses = []float64{2, 4, 7, 10, 13, 16}

// satAnswer is the outcome for one formula.
type satAnswer struct {
	satisfiable bool // by a truth table
	three       bool // the optimal makespan is 3
	found       bool // best ends at 3
	known       bool // the optimum is proven
}

// satisfiability reduces random 3SAT formulas to task assignment and compares the optimum with a truth table.
func satisfiability(f *figure) {
	each := len(f.seeds) * satCount
	n := len(satClauses) * each
	answers := measured(f.Lab, f.Name, n, func(ctx context.Context, i int) (satAnswer, error) {
		seed, clauses := f.seeds[i%each/satCount], int(satClauses[i/each])
		random := rand.New(rand.NewPCG(copySeed(seed, i%satCount), uint64(clauses)))
		return f.satisfy(ctx, randomFormula(random, clauses), seed)
	})
	f.Parameters["formulas_a_seed"] = satCount
	share := func(holds func(satAnswer) bool) values {
		return func(x float64) (list samples) {
			k := slices.Index(satClauses, x)
			for all := range slices.Chunk(answers[k*each:(k+1)*each], satCount) {
				n := len(slices.DeleteFunc(slices.Clone(all), func(a satAnswer) bool { return !holds(a) }))
				list = append(list, 100*float64(n)/satCount)
			}
			return list
		}
	}
	f.line("satisfiable", 0, satClauses, share(func(a satAnswer) bool { return a.satisfiable }))
	f.dashed("optimal makespan 3", 1, satClauses, share(func(a satAnswer) bool { return a.three }))
	f.line("best ends at 3", 2, satClauses, share(func(a satAnswer) bool { return a.found }))
	var t, reached holding
	for _, a := range answers {
		if a.known {
			t.add(a.three == a.satisfiable)
		}
		if a.satisfiable {
			reached.add(a.found)
		}
	}
	f.theorem(t, "Theorem 3.1: the optimal makespan is 3 exactly if the formula is satisfiable", fmt.Sprintf("best ends "+
		"at 3 on %d of %d satisfiable formulas; optima not proven: %d", reached.held, reached.points, n-t.points))
}

// randomFormula has this many clauses of three literals, each a random variable, negated or not.
func randomFormula(random *rand.Rand, clauses int) *sat.Formula {
	f := &sat.Formula{}
	for range clauses {
		var c sat.Clause
		for i := range c {
			c[i] = sat.Literal(1 + random.IntN(satVariables))
			if random.IntN(2) == 0 {
				c[i] = -c[i]
			}
		}
		f.Clauses = append(f.Clauses, c)
	}
	return f
}

// satisfy decides one formula in both ways.
func (l *Lab) satisfy(ctx context.Context, f *sat.Formula, seed uint64) (a satAnswer, err error) {
	for bits := range 1 << satVariables {
		truth := sat.Truth{}
		for v := range satVariables {
			truth[v+1] = bits>>v&1 == 1
		}
		a.satisfiable = a.satisfiable || f.Falsified(truth) < 0
	}
	w, err := sat.Reduce(f)
	if err != nil {
		return a, err
	}
	x, err := l.assign(ctx, w, seed)
	if err != nil {
		return a, err
	}
	a.found = x.makespan["best"] == sat.Capacity*model.Second
	a.known, a.three = x.optimum.Known, x.optimum.Value == sat.Capacity*model.Second
	return a, nil
}
