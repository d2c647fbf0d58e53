package realtime

import (
	"math/bits"
	"slices"
	"sort"

	"mrsched/model"
)

// knapItem is a partition that may lie on a slot, in the order of worth per weight, and the sums of those before it.
type knapItem struct {
	weight model.Time
	worth  int64

	weightBefore model.Time
	worthBefore  int64
}

// knapState is a set of partitions.
type knapState struct {
	weight model.Time
	worth  int64
}

// knapsack bounds h_s of a candidate: least ≤ h_s ≤ least + slack; false: the work limit is reached. It lists all sums
// that no lighter one exceeds in worth (Nemhauser, Ullmann 1969), except those whose relaxation, which cuts the first
// partition that no longer fits (Dantzig 1957), stays within slack of the best set found.
//
// Complexity: O(partitions · (log partitions + min(limit, Σ u, 2^partitions))).
func (r *refutation) knapsack(k int32, price []int64, slack int64) (least int64, ok bool) {
	items, base := r.knapItems(k, price)
	best := int64(0)
	list, next := []knapState{{}}, []knapState(nil)
	for j := range items {
		kept := list[:0]
		for _, s := range list {
			low, high := fillUp(items, j, s, r.limit)
			if best = max(best, low); high > best+slack {
				kept = append(kept, s)
			}
		}
		if r.work -= int64(len(list)) + 1; r.work < 0 {
			return 0, false
		}
		if list = kept; len(list) == 0 || j == len(items)-1 { // the last is a sum of all before
			break
		}
		next = extend(next[:0], list, items[j], r.limit)
		list, next = next, list
	}
	return base + best, true
}

// knapItems are the partitions that have a price and may lie on a candidate within the limit, the last of them a
// sentinel that never fits; base is the price of partitions that weigh nothing.
func (r *refutation) knapItems(k int32, price []int64) (items []knapItem, base int64) {
	for i, u := range price {
		p := r.in.Time(r.set.First+int32(i), r.Worker[r.Class[k]])
		switch {
		case u == 0 || p > r.limit || !r.allowed(int32(i), k):
		case p == 0:
			base += u
		default:
			items = append(items, knapItem{weight: p, worth: u})
		}
	}
	slices.SortStableFunc(items, func(a, b knapItem) int {
		return model.Product(uint64(b.worth), uint64(a.weight)).Compare(model.Product(uint64(a.worth), uint64(b.weight)))
	})
	sum := knapState{}
	for i := range items {
		x := &items[i]
		x.weightBefore, x.worthBefore = sum.weight, sum.worth
		sum.weight, sum.worth = sum.weight+x.weight, sum.worth+x.worth
	}
	return append(items, knapItem{weight: model.MaxTime, weightBefore: sum.weight, worthBefore: sum.worth}), base
}

// fillUp adds as many items from number j on to a set as fit, and the part of the next one's worth that still fits.
func fillUp(items []knapItem, j int, s knapState, limit model.Time) (low, high int64) {
	room := limit - s.weight
	n := sort.Search(len(items)-j, func(n int) bool { return items[j+n].weightBefore-items[j].weightBefore > room }) - 1
	x := &items[j+n] // the first that does not fit whole; the sentinel: all do
	low = s.worth + x.worthBefore - items[j].worthBefore
	room -= x.weightBefore - items[j].weightBefore
	if room >= x.weight {
		return low, low
	}
	hi, lo := bits.Mul64(uint64(x.worth), uint64(room))
	part, _ := bits.Div64(hi, lo, uint64(x.weight))
	return low, low + int64(part)
}

// extend appends, in the order of weight, those sets of a list, with and without an item, that fit and that no lighter
// set exceeds in worth.
func extend(next, list []knapState, x knapItem, limit model.Time) []knapState {
	a, b := 0, 0 // next of list without x, and with x
	for a < len(list) || b < len(list) && list[b].weight+x.weight <= limit {
		var v knapState
		if b == len(list) || a < len(list) && list[a].weight <= list[b].weight+x.weight {
			v = list[a]
			a++
		} else {
			v = knapState{list[b].weight + x.weight, list[b].worth + x.worth}
			b++
		}
		switch last := len(next) - 1; {
		case last >= 0 && v.worth <= next[last].worth:
		case last >= 0 && v.weight == next[last].weight:
			next[last] = v
		default:
			next = append(next, v)
		}
	}
	return next
}
