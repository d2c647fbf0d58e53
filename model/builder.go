package model

import "fmt"

// Table names a table of a workload.
type Table string

// The tables of a workload document.
const (
	TableJobs       Table = "jobs"
	TableTasks      Table = "tasks"
	TableDelays     Table = "delays"
	TablePlacements Table = "placements"
	TableTopology   Table = "topology"
)

// Locus tells where a row stands in its file. The zero value stands nowhere: generated rows.
type Locus struct {
	Pos    Position
	Column func(column string) Position // nil: the row's own position
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

// places are the positions of one table's rows.
type places struct {
	file string
	rows []place
}

func (p *places) add(l Locus) {
	p.file = l.Pos.File
	p.rows = append(p.rows, place{l.Pos.Line, l.Pos.Column})
}

func (p *places) at(row int) Position {
	if row < 0 || row >= len(p.rows) {
		return Position{File: p.file}
	}
	return Position{p.file, p.rows[row].line, p.rows[row].column}
}

// pending is a reference to a row that was not read yet.
type pending struct {
	row int32
	id  string
	pos Position
}

// Builder collects rows in any order and makes a Workload of them. Every problem becomes a finding;
// Build reports all of them at once.
type Builder struct {
	Findings Findings
	w        Workload

	jobs, tasks, blocks, nodes map[string]int32
	taskJobs, parents          []pending // unresolved so far
	delays                     []pendingDelay
	placements                 []pendingPlacement
	placedBlocks, placedNodes  numbering // ids that placements name
	at                         map[Table]*places
}

type pendingDelay struct {
	from, to string
	delay    Time
	locus    Locus
}

// pendingPlacement holds numbers, not ids: there may be millions of them.
type pendingPlacement struct {
	block, node     int32 // in placedBlocks, placedNodes
	blockAt, nodeAt place // in the file of the table's rows
}

// numbering gives ids numbers in order of appearance.
type numbering struct {
	numbers map[string]int32
	ids     []string
	last    int32 // given out; the replicas of a block mostly come together
}

func (n *numbering) number(id string) int32 {
	if len(n.ids) > 0 && n.ids[n.last] == id {
		return n.last
	}
	k, ok := n.numbers[id]
	if !ok {
		k = int32(len(n.ids))
		n.numbers[id] = k
		n.ids = append(n.ids, id)
	}
	n.last = k
	return k
}

// NewBuilder starts an empty workload.
func NewBuilder() *Builder {
	return &Builder{
		jobs: map[string]int32{}, tasks: map[string]int32{}, blocks: map[string]int32{}, nodes: map[string]int32{},
		placedBlocks: numbering{numbers: map[string]int32{}}, placedNodes: numbering{numbers: map[string]int32{}},
		at: map[Table]*places{TableJobs: {}, TableTasks: {}, TableDelays: {}, TablePlacements: {}, TableTopology: {}},
	}
}

// Reserve makes room for a number of tasks that is known in advance.
func (b *Builder) Reserve(tasks int) {
	b.tasks = make(map[string]int32, tasks)
	b.w.Tasks = make([]Task, 0, tasks)
	b.at[TableTasks].rows = make([]place, 0, tasks)
}

// Scalars sets the values that stand outside the tables.
func (b *Builder) Scalars(name, problem string, machines Optional[int64], notes []string) {
	b.w.Name, b.w.Problem, b.w.Machines, b.w.Notes = name, problem, machines, notes
}

// Cost sets what tasks cost by where their blocks lie; at tells where it stands.
func (b *Builder) Cost(c AssignmentCost, at Locus) {
	if what, expected := c.fault(); what != "" {
		b.Findings.Add(Finding{Code: CodeCost, Pos: at.At("cost"), What: what, Expected: expected})
	}
	b.w.Cost = &c
}

// Note adds an assumption to the workload's notes.
func (b *Builder) Note(format string, args ...any) {
	b.w.Notes = append(b.w.Notes, fmt.Sprintf(format, args...))
}

// Job adds a row of jobs.
func (b *Builder) Job(j Job, at Locus) {
	b.register(b.jobs, j.ID, len(b.w.Jobs), "job", at)
	b.w.Jobs = append(b.w.Jobs, j)
	b.at[TableJobs].add(at)
}

// Task adds a row of tasks; job and block are ids, block may be empty.
func (b *Builder) Task(t Task, job, block string, at Locus) {
	row := len(b.w.Tasks)
	b.register(b.tasks, t.ID, row, "task", at)
	if j, ok := b.jobs[job]; ok {
		t.Job = JobIndex(j)
	} else {
		t.Job = None
		b.taskJobs = append(b.taskJobs, pending{int32(row), job, at.At("job")})
	}
	t.Block = None
	if block != "" {
		t.Block = BlockIndex(b.block(block))
	}
	b.w.Tasks = append(b.w.Tasks, t)
	b.at[TableTasks].add(at)
}

func (b *Builder) block(id string) int32 {
	k, ok := b.blocks[id]
	if !ok {
		k = int32(len(b.w.Blocks))
		b.blocks[id] = k
		b.w.Blocks = append(b.w.Blocks, id)
	}
	return k
}

// Delay adds a row of delays; from and to are task ids.
func (b *Builder) Delay(from, to string, delay Time, at Locus) {
	b.delays = append(b.delays, pendingDelay{from, to, delay, at})
	b.at[TableDelays].add(at)
}

// Placement adds a row of placements; block and node are ids.
func (b *Builder) Placement(block, node string, at Locus) {
	blockAt, nodeAt := at.At("block"), at.At("node")
	b.placements = append(b.placements, pendingPlacement{b.placedBlocks.number(block), b.placedNodes.number(node),
		place{blockAt.Line, blockAt.Column}, place{nodeAt.Line, nodeAt.Column}})
	b.at[TablePlacements].add(at)
}

// Node adds a row of topology; parent is an id, empty for the root.
func (b *Builder) Node(n Node, parent string, at Locus) {
	row := len(b.w.Topology)
	b.register(b.nodes, n.ID, row, "topology row", at)
	n.Parent = None
	if parent != "" {
		b.parents = append(b.parents, pending{int32(row), parent, at.At("parent")})
	}
	b.w.Topology = append(b.w.Topology, n)
	b.at[TableTopology].add(at)
}

// register enters an id into the index of its table, or reports it as a duplicate.
func (b *Builder) register(index map[string]int32, id string, row int, what string, at Locus) {
	if _, taken := index[id]; taken {
		b.Findings.Add(Finding{Code: CodeDuplicate, Pos: at.At("id"),
			What: fmt.Sprintf("%s id %q is used twice", what, id), Expected: "unique ids", Hint: "rename one of them"})
		return
	}
	index[id] = int32(row)
}

// Build resolves all references, checks the structure and returns the workload, or an *InputError with
// every finding. The builder must not be used afterwards.
func (b *Builder) Build() (*Workload, error) {
	b.resolveTasks()
	b.resolveTopology()
	b.resolvePlacements()
	b.resolveDelays()
	b.w.at = b.at
	b.checkJobs()
	b.checkTotals()
	b.checkPrecedence()
	if err := b.Findings.Err(); err != nil {
		return nil, err
	}
	return &b.w, nil
}

func (b *Builder) resolveTasks() {
	for _, p := range b.taskJobs {
		j, ok := b.jobs[p.id]
		if !ok {
			b.reportUnknown(CodeUnknownJob, p.pos, "job", p.id, b.jobs)
			b.w.Tasks[p.row].Job = None
			continue
		}
		b.w.Tasks[p.row].Job = JobIndex(j)
	}
}

func (b *Builder) resolvePlacements() {
	w := &b.w
	w.HasTopology = len(w.Topology) > 0
	blocks := make([]int32, len(b.placedBlocks.ids)) // number → index, or None
	for k, id := range b.placedBlocks.ids {
		blocks[k] = None
		if i, ok := b.blocks[id]; ok {
			blocks[k] = i
		}
	}
	nodes := make([]int32, len(b.placedNodes.ids))
	for k, id := range b.placedNodes.ids {
		nodes[k] = b.placedNode(id)
	}
	file := b.at[TablePlacements].file
	w.Placements = make([]Placement, 0, len(b.placements))
	for _, p := range b.placements {
		block, node := blocks[p.block], nodes[p.node]
		if block == None {
			b.reportUnknown(CodeUnknownBlock, Position{file, p.blockAt.line, p.blockAt.column}, "block", b.placedBlocks.ids[p.block], b.blocks)
		}
		if node == None {
			b.reportPlacedNode(Position{file, p.nodeAt.line, p.nodeAt.column}, b.placedNodes.ids[p.node])
		}
		if block != None && node != None {
			w.Placements = append(w.Placements, Placement{BlockIndex(block), NodeIndex(node)})
		}
	}
}

// reportPlacedNode tells a node that does not exist from a topology row that cannot hold blocks.
func (b *Builder) reportPlacedNode(pos Position, id string) {
	if n, ok := b.nodes[id]; ok {
		b.Findings.Add(Finding{Code: CodeUnknownNode, Pos: pos, What: fmt.Sprintf("%q is a %s of the topology", id, b.w.Topology[n].Kind),
			Expected: "a row of kind node"})
		return
	}
	b.reportUnknown(CodeUnknownNode, pos, "node", id, b.nodes)
}

// placedNode is the index of a node that placements name, or None. Without a topology it is made.
func (b *Builder) placedNode(id string) int32 {
	w := &b.w
	if !w.HasTopology {
		n := int32(len(w.Topology))
		b.nodes[id] = n
		w.Topology = append(w.Topology, Node{ID: id, Parent: None, Kind: HostNode})
		return n
	}
	if n, ok := b.nodes[id]; ok && w.Topology[n].Kind == HostNode {
		return n
	}
	return None
}

func (b *Builder) resolveDelays() {
	for row, d := range b.delays {
		from, okFrom := b.tasks[d.from]
		to, okTo := b.tasks[d.to]
		if !okFrom {
			b.reportUnknown(CodeUnknownTask, d.locus.At("from"), "task", d.from, b.tasks)
		}
		if !okTo {
			b.reportUnknown(CodeUnknownTask, d.locus.At("to"), "task", d.to, b.tasks)
		}
		if !okFrom || !okTo {
			continue
		}
		x, y := b.w.Tasks[from].Job, b.w.Tasks[to].Job
		if x == None || y == None { // reported already
			continue
		}
		if x != y {
			b.Findings.Add(Finding{Code: CodeOtherJob, Pos: b.at[TableDelays].at(row),
				What:     fmt.Sprintf("delay from %q (job %q) to %q (job %q)", d.from, b.w.Jobs[x].ID, d.to, b.w.Jobs[y].ID),
				Expected: "two tasks of one job"})
			continue
		}
		b.w.Delays = append(b.w.Delays, Delay{TaskIndex(from), TaskIndex(to), d.delay})
	}
}
