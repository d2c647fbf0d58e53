package reduceplace

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"mrsched/model"
	"mrsched/solver"
)

const (
	// exchangeTasks is the number of a job's reduces for which exchanges are sought: those on the most expensive slots.
	exchangeTasks = 32
	// exchangeWork limits the tasks that all exchanges together inspect.
	exchangeWork = 5_000_000
)

// exchange swaps tasks between two slots: the task of the question, the tasks in its way on the other slot, the tasks
// in their way on the first, and so on. No smaller set with the first task can be swapped. The placement stays valid,
// because tasks that stay do not overlap with those that come.
//
// Source: the chains of Kempe, Amer. J. Math. 1879, on the interval graph of two slots.
type exchange struct {
	task, slot int32 // goes to this slot
	moved      []int32
	change     float64 // of the cost, to rank exchanges by
	alike      int     // further free slots of the same cost
}

// alternatives are the cheapest exchanges: first with free slots, then with more and more other reduces.
func (x *explainer) alternatives(ctx context.Context, q solver.Question) ([]solver.Alternative, error) {
	a := solver.NewAlternatives(x.in, q.Schedule, q.Alternatives)
	for _, e := range x.exchanges() {
		if a.Missing() == 0 {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v := solver.AlternativeAt(x.slotName(e.slot), x.in.Start[x.job], x.in.End[x.job])
		v.Note = x.note(&e)
		if q.Task == model.None {
			v.Task = x.id(e.task)
		}
		a.Try(v, x.in.Schedule(x.after(&e)))
	}
	return a.List(), nil
}

// exchanges lists them by cost, then by the number of tasks that move, then by slot.
func (x *explainer) exchanges() []exchange {
	tasks := slices.Clone(x.tasks)
	slices.SortFunc(tasks, func(a, b int32) int { return cmp.Compare(x.slot[b], x.slot[a]) })
	var list []exchange
	work := 0
	seen := make([]bool, x.in.Tasks)
	for _, t := range tasks[:min(len(tasks), exchangeTasks)] {
		free := map[model.Cost]int{}
		for s := range int32(x.in.Slots) {
			if s == x.slot[t] {
				continue
			}
			if work > exchangeWork {
				break
			}
			e := exchange{task: t, slot: s, moved: x.chain(t, s, seen)}
			work += len(e.moved)
			if i, again := free[x.in.Cost[s]]; len(e.moved) == 1 && again {
				list[i].alike++
				continue
			} else if len(e.moved) == 1 {
				free[x.in.Cost[s]] = len(list)
			}
			if len(e.moved) == 2 && x.in.JobOf(e.moved[1]) == x.job && !x.in.Uneven(x.job) {
				continue // two reduces that are alike
			}
			e.change = x.cost(&e)
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b exchange) int {
		return cmp.Or(cmp.Compare(a.change, b.change), cmp.Compare(len(a.moved), len(b.moved)), cmp.Compare(a.slot, b.slot))
	})
	return list
}

// chain is the tasks that change places, the first one first. seen is all false before and after.
func (x *explainer) chain(task, slot int32, seen []bool) []int32 {
	moved := []int32{task}
	seen[task] = true
	for i := 0; i < len(moved); i++ {
		to := slot
		if x.slot[moved[i]] == slot {
			to = x.slot[task]
		}
		for _, t := range x.holders(to, x.in.JobOf(moved[i])) {
			if !seen[t] {
				seen[t] = true
				moved = append(moved, t)
			}
		}
	}
	for _, t := range moved {
		seen[t] = false
	}
	return moved
}

// cost estimates how much an exchange changes the cost.
func (x *explainer) cost(e *exchange) float64 {
	sum := 0.0
	for _, t := range e.moved {
		bytes, parts := x.in.Data(x.in.JobOf(t), t)
		v := float64(bytes) / float64(parts)
		if x.slot[t] == e.slot {
			v = -v
		}
		sum += v
	}
	return sum * (x.in.Cost[e.slot] - x.in.Cost[x.slot[e.task]]).Float()
}

// after is the placement with an exchange.
func (x *explainer) after(e *exchange) []int32 {
	slot := slices.Clone(x.slot)
	for _, t := range e.moved {
		if slot[t] == e.slot {
			slot[t] = x.slot[e.task]
		} else {
			slot[t] = e.slot
		}
	}
	return slot
}

// note says what else an exchange moves.
func (x *explainer) note(e *exchange) string {
	what := fmt.Sprintf("%s a byte; ", x.in.Cost[e.slot])
	switch {
	case len(e.moved) > 1:
		return what + fmt.Sprintf("changes places on %s and %s with %s", x.slotName(x.slot[e.task]), x.slotName(e.slot),
			solver.Names(e.moved[1:], x.id))
	case e.alike > 0:
		return what + fmt.Sprintf("free all the time, as %d more %s of that cost", e.alike, model.Plural(e.alike, "slot"))
	}
	return what + "free all the time"
}
