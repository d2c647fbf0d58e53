package shop

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"mrsched/model"
)

// MaxNodes bounds the nodes of an instance.
const MaxNodes = 1_000_000

// Unlimited is the capacity of a resource that is not limited. All tasks together take less, so that it never binds.
const Unlimited = math.MaxInt64

// The resources that have columns of their own, and the resource of nodes that state nothing: such a node has one unit
// of it, and every task takes one.
const (
	ResourceCPU     = "cpu"
	ResourceMemory  = "memory_bytes"
	ResourceMaps    = "map_slots"
	ResourceReduces = "reduce_slots"
	ResourceNode    = "node"
)

// nodes numbers the topology's nodes; without a topology, the machines, named m1, m2, ….
func (in *Instance) nodes(found *model.Findings) {
	w := in.workload
	in.nodeName = map[string]int32{}
	add := func(name string, at model.NodeIndex) {
		in.nodeName[name] = int32(len(in.nodeAt))
		in.nodeAt = append(in.nodeAt, at)
	}
	in.nodeOf = slices.Repeat([]int32{model.None}, len(w.Topology))
	if w.HasTopology {
		for i := range w.Topology {
			if w.Topology[i].Kind == model.HostNode {
				in.nodeOf[i] = int32(len(in.nodeAt))
				add(w.Topology[i].ID, model.NodeIndex(i))
			}
		}
	} else if m := w.Machines.Or(0); m <= MaxNodes {
		in.Take("machines")
		for i := range m {
			add("m"+strconv.FormatInt(i+1, 10), model.None)
		}
	}
	in.Nodes = len(in.nodeAt)
	switch {
	case in.Nodes > MaxNodes || w.Machines.Or(0) > MaxNodes && !w.HasTopology:
		found.Add(model.Finding{Code: model.CodeOverflow, Pos: w.File(model.TableTopology),
			What: "there are more nodes than this problem can keep", Expected: fmt.Sprintf("at most %d", MaxNodes)})
	case in.Nodes == 0 && w.HasTopology:
		found.Add(model.Finding{Code: model.CodeNoMachines, Pos: w.File(model.TableTopology),
			What: "the topology has no row of kind node", Expected: "at least one"})
	case in.Nodes == 0:
		found.Add(model.NoMachines(w, ", or set `machines` in the workload"))
	}
}

// MachineName is the name of a node.
func (in *Instance) MachineName(i int32) string {
	if in.Identical {
		return in.slotName(i)
	}
	if at := in.nodeAt[i]; at != model.None {
		return in.workload.Topology[at].ID
	}
	return "m" + strconv.Itoa(int(i)+1)
}

// Machine finds a node by its name.
func (in *Instance) Machine(name string) (int32, bool) {
	if in.Identical {
		return in.slot(name)
	}
	i, ok := in.nodeName[name]
	return i, ok
}

// row is a node's row of the topology; without a topology, one that states nothing.
func (in *Instance) row(i int32) *model.Node {
	if at := in.nodeAt[i]; at != model.None {
		return &in.workload.Topology[at]
	}
	return &model.Node{Kind: model.HostNode, Parent: model.None}
}

// namedPrefix begins the keys of the resources of the tables capacities and demands.
const namedPrefix = "capacities."

// micro is a number in millionths, to the nearest one.
func micro(v float64) int64 { return int64(math.Round(min(v*1e6, 1<<62))) }

// resources lists the resources that some node or task states, and fills in what nodes have and tasks take. Capacity is
// by node here; classes keeps one row of each class.
func (in *Instance) resources(found *model.Findings) {
	number := map[string]int32{}
	need := func(name string, wanted bool) {
		if _, ok := number[name]; !ok && wanted {
			number[name] = int32(len(in.Resource))
			in.Resource = append(in.Resource, name)
		}
	}
	w := in.workload
	bare := slices.Repeat([]bool{true}, in.Nodes) // the node states nothing
	for _, c := range w.Capacities {
		if i := in.nodeOf[c.Node]; i != model.None {
			bare[i] = false
		}
	}
	for i := range int32(in.Nodes) {
		n := in.row(i)
		slots := n.MapSlots+n.ReduceSlots > 0
		bare[i] = bare[i] && !slots && !n.CPU.Known && !n.MemoryBytes.Known
		need(ResourceCPU, n.CPU.Known)
		need(ResourceMemory, n.MemoryBytes.Known)
		need(ResourceMaps, slots)
		need(ResourceReduces, slots)
		need(ResourceNode, bare[i])
	}
	in.named = len(in.Resource)
	for _, c := range w.Capacities {
		need(namedPrefix+c.Resource, true)
	}
	for _, d := range w.Demands {
		need(namedPrefix+d.Resource, true)
	}
	in.splitResources()
	for r, name := range in.Resource {
		number[name] = int32(r)
	}
	at := func(name string) int32 {
		if r, ok := number[name]; ok {
			return r
		}
		return model.None
	}
	in.readGroups(at)
	in.fillCapacities(at, bare)
	in.fillDemands(at)
	for r := in.named; r < len(in.Resource); r++ {
		in.Resource[r] = in.Resource[r][len(namedPrefix):]
	}
	in.checkDemands(found)
}

// fillCapacities sets what every node has.
func (in *Instance) fillCapacities(at func(string) int32, bare []bool) {
	w, all := in.workload, in.Resources
	in.Capacity = slices.Repeat([]int64{Unlimited}, in.Nodes*all)
	for i := range int32(in.Nodes) {
		n, c := in.row(i), in.Capacity[int(i)*all:]
		if n.CPU.Known {
			c[at(ResourceCPU)] = micro(n.CPU.Value)
		}
		if n.MemoryBytes.Known {
			c[at(ResourceMemory)] = int64(n.MemoryBytes.Value)
		}
		if n.MapSlots+n.ReduceSlots > 0 {
			c[at(ResourceMaps)], c[at(ResourceReduces)] = n.MapSlots, n.ReduceSlots
		}
		if bare[i] {
			c[at(ResourceNode)] = 1
		}
		clear(c[in.named:all])
		for _, g := range in.Above(i) {
			c[in.Groups[g].Resource] = Unlimited
		}
	}
	for _, c := range w.Capacities {
		if i := in.nodeOf[c.Node]; i != model.None {
			in.Capacity[int(i)*all+int(at(namedPrefix+c.Resource))] = int64(c.Amount)
		}
	}
	for _, g := range in.Groups {
		for k := 0; int(g.Resource) < all && k < len(g.Nodes); k++ {
			i := g.Nodes[k]
			c := &in.Capacity[int(i)*all+int(g.Resource)]
			*c = min(*c, g.Capacity)
		}
	}
}

// fillDemands sets what every task takes.
func (in *Instance) fillDemands(at func(string) int32) {
	w, all := in.workload, in.Resources
	in.demand = make([]int64, in.Tasks*all)
	cpu, memory, node := at(ResourceCPU), at(ResourceMemory), at(ResourceNode)
	slot := [...]int32{model.Map: at(ResourceMaps), model.Reduce: at(ResourceReduces)}
	for u := range w.Tasks {
		t, d := &w.Tasks[u], in.demand[u*all:]
		if cpu != model.None {
			d[cpu] = micro(t.CPU.Or(1))
		}
		if memory != model.None {
			d[memory] = int64(t.MemoryBytes.Or(0))
		}
		if s := slot[t.Kind]; s != model.None {
			d[s] = 1
		}
		if node != model.None {
			d[node] = 1
		}
	}
	var extra []model.TaskDemand
	for _, d := range w.Demands {
		if r := at(namedPrefix + d.Resource); int(r) < all {
			in.demand[int(d.Task)*all+int(r)] = int64(d.Amount)
		} else if d.Amount > 0 {
			extra = append(extra, d)
		}
	}
	if len(extra) > 0 {
		var rows []int32
		in.extraFirst, rows = model.CompressedRows(in.Tasks, len(extra), func(k int) (task, row int32) {
			return int32(extra[k].Task), int32(k)
		})
		for _, k := range rows {
			in.extra = append(in.extra, take{at(namedPrefix + extra[k].Resource), int64(extra[k].Amount)})
		}
	}
}

// checkDemands requires that all tasks together take less than Unlimited of everything.
func (in *Instance) checkDemands(found *model.Findings) {
	sum := make([]int64, len(in.Resource))
	for k := range len(in.demand) + len(in.extra) {
		x := take{int32(k % in.Resources), 0}
		if k < len(in.demand) {
			x.amount = in.demand[k]
		} else {
			x = in.extra[k-len(in.demand)]
		}
		r, d := x.resource, x.amount
		if sum[r] > Unlimited-1-d {
			found.Add(model.Finding{Code: model.CodeOverflow, Pos: in.workload.File(model.TableTasks),
				What:     fmt.Sprintf("all tasks together take more of %s than can be added up", in.Resource[r]),
				Expected: "a sum below 9.2e18, in bytes or millionths"})
			return
		}
		sum[r] += d
	}
}

// classes puts nodes together that have the same capacities, speed, bandwidths and given times.
func (in *Instance) classes(given *givenTimes) {
	type alike struct {
		speed, bandwidth, uplink float64
		times                    string
	}
	w, all := in.workload, in.Resources
	number, kinds := map[string]int32{}, map[alike]int32{}
	var capacity []int64
	var text []byte
	in.Class = make([]int32, in.Nodes)
	for i := range int32(in.Nodes) {
		n := in.row(i)
		key := alike{speed: n.Speed.Or(1), bandwidth: n.Bandwidth.Or(0)}
		if k := rackOf(w, n); k != model.None {
			key.uplink = w.Topology[k].Bandwidth.Or(0)
		}
		text = text[:0]
		for _, g := range given.of(i) {
			text = strconv.AppendInt(append(text, ' '), int64(g.task), 36)
			text = strconv.AppendInt(append(text, ':'), int64(g.time), 36)
		}
		key.times = string(text)
		kind, ok := kinds[key]
		if !ok {
			kind = int32(len(kinds))
			kinds[key] = kind
			in.kinds = append(in.kinds, kindOf(key.speed, key.bandwidth, key.uplink))
		}
		text = strconv.AppendInt(text[:0], int64(kind), 36)
		own := in.Capacity[int(i)*all : (int(i)+1)*all]
		for _, c := range own {
			text = strconv.AppendInt(append(text, ' '), c, 36)
		}
		k, ok := number[string(text)]
		if !ok {
			k = int32(len(number))
			number[string(text)] = k
			capacity, in.kindOf = append(capacity, own...), append(in.kindOf, kind)
		}
		in.Class[i] = k
	}
	in.Classes, in.Capacity = len(number), capacity
	in.ClassFirst, in.ClassNode = model.CompressedRows(in.Classes, in.Nodes,
		func(i int) (class, node int32) { return in.Class[i], int32(i) })
}

// rackOf is the rack of a node, as a row of the topology; None under no rack.
func rackOf(w *model.Workload, n *model.Node) model.NodeIndex {
	if n.Parent != model.None && w.Topology[n.Parent].Kind == model.RackNode {
		return n.Parent
	}
	return model.None
}
