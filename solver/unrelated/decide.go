package unrelated

import (
	"context"
	"math"

	"mrsched/model"
)

// Question is whether an instance has an assignment within a limit.
type Question struct {
	Limit model.Time
	// Nodes and Work limit the branch-and-bound tree that answers.
	Nodes int
	Work  int64
}

// Answer is the answer to a question.
type Answer struct {
	Verdict Verdict
	// Assignment keeps the limit if Feasible.
	Assignment Assignment
	// Proof refutes the limit if Refuted; nil if it were too large.
	Proof *Proof
	// Nodes and Work are what the tree used.
	Nodes int
	Work  int64
}

// Decide answers a question by branch and bound. It is for instances of at most 400 tasks, and 20 000 pairs of task and
// machine, which are not divisible; of others the verdict is Undecided.
//
// Complexity: exponential, within the limits of the question.
func (in *Instance) Decide(ctx context.Context, q Question) (*Answer, error) {
	if !in.configurable() {
		return &Answer{}, nil
	}
	f, err := in.relaxation(ctx)
	if err != nil {
		return nil, err
	}
	x := &tree{configuration: in.newConfiguration(q.Limit, in.firstTrial(f.Bound), q.Work), nodeLimit: q.Nodes,
		numbers: treeNumbers}
	a := &Answer{}
	a.Verdict, a.Assignment, a.Proof, err = x.search(ctx)
	if x.numbers < 0 {
		a.Proof = nil
	}
	a.Nodes, a.Work = x.nodes, q.Work-x.knap.work
	return a, err
}

// Confirm says whether trees of at most so many nodes in all refute that any of some instances has a makespan below a
// value, and how many nodes they have.
func Confirm(ctx context.Context, list []*Instance, value model.Time, most int) (nodes int, ok bool, err error) {
	for _, in := range list {
		b, err := in.RootBound(ctx)
		if err != nil {
			return nodes, false, err
		}
		if b.Value >= value {
			continue
		}
		a, err := in.Decide(ctx, Question{Limit: in.below(value), Nodes: most - nodes, Work: math.MaxInt64})
		if err != nil {
			return nodes, false, err
		}
		if nodes += a.Nodes; a.Verdict != Refuted {
			return nodes, false, nil
		}
	}
	return nodes, true, nil
}
