package model

import (
	"fmt"
	"slices"
)

// weightless says that all weights are 0.
func (w *Workload) weightless() []Finding {
	if slices.ContainsFunc(w.Jobs, func(j Job) bool { return j.Weight > 0 }) ||
		slices.ContainsFunc(w.Tasks, func(t Task) bool { return t.Weight.Value > 0 }) {
		return nil
	}
	return []Finding{{Code: CodeWeightless, Pos: w.Where(TableJobs, 0),
		What:     "all weights are 0: every schedule has weighted cost 0, so that the order is arbitrary",
		Expected: "some weight above 0", Hint: "leave weight out for 1"}}
}

// bare reports whether a node states no limit on the tasks that run on it together.
func (n *Node) bare() bool {
	return n.MapSlots+n.ReduceSlots == 0 && !n.CPU.Known && !n.MemoryBytes.Known
}

// among are the rows of the topology for nodes of a kind, in words: `2 of 4 nodes state`, `node "n1" states`.
func (w *Workload) among(rows []int, verb string) string {
	all := 0
	for i := range w.Topology {
		if w.Topology[i].Kind == HostNode {
			all++
		}
	}
	if len(rows) == 1 {
		return fmt.Sprintf("node %q %ss", w.Topology[rows[0]].ID, verb)
	}
	return fmt.Sprintf("%d of %s (such as %q) %s", len(rows), Counted(all, "node"), w.Topology[rows[0]].ID, verb)
}

// hosts are the rows of nodes for which is holds; nil without a topology.
func (w *Workload) hosts(is func(n *Node) bool) (rows []int) {
	for i := range w.Topology {
		if n := &w.Topology[i]; w.HasTopology && n.Kind == HostNode && is(n) {
			rows = append(rows, i)
		}
	}
	return rows
}

// bareNodes finds nodes that state no limit and have no row of capacities.
func (w *Workload) bareNodes() []Finding {
	able := map[NodeIndex]bool{}
	for _, c := range w.Capacities {
		able[c.Node] = true
	}
	rows := w.hosts((*Node).bare)
	if rows = slices.DeleteFunc(rows, func(i int) bool { return able[NodeIndex(i)] }); len(rows) == 0 {
		return nil
	}
	each := "each of them"
	if len(rows) == 1 {
		each = "it"
	}
	return []Finding{{Code: CodeBareNode, Pos: w.Where(TableTopology, rows[0]),
		What:     w.among(rows, "state") + " no slots, no cpu and no memory_bytes: " + each + " runs one task at a time",
		Expected: "what a node has", Hint: "state map_slots and reduce_slots, or cpu and memory_bytes"}}
}

// unlimited finds cpu, or memory, that tasks need but nodes do not state.
func unlimited(column string, need func(t *Task) bool, has func(n *Node) bool) func(w *Workload) []Finding {
	return func(w *Workload) []Finding {
		rows := w.hosts(func(n *Node) bool { return !has(n) && !n.bare() })
		tasks, first := 0, ""
		for i := range w.Tasks {
			if t := &w.Tasks[i]; need(t) {
				if tasks++; tasks == 1 {
					first = t.ID
				}
			}
		}
		if tasks == 0 || len(rows) == 0 {
			return nil
		}
		return []Finding{{Code: CodeUnlimited, Pos: w.Where(TableTopology, rows[0]),
			What: fmt.Sprintf("%s no %s, which then limits nothing there; %s (such as %q) %s it", w.among(rows, "state"), column,
				Counted(tasks, "task"), first, map[bool]string{true: "states", false: "state"}[tasks == 1]),
			Expected: column + " of each node", Hint: "state " + column + " of these nodes in the table topology"}}
	}
}

// slotless finds nodes without slots where other nodes state some.
func (w *Workload) slotless() []Finding {
	without := func(n *Node) bool { return n.MapSlots+n.ReduceSlots == 0 }
	with := w.hosts(func(n *Node) bool { return !without(n) })
	rows := w.hosts(func(n *Node) bool { return without(n) && !n.bare() })
	if len(with) == 0 || len(rows) == 0 {
		return nil
	}
	return []Finding{{Code: CodeUnlimited, Pos: w.Where(TableTopology, rows[0]),
		What: fmt.Sprintf("%s no slots, or 0 of both kinds: slots then limit nothing there, as they do on node %q",
			w.among(rows, "state"), w.Topology[with[0]].ID),
		Expected: "slots of each node", Hint: "state map_slots and reduce_slots; a node that runs nothing needs no row, or " +
			"a row of unavailable from 0 on"}}
}

// unplaced finds maps whose block no placement names.
func (w *Workload) unplaced() []Finding {
	placed := make([]bool, len(w.Blocks))
	for _, p := range w.Placements {
		placed[p.Block] = true
	}
	maps, first := 0, 0
	for i := range w.Tasks {
		if t := &w.Tasks[i]; t.Kind == Map && t.Block != None && !placed[t.Block] &&
			(len(w.Placements) > 0 || t.InputBytes.Value > 0) {
			if maps++; maps == 1 {
				first = i
			}
		}
	}
	if maps == 0 {
		return nil
	}
	t := &w.Tasks[first]
	what := fmt.Sprintf("the block %q of map %q has no placement", w.Blocks[t.Block], t.ID)
	if maps > 1 {
		what = fmt.Sprintf("the block of each of %s (such as %q of %q) has no placement", Counted(maps, "map"),
			w.Blocks[t.Block], t.ID)
	}
	if len(w.Placements) == 0 {
		what += ", as there are none at all"
	}
	return []Finding{{Code: CodeUnplaced, Pos: w.Where(TableTasks, first), What: what + ": no node holds it",
		Expected: "a row of placements for each replica of a block",
		Hint:     "add the rows (in a folder, to placements.csv), or correct the block's name"}}
}
