package lp

import (
	"context"
	"fmt"
)

// Tree is a branch and bound over the LPs of a solver, depth first. Unlike the nodes of a backend, its own can be
// counted and limited, so that results under a limit do not depend on the machine.
type Tree struct {
	Solver Solver
	// Visit looks at the optimum of a node. It returns rows that divide the node's integer points, in the order of the
	// search; none if nothing is left to search there.
	Visit        func(x *Solution) ([]Branch, error)
	Report       func() // called at every node; may be nil
	Nodes, Limit int    // looked at so far, and at most
	Done         bool   // set by Visit to end the search
}

// Branch is a row that holds in a part of the tree.
type Branch struct {
	Entries  []Entry
	Relation Relation
	RHS      float64
}

// Search looks at the nodes below the rows that the solver holds; complete is false if a limit or ctx ended it.
func (t *Tree) Search(ctx context.Context) (complete bool, err error) {
	if t.Nodes >= t.Limit || ctx.Err() != nil {
		return false, nil
	}
	t.Nodes++
	if t.Report != nil {
		t.Report()
	}
	x, err := t.Solver.Solve(ctx)
	switch {
	case err != nil:
		return false, err
	case x.Status == Timeout || x.Status == Aborted:
		return false, nil
	case x.Status == Infeasible:
		return true, nil
	case x.Status != Optimal:
		return false, fmt.Errorf("the LP of a node is %v", x.Status)
	}
	parts, err := t.Visit(x)
	if err != nil {
		return false, err
	}
	for _, b := range parts {
		row, err := t.Solver.AddRow("", b.Entries, b.Relation, b.RHS)
		if err != nil {
			return false, err
		}
		if complete, err := t.Search(ctx); !complete || err != nil || t.Done {
			return complete, err
		}
		if err := t.Solver.DeleteRows([]Row{row}); err != nil {
			return false, err
		}
	}
	return true, nil
}
