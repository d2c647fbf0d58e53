package sat

import "fmt"

// taskKind is the kind of a task of the reduction.
type taskKind uint8

const (
	literalTask taskKind = iota
	auxTask
	ringTask
	variableTask
	sinkTask
)

// sinkTasks is the number of tasks that fill the sink server.
const sinkTasks = 3

// gadgets is the placement graph of a formula, with tasks and servers as numbers from 0.
//
// Tasks: for each clause its three literals and its auxiliary task; for each ring its 2ω ring tasks and its ω variable
// tasks; the sink tasks. Servers: a clause server per clause; 2ω ring servers a ring, T and F in turn; the sink server.
type gadgets struct {
	formula   *Formula
	omega     int
	variables []int // by ring
	ring      []int // the ring server of each literal task, by clause and place
}

func newGadgets(f *Formula) *gadgets {
	g := &gadgets{formula: f, omega: f.Omega(), variables: f.Variables()}
	number := map[int]int{}
	for i, x := range g.variables {
		number[x] = i
	}
	count := map[Literal]int{}
	for _, c := range f.Clauses {
		for _, l := range c {
			side := 0
			if l < 0 {
				side = 1
			}
			g.ring = append(g.ring, g.ringServer(number[l.Variable()], 2*count[l]+side))
			count[l]++
		}
	}
	return g
}

func (g *gadgets) clauses() int { return len(g.formula.Clauses) }
func (g *gadgets) rings() int   { return len(g.variables) }

// clauseTasks is the number of tasks in clause gadgets: those before it are the subgraph G_C.
func (g *gadgets) clauseTasks() int { return (clauseSize + 1) * g.clauses() }

// firstSink is the first sink task: those from clauseTasks to it are the subgraph G_R.
func (g *gadgets) firstSink() int { return g.clauseTasks() + 3*g.omega*g.rings() }

func (g *gadgets) tasks() int   { return g.firstSink() + sinkTasks }
func (g *gadgets) servers() int { return g.sink() + 1 }

// sink is the sink server P; the clause servers are those below clauses(), the ring servers lie between.
func (g *gadgets) sink() int { return g.clauses() + 2*g.omega*g.rings() }

// ringServer is the server at a position of a ring. Positions count from 0 and wrap; even ones are T.
func (g *gadgets) ringServer(ring, position int) int {
	return g.clauses() + ring*2*g.omega + position%(2*g.omega)
}

// ringTask is the task between the positions j and j+1 of a ring.
func (g *gadgets) ringTask(ring, j int) int { return g.clauseTasks() + ring*3*g.omega + j }

// locate returns a task's kind, the clause or ring that it belongs to, and its place there.
func (g *gadgets) locate(task int) (kind taskKind, gadget, j int) {
	switch {
	case task < g.clauseTasks():
		if j = task % (clauseSize + 1); j == clauseSize {
			kind = auxTask
		}
		return kind, task / (clauseSize + 1), j
	case task < g.firstSink():
		task -= g.clauseTasks()
		if j = task % (3 * g.omega); j < 2*g.omega {
			return ringTask, task / (3 * g.omega), j
		}
		return variableTask, task / (3 * g.omega), j - 2*g.omega
	}
	return sinkTask, 0, task - g.firstSink()
}

// replicas are the one or two servers that hold a task's block.
func (g *gadgets) replicas(task int) (first, second int) {
	switch kind, gadget, j := g.locate(task); kind {
	case literalTask:
		return gadget, g.ring[gadget*clauseSize+j]
	case auxTask:
		return gadget, gadget
	case ringTask:
		return g.ringServer(gadget, j), g.ringServer(gadget, j+1)
	}
	return g.sink(), g.sink()
}

func (g *gadgets) local(task, server int) bool {
	first, second := g.replicas(task)
	return server == first || server == second
}

func (g *gadgets) taskName(task int) string {
	switch kind, gadget, j := g.locate(task); kind {
	case literalTask:
		return fmt.Sprintf("clause%d.literal%d(%s)", gadget+1, j+1, g.formula.Clauses[gadget][j])
	case auxTask:
		return fmt.Sprintf("clause%d.aux", gadget+1)
	case ringTask:
		return fmt.Sprintf("ring.x%d.%d", g.variables[gadget], j+1)
	case variableTask:
		return fmt.Sprintf("variable.x%d.%d", g.variables[gadget], j+1)
	default:
		return fmt.Sprintf("sink.%d", j+1)
	}
}

func (g *gadgets) serverName(server int) string {
	switch {
	case server < g.clauses():
		return fmt.Sprintf("C%d", server+1)
	case server == g.sink():
		return "P"
	}
	server -= g.clauses()
	x, position := g.variables[server/(2*g.omega)], server%(2*g.omega)
	return fmt.Sprintf("R.x%d.%c%d", x, "TF"[position%2], position/2+1)
}
