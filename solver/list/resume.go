package list

import (
	"slices"

	"mrsched/model"
)

// Partial is a schedule of which some tasks have started.
type Partial struct {
	Schedule *model.Schedule
	Started  []bool // by task
}

// NewPartial is the schedule in which nothing has started.
func (g *Graph) NewPartial() *Partial {
	return &Partial{&model.Schedule{Entries: make([]model.Entry, g.Tasks)}, make([]bool, g.Tasks)}
}

// Ready is when the started tasks let every node start, by node; a task that waits for others has the part that is
// known. topo lists the nodes, predecessors first.
func (g *Graph) Ready(p *Partial, topo []int32) []model.Time {
	ready := slices.Clone(g.Earliest)
	for _, u := range topo {
		end := ready[u]
		if int(u) < g.Tasks {
			if !p.Started[u] {
				continue
			}
			end = p.Schedule.Entries[u].End
		}
		for a := g.SuccFirst[u]; a < g.SuccFirst[u+1]; a++ {
			v := g.SuccNode[a]
			ready[v] = max(ready[v], end+g.SuccDelay[a])
		}
	}
	return ready
}

// Resume is InOrder from a time on. A machine is idle when its started tasks have ended. The order lists tasks that
// have not started, predecessors first; those that would start before until do start.
//
// Complexity: O((N + arcs) log m). Ties between machines: the lower index.
func (g *Graph) Resume(p *Partial, topo, order []int32, m int, now, until model.Time) {
	ready := g.Ready(p, topo)
	waiting := slices.Clone(g.Preds)
	idle := g.machines(m)
	for i := range idle {
		idle[i].Key = now
	}
	for u, started := range p.Started {
		if e := p.Schedule.Entries[u]; started {
			idle[e.Machine].Key = max(idle[e.Machine].Key, e.End)
			g.release(int32(u), e.End, ready, waiting, func(int32) {})
		}
	}
	idle.Init()
	for _, u := range order {
		start := max(ready[u], idle[0].Key)
		e := model.Entry{Task: model.TaskIndex(u), Machine: idle[0].Index, Start: start, End: start + g.Processing[u]}
		idle.ReplaceTop(Item{Key: e.End, Index: e.Machine})
		g.release(u, e.End, ready, waiting, func(int32) {})
		if start < until {
			p.Schedule.Entries[u], p.Started[u] = e, true
		}
	}
}
