package unrelated

import (
	"cmp"
	"slices"

	"mrsched/model"
)

// knapsack finds the most valuable set of tasks that fits into a limit. It keeps the list of all sums of weight and
// value that no lighter sum exceeds in value (Nemhauser, Ullmann 1969), and drops those that cannot beat the best one
// even if the next item could be cut (Dantzig 1957). It is used again and again.
type knapsack struct {
	items []knapsackItem
	// work is how many items and sums it may still look at; below 0: it gave up. Programs whose columns it makes use it
	// up, too.
	work int64
	// slack is how much the value may fall short of the best.
	slack int64

	list, next []partialSum
	chosen     []chosenItem
	weight     []model.Time // by number of items: the sum of the first ones
	value      []int64      // the same of values
}

type knapsackItem struct {
	task   int32
	weight model.Time
	value  int64
	rate   float64 // value/weight; set by sort
}

// partialSum is a sum of items; last is the position of the last of them in chosen.
type partialSum struct {
	weight model.Time
	value  int64
	last   int32
}

type chosenItem struct{ task, before int32 }

// completedSum is a sum to which the items first … end−1 are added.
type completedSum struct {
	partialSum
	first, end int
}

// knapsackSlack makes up for rounding errors where a bound in floating point is compared with whole values.
const knapsackSlack = 1e-3

// sortWork is how many sums take as long as an item does in sort, about.
const sortWork = 16

// solve returns the value of the best set of items, all of weight from 1 to limit, or of one that is worse by slack at
// most, and the set, ascending; false if work is used up. It reorders the items.
//
// Complexity: O(items · (items + min(limit, Σ values, 2^items))), mostly far less.
func (k *knapsack) solve(limit model.Time) (value int64, set []int32, ok bool) {
	k.sort()
	k.work -= sortWork * int64(len(k.items))
	k.chosen = append(k.chosen[:0], chosenItem{-1, -1})
	k.list = append(k.list[:0], partialSum{})
	best := completedSum{}
	for j := range len(k.items) + 1 {
		if k.work -= int64(len(k.list)) + 1; k.work < 0 {
			return 0, nil, false
		}
		if k.prune(j, limit, &best); len(k.list) == 0 {
			break
		}
		if j < len(k.items) {
			k.extend(k.items[j], limit)
		}
	}
	for at := best.last; at > 0; at = k.chosen[at].before {
		set = append(set, k.chosen[at].task)
	}
	for _, x := range k.items[best.first:best.end] {
		set = append(set, x.task)
	}
	slices.Sort(set)
	return best.value, set, true
}

// sort orders the items by value per weight, the largest first, and computes the prefix sums.
func (k *knapsack) sort() {
	for i := range k.items {
		k.items[i].rate = float64(k.items[i].value) / float64(k.items[i].weight)
	}
	slices.SortFunc(k.items, func(a, b knapsackItem) int {
		return cmp.Or(cmp.Compare(b.rate, a.rate), cmp.Compare(b.weight, a.weight), cmp.Compare(a.task, b.task))
	})
	k.weight, k.value = append(k.weight[:0], 0), append(k.value[:0], 0)
	for i, x := range k.items {
		k.weight, k.value = append(k.weight, k.weight[i]+x.weight), append(k.value, k.value[i]+x.value)
	}
}

// prune fills each sum of the first j items with as many of the next items as fit, remembers the best, and drops the
// sums that cannot become better than it.
func (k *knapsack) prune(j int, limit model.Time, best *completedSum) {
	end := len(k.items)
	kept := k.list[:0]
	for _, s := range k.list { // ascending by weight: the room falls
		room := limit - s.weight + k.weight[j]
		if k.weight[end] > room {
			end = j + lastWithin(k.weight[j:end], room)
		}
		v := s.value + k.value[end] - k.value[j]
		if v > best.value {
			*best = completedSum{partialSum{value: v, last: s.last}, j, end}
		}
		if end < len(k.items) {
			x := k.items[end]
			if float64(v)+float64(room-k.weight[end])*x.rate+knapsackSlack >= float64(best.value+k.slack+1) {
				kept = append(kept, s)
			}
		}
	}
	k.list = kept
}

// lastWithin is the last index of an ascending list at which it is at most limit; the first value is.
func lastWithin(list []model.Time, limit model.Time) int {
	i, _ := slices.BinarySearch(list, limit+1)
	return i - 1
}

// extend merges the list with what its sums are with one more item.
func (k *knapsack) extend(x knapsackItem, limit model.Time) {
	k.next = k.next[:0]
	a, b := 0, 0 // next of list without x, and with x
	for a < len(k.list) || b < len(k.list) && k.list[b].weight+x.weight <= limit {
		with := a == len(k.list) || b < len(k.list) && k.list[b].weight+x.weight < k.list[a].weight
		var v partialSum
		if with {
			v = partialSum{k.list[b].weight + x.weight, k.list[b].value + x.value, k.list[b].last}
			b++
		} else {
			v = k.list[a]
			a++
		}
		end := len(k.next) - 1
		if end >= 0 && v.value <= k.next[end].value {
			continue
		}
		if with {
			k.chosen = append(k.chosen, chosenItem{x.task, v.last})
			v.last = int32(len(k.chosen) - 1)
		}
		if end >= 0 && v.weight == k.next[end].weight {
			k.next[end] = v
		} else {
			k.next = append(k.next, v)
		}
	}
	k.list, k.next = k.next, k.list
}
