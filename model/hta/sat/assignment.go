package sat

import (
	"fmt"

	"mrsched/model"
)

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

// swap lets two tasks change places.
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

// Encode turns a truth assignment that satisfies the formula of a reduction into an assignment of tasks to servers, by
// id, with no load above Capacity.
//
// Errors: w is not a reduction (ErrNotReduction); a clause is false.
// Source: Fischer, Su, Yin, SPAA 2010, Lemma 3.4.
func Encode(w *model.Workload, truth Truth) (map[string]string, error) {
	g, err := recognise(w)
	if err != nil {
		return nil, err
	}
	if u := g.formula.Falsified(truth); u >= 0 {
		return nil, fmt.Errorf("clause %d is false", u+1)
	}
	a := g.encode(truth)
	if err := a.feasible(); err != nil {
		return nil, err
	}
	byName := make(map[string]string, g.tasks())
	for k, s := range a.at {
		byName[g.taskName(k)] = g.serverName(s)
	}
	return byName, nil
}

// encode gives the ring tasks and the true literals of a variable to one side of its ring, T if it is true, and the
// variable tasks to the other.
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
