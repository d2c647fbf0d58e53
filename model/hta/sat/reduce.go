package sat

import (
	"fmt"

	"mrsched/model"
)

// MaxTasks bounds the reduction: its rings are as large as the most frequent literal, for every variable.
const MaxTasks = 10_000_000

// Capacity is the makespan, in seconds, that a satisfiable formula's workload reaches, and that of no other formula
// does.
const Capacity = 3

// Cost is what tasks of the reduction cost: 1 and 3 seconds.
func Cost() model.AssignmentCost {
	return model.AssignmentCost{Local: model.Second, Remote: model.RemoteCost{Base: Capacity * model.Second}}
}

// Reduce makes the workload of a formula: one job, "phi", of 4α + 3βω + 3 maps, and α + 2βω + 1 servers in one rack.
//
// Errors: *model.InputError for a formula without clauses, or one that needs more than MaxTasks tasks.
// Source: Fischer, Su, Yin, SPAA 2010, §3.2, Figs. 1–3; clauses with fewer than three literals are mrsched's own.
func Reduce(f *Formula) (*model.Workload, error) {
	alpha, beta, omega := len(f.Clauses), len(f.Variables()), f.Omega()
	if alpha == 0 {
		return nil, model.NewInputError(model.Finding{Code: model.CodeEmpty, Pos: model.Position{File: f.Name},
			What: "the formula has no clause", Expected: "at least one"})
	}
	if n := 4*int64(alpha) + 3*int64(beta)*int64(omega) + sinkTasks; n > MaxTasks {
		return nil, model.NewInputError(model.Finding{Code: model.CodeOverflow, Pos: model.Position{File: f.Name},
			What:     fmt.Sprintf("%d clauses over %d variables, one literal %d times, make %d tasks", alpha, beta, omega, n),
			Expected: fmt.Sprintf("at most %d", MaxTasks), Hint: "give frequent variables copies: (x∨¬y)∧(¬x∨y)"})
	}
	g := newGadgets(f)
	b := model.NewBuilder()
	b.Scalars(fmt.Sprintf("3sat-%d-variables-%d-clauses", beta, alpha), "hta", model.Optional[int64]{}, nil)
	b.Note("3SAT: %d variables, %d clauses, omega %d; satisfiable exactly if the makespan is at most %d", beta, alpha,
		omega, Capacity)
	if f.Short > 0 {
		b.Note("%d clauses with fewer than three literals repeat their last", f.Short)
	}
	if idle := f.Declared - beta; idle > 0 {
		b.Note("%d declared variables occur in no clause", idle)
	}
	b.Cost(Cost(), model.Locus{})
	g.build(b)
	return b.Build()
}

// build adds the rows of all tables.
func (g *gadgets) build(b *model.Builder) {
	at := model.Locus{}
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", at)
	b.Node(model.Node{ID: "rack1", Kind: model.RackNode}, "root", at)
	for s := range g.servers() {
		b.Node(model.Node{ID: g.serverName(s), Kind: model.HostNode, MapSlots: 1}, "rack1", at)
	}
	b.Job(model.Job{ID: "phi", Weight: model.UnitWeight}, at)
	b.Reserve(g.tasks())
	for k := range g.tasks() {
		name := g.taskName(k)
		b.Task(model.Task{ID: name, Kind: model.Map}, "phi", name, at)
		first, second := g.replicas(k)
		b.Placement(name, g.serverName(first), at)
		if second != first {
			b.Placement(name, g.serverName(second), at)
		}
	}
}
