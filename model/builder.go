package model

import (
	"fmt"
	"slices"
)

// Table names a table of a workload.
type Table string

// The tables of a workload document.
const (
	TableJobs       Table = "jobs"
	TableTasks      Table = "tasks"
	TableDelays     Table = "delays"
	TablePlacements Table = "placements"
	TableTopology   Table = "topology"
	TableSlots      Table = "slots"
	TableHistory    Table = "history"
	TablePartitions Table = "partitions"
	TableKeys       Table = "keys"
	TableTimes      Table = "times"

	TableCapacities   Table = "capacities"
	TableDemands      Table = "demands"
	TableDependencies Table = "dependencies"
	TableEligible     Table = "eligible"
	TableUnavailable  Table = "unavailable"
	TableFixed        Table = "fixed"
	TableState        Table = "state"
	TableRuns         Table = "runs"
)

// Locus says where a row is in its file. The zero value is for generated rows.
type Locus struct {
	Pos    Position
	Column func(column string) Position // nil: the row's own position; not called after the row is added
}

// At is the position of one column of the row.
func (l Locus) At(column string) Position {
	if l.Column == nil {
		return l.Pos
	}
	return l.Column(column)
}

// place is a Position without its file.
type place struct{ line, column int32 }

func placeOf(p Position) place { return place{p.Line, p.Column} }

func (p place) in(file string) Position { return Position{file, p.line, p.column} }

// places are the positions of one table's rows.
type places struct {
	file string
	rows []place
}

func (p *places) add(l Locus) {
	p.file = l.Pos.File
	p.rows = append(p.rows, placeOf(l.Pos))
}

func (p *places) at(row int) Position {
	if row < 0 || row >= len(p.rows) {
		return Position{File: p.file}
	}
	return p.rows[row].in(p.file)
}

// pending is a reference to a row that was not read yet.
type pending struct {
	row int32
	id  string
	pos Position
}

// Builder collects rows in any order and makes a Workload of them. Every problem becomes a finding; Build reports
// together all that cannot follow from one another.
type Builder struct {
	Findings Findings
	w        Workload

	jobs, tasks, nodes, slots rowsByID
	lastJob                   int32 // row that the last task belongs to
	parents                   []pending
	delays                    []pendingDelay

	// Unresolved references, by the table of the rows that hold them.
	rowJobs, rowTasks, rowNodes map[Table][]pending
	afterJobs                   []pending // of dependencies

	// Tasks and placements hold these numbers until Build knows the order of blocks and nodes.
	blocks, placedNodes numbering
	placed              []placedAt // by row of placements

	stateAt []place // by row of state: of its start
	merging bool    // the rows of state replace and change others, see Again
	down    []Down

	at                   map[Table]*places
	taskAt, placementsAt *places // two of these
	costAt               Position
	unknown              map[unknownID]*unknownAt // ids that rows name but no table defines
	lost                 map[Table]bool           // tables of which rows are missing
}

type pendingDelay struct {
	from, to     string
	delay        Time
	fromAt, toAt place // in the file of the table's rows
}

// placedAt is where a row of placements names its block and node.
type placedAt struct{ block, node place }

// NewBuilder starts an empty workload.
func NewBuilder() *Builder {
	b := &Builder{jobs: rowsByID{}, tasks: rowsByID{}, nodes: rowsByID{}, slots: rowsByID{},
		blocks: numbering{of: map[string]int32{}}, placedNodes: numbering{of: map[string]int32{}},
		at: map[Table]*places{}, rowJobs: map[Table][]pending{},
		rowTasks: map[Table][]pending{}, rowNodes: map[Table][]pending{}, lost: map[Table]bool{}}
	for _, t := range []Table{TableJobs, TableTasks, TableDelays, TablePlacements, TableTopology, TableSlots, TableHistory,
		TablePartitions, TableKeys, TableTimes, TableCapacities, TableDemands, TableDependencies, TableEligible,
		TableUnavailable, TableFixed, TableState, TableRuns} {
		b.at[t] = &places{}
	}
	b.taskAt, b.placementsAt = b.at[TableTasks], b.at[TablePlacements]
	return b
}

// Reserve allocates space for a known number of tasks.
func (b *Builder) Reserve(tasks int) {
	if len(b.tasks) == 0 {
		b.tasks = make(rowsByID, tasks)
	}
	b.w.Tasks = slices.Grow(b.w.Tasks, tasks)
	b.taskAt.rows = slices.Grow(b.taskAt.rows, tasks)
}

// ReservePlacements allocates space for a known number of placements.
func (b *Builder) ReservePlacements(rows int) {
	b.w.Placements = slices.Grow(b.w.Placements, rows)
	b.placed = slices.Grow(b.placed, rows)
	b.placementsAt.rows = slices.Grow(b.placementsAt.rows, rows)
}

// ReserveHistory allocates space for a known number of rows of history.
func (b *Builder) ReserveHistory(rows int) {
	at := b.at[TableHistory]
	b.w.History, at.rows = slices.Grow(b.w.History, rows), slices.Grow(at.rows, rows)
}

// Scalars sets the values that are outside the tables.
func (b *Builder) Scalars(name, problem string, machines Optional[int64], notes []string) {
	b.w.Name, b.w.Problem, b.w.Machines, b.w.Notes = name, problem, machines, notes
}

// Origin sets the clock time of time 0.
func (b *Builder) Origin(o Origin) { b.w.Origin = o }

// MaxRunningJobs sets how many jobs may share the map phase, at least 1.
func (b *Builder) MaxRunningJobs(k Optional[int64]) { b.w.MaxRunningJobs = k }

// Cost sets the costs of tasks by locality; at is the position in the file.
func (b *Builder) Cost(c AssignmentCost, at Locus) {
	if what, expected := c.fault(); what != "" {
		b.Findings.Add(Finding{Code: CodeCost, Pos: at.At("cost"), What: what, Expected: expected})
	}
	b.w.Cost, b.costAt = &c, at.At("cost")
}

// Note adds an assumption to the workload's notes.
func (b *Builder) Note(format string, args ...any) {
	b.w.Notes = append(b.w.Notes, fmt.Sprintf(format, args...))
}

// Job adds a row of jobs.
func (b *Builder) Job(j Job, at Locus) {
	b.register(TableJobs, b.jobs, j.ID, len(b.w.Jobs), "job", at)
	b.w.Jobs = append(b.w.Jobs, j)
	b.at[TableJobs].add(at)
}

// Task adds a row of tasks; job and block are ids, block may be empty. It keeps a copy of block.
func (b *Builder) Task(t Task, job, block string, at Locus) {
	row := len(b.w.Tasks)
	b.register(TableTasks, b.tasks, t.ID, row, "task", at)
	t.Job = b.rowJob(TableTasks, row, job, at)
	t.Block = None
	if block != "" {
		t.Block = BlockIndex(b.blocks.number(block))
	}
	b.w.Tasks = append(b.w.Tasks, t)
	b.taskAt.add(at)
}

// job returns the index of a job that was already added, or None.
func (b *Builder) job(id string) JobIndex {
	if len(b.w.Jobs) == 0 || b.w.Jobs[b.lastJob].ID != id {
		row := b.jobs.find(id)
		if row == None {
			return None
		}
		b.lastJob = row
	}
	return JobIndex(b.lastJob)
}

// Delay adds a row of delays; from and to are task ids.
func (b *Builder) Delay(from, to string, delay Time, at Locus) {
	b.delays = append(b.delays, pendingDelay{from, to, delay, placeOf(at.At("from")), placeOf(at.At("to"))})
	b.at[TableDelays].add(at)
}

// Placement adds a row of placements; block and node are ids, of which it keeps copies.
func (b *Builder) Placement(block, node string, at Locus) {
	b.w.Placements = append(b.w.Placements, Placement{BlockIndex(b.blocks.number(block)),
		NodeIndex(b.placedNodes.number(node))})
	b.placed = append(b.placed, placedAt{placeOf(at.At("block")), placeOf(at.At("node"))})
	b.placementsAt.add(at)
}

// Node adds a row of topology; parent is an id, empty for the root.
func (b *Builder) Node(n Node, parent string, at Locus) {
	row := len(b.w.Topology)
	b.register(TableTopology, b.nodes, n.ID, row, "topology row", at)
	n.Parent = None
	if parent != "" {
		b.parents = append(b.parents, pending{int32(row), parent, at.At("parent")})
	}
	b.w.Topology = append(b.w.Topology, n)
	b.at[TableTopology].add(at)
}

// ReduceSlot adds a row of slots. The builder finds s.Node by s.NodeName.
func (b *Builder) ReduceSlot(s ReduceSlot, at Locus) {
	row := len(b.w.ReduceSlots)
	b.register(TableSlots, b.slots, s.ID, row, "slot", at)
	s.Node = None
	if s.NodeName != "" {
		b.rowNode(TableSlots, row, s.NodeName, at.At("node"))
	}
	b.w.ReduceSlots = append(b.w.ReduceSlots, s)
	b.at[TableSlots].add(at)
}

// register enters an id into the index of its table, or reports it as a duplicate.
func (b *Builder) register(table Table, rows rowsByID, id string, row int, what string, at Locus) {
	if first := rows.find(id); first != None {
		b.Findings.Add(Finding{Code: CodeDuplicate, Pos: at.At("id"),
			What: fmt.Sprintf("%s id %q is used twice", what, id), Expected: "unique ids",
			Hint: "rename one of them" + b.firstUse(table, int(first))})
		return
	}
	rows[id] = int32(row)
}

// ReferredTables are the tables whose rows others refer to.
var ReferredTables = []Table{TableJobs, TableTasks, TableTopology}

// Lose notes that rows of some of the ReferredTables could not be read: the findings say so. Build then only looks for
// unknown ids of the other tables, because whatever else is wrong may be due to the missing rows.
func (b *Builder) Lose(tables ...Table) {
	for _, t := range tables {
		b.lost[t] = true
	}
}

// Build resolves all references, checks the structure and returns the workload, or an *InputError with
// every finding. The builder must not be used afterwards.
func (b *Builder) Build() (*Workload, error) {
	readable := b.Findings.Empty()
	if b.reportSwapped() {
		return nil, b.Findings.Err()
	}
	b.reportEmpty()
	b.resolveJobs(TableTasks, func(row int32) *JobIndex { return &b.w.Tasks[row].Job })
	if !b.lost[TableTopology] {
		b.resolveTopology()
	}
	if b.w.HasTopology { // before placements, which may add nodes that are not in the topology
		b.resolveHosts(TableSlots, func(row int32) *NodeIndex { return &b.w.ReduceSlots[row].Node })
	}
	b.resolveRows()
	b.merge()
	if len(b.lost) == 0 {
		b.resolvePlacements()
	}
	b.resolveDelays()
	if len(b.lost) > 0 {
		b.countUnknown()
		return nil, b.Findings.Err()
	}
	b.w.at = b.at
	b.checkJobs()
	b.checkTotals()
	b.checkCost()
	b.checkPrecedence()
	if readable { // otherwise rows may be missing, or their values wrong
		b.checkClusterRows()
	}
	b.countUnknown()
	if err := b.Findings.Err(); err != nil {
		return nil, err
	}
	w := b.w // without the builder, which has all ids
	return &w, nil
}

// resolveJobs finds the jobs that rows of a table named before the job was read; job is where a row keeps it.
func (b *Builder) resolveJobs(table Table, job func(row int32) *JobIndex) {
	if list := b.rowJobs[table]; len(b.w.Jobs) == 0 && len(list) > 0 && !b.lost[TableJobs] {
		b.Findings.Add(Finding{Code: CodeUnknownJob, Pos: list[0].pos,
			What: fmt.Sprintf("the table jobs has no rows, but %s of %s name jobs such as %q", Counted(len(list), "row"), table,
				list[0].id),
			Expected: "a row in the table jobs for each job"})
		for _, p := range list {
			*job(p.row) = None
		}
		return
	}
	for _, p := range b.rowJobs[table] {
		j := b.job(p.id)
		if j == None {
			b.reportUnknown(CodeUnknownJob, p.pos, "job", p.id, TableJobs)
		}
		*job(p.row) = j
	}
}

// rowNode notes that a row names a node.
func (b *Builder) rowNode(table Table, row int, id string, at Position) {
	b.rowNodes[table] = append(b.rowNodes[table], pending{int32(row), id, at})
}

// resolveHosts finds nodes that rows of a table name; node is where a row keeps it.
func (b *Builder) resolveHosts(table Table, node func(row int32) *NodeIndex) {
	for _, p := range b.rowNodes[table] {
		n := b.hostNode(p.id)
		if n == None {
			b.reportNode(p.pos, p.id)
		}
		*node(p.row) = n
	}
}

// reportNode reports an unknown node or a topology row of the wrong kind.
func (b *Builder) reportNode(pos Position, id string) {
	if n := b.nodes.find(id); n != None {
		b.Findings.Add(Finding{Code: CodeUnknownNode, Pos: pos, What: fmt.Sprintf("%q is a %s of the topology", id,
			b.w.Topology[n].Kind),
			Expected: "a row of kind node"})
		return
	}
	b.reportUnknown(CodeUnknownNode, pos, "node", id, TableTopology)
}

func (b *Builder) resolveDelays() {
	file := b.at[TableDelays].file
	ofJobs, first := 0, 0 // rows that name two jobs
	for row, d := range b.delays {
		from := b.tasks.find(d.from)
		to := b.tasks.find(d.to)
		if from == None && to == None && b.job(d.from) != None && b.job(d.to) != None && !b.lost[TableTasks] {
			if ofJobs++; ofJobs == 1 {
				first = row
			}
			continue
		}
		if from == None {
			b.reportUnknown(CodeUnknownTask, d.fromAt.in(file), "task", d.from, TableTasks)
		}
		if to == None {
			b.reportUnknown(CodeUnknownTask, d.toAt.in(file), "task", d.to, TableTasks)
		}
		if from == None || to == None {
			continue
		}
		if b.w.Tasks[from].Job == None || b.w.Tasks[to].Job == None { // reported already
			continue
		}
		b.w.Delays = append(b.w.Delays, Delay{TaskIndex(from), TaskIndex(to), d.delay})
	}
	if ofJobs > 0 {
		d := b.delays[first]
		b.Findings.Add(Finding{Code: CodeUnknownTask, Pos: d.fromAt.in(file), More: ofJobs - 1,
			What:     fmt.Sprintf("a delay joins tasks, and %q and %q are jobs", d.from, d.to),
			Expected: "two tasks",
			Hint: "for problem cluster, state it in the table dependencies; else put both into one job, or set the " +
				"release of the later one"})
	}
}
