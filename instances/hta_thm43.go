package instances

import (
	"fmt"
	"slices"

	"mrsched/model"
	"mrsched/solver"
)

func thm43Preset() Preset {
	return Preset{
		Problem: "hta", Name: "thm43",
		Summary: "every server has its share of the tasks, but those of the last may run elsewhere: round robin may leave " +
			"it remote ones: run round-robin --tie worst",
		Source: "Fischer, Su, Yin, SPAA 2010, Theorem 4.3",
		Params: slices.Concat([]solver.Param{
			htaTasks("number of map tasks, at most n(n-2) on n servers", "80"),
			htaServers("10", 3),
		}, htaCosts()),
		Generate: generateThm43,
		Tasks:    func(p solver.Params, _ uint64) int64 { return p.Int("tasks") },
	}
}

// generateThm43 makes the placement graph of the proof: the tasks fall into one set a server, those of the first
// servers larger by one where the numbers demand it. Task "t<i>.<k>" is the k-th of server "s<i>", which holds its
// block; the k-th of the last server's lies on s<k> besides.
func generateThm43(p solver.Params, _ uint64) (*model.Workload, error) {
	m, n := p.Int("tasks"), p.Int("servers")
	b := htaWorkload(fmt.Sprintf("thm43-%d-%d", m, n), htaCost(p), int(n), 1)
	if m > n*(n-2) {
		b.Findings.Add(contradiction(model.Counted(m, "task")+" on "+model.Counted(n, "server"),
			fmt.Sprintf("at most n(n-2) = %d tasks", n*(n-2)), "lower --tasks or raise --servers"))
		return nil, b.Findings.Err()
	}
	b.Note("the placement graph of Theorem 4.3 (Fischer, Su, Yin 2010)")
	for i := range n {
		size := m / n
		if i < m%n {
			size++
		}
		for k := range size {
			task, block := fmt.Sprintf("t%d.%d", i+1, k+1), fmt.Sprintf("b%d.%d", i+1, k+1)
			b.Task(model.Task{ID: task, Kind: model.Map}, "j1", block, model.Locus{})
			b.Placement(block, fmt.Sprintf("s%d", i+1), model.Locus{})
			if i == n-1 {
				b.Placement(block, fmt.Sprintf("s%d", k+1), model.Locus{})
			}
		}
	}
	return b.Build()
}
