package wfformat

import (
	"mrsched/io/trace"
	"mrsched/model"
)

// nodes enters the machines that the documents state, each once, as nodes of a topology: cores, memory and, relative to
// the fastest, speed. It records the speeds that scale the recorded lengths.
func (im *importer) nodes() {
	im.speed = map[string]float64{}
	seen, fastest := map[string]*machine{}, 0.0
	var order []*machine
	for k := range im.jobs {
		for i := range im.jobs[k].document.machines {
			m := &im.jobs[k].document.machines[i]
			if seen[m.name] == nil {
				seen[m.name], order = m, append(order, m)
			}
			fastest = max(fastest, m.rate.Or(0))
		}
	}
	if len(order) == 0 {
		trace.NothingLeft(&im.b.Findings, nil, "the files state no machines", "machines, for --nodes")
		return
	}
	im.b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	unrated := 0
	for _, m := range order {
		row := model.Node{ID: m.name, Kind: model.HostNode, MemoryBytes: m.memory}
		if m.cores.Known {
			row.CPU = model.Some(float64(m.cores.Value))
		}
		if m.rate.Known {
			row.Speed = model.Some(m.rate.Value / fastest)
			im.speed[m.name] = row.Speed.Value
		} else {
			unrated++
		}
		im.b.Node(row, "root", model.Locus{Pos: m.at})
	}
	im.placed.Add("%s of the files: cores, memory and speed are as stated, speeds relative to the fastest",
		model.Counted(len(order), "node"))
	im.placed.Count(unrated, "node", "without a speed {counts|count} as fast as the fastest")
}

// length is how long a task takes at speed 1.
func (im *importer) length(t *task) model.Optional[model.Time] {
	speed, known := im.speed[t.machine]
	if !known || !t.runtime.Known {
		return t.runtime
	}
	return model.Some(model.TimeOf(t.runtime.Value.Seconds() * speed))
}
