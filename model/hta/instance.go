// Package hta is the Hadoop task assignment problem's view of a workload: which server runs which map, given where the
// blocks lie; its objective, checker and certificates. Nothing here depends on how schedules or bounds are found.
//
// Model (Fischer, Su, Yin, SPAA 2010): m tasks, n servers, a placement ρ ⊆ tasks × servers. A task costs w_loc on a
// server that holds a replica of its block, else w_rem(r), r being the number of remote tasks in the whole assignment.
// The load of a server is the sum of its tasks' costs; the makespan is the largest load.
//
//	paper            code
//	m, n             Instance.Tasks, Instance.Servers
//	ρ                Instance.Replicas
//	w_loc, w_rem(r)  Cost.Local, Cost.Remote.At(r)
//	k^A, r^A         Loads.MostLocal, Loads.Remote
//
// Extension: with a cost for racks, a task that is remote but in the rack of a replica costs that.
//
// Differs from the paper: many tasks may read one block. Tasks are the maps of all jobs; releases and reduces do not
// matter. A map without a known replica belongs to no server and is left out.
package hta

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/model"
)

// Instance is the dense view of a workload. It is immutable and safe for concurrent reading.
type Instance struct {
	Tasks   int // maps whose block has a known replica
	Servers int
	Blocks  int // that such maps read
	Racks   int // 0: no topology
	Cost    model.AssignmentCost

	Block []int32 // by task
	Rack  []int32 // by server; None under no rack
	// Tasks in the order of their blocks: those of block b are Reader[ReaderFirst[b]:ReaderFirst[b+1]].
	ReaderFirst, Reader []int32

	replicaFirst, replica []int32           // by block; servers in rising order
	rackFirst, rack       []int32           // by block: racks with a replica, in rising order; nil without racks
	task                  []model.TaskIndex // of the workload, by task
	dense                 []int32           // by task of the workload; None: left out, or a reduce
	node                  []model.NodeIndex // of the topology, by server
	server                map[string]int32  // by name
	unplaced, reduces     int               // maps without a replica, reduces: tasks that are left out
	workload              *model.Workload
}

// New builds the instance. Errors are *model.InputError.
func New(w *model.Workload) (*Instance, error) {
	if len(w.Tasks) == 0 {
		return nil, model.NewInputError(model.Finding{Code: model.CodeJobNoTasks, Pos: model.Position{File: w.Where(model.TableJobs, 0).File},
			What: "the workload lists no tasks", Expected: "maps that read blocks", Hint: "this problem needs the table tasks"})
	}
	in := &Instance{Cost: model.DefaultAssignmentCost(), workload: w}
	if w.Cost != nil {
		in.Cost = *w.Cost
	}
	in.servers(w)
	if in.Servers == 0 {
		return nil, model.NewInputError(model.Finding{Code: model.CodeNoMachines, Pos: model.Position{File: w.Where(model.TableJobs, 0).File},
			What: "no server to run on", Expected: "nodes in the topology, or placements that name some"})
	}
	in.tasks(w)
	if in.Tasks == 0 {
		return nil, model.NewInputError(model.Finding{Code: model.CodeNoReplicas, Pos: model.Position{File: cmp.Or(w.Where(model.TableTasks, 0).File, w.Where(model.TableJobs, 0).File)},
			What: fmt.Sprintf("none of %s is a map whose block has a placement", model.Counted(len(w.Tasks), "task")), Expected: "placements of the blocks that maps read"})
	}
	return in, nil
}

// servers numbers the nodes of the topology and their racks.
func (in *Instance) servers(w *model.Workload) {
	in.server = map[string]int32{}
	number := make([]int32, len(w.Topology)) // of racks, from 1
	for i := range w.Topology {
		if w.Topology[i].Kind == model.RackNode {
			in.Racks++
			number[i] = int32(in.Racks)
		}
	}
	for i := range w.Topology {
		n := &w.Topology[i]
		if n.Kind != model.HostNode {
			continue
		}
		rack := int32(model.None)
		if n.Parent != model.None {
			rack = number[n.Parent] - 1
		}
		in.server[n.ID] = int32(in.Servers)
		in.node = append(in.node, model.NodeIndex(i))
		in.Rack = append(in.Rack, rack)
		in.Servers++
	}
}

// tasks numbers the maps whose blocks have replicas, and those blocks.
func (in *Instance) tasks(w *model.Workload) {
	server := make([]int32, len(w.Topology))
	for s, i := range in.node {
		server[i] = int32(s)
	}
	first, replica := rows(len(w.Blocks), len(w.Placements), func(k int) (int32, int32) {
		p := w.Placements[k]
		return int32(p.Block), server[p.Node]
	})
	block := make([]int32, len(w.Blocks)) // number of a block from 1, in the order of its first task
	in.dense = make([]int32, len(w.Tasks))
	in.replicaFirst = []int32{0}
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
			own := replica[first[t.Block]:first[t.Block+1]]
			slices.Sort(own)
			in.replica = append(in.replica, slices.Compact(own)...)
			in.replicaFirst = append(in.replicaFirst, int32(len(in.replica)))
		}
		in.dense[u] = int32(in.Tasks)
		in.task = append(in.task, model.TaskIndex(u))
		in.Block = append(in.Block, block[t.Block]-1)
		in.Tasks++
	}
	in.racks()
	in.ReaderFirst, in.Reader = rows(in.Blocks, in.Tasks, func(k int) (int32, int32) { return in.Block[k], int32(k) })
}

// racks lists the racks of each block's replicas.
func (in *Instance) racks() {
	if in.Racks == 0 {
		return
	}
	in.rackFirst, in.rack = []int32{0}, nil
	for b := range int32(in.Blocks) {
		start := len(in.rack)
		for _, s := range in.Replicas(b) {
			if in.Rack[s] != model.None {
				in.rack = append(in.rack, in.Rack[s])
			}
		}
		own := in.rack[start:]
		slices.Sort(own)
		in.rack = in.rack[:start+len(slices.Compact(own))]
		in.rackFirst = append(in.rackFirst, int32(len(in.rack)))
	}
}

// rows sorts n pairs (row, value) by row: the values of row i are value[first[i]:first[i+1]], in the order of the pairs.
func rows(count, n int, pair func(k int) (row, value int32)) (first, value []int32) {
	first, value = make([]int32, count+1), make([]int32, n)
	for k := range n {
		row, _ := pair(k)
		first[row+1]++
	}
	for i := range count {
		first[i+1] += first[i]
	}
	next := slices.Clone(first)
	for k := range n {
		row, v := pair(k)
		value[next[row]] = v
		next[row]++
	}
	return first, value
}

// Replicas are the servers that hold a block, in rising order.
func (in *Instance) Replicas(block int32) []int32 {
	return in.replica[in.replicaFirst[block]:in.replicaFirst[block+1]]
}

// ReplicaRows is the placement in compressed rows: Replicas(b) is replica[first[b]:first[b+1]].
func (in *Instance) ReplicaRows() (first, replica []int32) { return in.replicaFirst, in.replica }

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
	if in.Racks > 0 && in.Rack[server] != model.None {
		if _, found := slices.BinarySearch(in.rack[in.rackFirst[block]:in.rackFirst[block+1]], in.Rack[server]); found {
			return RackLocal
		}
	}
	return Remote
}

// Local says whether a server holds a block.
func (in *Instance) Local(block, server int32) bool {
	_, found := slices.BinarySearchFunc(in.Replicas(block), server, cmp.Compare[int32])
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
