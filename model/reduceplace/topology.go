package reduceplace

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"mrsched/model"
)

// SlotCosts are the sources of slot costs.
var SlotCosts = []string{"given", "hops", "data", "measured"}

// maxSlots bounds the slots of a topology.
const maxSlots = 10_000_000

// slotRow is a slot before slots are numbered.
type slotRow struct {
	name, node string
	host       model.NodeIndex
	cost       model.Cost
}

// slots lists the slots with their costs, the cheapest first; ties: the order of the table.
func (in *Instance) slots(w *model.Workload, o Options, found *model.Findings) {
	at := w.File(model.TableJobs)
	var list []slotRow
	for _, s := range w.ReduceSlots {
		list = append(list, slotRow{s.ID, s.NodeName, s.Node, s.Cost})
	}
	if len(list) == 0 {
		if _, slots := w.Slots(); slots > maxSlots {
			found.Add(model.Finding{Code: model.CodeOverflow, Pos: at, What: fmt.Sprintf("the topology has %d reduce slots",
				slots), Expected: fmt.Sprintf("at most %d", maxSlots)})
			return
		}
		list = nodeSlots(w)
	}
	if len(list) == 0 {
		if maps, _ := w.Slots(); w.HasTopology && maps > 0 {
			found.Add(model.FewSlots(w, model.Reduce, nil))
		} else {
			found.Add(model.NoMachines(w, ", or fill the table slots"))
		}
		return
	}
	in.source = cmp.Or(o.SlotCost, "given")
	if len(w.ReduceSlots) == 0 {
		in.source = cmp.Or(o.SlotCost, "hops")
	}
	if len(w.ReduceSlots) == 0 || in.source != "given" {
		if !setCosts(list, w, o, at, found) {
			return
		}
	}
	switch in.source {
	case "data":
		in.Take("tasks.recorded_node", "tasks.output_bytes")
	case "measured":
		in.Take("tasks.recorded_node", "tasks.processing_time")
	}
	slices.SortStableFunc(list, func(a, b slotRow) int { return cmp.Compare(a.cost, b.cost) })
	in.Slots, in.slot = len(list), make(map[string]int32, len(list))
	for k, s := range list {
		if _, taken := in.slot[s.name]; taken {
			found.Add(model.Finding{Code: model.CodeDuplicate, Pos: at,
				What:     fmt.Sprintf("two slots are called %q: nodes with several slots number them", s.name),
				Expected: "unique names", Hint: "rename the node"})
		}
		in.Cost, in.slotName, in.slotNode = append(in.Cost, s.cost), append(in.slotName, s.name), append(in.slotNode, s.node)
		in.slot[s.name] = int32(k)
	}
}

// SlotCost says where the slots' costs come from: one of SlotCosts.
func (in *Instance) SlotCost() string { return in.source }

// Idle says why a parameter has no effect: distances count only where costs are made of them.
func (in *Instance) Idle(param string) string {
	switch {
	case param != "distances":
		return ""
	case in.source == "given":
		return "its slots have the costs that the table slots gives; --slot-cost hops or data looks at distances"
	case in.source == "measured":
		return "--slot-cost measured looks at none"
	}
	return ""
}

// nodeSlots are the reduce slots of the topology's nodes.
func nodeSlots(w *model.Workload) (list []slotRow) {
	for i := range w.Topology {
		n := &w.Topology[i]
		if n.Kind != model.HostNode {
			continue
		}
		for k := range n.ReduceSlots {
			name := model.SlotName(n.ID, "", k, n.ReduceSlots)
			list = append(list, slotRow{name, n.ID, model.NodeIndex(i), 0})
		}
	}
	return list
}

// setCosts sets the slots' costs from their nodes, and reports whether it could.
func setCosts(list []slotRow, w *model.Workload, o Options, at model.Position, found *model.Findings) bool {
	if o.SlotCost == "given" {
		found.Add(model.Finding{Code: model.CodeParameter, Pos: at, What: "the workload has no table slots",
			Expected: "another --slot-cost"})
		return false
	}
	for k := range list {
		if list[k].host == model.None {
			hint := "name its node in the column node"
			if !w.HasTopology {
				hint = "add the table topology, and name the node of each slot in the column node"
			}
			found.Add(model.Finding{Code: model.CodeParameter, Pos: w.Where(model.TableSlots, k),
				What:     fmt.Sprintf("slot %q is on no node of a topology, which --slot-cost %s needs", list[k].name, o.SlotCost),
				Expected: "a node of the topology, or --slot-cost given", Hint: hint})
			return false
		}
	}
	cost := nodeCosts(w, o, at, found)
	for k := range list {
		if cost != nil {
			list[k].cost = cost[list[k].host]
		}
	}
	return true
}

// nodeCosts returns H by node of the topology; nil after a finding.
func nodeCosts(w *model.Workload, o Options, at model.Position, found *model.Findings) []model.Cost {
	report := func(code model.Code, what, expected string) {
		found.Add(model.Finding{Code: code, Pos: at, What: what, Expected: expected})
	}
	volume, total := make([]int64, len(w.Topology)), int64(1) // X(u), ΣX; 1 per node if slot costs count hops
	switch o.SlotCost {
	case "measured":
		cost := measured(w)
		if cost == nil {
			report(model.CodeParameter, "no reduce of the workload states where it ran and how long",
				"reduces with recorded_node and processing_time, or another --slot-cost")
		}
		return cost
	case "data":
		if total = stored(w, volume); total < 0 {
			report(model.CodeOverflow, "the output of the maps adds up to more than can be kept", "a sum of less than 2^63 "+
				"bytes")
			return nil
		}
		if total == 0 {
			report(model.CodeParameter, "no map of the workload states where its output is",
				"maps with recorded_node and output_bytes, or another --slot-cost")
			return nil
		}
	default:
		for i := range w.Topology {
			if w.Topology[i].Kind == model.HostNode {
				volume[i] = 1
			}
		}
	}
	return distances(w, o, volume, total, at, found)
}

// stored adds the maps' outputs to the nodes on which they ran; total is −1 if the sum overflows.
func stored(w *model.Workload, volume []int64) (total int64) {
	host := map[string]int{}
	for i := range w.Topology {
		if w.Topology[i].Kind == model.HostNode {
			host[w.Topology[i].ID] = i
		}
	}
	for u := range w.Tasks {
		t := &w.Tasks[u]
		if i, ok := host[t.RecordedNode]; ok && t.Kind == model.Map {
			if int64(t.OutputBytes.Value) > math.MaxInt64-total {
				return -1
			}
			volume[i] += int64(t.OutputBytes.Value)
			total += int64(t.OutputBytes.Value)
		}
	}
	return total
}

// distances returns H(v) = Σ_u X(u)·h(u, v) / total, u ≠ v, where h(u, v) is the height of the lowest common ancestor
// or the distance stated for it: walking up from v, everything below an ancestor that was not below the one before is
// as far away as the ancestor is high.
func distances(w *model.Workload, o Options, volume []int64, total int64, at model.Position,
	found *model.Findings) []model.Cost {
	height, below := heights(w, volume)
	top := slices.Max(height)
	if n := len(o.Distances); n > 0 && n < top {
		found.Add(model.Finding{Code: model.CodeParameter, Pos: at, What: fmt.Sprintf("%s for a topology of height %d",
			model.Counted(n, "distance"), top), Expected: "one a level"})
		return nil
	}
	cost := make([]model.Cost, len(w.Topology))
	for i := range w.Topology {
		if w.Topology[i].Kind != model.HostNode {
			continue
		}
		sum, x, h := new(big.Int), new(big.Int), new(big.Int)
		for v, p := model.NodeIndex(i), w.Topology[i].Parent; p != model.None; v, p = p, w.Topology[p].Parent {
			d := model.Cost(height[p]) * model.UnitCost
			if len(o.Distances) > 0 {
				d = o.Distances[height[p]-1]
			}
			sum.Add(sum, x.Mul(x.SetInt64(below[p]-below[v]), h.SetInt64(int64(d))))
		}
		if sum.Quo(sum, x.SetInt64(total)); !sum.IsInt64() {
			found.Add(model.Finding{Code: model.CodeOverflow, Pos: at, What: "a slot's cost is too large to be kept",
				Expected: "smaller distances"})
			return nil
		}
		cost[i] = model.Cost(sum.Int64())
	}
	return cost
}

// heights returns two values for each node: its height in the tree (0 for a leaf, otherwise one more than that of its
// highest child), and the volume at the node and below it.
func heights(w *model.Workload, volume []int64) (height []int, below []int64) {
	height, below = make([]int, len(w.Topology)), slices.Clone(volume)
	children := make([]int, len(w.Topology))
	for i := range w.Topology {
		if p := w.Topology[i].Parent; p != model.None {
			children[p]++
		}
	}
	for i := range w.Topology {
		// From each leaf up, as far as all children of a node are known.
		for v := model.NodeIndex(i); children[v] == 0; {
			children[v] = -1
			p := w.Topology[v].Parent
			if p == model.None {
				break
			}
			height[p] = max(height[p], height[v]+1)
			below[p] += below[v]
			children[p]--
			v = p
		}
	}
	return height, below
}

// measured is the mean time of the reduces that ran on a node over that of all; 1 where none ran.
func measured(w *model.Workload) []model.Cost {
	sum, count := map[string]model.Time{}, map[string]int64{}
	var all model.Time
	var n int64
	for u := range w.Tasks {
		if t := &w.Tasks[u]; t.Kind == model.Reduce && t.RecordedNode != "" && t.Processing.Known {
			sum[t.RecordedNode] += t.Processing.Value
			count[t.RecordedNode]++
			all += t.Processing.Value
			n++
		}
	}
	if all == 0 {
		return nil
	}
	cost := make([]model.Cost, len(w.Topology))
	for i := range w.Topology {
		cost[i] = model.UnitCost
		if k := count[w.Topology[i].ID]; k > 0 {
			cost[i] = model.Cost(float64(model.UnitCost) * float64(sum[w.Topology[i].ID]) / float64(k) * float64(
				n) / float64(all))
		}
	}
	return cost
}
