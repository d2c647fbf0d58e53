package lcg

import (
	"slices"

	"mrsched/model/proof"
)

// turn is what the search decides of a task that takes something of a limit: which of its options is 1, then its start.
// All other variables follow: with their least values, and with 0 for the other options, all constraints hold.
type turn struct {
	start   int32
	options []int32
}

func (e *Engine) addTurns() {
	decided := make([]bool, len(e.model.Least))
	for _, c := range e.model.Choices {
		decided[c.Start] = true
		e.turns = append(e.turns, turn{c.Start, c.Options})
	}
	for k := range e.model.Limits {
		for _, n := range e.model.Limits[k].Tasks {
			if !decided[n.Variable] {
				decided[n.Variable] = true
				e.turns = append(e.turns, turn{start: n.Variable})
			}
		}
	}
}

// addChoices adds the choices as clauses, at the root. It returns false if there is a conflict.
func (e *Engine) addChoices() bool {
	for k := range e.model.Choices {
		list := slices.DeleteFunc(e.model.Choices[k].Clause(), e.isNot)
		if len(list) < 2 {
			list = append(list, e.model.Choices[k].Clause()[0]) // which is false if there is no other
			if !e.rule(list[0], proof.Hint{Kind: proof.ByClause, At: -1 - k}) {
				return false
			}
			continue
		}
		var codes []int32
		for _, l := range list {
			codes = append(codes, e.code(l))
		}
		e.add(codes, int32(-1-k), 0)
	}
	return true
}

// next is the decision on the task that can start first: the option of the best schedule, or another one, then its
// least start. It returns false if all tasks are decided.
func (e *Engine) next() (literal, bool) {
	var first *turn
	open := false
	for k := range e.turns {
		t := &e.turns[k]
		if first != nil && e.least(t.start) >= e.least(first.start) {
			continue
		}
		if choosing := len(t.options) > 0 && e.option(t, 1) == none; choosing || e.least(t.start) < e.most(t.start) {
			first, open = t, choosing
		}
	}
	switch {
	case first == nil:
		return literal{}, false
	case !open:
		return proof.AtMost(first.start, e.least(first.start)), true
	}
	for _, o := range first.options {
		if len(e.best) > 0 && e.best[o] == 1 && e.most(o) == 1 {
			return proof.AtLeast(o, 1), true
		}
	}
	return proof.AtLeast(e.option(first, 0), 1), true
}

// option is the first option of a task that is 1, or, for 0, that may become 1; none if there is none.
func (e *Engine) option(t *turn, least int64) int32 {
	for _, o := range t.options {
		if e.least(o) >= least && e.most(o) == 1 {
			return o
		}
	}
	return none
}
