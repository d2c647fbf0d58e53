package sat

import (
	"fmt"

	"mrsched/model"
)

// encode turns a truth assignment that satisfies the formula of a reduction into an assignment of tasks to servers, by
// id, with no load above Capacity: the inverse of Decode.
//
// Errors: w is not a reduction (ErrNotReduction); a clause is false.
// Source: Fischer, Su, Yin, SPAA 2010, Lemma 3.4.
func encode(w *model.Workload, truth Truth) (map[string]string, error) {
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
