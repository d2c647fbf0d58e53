package reduceplace

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/reduceplace"
	"mrsched/solver"
)

// prices are what the clairvoyant bound's prices of time say about the task, or of a job the reduce with the dearest
// slot; nothing where it holds a slot for no time, or fetches nothing, or if ctx ended.
//
// In the notation of model/reduceplace.Certificate, y_k(i) is the sum of the prices, in bytes, over the points at which
// interval i is under way, of the line that is the least at level k. The bound is a sum over reduces, less the rent of
// the time of slots:
//
//	Σ_i Σ_k (H(k+1) − H(k))·min(x_i, y_k(i)) − Σ_k (H(k+1) − H(k))·k·Σ_t y_t,   y_0 = ∞,
//
// the inner sum being what it charges reduce i.
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
	cost := big.NewRat(int64(own), int64(model.UnitCost))
	cost.Mul(cost, data)
	list := []solver.Price{{Name: "charge", Value: model.LowerNumber(charge),
		Text: fmt.Sprintf("is what the bound clairvoyant charges reduce %s for the slots that it keeps others from; it "+
			"costs %s here. Without it, all else as it is, the bound falls by no more than that", x.id(task), text(cost))}}
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
		at := int64(-1)
		for k := 0; k < len(row); k += 2 {
			at += row[k]
			price[at] += row[k+1]
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
