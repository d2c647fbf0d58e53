package shop

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mrsched/model"
)

// identical counts the machines, names those of a topology, and fills in what belongs to single nodes.
func (in *Instance) identical(machines int64, found *model.Findings) {
	w, m := in.workload, machines
	if m == 0 {
		maps, reduces := w.Slots()
		m = w.Machines.Or(maps + reduces)
	}
	if m <= 0 {
		found.Add(model.NoMachines(w, ", or set `machines` in the workload, or pass --machines N"))
	}
	if m > MaxNodes {
		found.Add(model.Finding{Code: model.CodeOverflow, Pos: w.File(model.TableJobs),
			What: fmt.Sprintf("%d machines", m), Expected: fmt.Sprintf("at most %d", MaxNodes)})
		return
	}
	if machines == 0 && !w.Machines.Known {
		in.slots = slotNamesOf(w, found)
	}
	in.Nodes, in.Classes, in.Resources, in.named = max(int(m), 0), 1, 1, 1
	in.Resource, in.Capacity, in.demand = []string{ResourceNode}, []int64{1}, []int64{1}
	in.Class, in.AwayFirst = make([]int32, in.Nodes), make([]int32, in.Nodes+1)
	in.ClassFirst, in.ClassNode = []int32{0, int32(in.Nodes)}, model.Indices(in.Nodes)
}

// taskTimes copies the processing times and weights of the tasks of identical machines.
func (in *Instance) taskTimes(found *model.Findings) {
	w := in.workload
	in.Least, in.TaskWeight = make([]model.Time, in.Tasks), make([]model.Weight, in.Tasks)
	for u := range w.Tasks {
		t := &w.Tasks[u]
		if !t.Processing.Known {
			found.Add(model.Finding{Code: model.CodeNoTime, Pos: w.Where(model.TableTasks, u),
				What: fmt.Sprintf("task %q has no processing_time", t.ID), Expected: "seconds", Like: "processing_time"})
		}
		in.Least[u], in.TaskWeight[u] = t.Processing.Value, t.Weight.Or(w.Jobs[t.Job].Weight)
	}
}

// slotNames are the names of machines that are slots of a topology. A slot runs both maps and reduces, so all slots
// of a node count together. If only the number of machines is known, there are no rows and the names are m1, m2, ….
type slotNames struct {
	node  []string
	first []int32          // by row: the first machine; one extra entry at the end
	row   map[string]int32 // by node
}

// slotNamesOf names the topology's slots.
func slotNamesOf(w *model.Workload, found *model.Findings) (m slotNames) {
	if maps, reduces := w.Slots(); maps > MaxNodes || reduces > MaxNodes-maps {
		return m // an error was reported already
	}
	m.row = map[string]int32{}
	m.first = append(m.first, 0)
	var at []int
	for i := range w.Topology {
		n := &w.Topology[i]
		if slots := n.MapSlots + n.ReduceSlots; n.Kind == model.HostNode && slots > 0 {
			m.row[n.ID] = int32(len(m.node))
			m.node, m.first = append(m.node, n.ID), append(m.first, m.first[len(m.node)]+int32(slots))
			at = append(at, i)
		}
	}
	for k, id := range m.node { // the only slot of a node "a/1", and a slot of "a"
		if other, ok := m.numbered(id); ok && m.first[k+1] == m.first[k]+1 {
			row, _ := slices.BinarySearch(m.first, other+1)
			found.Add(model.Finding{Code: model.CodeDuplicate, Pos: w.Where(model.TableTopology, at[k]),
				What:     fmt.Sprintf("nodes %q and %q both have a slot %q", m.node[row-1], id, id),
				Expected: "unique names", Hint: "rename the node"})
		}
	}
	return m
}

// name is the name of a machine. There must be rows.
func (m *slotNames) name(i int32) string {
	row, _ := slices.BinarySearch(m.first, i+1)
	row--
	return model.SlotName(m.node[row], "", int64(i-m.first[row]), int64(m.first[row+1]-m.first[row]))
}

// numbered is the machine with the name NODE/NUMBER.
func (m *slotNames) numbered(name string) (int32, bool) {
	cut := strings.LastIndexByte(name, '/')
	if cut < 0 {
		return 0, false
	}
	row, ok := m.row[name[:cut]]
	k, err := strconv.ParseInt(name[cut+1:], 10, 32)
	if !ok || err != nil || k < 1 || int32(k) > m.first[row+1]-m.first[row] || m.name(m.first[row]+int32(k-1)) != name {
		return 0, false
	}
	return m.first[row] + int32(k-1), true
}

// slotName is the name of a slot of the topology, or m1, m2, … if machines are only counted.
func (in *Instance) slotName(i int32) string {
	if len(in.slots.node) > 0 {
		return in.slots.name(i)
	}
	return "m" + strconv.Itoa(int(i)+1)
}

// slot is the index of a slot's name.
func (in *Instance) slot(name string) (int32, bool) {
	if m := &in.slots; len(m.node) > 0 {
		if row, ok := m.row[name]; ok && m.first[row+1] == m.first[row]+1 {
			return m.first[row], true
		}
		return m.numbered(name)
	}
	digits, ok := strings.CutPrefix(name, "m")
	k, err := strconv.ParseInt(digits, 10, 32)
	if !ok || err != nil || k < 1 || int(k) > in.Nodes || in.slotName(int32(k-1)) != name {
		return 0, false
	}
	return int32(k - 1), true
}

// plain says whether nodes are identical machines, and no task is fixed.
func (in *Instance) plain() bool { return in.Identical && !in.AnyFixed() }

// Lasting is the same instance with other processing times, by task; only of identical machines. It shares the names of
// tasks and jobs. Times are at most twice those of the workload, so that sums fit.
func (in *Instance) Lasting(processing []model.Time) *Instance {
	least := slices.Clone(in.Least)
	copy(least, processing)
	return in.Changed(least, in.Earliest)
}

// TwiceMidpoint is 2·e_u: twice the latest midpoint of task u if its job completes at Alone.
func (in *Instance) TwiceMidpoint(u int32) int64 {
	return 2*int64(in.Alone[in.Job[u]]-in.Tail[u]) - int64(in.Least[u])
}

// Ordered reports whether no task is longer than a successor: p_u ≤ p_v on every precedence path. MarS has factor 3
// under this premise.
func (in *Instance) Ordered() bool {
	longest := make([]model.Time, in.Steps) // of a step and its ancestors
	for _, u := range in.Topo {
		if u < int32(in.Tasks) {
			if longest[u] > in.Least[u] {
				return false
			}
			longest[u] = in.Least[u]
		}
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			v := in.SuccStep[a]
			longest[v] = max(longest[v], longest[u])
		}
	}
	return true
}
