package wfformat

import (
	"cmp"
	"fmt"
	"math"

	"mrsched/io/trace"
	"mrsched/model"
)

// hosts are the machines that the documents state, each once, in the order of their first statements. Of statements
// that differ the largest numbers count, so that the order of the statements does not matter.
func (im *importer) hosts() []*machine {
	byName := map[string]*machine{}
	differ := map[string]bool{}
	var list []*machine
	for k := range im.jobs {
		for i := range im.jobs[k].machines {
			m := im.jobs[k].machines[i]
			known := byName[m.name]
			if known == nil {
				byName[m.name] = &m
				list = append(list, &m)
				continue
			}
			cores, memory, rate := largest(&known.cores, m.cores), largest(&known.memory, m.memory), largest(&known.rate, m.rate)
			if cores || memory || rate {
				differ[m.name] = true
			}
		}
	}
	im.count[differing] = len(differ)
	return list
}

// largest makes a known value the larger one of two statements; true if both are known and differ.
func largest[T cmp.Ordered](known *model.Optional[T], other model.Optional[T]) bool {
	differ := known.Known && other.Known && known.Value != other.Value
	if other.Known && (!known.Known || known.Value < other.Value) {
		*known = other
	}
	return differ
}

// mostFaster is how many times as fast as another machine one may be.
const mostFaster = 100

// nodes enters the machines that the documents state as nodes of a topology: cores, memory and, relative to the
// fastest, speed. It records the speeds that scale the recorded lengths.
func (im *importer) nodes() {
	im.speed = map[string]float64{}
	order, slowest, fastest := im.hosts(), math.Inf(1), 0.0
	for _, m := range order {
		slowest, fastest = min(slowest, m.rate.Or(slowest)), max(fastest, m.rate.Or(0))
	}
	for _, m := range order {
		if m.rate.Known && m.rate.Value == fastest && fastest > mostFaster*slowest {
			im.b.Findings.Add(model.Finding{Code: model.CodeTraceObject, Pos: m.at,
				What:     fmt.Sprintf("machine %q is %.0f times as fast as another one", m.name, fastest/slowest),
				Expected: "speeds in one unit", Hint: "correct the speed, or leave --nodes out"})
			return
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
