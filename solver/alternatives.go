package solver

import (
	"math/big"
	"slices"

	"mrsched/model"
)

// Alternatives tries changed schedules and keeps the cheapest that break no constraint.
type Alternatives struct {
	view model.View
	now  *big.Rat
	most int
	list []tried
}

// tried is an alternative with its change as an exact number.
type tried struct {
	Alternative
	change *big.Rat
}

// NewAlternatives compares with schedule s and keeps at most `most` alternatives.
func NewAlternatives(view model.View, s *model.Schedule, most int) *Alternatives {
	return &Alternatives{view: view, now: view.Evaluate(s).Value, most: most}
}

// Try checks and evaluates a whole changed schedule. If it breaks nothing, it becomes an alternative as described by x,
// whose Objective and Change are filled in; otherwise its violations are returned.
func (a *Alternatives) Try(x Alternative, s *model.Schedule) []model.Violation {
	if broken := a.view.Check(s); len(broken) > 0 {
		return broken
	}
	a.Offer(x, new(big.Rat).Sub(a.view.Evaluate(s).Value, a.now))
	return nil
}

// Offer adds a changed schedule that is known to break nothing and to change the objective by change: checking and
// evaluating a whole large schedule would take most of the time.
func (a *Alternatives) Offer(x Alternative, change *big.Rat) {
	x.Objective, x.Change = model.ExactNumber(new(big.Rat).Add(a.now, change)), model.ExactNumber(change)
	a.list = append(a.list, tried{x, change})
}

// Missing is how many more alternatives are wanted.
func (a *Alternatives) Missing() int { return max(0, a.most-len(a.list)) }

// List is the alternatives, the cheapest first; ties in the order of trial.
func (a *Alternatives) List() []Alternative {
	slices.SortStableFunc(a.list, func(x, y tried) int { return x.change.Cmp(y.change) })
	list := make([]Alternative, min(a.most, len(a.list)))
	for i := range list {
		list[i] = a.list[i].Alternative
	}
	return list
}
