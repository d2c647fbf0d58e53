package workload

import (
	"io"
	"strconv"

	"mrsched/io/textpos"
	"mrsched/model"
)

// table joins a row struct R to the model's row M.
type table[R, M any] struct {
	name     model.Table
	columns  []column
	marks    [2]string // columns at which the Builder may report an id or a reference
	referred bool      // other tables refer to its rows
	need     bool      // every workload has it
	toModel  func(*values, *R) M
	add      func(*model.Builder, *M, model.Locus)
	count    func(*model.Workload) int
	toText   func(w *model.Workload, row int, r *R)
}

// tableCodec is a table with any type of row.
type tableCodec interface {
	tableName() string
	tableColumns() []column
	needed() bool
	len(*model.Workload) int
	stated(w *model.Workload, asked func(name string) bool) []Stated
	readJSON(*document) error
	readCSV(*lane, *textpos.Reader)
	writeJSON(*jsonWriter, *model.Workload)
	writeCSV(io.Writer, *model.Workload) error
}

func (t *table[R, M]) tableName() string         { return string(t.name) }
func (t *table[R, M]) tableColumns() []column    { return t.columns }
func (t *table[R, M]) needed() bool              { return t.need }
func (t *table[R, M]) len(w *model.Workload) int { return t.count(w) }

// Rows that need more than the model's row, because references are still ids.
type (
	taskEntry struct {
		model.Task
		job, block string
	}
	nodeEntry struct {
		model.Node
		parent string
	}
	delayEntry struct {
		from, to string
		delay    model.Time
	}
	placementEntry struct{ block, node string }
)

// tables are all tables in the order in which they are written.
var tables = []tableCodec{jobsTable, topologyTable, slotsTable, tasksTable, delaysTable, placementsTable,
	partitionsTable, keysTable, timesTable, historyTable}

var jobsTable = &table[jobRow, model.Job]{
	name: model.TableJobs, columns: columnsOf[jobRow](), marks: [2]string{"id", "id"}, referred: true, need: true,
	toModel: func(v *values, r *jobRow) model.Job {
		return model.Job{
			ID:                 v.unique(v.need("id", r.ID)),
			Release:            v.time("release", r.Release).Or(0),
			Weight:             v.weight("weight", r.Weight).Or(model.UnitWeight),
			Deadline:           v.time("deadline", r.Deadline),
			Tenant:             v.common(r.Tenant),
			Class:              v.common(r.Class),
			Reduces:            v.count("reduces", r.Reduces),
			IntermediateBytes:  v.bytes("intermediate_bytes", r.IntermediateBytes),
			MapWork:            v.time("map_work", r.MapWork),
			ShuffleRatio:       v.ratio("shuffle_ratio", r.ShuffleRatio),
			Partitions:         v.positiveCount("partitions", r.Partitions, "leave it out if it is unknown"),
			TaskOverhead:       v.time("task_overhead", r.TaskOverhead),
			MapRate:            v.positive("map_bytes_per_s", r.MapRate),
			ReduceRate:         v.positive("reduce_bytes_per_s", r.ReduceRate),
			RecordedCompletion: v.time("recorded_completion", r.RecordedCompletion),
		}
	},
	add:   func(b *model.Builder, j *model.Job, at model.Locus) { b.Job(*j, at) },
	count: func(w *model.Workload) int { return len(w.Jobs) },
	toText: func(w *model.Workload, row int, r *jobRow) {
		j := &w.Jobs[row]
		*r = jobRow{
			ID: j.ID, Release: j.Release.String(), Weight: j.Weight.String(), Deadline: text(j.Deadline),
			Tenant: j.Tenant, Class: j.Class, Reduces: countText(j.Reduces), IntermediateBytes: text(j.IntermediateBytes),
			MapWork: text(j.MapWork), ShuffleRatio: floatText(j.ShuffleRatio), Partitions: countText(j.Partitions),
			TaskOverhead: text(j.TaskOverhead), MapRate: floatText(j.MapRate), ReduceRate: floatText(j.ReduceRate),
			RecordedCompletion: text(j.RecordedCompletion),
		}
	},
}

var topologyTable = &table[topologyRow, nodeEntry]{
	name: model.TableTopology, columns: columnsOf[topologyRow](), marks: [2]string{"id", "parent"}, referred: true,
	toModel: func(v *values, r *topologyRow) nodeEntry {
		return nodeEntry{parent: v.common(r.Parent), Node: model.Node{
			ID:          v.unique(v.need("id", r.ID)),
			Kind:        model.NodeKind(v.word("kind", r.Kind)),
			MapSlots:    v.count("map_slots", r.MapSlots).Or(0),
			ReduceSlots: v.count("reduce_slots", r.ReduceSlots).Or(0),
			Speed:       v.positive("speed", r.Speed),
			Bandwidth:   v.positive("bandwidth_bytes_per_s", r.Bandwidth),
			CPU:         v.ratio("cpu", r.CPU),
			MemoryBytes: v.bytes("memory_bytes", r.MemoryBytes),
		}}
	},
	add: func(b *model.Builder, n *nodeEntry, at model.Locus) { b.Node(n.Node, n.parent, at) },
	count: func(w *model.Workload) int {
		if !w.HasTopology {
			return 0
		}
		return len(w.Topology)
	},
	toText: func(w *model.Workload, row int, r *topologyRow) {
		n := &w.Topology[row]
		*r = topologyRow{ID: n.ID, Kind: n.Kind.String(), Speed: floatText(n.Speed), Bandwidth: floatText(n.Bandwidth),
			CPU: floatText(n.CPU), MemoryBytes: text(n.MemoryBytes)}
		if n.Parent != model.None {
			r.Parent = w.Topology[n.Parent].ID
		}
		if n.MapSlots != 0 {
			r.MapSlots = strconv.FormatInt(n.MapSlots, 10)
		}
		if n.ReduceSlots != 0 {
			r.ReduceSlots = strconv.FormatInt(n.ReduceSlots, 10)
		}
	},
}

var slotsTable = &table[slotRow, model.ReduceSlot]{
	name: model.TableSlots, columns: columnsOf[slotRow](), marks: [2]string{"id", "node"},
	toModel: func(v *values, r *slotRow) model.ReduceSlot {
		return model.ReduceSlot{ID: v.unique(v.need("id", r.ID)), NodeName: v.common(r.Node),
			Cost: v.cost("cost", v.need("cost", r.Cost)).Or(0)}
	},
	add:   func(b *model.Builder, s *model.ReduceSlot, at model.Locus) { b.ReduceSlot(*s, at) },
	count: func(w *model.Workload) int { return len(w.ReduceSlots) },
	toText: func(w *model.Workload, row int, r *slotRow) {
		s := &w.ReduceSlots[row]
		*r = slotRow{s.ID, s.NodeName, s.Cost.String()}
	},
}

var tasksTable = &table[taskRow, taskEntry]{
	name: model.TableTasks, columns: columnsOf[taskRow](), marks: [2]string{"id", "job"}, referred: true,
	toModel: func(v *values, r *taskRow) taskEntry {
		return taskEntry{job: v.common(v.need("job", r.Job)), block: r.Block, Task: model.Task{
			ID:           v.unique(v.need("id", r.ID)),
			Kind:         model.TaskKind(v.word("kind", r.Kind)),
			Processing:   v.time("processing_time", r.ProcessingTime),
			ShuffleDelay: v.time("shuffle_delay", r.ShuffleDelay).Or(0),
			Weight:       v.weight("weight", r.Weight),
			Release:      v.time("release", r.Release),
			InputBytes:   v.bytes("input_bytes", r.InputBytes),
			OutputBytes:  v.bytes("output_bytes", r.OutputBytes),
			CPU:          v.ratio("cpu", r.CPU),
			MemoryBytes:  v.bytes("memory_bytes", r.MemoryBytes),
			RecordedNode: v.common(r.RecordedNode),
		}}
	},
	add:   func(b *model.Builder, t *taskEntry, at model.Locus) { b.Task(t.Task, t.job, t.block, at) },
	count: func(w *model.Workload) int { return len(w.Tasks) },
	toText: func(w *model.Workload, row int, r *taskRow) {
		t := &w.Tasks[row]
		*r = taskRow{
			ID: t.ID, Job: w.Jobs[t.Job].ID, Kind: t.Kind.String(), ProcessingTime: text(t.Processing), Weight: text(t.Weight),
			Release: text(t.Release), InputBytes: text(t.InputBytes), OutputBytes: text(t.OutputBytes), CPU: floatText(t.CPU),
			MemoryBytes: text(t.MemoryBytes), RecordedNode: t.RecordedNode,
		}
		if t.ShuffleDelay != 0 {
			r.ShuffleDelay = t.ShuffleDelay.String()
		}
		if t.Block != model.None {
			r.Block = w.Blocks[t.Block]
		}
	},
}

var delaysTable = &table[delayRow, delayEntry]{
	name: model.TableDelays, columns: columnsOf[delayRow](), marks: [2]string{"from", "to"},
	toModel: func(v *values, r *delayRow) delayEntry {
		return delayEntry{v.common(v.need("from", r.From)), v.common(v.need("to", r.To)),
			v.time("delay", v.need("delay", r.Delay)).Or(0)}
	},
	add:   func(b *model.Builder, d *delayEntry, at model.Locus) { b.Delay(d.from, d.to, d.delay, at) },
	count: func(w *model.Workload) int { return len(w.Delays) },
	toText: func(w *model.Workload, row int, r *delayRow) {
		d := &w.Delays[row]
		*r = delayRow{w.Tasks[d.From].ID, w.Tasks[d.To].ID, d.Delay.String()}
	},
}

var placementsTable = &table[placementRow, placementEntry]{
	name: model.TablePlacements, columns: columnsOf[placementRow](), marks: [2]string{"block", "node"},
	toModel: func(v *values, r *placementRow) placementEntry {
		return placementEntry{v.need("block", r.Block), v.need("node", r.Node)} // the builder copies what it keeps
	},
	add:   func(b *model.Builder, p *placementEntry, at model.Locus) { b.Placement(p.block, p.node, at) },
	count: func(w *model.Workload) int { return len(w.Placements) },
	toText: func(w *model.Workload, row int, r *placementRow) {
		p := w.Placements[row]
		*r = placementRow{w.Blocks[p.Block], w.Topology[p.Node].ID}
	},
}

// text prints a value, or "" if it is absent.
func text[T interface{ String() string }](x model.Optional[T]) string {
	if !x.Known {
		return ""
	}
	return x.Value.String()
}

func countText(x model.Optional[int64]) string {
	if !x.Known {
		return ""
	}
	return strconv.FormatInt(x.Value, 10)
}

// floatText is the shortest decimal that reads back as the same float; it has an exponent only if the plain form would
// be very long.
func floatText(x model.Optional[float64]) string {
	switch {
	case !x.Known:
		return ""
	case x.Value != 0 && (x.Value < 1e-6 || x.Value >= 1e21):
		return strconv.FormatFloat(x.Value, 'e', -1, 64)
	}
	return strconv.FormatFloat(x.Value, 'f', -1, 64)
}
