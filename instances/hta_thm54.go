package instances

import (
	"fmt"

	"mrsched/model"
	"mrsched/solver"
)

// thm54Servers bounds the servers of thm54, whose tasks grow with their square.
const thm54Servers = 3000

func thm54Preset() Preset {
	return Preset{
		Problem: "hta", Name: "thm54",
		Summary: "flow spreads the few local tasks of all servers but the first, and so exceeds the optimum by all that " +
			"its guarantee allows: run flow",
		Source: "mrsched; the guarantee: Fischer, Su, Yin, SPAA 2010, Theorem 5.4",
		Params: []solver.Param{
			{Name: "servers", Kind: solver.IntParam, Default: "10", Minimum: 3, Maximum: thm54Servers,
				Usage: "number of servers; they decide the tasks and their costs too"},
		},
		Generate: generateThm54,
		Tasks:    func(p solver.Params, _ uint64) int64 { return product(p.Int("servers"), p.Int("servers")) },
	}
}

// generateThm54 makes an instance on n servers with w_loc = n−2 and w_rem = n−1 on which Algorithm 2 is worse than the
// optimum by n−2 = (1 − 1/(n−1))·w_rem. The paper says that such instances exist, and shows none.
//
// Tasks "hot1", "hot2", …, (n−1) + (n−2)² of them, are local to s1 only; "t<i>", for i ≥ 2, to s<i> and s2.
//
// Optimum: n−1 hot tasks on s1, all t on s2, n−2 remote ones on each of the others: every load is (n−1)(n−2).
// Algorithm 2: its first maximum flow, at most one local task a server, puts t<i> on s<i>, and no later one moves it.
// Then n−3 remote tasks fit on each of s2, … below (n−1)(n−2), which leaves one of the (n−2)²: with it a server has
// n−2 + (n−2)(n−1). One more local task on s1 makes n(n−2), the same.
func generateThm54(p solver.Params, _ uint64) (*model.Workload, error) {
	n := int(p.Int("servers"))
	cost := model.AssignmentCost{Local: model.Time(n-2) * model.Second,
		Remote: model.RemoteCost{Base: model.Time(n-1) * model.Second}}
	b := htaWorkload(fmt.Sprintf("thm54-%d", n), cost, n, 1)
	b.Note("meets the guarantee of Theorem 5.4 (Fischer, Su, Yin 2010)")
	task := func(name string, servers ...int) {
		b.Task(model.Task{ID: name, Kind: model.Map}, "j1", "b."+name, model.Locus{})
		for _, s := range servers {
			b.Placement("b."+name, fmt.Sprintf("s%d", s), model.Locus{})
		}
	}
	for k := 1; k <= n-1+(n-2)*(n-2); k++ {
		task(fmt.Sprintf("hot%d", k), 1)
	}
	task("t2", 2)
	for i := 3; i <= n; i++ {
		task(fmt.Sprintf("t%d", i), i, 2)
	}
	return b.Build()
}
