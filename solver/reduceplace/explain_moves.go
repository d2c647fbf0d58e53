package reduceplace

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/reduceplace"
	"mrsched/solver"
)

const (
	// exchangeTasks is the number of a job's reduces for which exchanges are sought: those on the most expensive slots.
	exchangeTasks = 32
	// exchangeWork limits the tasks that all exchanges together inspect.
	exchangeWork = 5_000_000
)

// exchange swaps tasks between two slots: the task of the question, the tasks in its way on the other slot, the tasks
// in their way on the first, and so on. No smaller set with the first task can be swapped. Tasks that stay do not
// overlap with those that come.
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

// exchanges lists the exchanges by cost, then by the number of tasks that move, then by slot.
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
				continue // two equal reduces
			}
			e.change = x.estimate(&e)
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
		for _, h := range x.holders(to, x.in.JobOf(moved[i])) {
			if !seen[h.task] {
				seen[h.task] = true
				moved = append(moved, h.task)
			}
		}
	}
	for _, t := range moved {
		seen[t] = false
	}
	return moved
}

// estimate is how much an exchange changes the cost.
func (x *explainer) estimate(e *exchange) float64 {
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
		return what + fmt.Sprintf("free all the time, as %s of that cost", model.Counted(e.alike, "more slot"))
	}
	return what + "free all the time"
}

// prices says what the clairvoyant bound charges for the task, or for the job's reduce with the most expensive slot;
// nothing if that reduce holds a slot for no time or fetches nothing, or if ctx ended.
//
// In the notation of model/reduceplace.Certificate, y_k(i) is the sum of prices, in bytes, over the points at which
// interval i is under way, on the line that is least at level k, y_0 = ∞. The bound charges reduce i the inner sum of
//
//	Σ_i Σ_k (H(k+1) − H(k))·min(x_i, y_k(i)) − Σ_k (H(k+1) − H(k))·k·Σ_t y_t.
func (x *explainer) prices(ctx context.Context) []solver.Price {
	if len(x.tasks) == 0 {
		return nil
	}
	in, task := x.in, x.dearest()
	t := in.Timeline()
	p, v := find(t, x.job, task)
	if v == nil {
		return nil
	}
	num, den := unit(in, t)
	c := newWeigher(in, num, den).curve(ctx, p, t.Intervals, math.MaxInt32)
	if ctx.Err() != nil {
		return nil
	}
	paid := c.paid(v, int(p.Points), big.NewRat(num, den))
	data, own := x.data(task), in.Cost[x.slot[task]]
	level, _ := slices.BinarySearch(in.Cost, own+1) // the slots that cost no more
	charge, step := new(big.Rat), new(big.Rat)
	below := model.Cost(0)
	for k := range in.Slots {
		least := data
		if y := c.at(paid, k); k > 0 && y.Cmp(data) < 0 {
			least = y
		}
		step.SetFrac64(int64(in.Cost[k]-below), int64(model.UnitCost))
		charge.Add(charge, step.Mul(step, least))
		below = in.Cost[k]
	}
	list := []solver.Price{{Name: "charge", Value: model.LowerNumber(charge),
		Text: fmt.Sprintf("is what the bound clairvoyant charges reduce %s for the slots that it keeps others from; it "+
			"costs %s here. Without it, all else as it is, the bound falls by no more than that", x.id(task),
			text(x.cost(task)))}}
	if level == in.Slots {
		return list // all slots together have room for everything
	}
	y := c.at(paid, level)
	reduced := new(big.Rat).Sub(data, y)
	verdict := "so the bound would have it there"
	if reduced.Sign() < 0 {
		verdict = "so the bound would have it on a dearer slot"
	} else if reduced.Sign() == 0 {
		verdict = "so to the bound it is all the same"
	}
	return append(list,
		solver.Price{Name: "slot-time", Value: model.LowerNumber(y),
			Text: fmt.Sprintf("bytes of other jobs' data is what its time from %s to %s is worth on the %d %s of at most %s "+
				"a byte", in.Start[x.job], in.End[x.job], level, model.Plural(level, "slot"), own)},
		solver.Price{Name: "reduced-data", Value: model.LowerNumber(reduced),
			Text: fmt.Sprintf("bytes is by how much its own %s are more than that, %s", text(data), verdict)})
}

// find finds the interval of a task and its busy period; nil if there is none.
func find(t *reduceplace.Timeline, job, task int32) (*reduceplace.Period, *reduceplace.Interval) {
	for k := range t.Periods {
		p := &t.Periods[k]
		for i := p.First; i < p.Last; i++ {
			if v := &t.Intervals[i]; v.Job == job && (v.Task < 0 || v.Task == task) {
				return p, v
			}
		}
	}
	return nil, nil
}

// paid is the sum of each row's prices over an interval, in bytes.
func (c *curve) paid(v *reduceplace.Interval, points int, unit *big.Rat) []*big.Rat {
	price := make([]int64, points)
	list := make([]*big.Rat, len(c.rows))
	for r, row := range c.rows {
		for at, rise := range changes(row) {
			price[at] += rise
		}
		sum := int64(0)
		for _, y := range price[v.From:v.To] {
			sum += y
		}
		list[r] = new(big.Rat).SetInt64(sum)
		list[r].Mul(list[r], unit)
	}
	return list
}

// at is what an interval pays at a level, by the row whose line is M there; 0 from the level on where all data is held.
func (c *curve) at(paid []*big.Rat, level int) *big.Rat {
	k, _ := slices.BinarySearch(c.ends, int32(level))
	if k == len(paid) {
		return new(big.Rat)
	}
	return paid[k]
}
