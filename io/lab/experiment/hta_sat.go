package experiment

import (
	"context"
	"fmt"
	"math/rand/v2"

	"mrsched/model"
	"mrsched/model/hta/sat"
)

// The formulas of hta-sat: satCount of each length per seed.
const (
	satVariables = 3
	satCount     = 10
)

// satClauses are the numbers of clauses; the more there are, the fewer formulas are satisfiable.
var satClauses = []int{2, 4, 7, 10, 13, 16}

// satAnswer is the outcome for one formula.
type satAnswer struct {
	satisfiable bool // by a truth table
	three       bool // the optimal makespan is 3
	found       bool // best ends at 3
	known       bool // the optimum is proven
}

// satFigure reduces random 3SAT formulas to task assignment and compares the optimum with a truth table.
func satFigure(f *figure) error {
	each := len(f.seeds) * satCount
	answers := make([]satAnswer, len(satClauses)*each)
	err := f.every(len(answers), func(ctx context.Context, i int) (err error) {
		seed := f.seeds[i%each/satCount]
		random := rand.New(rand.NewPCG(copySeed(seed, i%satCount), uint64(satClauses[i/each])))
		answers[i], err = f.satisfy(ctx, randomFormula(random, satClauses[i/each]), seed)
		return err
	})
	if err != nil {
		return err
	}
	f.axes(fmt.Sprintf("clauses over %d variables", satVariables), "% of the formulas")
	f.setParameters(map[string]any{"variables": satVariables, "clauses": satClauses, "formulas_a_seed": satCount,
		"algorithms": []string{"best", "exact"}})
	share := func(holds func(satAnswer) bool) func(x float64) samples {
		return func(x float64) (list samples) {
			for s := range f.seeds {
				n := 0
				for i, a := range answers {
					if satClauses[i/each] == int(x) && i%each/satCount == s && holds(a) {
						n++
					}
				}
				list = append(list, 100*float64(n)/satCount)
			}
			return list
		}
	}
	xs := make([]float64, len(satClauses))
	for i, n := range satClauses {
		xs[i] = float64(n)
	}
	f.line("satisfiable", 0, xs, share(func(a satAnswer) bool { return a.satisfiable }))
	f.dashed("optimal makespan 3", 1, xs, share(func(a satAnswer) bool { return a.three }))
	f.line("best ends at 3", 2, xs, share(func(a satAnswer) bool { return a.found }))
	var t, reached holding
	yes := 0
	for _, a := range answers {
		if a.known {
			t.add(a.three == a.satisfiable)
		}
		if a.satisfiable {
			reached.add(a.found)
			yes++
		}
	}
	f.theorem(&t, "Theorem 3.1: the optimal makespan is 3 exactly if the formula is satisfiable", "a truth table says "+
		"that %d of the %d formulas are satisfiable; best, which is no exhaustive search, ends at 3 on %s of these; %d "+
		"optima are not proven", yes, len(answers), reached.String(), len(answers)-t.points)
	return nil
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
	x, err := l.assign(ctx, w, seed, nil)
	if err != nil {
		return a, err
	}
	a.found = x.makespan["best"] == sat.Capacity*model.Second
	a.known, a.three = x.optimum.Known, x.optimum.Value == sat.Capacity*model.Second
	return a, nil
}
