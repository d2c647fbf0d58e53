package sat

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"mrsched/model"
)

// ErrNotReduction is wrapped by errors about workloads that Reduce did not make.
var ErrNotReduction = errors.New("not a workload of preset 3sat")

// foreign is the error for a workload that is not a reduction.
func foreign(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrNotReduction, fmt.Sprintf(format, args...))
}

// literalName is the name of a literal task.
var literalName = regexp.MustCompile(`^clause([0-9]+)\.literal([1-3])\((-?)x([0-9]+)\)$`)

// Recover reconstructs the formula from the names of a reduction's tasks, and checks that the workload is the formula's
// reduction: the same tasks, servers, placements and cost, in any order. Its Name, Declared and Short are not known.
func Recover(w *model.Workload) (*Formula, error) {
	g, err := recognise(w)
	if err != nil {
		return nil, err
	}
	return g.formula, nil
}

func recognise(w *model.Workload) (*gadgets, error) {
	f, err := literals(w)
	if err != nil {
		return nil, err
	}
	if beta, omega := len(f.Variables()), f.Omega(); 4*len(f.Clauses)+3*beta*omega+sinkTasks != len(w.Tasks) {
		return nil, foreign("%d tasks do not fit %d clauses over %d variables with omega %d", len(w.Tasks), len(f.Clauses),
			beta, omega)
	}
	g := newGadgets(f)
	if w.Cost != nil && (w.Cost.Local != model.Second || w.Cost.Rack.Known || !w.Cost.Remote.Constant() ||
		w.Cost.Remote.At(0) != Capacity*model.Second) {
		return nil, foreign("its cost is not 1 local and %d remote", Capacity)
	}
	if err := g.checkTables(w); err != nil {
		return nil, err
	}
	return g, nil
}

// literals collects the clauses that the names of literal tasks state.
func literals(w *model.Workload) (*Formula, error) {
	clauses := make([]Clause, len(w.Tasks)/(clauseSize+1))
	count, last := 0, 0
	for i := range w.Tasks {
		part := literalName.FindStringSubmatch(w.Tasks[i].ID)
		if part == nil {
			continue
		}
		u, errClause := strconv.Atoi(part[1])
		x, errVariable := strconv.ParseInt(part[3]+part[4], 10, 32)
		if errClause != nil || errVariable != nil || u < 1 || u > len(clauses) || x == 0 || Literal(x) == -Literal(x) {
			return nil, foreign("task %q", w.Tasks[i].ID)
		}
		clauses[u-1][part[2][0]-'1'] = Literal(x)
		count++
		last = max(last, u)
	}
	f := &Formula{Clauses: clauses[:last]}
	for u, c := range f.Clauses {
		if slices.Contains(c[:], 0) {
			return nil, foreign("clause %d lacks a literal", u+1)
		}
		for _, l := range c {
			f.Declared = max(f.Declared, l.Variable())
		}
	}
	if count == 0 {
		return nil, foreign("no task is named like clause1.literal1(x1)")
	}
	return f, nil
}

// checkTables compares a workload of as many tasks with the reduction.
func (g *gadgets) checkTables(w *model.Workload) error {
	servers, tasks := g.serverNumbers(), g.taskNumbers()
	hosts := 0
	for i := range w.Topology {
		if w.Topology[i].Kind != model.HostNode {
			continue
		}
		if _, ok := servers[w.Topology[i].ID]; !ok {
			return foreign("server %q", w.Topology[i].ID)
		}
		if w.HasTopology && w.Topology[i].MapSlots == 0 {
			return foreign("server %q has no map slots", w.Topology[i].ID)
		}
		hosts++
	}
	if hosts != len(servers) {
		return foreign("%d servers instead of %d", hosts, len(servers))
	}
	reader := make([]int, len(w.Blocks)) // its task + 1
	for i := range w.Tasks {
		t := &w.Tasks[i]
		k, ok := tasks[t.ID]
		if !ok || t.Kind != model.Map || t.Block == model.None || reader[t.Block] != 0 {
			return foreign("task %q", t.ID)
		}
		reader[t.Block] = k + 1
	}
	held := make([][]int, g.tasks())
	for _, p := range w.Placements {
		if k := reader[p.Block] - 1; k >= 0 {
			held[k] = append(held[k], servers[w.Topology[p.Node].ID])
		}
	}
	for k, got := range held {
		first, second := g.replicas(k)
		want := []int{min(first, second), max(first, second)}
		slices.Sort(got)
		if !slices.Equal(slices.Compact(got), slices.Compact(want)) {
			return foreign("the replicas that task %q reads", g.taskName(k))
		}
	}
	return nil
}

func (g *gadgets) serverNumbers() map[string]int {
	numbers := make(map[string]int, g.servers())
	for s := range g.servers() {
		numbers[g.serverName(s)] = s
	}
	return numbers
}

func (g *gadgets) taskNumbers() map[string]int {
	numbers := make(map[string]int, g.tasks())
	for k := range g.tasks() {
		numbers[g.taskName(k)] = k
	}
	return numbers
}
