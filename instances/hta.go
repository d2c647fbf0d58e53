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

func htaServers(number string, least float64) solver.Param {
	return whole("servers", number, least, 1e6, "number of servers")
}

// htaCosts are the costs of a task in seconds.
func htaCosts() []solver.Param {
	return []solver.Param{
		number("local", "1", 1e-6, 1e6, "cost of a task whose server holds its block"),
		number("remote", "3", 1e-6, 1e6, "cost of any other task"),
	}
}

// htaCost reads the parameters of htaCosts. The builder reports costs that fall.
func htaCost(p solver.Params) model.AssignmentCost {
	return model.AssignmentCost{Local: model.TimeOf(p.Float("local")),
		Remote: model.RemoteCost{Base: model.TimeOf(p.Float("remote"))}}
}

// htaWorkload starts a workload of one job, "j1", on servers "s1", "s2", … that spread over racks evenly, neighbours in
// one rack; without racks they hang under the root.
func htaWorkload(name string, cost model.AssignmentCost, servers, racks int) maker {
	b := newMaker()
	b.start(name, "hta")
	b.cost(cost)
	b.job(model.Job{ID: "j1", Weight: model.UnitWeight})
	b.root()
	for k := range racks {
		b.node(model.Node{ID: nth("rack", k), Kind: model.RackNode}, "root")
	}
	for s, rack := range rackNumbers(servers, racks) {
		parent := "root"
		if racks > 0 {
			parent = nth("rack", rack)
		}
		b.node(model.Node{ID: nth("s", s), Kind: model.HostNode, MapSlots: 1}, parent)
	}
	return b
}

// local adds a map whose block lies on the given servers.
func (b maker) local(task, block string, servers ...int) {
	b.task(model.Task{ID: task, Kind: model.Map}, "j1", block)
	for _, s := range servers {
		b.placement(block, fmt.Sprintf("s%d", s))
	}
}
