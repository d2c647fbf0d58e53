package hta

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/model"
)

// Instance is the dense view of a workload. It is immutable and safe for concurrent reading.
type Instance struct {
	model.ViewDefaults
	model.WorkloadTasks
	Tasks   int // maps whose block has a known replica
	Servers int
	Blocks  int // that such maps read
	Racks   int // 0: no topology
	Unheld  int // tasks whose block no server holds
	Cost    model.AssignmentCost

	Block []int32 // by task
	Rack  []int32 // by server; None under no rack
	// Tasks in the order of their blocks: those of block b are Reader[ReaderFirst[b]:ReaderFirst[b+1]].
	ReaderFirst, Reader []int32

	replicaFirst, replica []int32           // by block; servers in rising order
	rackFirst, rack       []int32           // by block: racks of servers with a replica, in rising order
	task                  []model.TaskIndex // of the workload, by task
	dense                 []int32           // by task of the workload; None: left out, or a reduce
	node                  []model.NodeIndex // of the topology, by server
	server                map[string]int32  // by name
	unplaced, reduces     int               // maps without a known replica, reduces: tasks that are left out
	workload              *model.Workload
}

// Timed reports whether the workload states values that only a schedule in time would use: releases, weights, deadlines
// or processing times.
func (in *Instance) Timed() bool {
	return slices.ContainsFunc(in.workload.Jobs, func(j model.Job) bool {
		return j.Release > 0 || j.Weight != model.UnitWeight || j.Deadline.Known
	}) || slices.ContainsFunc(in.workload.Tasks, func(t model.Task) bool { return t.Processing.Known })
}

// New builds the instance. Errors are *model.InputError.
func New(w *model.Workload) (*Instance, error) {
	if len(w.Tasks) == 0 {
		return nil, model.NewInputError(model.Finding{Code: model.CodeJobNoTasks,
			Pos:  w.File(model.TableJobs),
			What: "the workload lists no tasks", Expected: "maps that read blocks", Hint: "this problem needs the table tasks"})
	}
	in := &Instance{WorkloadTasks: model.TasksOf(w), Cost: model.DefaultAssignmentCost(), workload: w}
	if w.Cost != nil {
		in.Cost = *w.Cost
	}
	rackOf := in.servers(w)
	if in.Servers == 0 {
		return nil, model.NewInputError(noServer(w))
	}
	in.tasks(w, rackOf)
	if in.Tasks == 0 {
		return nil, model.NewInputError(model.Finding{Code: model.CodeNoReplicas,
			Pos:      model.Position{File: cmp.Or(w.Where(model.TableTasks, 0).File, w.Where(model.TableJobs, 0).File)},
			What:     fmt.Sprintf("none of %s is a map whose block has a placement", model.Counted(len(w.Tasks), "task")),
			Expected: "placements of the blocks that maps read"})
	}
	return in, nil
}

// noServer is the finding for a workload in which no node can run a map.
func noServer(w *model.Workload) model.Finding {
	f := model.Finding{Code: model.CodeNoMachines, Pos: w.File(model.TableTopology),
		What: "no node of the topology has a slot", Expected: "nodes with map_slots", Conflict: model.Slotless(w),
		Hint: "fill the column map_slots of the table topology; 1 is enough for this problem"}
	if !w.HasTopology {
		return model.NoMachines(w, ", or let placements name nodes")
	}
	if _, reduces := w.Slots(); reduces > 0 {
		f.Code, f.What = model.CodeFewSlots, "no node of the topology has a map slot"
		for i := range w.Tasks {
			if w.Tasks[i].Kind == model.Map {
				f.Conflict = model.NoSlot(model.Map, w.Tasks[i].ID)
				break
			}
		}
	}
	return f
}

// servers numbers the nodes that run maps, and racks; rackOf is the rack by row of the topology, None under no rack.
func (in *Instance) servers(w *model.Workload) (rackOf []int32) {
	in.server = map[string]int32{}
	rackOf = make([]int32, len(w.Topology))
	for i := range w.Topology {
		if rackOf[i] = model.None; w.Topology[i].Kind == model.RackNode {
			rackOf[i] = int32(in.Racks)
			in.Racks++
		}
	}
	for i := range w.Topology {
		n := &w.Topology[i]
		if n.Kind != model.HostNode {
			continue
		}
		if n.Parent != model.None {
			rackOf[i] = rackOf[n.Parent]
		}
		if w.HasTopology && n.MapSlots == 0 {
			continue
		}
		in.server[n.ID] = int32(in.Servers)
		in.node = append(in.node, model.NodeIndex(i))
		in.Rack = append(in.Rack, rackOf[i])
		in.Servers++
	}
	return rackOf
}

// tasks numbers the maps whose blocks have replicas, and those blocks.
func (in *Instance) tasks(w *model.Workload, rackOf []int32) {
	first, holder := model.CompressedRows(len(w.Blocks), len(w.Placements), func(k int) (int32, int32) {
		p := w.Placements[k]
		return int32(p.Block), int32(p.Node)
	})
	block := make([]int32, len(w.Blocks)) // number of a block from 1, in the order of its first task
	in.dense = make([]int32, len(w.Tasks))
	in.replicaFirst, in.rackFirst = []int32{0}, []int32{0}
	place := in.places(rackOf)
	for u := range w.Tasks {
		t := &w.Tasks[u]
		in.dense[u] = model.None
		switch {
		case t.Kind != model.Map:
			in.reduces++
			continue
		case t.Block == model.None || first[t.Block] == first[t.Block+1]:
			in.unplaced++
			continue
		}
		if block[t.Block] == 0 {
			in.Blocks++
			block[t.Block] = int32(in.Blocks)
			place(holder[first[t.Block]:first[t.Block+1]])
		}
		in.dense[u] = int32(in.Tasks)
		in.task = append(in.task, model.TaskIndex(u))
		in.Block = append(in.Block, block[t.Block]-1)
		in.Tasks++
	}
	in.ReaderFirst, in.Reader = model.CompressedRows(in.Blocks, in.Tasks,
		func(k int) (int32, int32) { return in.Block[k], int32(k) })
	for b := range int32(in.Blocks) {
		if len(in.Replicas(b)) == 0 {
			in.Unheld += int(in.Readers(b))
		}
	}
}

// places returns a function that enters the next block, by the nodes of its replicas.
func (in *Instance) places(rackOf []int32) func(holder []int32) {
	server := slices.Repeat([]int32{model.None}, len(rackOf))
	serves := make([]bool, in.Racks) // racks with a server
	for s, i := range in.node {
		server[i] = int32(s)
		if in.Rack[s] != model.None {
			serves[in.Rack[s]] = true
		}
	}
	return func(holder []int32) {
		for _, i := range holder {
			if s := server[i]; s != model.None {
				in.replica = append(in.replica, s)
			}
			if k := rackOf[i]; k != model.None && serves[k] {
				in.rack = append(in.rack, k)
			}
		}
		in.replica = distinct(in.replica, in.replicaFirst[len(in.replicaFirst)-1])
		in.rack = distinct(in.rack, in.rackFirst[len(in.rackFirst)-1])
		in.replicaFirst = append(in.replicaFirst, int32(len(in.replica)))
		in.rackFirst = append(in.rackFirst, int32(len(in.rack)))
	}
}

// distinct sorts a list from an index on and drops repeats there.
func distinct(list []int32, from int32) []int32 {
	slices.Sort(list[from:])
	return list[:int(from)+len(slices.Compact(list[from:]))]
}

// Replicas are the servers that hold a block, in rising order; there may be none.
func (in *Instance) Replicas(block int32) []int32 {
	return in.replica[in.replicaFirst[block]:in.replicaFirst[block+1]]
}

// ReplicaRows returns the placement in compressed rows: Replicas(b) is replica[first[b]:first[b+1]].
func (in *Instance) ReplicaRows() (first, replica []int32) { return in.replicaFirst, in.replica }

// ReplicaRacks are the racks of a block's replicas that have servers, in rising order.
func (in *Instance) ReplicaRacks(block int32) []int32 {
	return in.rack[in.rackFirst[block]:in.rackFirst[block+1]]
}

// Readers is the number of tasks that read a block.
func (in *Instance) Readers(block int32) int32 {
	return in.ReaderFirst[block+1] - in.ReaderFirst[block]
}

// Locality tells how near a task runs to its block.
type Locality = model.Locality

// The localities, from near to far.
const (
	NodeLocal = model.NodeLocal
	RackLocal = model.RackLocal
	Remote    = model.Remote
)

// Locality of a block's reader on a server, whatever it costs.
func (in *Instance) Locality(block, server int32) Locality {
	if in.Local(block, server) {
		return NodeLocal
	}
	if in.Rack[server] != model.None {
		if _, found := slices.BinarySearch(in.ReplicaRacks(block), in.Rack[server]); found {
			return RackLocal
		}
	}
	return Remote
}

// Local says whether a server holds a block.
func (in *Instance) Local(block, server int32) bool {
	_, found := slices.BinarySearch(in.Replicas(block), server)
	return found
}

// TaskIndex is the workload's task with a number.
func (in *Instance) TaskIndex(task int32) model.TaskIndex { return in.task[task] }

// Size is the number of servers.
func (in *Instance) Size() int { return in.Servers }

// MachineName is the name of a server.
func (in *Instance) MachineName(s int32) string { return in.workload.Topology[in.node[s]].ID }

// Machine finds a server by name.
func (in *Instance) Machine(name string) (int32, bool) {
	s, ok := in.server[name]
	return s, ok
}
