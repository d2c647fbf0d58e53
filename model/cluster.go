package model

import (
	"fmt"
	"strconv"
)

// maxSlots bounds the slots of a cluster.
const maxSlots = 10_000_000

// Cluster lists the workers of a workload and their slots, each of which runs one map, or one reduce, at a time. The
// slots of a worker are adjacent, map slots first.
type Cluster struct {
	Workers, Slots        int
	Speed                 []float64   // by worker: 1 unless stated
	Node                  []NodeIndex // by worker; None without a topology
	WorkerOf              []int32     // by slot
	SlotKind              []TaskKind  // by slot
	MapSlots, ReduceSlots []int32

	workerName, slotName []string
	slotAt               map[string]int32
}

// NewCluster reads the topology's nodes that have slots, in their order; without a topology, the machines, named m1,
// m2, …, with one slot of each kind. It adds errors to found.
func NewCluster(w *Workload, found *Findings) Cluster {
	c := Cluster{slotAt: map[string]int32{}}
	if !w.HasTopology {
		n := w.Machines.Or(0)
		if n == 0 {
			found.Add(NoMachines(w, ", or set `machines` in the workload"))
			return c
		}
		if n > maxSlots/2 {
			found.Add(Finding{Code: CodeNoMachines, What: fmt.Sprintf("the workload has no topology and %d machines", n),
				Expected: fmt.Sprintf("workers: a topology, or from 1 to %d machines", maxSlots/2)})
			return c
		}
		for i := range n {
			c.add(w, &Node{ID: "m" + strconv.FormatInt(i+1, 10), MapSlots: 1, ReduceSlots: 1}, None, found)
		}
		return c
	}
	for i := range w.Topology {
		n := &w.Topology[i]
		if n.Kind != HostNode || n.MapSlots+n.ReduceSlots == 0 {
			continue
		}
		if left := int64(maxSlots - c.Slots); n.MapSlots > left || n.ReduceSlots > left-n.MapSlots {
			found.Add(Finding{Code: CodeOverflow, Pos: w.Where(TableTopology, i),
				What: fmt.Sprintf("up to node %q there are more than %d slots", n.ID, maxSlots), Expected: "fewer"})
			return c
		}
		c.add(w, n, NodeIndex(i), found)
	}
	if c.Slots == 0 {
		found.Add(NoMachines(w, ""))
	}
	return c
}

// add adds a worker and its slots. The only slot of a worker has its name; several are named worker/m1, …, worker/r1,
// ….
func (c *Cluster) add(w *Workload, n *Node, at NodeIndex, found *Findings) {
	id := int32(c.Workers)
	c.Workers++
	c.Speed, c.Node, c.workerName = append(c.Speed, n.Speed.Or(1)), append(c.Node, at), append(c.workerName, n.ID)
	for _, s := range []struct {
		kind  TaskKind
		count int64
		mark  string
		list  *[]int32
	}{{Map, n.MapSlots, "m", &c.MapSlots}, {Reduce, n.ReduceSlots, "r", &c.ReduceSlots}} {
		for k := range s.count {
			name := SlotName(n.ID, s.mark, k, n.MapSlots+n.ReduceSlots)
			if other, taken := c.slotAt[name]; taken {
				found.Add(Finding{Code: CodeDuplicate, Pos: w.Where(TableTopology, int(at)),
					What:     fmt.Sprintf("nodes %q and %q both have a slot %q", c.workerName[c.WorkerOf[other]], n.ID, name),
					Expected: "unique names"})
			}
			c.slotAt[name] = int32(c.Slots)
			*s.list = append(*s.list, int32(c.Slots))
			c.Slots++
			c.WorkerOf, c.SlotKind, c.slotName = append(c.WorkerOf, id), append(c.SlotKind, s.kind), append(c.slotName, name)
		}
	}
}

// SlotName is the name of a slot in results: that of its node, followed by a mark of its kind and a number from 1 on,
// if the node has several. k counts from 0.
func SlotName(node, mark string, k, slots int64) string {
	if slots == 1 {
		return node
	}
	return node + "/" + mark + strconv.FormatInt(k+1, 10)
}

// SlotsFor are the slots that tasks of a kind may use.
func (c *Cluster) SlotsFor(kind TaskKind) []int32 {
	if kind == Map {
		return c.MapSlots
	}
	return c.ReduceSlots
}

// WorkerName is the id of a worker.
func (c *Cluster) WorkerName(worker int32) string { return c.workerName[worker] }

// Size is the number of slots.
func (c *Cluster) Size() int { return c.Slots }

// MachineName is the name of a slot.
func (c *Cluster) MachineName(i int32) string { return c.slotName[i] }

// Machine is the slot of a name.
func (c *Cluster) Machine(name string) (int32, bool) {
	s, ok := c.slotAt[name]
	return s, ok
}

// NoMachines is the finding for a workload on which nothing can run: it has no topology, or one without slots.
// Parameter or says what a problem takes instead.
func NoMachines(w *Workload, or string) Finding {
	if !w.HasTopology {
		return Finding{Code: CodeNoMachines, What: "there is no machine to run on: the table topology is missing",
			Expected: "nodes with slots", Hint: "add the table topology" + or}
	}
	return Finding{Code: CodeNoMachines, Pos: w.File(TableTopology), What: "no node of the topology has a slot",
		Expected: "nodes with map_slots or reduce_slots", Conflict: Slotless(w),
		Hint: "fill the columns map_slots and reduce_slots of the table topology" + or}
}

// FewSlots is the finding of a workload that has tasks of a kind and no slot for them.
func FewSlots(w *Workload, kind TaskKind, conflict *Conflict) Finding {
	return Finding{Code: CodeFewSlots, Pos: w.File(TableTopology), Conflict: conflict,
		What:     fmt.Sprintf("the workload has %s tasks and no %s slot", kind, kind),
		Expected: fmt.Sprintf("nodes with %s_slots", kind),
		Hint:     fmt.Sprintf("fill the column %s_slots of the table topology", kind)}
}
