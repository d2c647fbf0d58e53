package instances

import (
	"fmt"

	"mrsched/model"
	"mrsched/solver"
)

// Purposes of the random streams.
const (
	htaReads = iota + 201
	htaPlaces
	htaRanks
)

// Parameters that several presets of hta share. Costs are seconds a task.
func htaTasks(usage, number string) solver.Param {
	return solver.Param{Name: "tasks", Kind: solver.IntParam, Default: number, Minimum: 1, Maximum: 1e7, Usage: usage}
}

func htaServers(number string, least float64) solver.Param {
	return solver.Param{Name: "servers", Kind: solver.IntParam, Default: number, Minimum: least, Maximum: 1e6,
		Usage: "number of servers"}
}

func htaCosts() []solver.Param {
	return []solver.Param{
		{Name: "local", Kind: solver.FloatParam, Default: "1", Minimum: 1e-6, Maximum: 1e6,
			Usage: "cost of a task whose server holds its block"},
		{Name: "remote", Kind: solver.FloatParam, Default: "3", Minimum: 1e-6, Maximum: 1e6, Usage: "cost of any other task"},
	}
}

// htaCost reads the parameters of htaCosts. The builder reports costs that fall.
func htaCost(p solver.Params) model.AssignmentCost {
	return model.AssignmentCost{Local: model.TimeOf(p.Float("local")),
		Remote: model.RemoteCost{Base: model.TimeOf(p.Float("remote"))}}
}

// htaWorkload starts a workload of one job, "j1", on servers "s1", "s2", … that spread over racks evenly, neighbours in
// one rack; none: they hang under the root.
func htaWorkload(name string, cost model.AssignmentCost, servers, racks int) *model.Builder {
	b := model.NewBuilder()
	b.Scalars(name, "hta", model.Optional[int64]{}, nil)
	b.Cost(cost, model.Locus{})
	b.Job(model.Job{ID: "j1", Weight: model.UnitWeight}, model.Locus{})
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	for k := range racks {
		b.Node(model.Node{ID: fmt.Sprintf("rack%d", k+1), Kind: model.RackNode}, "root", model.Locus{})
	}
	rack := rackNumbers(servers, racks)
	for s := range servers {
		parent := "root"
		if racks > 0 {
			parent = fmt.Sprintf("rack%d", rack[s]+1)
		}
		b.Node(model.Node{ID: fmt.Sprintf("s%d", s+1), Kind: model.HostNode, MapSlots: 1}, parent, model.Locus{})
	}
	return b
}

// rackFirst is the first server of a rack; that of the rack after the last is the number of servers.
func rackFirst(rack, servers, racks int) int { return rack * servers / racks }

// rackNumbers are the racks of all servers; zeros without racks.
func rackNumbers(servers, racks int) []int {
	number := make([]int, servers)
	for k := range racks {
		for s := rackFirst(k, servers, racks); s < rackFirst(k+1, servers, racks); s++ {
			number[s] = k
		}
	}
	return number
}

// contradiction is a finding about parameters that do not fit each other.
func contradiction(what, expected, hint string) model.Finding {
	return model.Finding{Code: model.CodeParameter, What: what, Expected: expected, Hint: hint}
}
