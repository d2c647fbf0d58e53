package sat

import (
	"errors"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
)

func reduce(t testing.TB, f *Formula) *model.Workload {
	t.Helper()
	w, err := Reduce(f)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestPaperExample checks the numbers of the example of §3.2 (α = 3, β = 6, ω = 2) and the counts of Table 2.
func TestPaperExample(t *testing.T) {
	f := parse(t, paperCNF)
	if len(f.Clauses) != 3 || len(f.Variables()) != 6 || f.Omega() != 2 {
		t.Errorf("α = %d, β = %d, ω = %d", len(f.Clauses), len(f.Variables()), f.Omega())
	}
	w := reduce(t, f)
	count := map[string]int{}
	for _, n := range w.Topology {
		if n.Kind == model.HostNode {
			count["server "+n.ID[:1]]++
		}
	}
	for _, task := range w.Tasks {
		kind, _, _ := strings.Cut(task.ID, ".")
		if strings.Contains(task.ID, ".literal") {
			kind = "literal"
		} else if strings.HasSuffix(task.ID, ".aux") {
			kind = "aux"
		}
		count[kind]++
	}
	want := map[string]int{"server C": 3, "server R": 24, "server P": 1, "literal": 9, "aux": 3, "ring": 24,
		"variable": 12, "sink": 3}
	if !maps.Equal(count, want) {
		t.Errorf("%v", count)
	}
	if len(w.Notes) != 1 || w.Notes[0] != "3SAT: 6 variables, 3 clauses, omega 2; satisfiable exactly if the makespan "+
		"is at most 3" {
		t.Errorf("%q", w.Notes)
	}
	replicas := map[string][]string{}
	for _, p := range w.Placements {
		replicas[w.Blocks[p.Block]] = append(replicas[w.Blocks[p.Block]], w.Topology[p.Node].ID)
	}
	for task, want := range map[string][]string{ // Figs. 1–3, and §3.2 on inter-gadget edges
		"clause1.literal1(x1)": {"C1", "R.x1.T1"}, "clause2.literal1(x1)": {"C2", "R.x1.T2"},
		"clause3.literal1(-x1)": {"C3", "R.x1.F1"},
		"clause3.literal3(-x6)": {"C3", "R.x6.F1"}, "clause2.aux": {"C2"}, "ring.x4.1": {"R.x4.T1", "R.x4.F1"},
		"ring.x4.2": {"R.x4.F1", "R.x4.T2"},
		"ring.x4.4": {"R.x4.F2", "R.x4.T1"}, "variable.x5.2": {"P"}, "sink.3": {"P"},
	} {
		if !reflect.DeepEqual(replicas[task], want) {
			t.Errorf("%s: %v", task, replicas[task])
		}
	}
}

// randomFormula has up to the given number of variables, some perhaps unused, and clauses of one to three literals.
func randomFormula(r *rand.Rand, variables, clauses int) *Formula {
	f := &Formula{Declared: 1 + r.IntN(variables)}
	for range 1 + r.IntN(clauses) {
		var c Clause
		size := 1 + r.IntN(clauseSize)
		for i := range c {
			if i < size {
				c[i] = Literal(1 + r.IntN(f.Declared))
				if r.IntN(2) == 0 {
					c[i] = -c[i]
				}
			} else {
				c[i] = c[size-1]
			}
		}
		f.Clauses = append(f.Clauses, c)
	}
	return f
}

// solutions lists the truth assignments of the variables that occur which satisfy a formula.
func solutions(f *Formula) (list []Truth) {
	variables := f.Variables()
	for bits := range 1 << len(variables) {
		truth := Truth{}
		for i, x := range variables {
			truth[x] = bits>>i&1 == 1
		}
		if f.Falsified(truth) < 0 {
			list = append(list, truth)
		}
	}
	return list
}

// checkLoads computes the loads from the workload's tables alone.
func checkLoads(w *model.Workload, at map[string]string) error {
	local := map[[2]string]bool{}
	for _, p := range w.Placements {
		local[[2]string{w.Blocks[p.Block], w.Topology[p.Node].ID}] = true
	}
	load := map[string]model.Time{}
	for _, task := range w.Tasks {
		s := at[task.ID]
		if local[[2]string{w.Blocks[task.Block], s}] {
			load[s] += w.Cost.Local
		} else {
			load[s] += w.Cost.Remote.At(0)
		}
		if load[s] > Capacity*model.Second {
			return errors.New(s + " is above capacity")
		}
	}
	return nil
}

// shuffle makes random exchanges and moves that keep every load within capacity. Some are drawn among the remote tasks
// and those that can change places with them, since random pairs seldom fit.
func (a *assignment) shuffle(r *rand.Rand, steps int) {
	alone := func() int { // a task that may as well be remote
		for range 50 {
			if k := r.IntN(a.tasks()); a.load[a.at[k]] == a.cost(k, a.at[k]) {
				return k
			}
		}
		return r.IntN(a.tasks())
	}
	for range steps {
		x, y := alone(), alone()
		switch r.IntN(4) {
		case 0:
			x = r.IntN(a.tasks())
		case 1:
			x = a.firstSink() + r.IntN(sinkTasks)
		case 2:
			from, to := a.at[x], r.IntN(a.servers())
			if a.move(x, to); a.feasible() != nil {
				a.move(x, from)
			}
			continue
		}
		if a.swap(x, y); a.feasible() != nil {
			a.swap(x, y)
		}
	}
}

// TestDecode: Lemma 3.4 for every satisfying assignment of small random formulas; undisturbed, Decode returns it.
// Lemmas 3.5–3.10 hold on assignments far from it. Each kind of exchange must sometimes be needed, or the test proves
// nothing about it.
func TestDecode(t *testing.T) {
	r := rand.New(rand.NewPCG(310, 0))
	sinks, crossings := 0, 0
	for range 60 {
		f := randomFormula(r, 4, 5)
		w := reduce(t, f)
		for _, truth := range solutions(f) {
			a := newGadgets(f).encode(truth)
			if got := decoded(t, w, a.named()); !maps.Equal(got, truth) {
				t.Fatalf("%v became %v", truth, got)
			}
			a.shuffle(r, 300)
			if got := decoded(t, w, a.named()); f.Falsified(got) >= 0 {
				t.Fatalf("%v became %v", truth, got)
			}
			if slices.Contains(a.at[:a.firstSink()], a.sink()) {
				sinks++
			}
			a.clearSink()
			clause, ring := a.crossing()
			if len(clause) != len(ring) { // Lemmas 3.7–3.9 together
				t.Fatalf("n_c = %d, n_r = %d", len(clause), len(ring))
			}
			if len(clause) > 0 {
				crossings++
			}
		}
	}
	if sinks < 50 || crossings < 50 {
		t.Errorf("%d assignments with strangers on the sink server, %d with cross-boundary tasks", sinks, crossings)
	}
}

// encode satisfies Lemma 3.4 of the paper: it gives the ring tasks and the true literals of a variable to one side of
// its ring, T if it is true, and the variable tasks to the other.
func (g *gadgets) encode(truth Truth) *assignment {
	at := make([]int, g.tasks())
	for k := range at {
		switch kind, gadget, j := g.locate(k); kind {
		case literalTask:
			at[k] = gadget
			if truth.of(g.formula.Clauses[gadget][j]) {
				at[k] = g.ring[gadget*clauseSize+j]
			}
		case auxTask:
			at[k] = gadget
		case ringTask: // even positions are T; the neighbours of task j are j and j+1
			if even := j%2 == 0; even == truth[g.variables[gadget]] {
				at[k] = g.ringServer(gadget, j)
			} else {
				at[k] = g.ringServer(gadget, j+1)
			}
		case variableTask:
			at[k] = g.ringServer(gadget, 2*j)
			if truth[g.variables[gadget]] {
				at[k] = g.ringServer(gadget, 2*j+1)
			}
		case sinkTask:
			at[k] = g.sink()
		}
	}
	return newAssignment(g, at)
}

// named is an assignment of tasks to servers by id.
func (a *assignment) named() map[string]string {
	at := map[string]string{}
	for k, s := range a.at {
		at[a.taskName(k)] = a.serverName(s)
	}
	return at
}

// decoded checks the loads of an assignment and decodes it.
func decoded(t *testing.T, w *model.Workload, at map[string]string) Truth {
	t.Helper()
	if err := checkLoads(w, at); err != nil {
		t.Fatal(err)
	}
	truth, err := Decode(w, at)
	if err != nil {
		t.Fatal(err)
	}
	return truth
}

// TestDecodeRefuses: workloads that are not reductions, and infeasible assignments, are rejected.
func TestDecodeRefuses(t *testing.T) {
	f := parse(t, paperCNF)
	w, good := reduce(t, f), newGadgets(f).encode(Truth{1: true, 4: true}).named()
	for _, c := range []struct{ task, server, want string }{
		{"sink.1", "C1", `server "C1" has load`},
		{"sink.1", "Q", `task "sink.1": unknown server "Q"`},
		{"sink.1", "", `task "sink.1" has no server`},
		{"sink.4", "P", "1 tasks of the assignment are not in the workload"},
	} {
		at := maps.Clone(good)
		if at[c.task] = c.server; c.server == "" {
			delete(at, c.task)
		}
		if _, err := Decode(w, at); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s on %s: %v", c.task, c.server, err)
		}
	}
}

// TestRecoverRefuses changes one thing of a reduction at a time.
func TestRecoverRefuses(t *testing.T) {
	for name, spoil := range map[string]func(w *model.Workload){
		"a task's name":     func(w *model.Workload) { w.Tasks[3].ID = "clause1.help" },
		"a literal":         func(w *model.Workload) { w.Tasks[0].ID = "clause1.literal1(-x1)" },
		"a literal's zero":  func(w *model.Workload) { w.Tasks[0].ID = "clause1.literal1(x0)" },
		"a clause's number": func(w *model.Workload) { w.Tasks[0].ID = "clause99.literal1(x1)" },
		"a literal less":    func(w *model.Workload) { w.Tasks[0].ID = "clause1.literal2(x1)" },
		"a reduce":          func(w *model.Workload) { w.Tasks[5].Kind = model.Reduce },
		"a block for two":   func(w *model.Workload) { w.Tasks[5].Block = w.Tasks[6].Block },
		"no block":          func(w *model.Workload) { w.Tasks[5].Block = model.None },
		"one task less":     func(w *model.Workload) { w.Tasks = w.Tasks[:50] },
		"one replica less":  func(w *model.Workload) { w.Placements = w.Placements[1:] },
		"a moved replica":   func(w *model.Workload) { w.Placements[0].Node++ },
		"a server's name":   func(w *model.Workload) { w.Topology[4].ID = "C9" },
		"one server less":   func(w *model.Workload) { w.Topology[4].Kind = model.RackNode },
		"the remote cost":   func(w *model.Workload) { w.Cost.Remote.Base-- },
		"the local cost":    func(w *model.Workload) { w.Cost.Local++ },
		"a cost for racks":  func(w *model.Workload) { w.Cost.Rack = model.Some(model.Second) },
	} {
		w := reduce(t, parse(t, paperCNF))
		spoil(w)
		if _, err := Recover(w); !errors.Is(err, ErrNotReduction) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w := reduce(t, parse(t, paperCNF))
	w.Cost = nil // the default is the same
	if f, err := Recover(w); err != nil || !reflect.DeepEqual(f.Clauses, []Clause{{1, 2, 3}, {1, -4, 5}, {-1, 4, -6}}) {
		t.Errorf("%v, %v", f, err)
	}
}

func TestReduceTooLarge(t *testing.T) {
	f := &Formula{Name: "f.cnf"}
	for x := range 3000 {
		f.Clauses = append(f.Clauses, Clause{1, 1, Literal(x + 2)})
	}
	if _, err := Reduce(f); err == nil || !strings.HasPrefix(err.Error(),
		"V204 f.cnf: 3000 clauses over 3001 variables, one literal 6000 times, make 54030003 tasks") {
		t.Error(err)
	}
	if _, err := Reduce(&Formula{}); err == nil || !strings.HasPrefix(err.Error(), "S401") {
		t.Error(err)
	}
}
