package shop

import (
	"cmp"
	"math"
	"slices"

	"mrsched/model"
)

// Refinement of the exact minimisation over completions.
const (
	refineParts = 8 // a cell that may hold the minimum is cut into this many
	// refineLoss: cells are cut no further once the possible gain is below this share of their cost (in 1/2^20).
	refineLoss = 20
	// refineWork bounds the completions per step of refinement, times the tasks of all jobs. Without it, prices that leave
	// many completions equally cheap would take too long.
	refineWork = 8_000_000
)

// refinement finds a lower bound on the least cost of a job over all whole completions.
type refinement struct {
	ends  func(begins []model.Time, width model.Time) []model.Time // the last completions of cells
	pays  func(begins, ends []model.Time, low []int64)             // the least that tasks pay up to ends, added to low
	cost  func(t model.Time) int64                                 // of a completion
	most  int                                                      // completions per step
	last  []model.Time                                             // begins of the last step
	bound []int64
}

// run is within 2^−refineLoss of the least cost unless that takes too much work.
//
// For the completions a … b−1 the cost is at least that of a plus what the tasks pay in the window of b−1. Cells that
// cannot hold the minimum are dropped. The others are cut until they are small.
func (r *refinement) run(begins []model.Time, width model.Time) int64 {
	dropped := int64(math.MaxInt64)
	for {
		ends := r.ends(begins, width)
		r.bound = append(r.bound[:0], make([]int64, len(begins))...)
		low, least, reached := r.bound, dropped, dropped
		r.pays(begins, ends, low)
		for i, c := range begins {
			reached = min(reached, low[i]+r.cost(ends[i])) // this cost is attained
			low[i] += r.cost(c)
			least = min(least, low[i])
		}
		r.last = begins
		if width == 1 || reached-least <= least>>refineLoss {
			return least
		}
		kept := 0
		for i := range begins {
			if low[i] >= reached {
				dropped = min(dropped, low[i])
			} else {
				begins[kept], ends[kept] = begins[i], ends[i]
				kept++
			}
		}
		parts := model.Time(min(refineParts, r.most/max(1, kept)))
		if parts < 2 {
			return least
		}
		width = (width + parts - 1) / parts
		cut := make([]model.Time, 0, kept*int(parts))
		for i, c := range begins[:kept] {
			for s := c; s <= ends[i]; s += width {
				cut = append(cut, s)
			}
		}
		slices.Sort(cut) // the last part of a cell may overlap the next cell
		begins = cut
	}
}

// exactJob is a lower bound on the least cost of job j. It subtracts the most that tasks can pay of their own prices.
func (e *PriceEvaluator) exactJob(j int) int64 {
	r := refinement{bound: e.bound, most: e.most,
		ends: func(begins []model.Time, width model.Time) []model.Time {
			e.next = e.ends(j, begins, width)
			return e.next
		},
		pays: func(begins, ends []model.Time, low []int64) { e.priced(j, begins, ends, low) },
		cost: func(t model.Time) int64 { return e.weighted(j, t) }}
	least := r.run(e.begins(j), e.m.Cell)
	e.points, e.bound = r.last, r.bound
	return least
}

// Cheapest is approximately the cheapest completion of job j, among those of begins.
func (e *PriceEvaluator) Cheapest(j int) (best model.Time) {
	list := e.begins(j)
	cost := make([]int64, len(list))
	e.priced(j, list, list, cost)
	least := int64(1<<63 - 1)
	for i, c := range list {
		if v := cost[i] + e.weighted(j, c); v < least {
			best, least = c, v
		}
	}
	return best
}

// Complete loads the prices of job j if it completes at c, for Start, and returns its own prices.
func (e *PriceEvaluator) Complete(j int, c model.Time) []int64 {
	own := e.ownOf(j)
	n := slices.IndexFunc(own, func(o OwnPrices) bool { return o.From > c })
	if n < 0 {
		n = len(own)
	}
	if n == 0 {
		e.load(nil)
		return nil
	}
	e.load(&own[n-1])
	return own[n-1].Steps
}

// begins are completions of job j one cell apart, and those at which its own prices change.
func (e *PriceEvaluator) begins(j int) []model.Time {
	list, own := e.points[:0], e.ownOf(j)
	first, last := e.first(j), e.last(j)
	for c := first; c <= last; c += e.m.Cell {
		list = append(list, c)
	}
	for _, o := range own {
		if o.From > first && o.From <= last {
			list = append(list, o.From)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// ends are the last completions of the cells that start at begins: at most a width later, in the window, and with the
// same own prices.
func (e *PriceEvaluator) ends(j int, begins []model.Time, width model.Time) []model.Time {
	list, own := e.next[:0], e.ownOf(j)
	for _, c := range begins {
		for len(own) > 0 && own[0].From <= c {
			own = own[1:]
		}
		end := c + width - 1
		if len(own) > 0 {
			end = min(end, own[0].From-1)
		}
		if e.window.until != nil {
			end = min(end, e.window.until[j])
		}
		list = append(list, end)
	}
	return list
}

// ownOf are the own prices of job j.
func (e *PriceEvaluator) ownOf(j int) []OwnPrices {
	byJob := func(o OwnPrices, j int) int { return cmp.Compare(int(o.Job), j) }
	from, _ := slices.BinarySearchFunc(e.m.Own, j, byJob)
	to, _ := slices.BinarySearchFunc(e.m.Own, j+1, byJob)
	return e.m.Own[from:to]
}

// priced adds to low, for completions at ends, the tasks' payments less the refund. All lists rise.
func (e *PriceEvaluator) priced(j int, begins, ends []model.Time, low []int64) {
	own := e.ownOf(j)
	for from := 0; from < len(ends); {
		to := len(ends)
		var now *OwnPrices
		for len(own) > 0 && own[0].From <= begins[from] {
			now, own = &own[0], own[1:]
		}
		if len(own) > 0 {
			n, _ := slices.BinarySearch(begins, own[0].From)
			to = n
		}
		if now != nil || e.own != nil {
			e.load(now)
		}
		e.tasks(j, ends[from:to], low[from:to])
		for i := from; i < to && now != nil; i++ {
			low[i] -= e.refund(ends[i])
		}
		from = to
	}
	if e.own != nil {
		e.load(nil)
	}
}
