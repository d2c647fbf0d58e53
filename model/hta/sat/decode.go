package sat

import (
	"fmt"

	"mrsched/model"
)

// Decode turns an assignment of a reduction's tasks to its servers, by id, into a truth assignment of the variables
// that occur, which satisfies every clause. No load may be above Capacity; else the assignment says nothing.
//
// Errors: w is not a reduction (ErrNotReduction); a task without a server, or with an unknown one; a load above
// Capacity. Complexity: O(m + n). Source: Fischer, Su, Yin, SPAA 2010, Lemmas 3.5–3.10.
func Decode(w *model.Workload, servers map[string]string) (Truth, error) {
	g, err := recognise(w)
	if err != nil {
		return nil, err
	}
	at := make([]int, g.tasks())
	numbers := g.serverNumbers()
	for k := range at {
		name := g.taskName(k)
		server, ok := servers[name]
		if !ok {
			return nil, fmt.Errorf("task %q has no server", name)
		}
		if at[k], ok = numbers[server]; !ok {
			return nil, fmt.Errorf("task %q: unknown server %q", name, server)
		}
	}
	if extra := len(servers) - len(at); extra > 0 {
		return nil, fmt.Errorf("%d tasks of the assignment are not in the workload", extra)
	}
	a := newAssignment(g, at)
	if err := a.feasible(); err != nil {
		return nil, err
	}
	return a.decode()
}

// decode changes a feasible assignment until its rings tell the variables' values. Its errors would contradict a lemma.
func (a *assignment) decode() (Truth, error) {
	a.clearSink()
	a.uncross()
	if err := a.feasible(); err != nil {
		return nil, fmt.Errorf("the exchanges of Lemmas 3.5 and 3.7 failed: %w", err)
	}
	if clause, ring := a.crossing(); len(clause) > 0 || len(ring) > 0 {
		return nil, fmt.Errorf("%d and %d tasks cross between clauses and rings, against Lemmas 3.8 and 3.9",
			len(clause), len(ring))
	}
	truth, err := a.sides()
	if err != nil {
		return nil, err
	}
	if u := a.formula.Falsified(truth); u >= 0 {
		return nil, fmt.Errorf("clause %d is false, against Lemma 3.10", u+1)
	}
	return truth, nil
}

// clearSink leaves only sink tasks on the sink server: any other task there swaps places with a sink task elsewhere,
// which is remote and so alone on its server. There are enough of them: the sink server holds at most three tasks.
// Lemma 3.5.
func (a *assignment) clearSink() {
	var away []int
	for k := a.firstSink(); k < a.tasks(); k++ {
		if a.at[k] != a.sink() {
			away = append(away, k)
		}
	}
	for k := range a.firstSink() {
		if a.at[k] == a.sink() {
			a.swap(k, away[0])
			away = away[1:]
		}
	}
}

// crossing lists the cross-boundary tasks: those of clauses that are remote on ring servers, and those of rings on
// clause servers. Their numbers are the paper's n_c and n_r. The sink server must hold only sink tasks.
func (a *assignment) crossing() (clause, ring []int) {
	for k := range a.firstSink() {
		onClause := a.at[k] < a.clauses()
		switch {
		case k >= a.clauseTasks() && onClause:
			ring = append(ring, k)
		case k < a.clauseTasks() && !onClause && !a.local(k, a.at[k]):
			clause = append(clause, k)
		}
	}
	return clause, ring
}

// uncross swaps pairs of cross-boundary tasks, one of each kind, as in Lemma 3.7. Each of them is remote and therefore
// alone on its server. By Lemmas 3.8 and 3.9 no such task is left afterwards.
func (a *assignment) uncross() {
	clause, ring := a.crossing()
	for i := range min(len(clause), len(ring)) {
		a.swap(clause[i], ring[i])
	}
}

// sides says for each ring which of its sides holds the ring tasks: T if the variable is true. Without cross-boundary
// tasks, one side holds all of them, as the proof of Lemma 3.9 shows by counting.
func (a *assignment) sides() (Truth, error) {
	truth := make(Truth, a.rings())
	for i, x := range a.variables {
		truth[x] = a.at[a.ringTask(i, 0)] == a.ringServer(i, 0)
		for j := range 2 * a.omega {
			k := a.ringTask(i, j)
			position := j
			if (j%2 == 0) != truth[x] {
				position++
			}
			if a.at[k] != a.ringServer(i, position) {
				return nil, fmt.Errorf("the tasks of the ring of x%d lie on both of its sides, against Lemma 3.9", x)
			}
		}
	}
	return truth, nil
}

// assignment is a complete assignment of tasks to servers, with the servers' loads.
type assignment struct {
	*gadgets
	at   []int // server, by task
	load []int // by server
}

func newAssignment(g *gadgets, at []int) *assignment {
	a := &assignment{gadgets: g, at: at, load: make([]int, g.servers())}
	for k, s := range at {
		a.load[s] += a.cost(k, s)
	}
	return a
}

func (a *assignment) cost(task, server int) int {
	if a.local(task, server) {
		return 1
	}
	return Capacity
}

func (a *assignment) move(task, to int) {
	from := a.at[task]
	a.load[from] -= a.cost(task, from)
	a.load[to] += a.cost(task, to)
	a.at[task] = to
}

// swap exchanges the servers of two tasks.
func (a *assignment) swap(x, y int) {
	to := a.at[y]
	a.move(y, a.at[x])
	a.move(x, to)
}

// feasible is nil if no server is above capacity.
func (a *assignment) feasible() error {
	for s, load := range a.load {
		if load > Capacity {
			return fmt.Errorf("server %q has load %d, above %d", a.serverName(s), load, Capacity)
		}
	}
	return nil
}
