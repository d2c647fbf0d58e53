package workload

import (
	"io"

	"mrsched/io/textpos"
	"mrsched/model"
)

// table joins a row struct R to the model's row M, in which references are ids. Every column of R is a field of M.
type table[R, M any] struct {
	name     model.Table
	columns  []column
	keys     int  // how many columns, the first ones, identify a row
	referred bool // other tables refer to its rows
	need     bool // every workload has it
	doc      string
	reserve  func(b *model.Builder, rows int) // allocates space, of tables that may be very long
	add      func(*model.Builder, *M, model.Locus)
	count    func(*model.Workload) int
	row      func(w *model.Workload, row int) M
}

// tableCodec is a table with any type of row.
type tableCodec interface {
	tableName() string
	tableColumns() []column
	tableDoc() string
	needed() bool
	reserver() func(*model.Builder, int)
	len(*model.Workload) int
	stated(w *model.Workload, asked func(name string) bool) []Stated
	listed(w *model.Workload) model.InputTable
	canonical(model.Origin, *[]model.Warning) func(r *sheetRow, under []string)
	readJSON(*document) error
	readCSV(*intake, *textpos.Reader)
	writeJSON(*jsonWriter, *model.Workload)
	writeCSV(io.Writer, *model.Workload) error
}

func (t *table[R, M]) tableName() string         { return string(t.name) }
func (t *table[R, M]) tableColumns() []column    { return t.columns }
func (t *table[R, M]) tableDoc() string          { return t.doc }
func (t *table[R, M]) needed() bool              { return t.need }
func (t *table[R, M]) len(w *model.Workload) int { return t.count(w) }

func (t *table[R, M]) reserver() func(*model.Builder, int) { return t.reserve }

// texts returns a function that sets texts to a row of the workload.
func (t *table[R, M]) texts(w *model.Workload, texts *R) func(row int) {
	row := new(M)
	fields, cells := bind[R](&values{}, t.columns, row), cellsOf(texts)
	return func(i int) {
		*row = t.row(w, i)
		for k := range cells {
			*cells[k] = fields[k].get()
		}
	}
}

// Rows in which references are still ids.
type (
	nodeEntry struct {
		model.Node
		Parent string
	}
	taskEntry struct {
		model.Task
		Job, Block string
	}
	delayEntry struct {
		From, To string
		Delay    model.Time
	}
	placementEntry struct{ Block, Node string }
	partEntry      struct {
		model.Part
		Job string
	}
	keyEntry struct {
		model.KeyData
		Job string
	}
	timeEntry struct {
		model.GivenTime
		Job, Worker string
	}
)

// tables are all tables in the order in which they are written.
var tables = []tableCodec{jobsTable, topologyTable, slotsTable, tasksTable, delaysTable, placementsTable,
	partitionsTable, keysTable, timesTable, historyTable, capacitiesTable, demandsTable, dependenciesTable, eligibleTable,
	unavailableTable, fixedTable, stateTable, runsTable}

var jobsTable = &table[jobRow, model.Job]{
	name: model.TableJobs, doc: "one row per job",
	columns: columnsOf[jobRow](), keys: 1, referred: true, need: true,
	add:   func(b *model.Builder, j *model.Job, at model.Locus) { b.Job(*j, at) },
	count: func(w *model.Workload) int { return len(w.Jobs) },
	row:   func(w *model.Workload, i int) model.Job { return w.Jobs[i] },
}

var topologyTable = &table[topologyRow, nodeEntry]{
	name: model.TableTopology, doc: "the machines as one tree: a root, switches, racks and nodes",
	columns: columnsOf[topologyRow](), keys: 1,
	referred: true,
	add:      func(b *model.Builder, n *nodeEntry, at model.Locus) { b.Node(n.Node, n.Parent, at) },
	count: func(w *model.Workload) int {
		if !w.HasTopology {
			return 0
		}
		return len(w.Topology)
	},
	row: func(w *model.Workload, i int) nodeEntry {
		n := nodeEntry{Node: w.Topology[i]}
		if n.Node.Parent != model.None {
			n.Parent = w.Topology[n.Node.Parent].ID
		}
		return n
	},
}

var slotsTable = &table[slotRow, model.ReduceSlot]{
	name: model.TableSlots, doc: "the reduce slots of problem reduceplace and what each costs",
	columns: columnsOf[slotRow](), keys: 1,
	add:   func(b *model.Builder, s *model.ReduceSlot, at model.Locus) { b.ReduceSlot(*s, at) },
	count: func(w *model.Workload) int { return len(w.ReduceSlots) },
	row:   func(w *model.Workload, i int) model.ReduceSlot { return w.ReduceSlots[i] },
}

var tasksTable = &table[taskRow, taskEntry]{
	name: model.TableTasks, doc: "one row per map or reduce task; not needed for jobs that state their reduces",
	reserve: (*model.Builder).Reserve, columns: columnsOf[taskRow](), keys: 1, referred: true,
	add:   func(b *model.Builder, t *taskEntry, at model.Locus) { b.Task(t.Task, t.Job, t.Block, at) },
	count: func(w *model.Workload) int { return len(w.Tasks) },
	row: func(w *model.Workload, i int) taskEntry {
		t := taskEntry{Task: w.Tasks[i]}
		if t.Job = w.Jobs[t.Task.Job].ID; t.Task.Block != model.None {
			t.Block = w.Blocks[t.Task.Block]
		}
		return t
	},
}

var delaysTable = &table[delayRow, delayEntry]{
	name: model.TableDelays,
	doc: "precedence: pairs of tasks, the later of which waits for the earlier; a job without rows between its own " +
		"tasks runs all maps before all reduces",
	columns: columnsOf[delayRow](), keys: 2,
	add:   func(b *model.Builder, d *delayEntry, at model.Locus) { b.Delay(d.From, d.To, d.Delay, at) },
	count: func(w *model.Workload) int { return len(w.Delays) },
	row: func(w *model.Workload, i int) delayEntry {
		d := w.Delays[i]
		return delayEntry{w.Tasks[d.From].ID, w.Tasks[d.To].ID, d.Delay}
	},
}

var placementsTable = &table[placementRow, placementEntry]{
	name: model.TablePlacements, doc: "one row per replica: which node holds which block",
	reserve: (*model.Builder).ReservePlacements, columns: columnsOf[placementRow](), keys: 2,
	add:   func(b *model.Builder, p *placementEntry, at model.Locus) { b.Placement(p.Block, p.Node, at) },
	count: func(w *model.Workload) int { return len(w.Placements) },
	row: func(w *model.Workload, i int) placementEntry {
		p := w.Placements[i]
		return placementEntry{w.Blocks[p.Block], w.Topology[p.Node].ID}
	},
}

// The tables that only problem realtime reads.

var partitionsTable = &table[partitionRow, partEntry]{
	name:    model.TablePartitions,
	doc:     "what the maps of a job put into each partition of its intermediate data (problem realtime)",
	columns: columnsOf[partitionRow](), keys: 3,
	add:   func(b *model.Builder, p *partEntry, at model.Locus) { b.Part(p.Part, p.Job, at) },
	count: func(w *model.Workload) int { return len(w.Parts) },
	row:   func(w *model.Workload, i int) partEntry { return partEntry{w.Parts[i], w.Jobs[w.Parts[i].Job].ID} },
}

var keysTable = &table[keyRow, keyEntry]{
	name: model.TableKeys, doc: "what the maps of a job write for each key (problem realtime)",
	columns: columnsOf[keyRow](), keys: 3,
	add:   func(b *model.Builder, k *keyEntry, at model.Locus) { b.KeyData(k.KeyData, k.Job, at) },
	count: func(w *model.Workload) int { return len(w.Keys) },
	row:   func(w *model.Workload, i int) keyEntry { return keyEntry{w.Keys[i], w.Jobs[w.Keys[i].Job].ID} },
}

var timesTable = &table[timeRow, timeEntry]{
	name: model.TableTimes,
	doc: "what tasks or partitions take on workers, where that does not follow from sizes and speeds (problems" +
		" realtime and cluster)",
	columns: columnsOf[timeRow](), keys: 3,
	add:   func(b *model.Builder, t *timeEntry, at model.Locus) { b.GivenTime(t.GivenTime, t.Job, t.Worker, at) },
	count: func(w *model.Workload) int { return len(w.Times) },
	row: func(w *model.Workload, i int) timeEntry {
		t := w.Times[i]
		return timeEntry{t, w.Jobs[t.Job].ID, w.Topology[t.Worker].ID}
	},
}

var historyTable = &table[historyRow, model.PastRun]{
	name: model.TableHistory, doc: "one row per past task, from which times are estimated (problem realtime)",
	reserve: (*model.Builder).ReserveHistory, columns: columnsOf[historyRow](), keys: 7,
	add:   func(b *model.Builder, r *model.PastRun, at model.Locus) { b.PastRun(*r, at) },
	count: func(w *model.Workload) int { return len(w.History) },
	row:   func(w *model.Workload, i int) model.PastRun { return w.History[i] },
}
