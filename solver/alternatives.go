package solver

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"mrsched/model"
)

// Alternatives tries changed schedules and keeps the cheapest that break no constraint.
type Alternatives struct {
	view model.View
	now  model.Evaluation
	most int
	list []tried
}

// tried is an alternative with its change as an exact number, penalties included.
type tried struct {
	Alternative
	change *big.Rat
}

// NewAlternatives compares with schedule s and keeps at most `most` alternatives.
func NewAlternatives(view model.View, s *model.Schedule, most int) *Alternatives {
	return &Alternatives{view: view, now: view.Evaluate(s), most: most}
}

// Try checks and evaluates a whole changed schedule. If it breaks nothing, it becomes an alternative as described by x,
// whose Objective and Change are filled in; otherwise its violations are returned.
func (a *Alternatives) Try(x Alternative, s *model.Schedule) []model.Violation {
	if broken := a.view.Check(s); len(broken) > 0 {
		return broken
	}
	e := a.view.Evaluate(s)
	total := new(big.Rat).Sub(e.Total(), a.now.Total())
	value := new(big.Rat).Sub(e.Value, a.now.Value)
	if d := new(big.Rat).Sub(total, value); d.Sign() != 0 {
		more := "more"
		if d.Sign() < 0 {
			more = "less"
		}
		text := fmt.Sprintf("changes of the earlier plan cost %s %s", model.ExactNumber(d.Abs(d)), more)
		x.Note = strings.TrimPrefix(x.Note+"; "+text, "; ")
	}
	a.add(x, value, total)
	return nil
}

// Offer adds a changed schedule that is known to break nothing and to change the objective by change: checking and
// evaluating a whole large schedule would take most of the time.
func (a *Alternatives) Offer(x Alternative, change *big.Rat) {
	a.add(x, change, change)
}

func (a *Alternatives) add(x Alternative, change, total *big.Rat) {
	x.Objective, x.Change = model.ExactNumber(new(big.Rat).Add(a.now.Value, change)), model.ExactNumber(change)
	a.list = append(a.list, tried{x, total})
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
