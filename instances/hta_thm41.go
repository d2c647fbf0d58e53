package instances

import (
	"fmt"
	"slices"

	"mrsched/model"
	"mrsched/solver"
)

func thm41Preset() Preset {
	return Preset{
		Problem: "hta", Name: "thm41",
		Summary: "a task a server, each with one replica: one replica more may cost round robin a remote task: run " +
			"round-robin --tie worst with and without --extra-replica",
		Source: "Fischer, Su, Yin, SPAA 2010, Theorem 4.1",
		Params: slices.Concat([]solver.Param{
			htaServers("10", 2),
			{Name: "extra-replica", Kind: solver.BoolParam, Default: "false", Usage: "a second replica of the last task's " +
				"block, on the first server: the proof's G′"},
		}, htaCosts()),
		Generate: generateThm41,
		Tasks:    func(p solver.Params, _ uint64) int64 { return p.Int("servers") },
	}
}

// generateThm41 makes the placement graph G of the proof, task "t<i>" on server "s<i>" alone; or G′, with an edge from
// the last task to the first server.
func generateThm41(p solver.Params, _ uint64) (*model.Workload, error) {
	n, extra := int(p.Int("servers")), p.Bool("extra-replica")
	name, graph := fmt.Sprintf("thm41-%d", n), "G"
	if extra {
		name, graph = name+"-extra", "G′"
	}
	b := htaWorkload(name, htaCost(p), n, 1)
	b.Note("the placement graph %s of Theorem 4.1 (Fischer, Su, Yin 2010)", graph)
	for i := 1; i <= n; i++ {
		task, block := fmt.Sprintf("t%d", i), fmt.Sprintf("b%d", i)
		b.Task(model.Task{ID: task, Kind: model.Map}, "j1", block, model.Locus{})
		b.Placement(block, fmt.Sprintf("s%d", i), model.Locus{})
		if extra && i == n {
			b.Placement(block, "s1", model.Locus{})
		}
	}
	return b.Build()
}
