package realtime

import (
	"cmp"
	"slices"

	"mrsched/model"
)

// The orders in which greedy takes partitions.
const (
	bySize   = iota // the largest least time first
	byRegret        // the one first that loses most on its second-best class
	byMean          // the largest mean time first
	orders
)

// sorted are the partitions in an order; ties: the first.
func (p *packing) sorted(order int) []int32 {
	list := make([]int32, p.n)
	key := make([]float64, p.n)
	for i := range list {
		list[i] = int32(i)
		key[i] = float64(p.least[i])
		if order == bySize {
			continue
		}
		sum, second, at := 0.0, model.Time(-1), -1
		for c := range p.Worker {
			t := p.time(i, c)
			sum += float64(t) * float64(p.count[c])
			if t == p.least[i] && at < 0 {
				at = c
			} else if second < 0 || t < second {
				second = t
			}
		}
		if key[i] = sum; order == byRegret {
			key[i] = 0
			if second >= 0 {
				key[i] = float64(second - p.least[i])
			}
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int {
		return cmp.Or(cmp.Compare(key[b], key[a]),
			cmp.Compare(p.least[b], p.least[a]))
	})
	return list
}

// greedy gives each partition, in an order, to the slot on which it ends first; ties: where it takes less, then the
// first class. Unused slots are opened as long as that is allowed.
//
// Complexity: O(partitions · (classes + log slots)).
func (p *packing) greedy(order int) []int32 {
	slot := make([]int32, p.n)
	load := make([]model.Time, p.m)
	open := make([][]int32, len(p.Worker)) // by class: a heap of its used slots, the least load first
	used := 0
	for _, i := range p.sorted(order) {
		best, end, own := -1, model.Time(0), model.Time(0)
		for c := range p.Worker {
			at := model.Time(0)
			if len(open[c]) == p.count[c] || used == p.Most {
				if len(open[c]) == 0 {
					continue
				}
				at = load[open[c][0]]
			}
			t := p.time(int(i), c)
			if best < 0 || at+t < end || at+t == end && t < own {
				best, end, own = c, at+t, t
			}
		}
		if len(open[best]) < p.count[best] && used < p.Most {
			open[best] = append(open[best], p.of[best][len(open[best])])
			used++
			k := len(open[best]) - 1
			open[best][0], open[best][k] = open[best][k], open[best][0] // load 0: the least; what was there sinks below
			slot[i] = open[best][0]
			load[slot[i]] = own
			heapify(open[best], load)
			continue
		}
		slot[i] = open[best][0]
		load[slot[i]] = end
		sink(open[best], load, 0)
	}
	return slot
}

// heapify orders a heap of slots by load, then by number.
func heapify(heap []int32, load []model.Time) {
	for k := len(heap)/2 - 1; k >= 0; k-- {
		sink(heap, load, k)
	}
}

// sink moves an entry of a heap down to where it belongs.
func sink(heap []int32, load []model.Time, k int) {
	for {
		least := k
		for _, child := range []int{2*k + 1, 2*k + 2} {
			if child < len(heap) {
				a, b := heap[child], heap[least]
				if load[a] < load[b] || load[a] == load[b] && a < b {
					least = child
				}
			}
		}
		if least == k {
			return
		}
		heap[k], heap[least] = heap[least], heap[k]
		k = least
	}
}

// multifitTimes is how many partitions times slots multifit looks at in one round at most, multifitRounds its rounds.
const multifitTimes, multifitRounds = 5_000_000, 24

// multifit packs slots that differ in speed only: for a limit, the partitions from the largest on go each to the
// slowest slot on which it fits. The limit is bisected between a lower bound and the makespan of another assignment;
// nil if no limit is kept. A large partition so lies alone on a slow slot, where greedy lists would not put it.
//
// Source: Friesen, Langston, SIAM J. Computing 1983.   Complexity: O(rounds · partitions · slots).
func (p *packing) multifit(lower model.Time, than []int32) (slot []int32) {
	if !p.related || p.n*p.m > multifitTimes {
		return nil
	}
	var slots []int32 // the slowest first
	order := p.bySpeed()
	for k := len(order) - 1; k >= 0; k-- {
		slots = append(slots, p.of[order[k]]...)
	}
	parts := p.sorted(bySize)
	high := p.makespan(than)
	for range multifitRounds {
		mid := lower + (high-lower)/2
		if mid >= high {
			break
		}
		if found := p.firstFit(parts, slots, mid); found != nil {
			slot = found
			high = p.makespan(found)
		} else {
			lower = mid + 1
		}
	}
	return slot
}

// firstFit puts each partition on the first slot on which it fits; nil: some fits on none.
func (p *packing) firstFit(parts, slots []int32, limit model.Time) []int32 {
	slot, load := make([]int32, p.n), make([]model.Time, p.m)
	for _, i := range parts {
		at := int32(-1)
		for _, k := range slots {
			if load[k]+p.on(int(i), k) <= limit {
				at = k
				break
			}
		}
		if at < 0 {
			return nil
		}
		slot[i] = at
		load[at] += p.on(int(i), at)
	}
	return slot
}
