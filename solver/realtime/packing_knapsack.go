package realtime

import (
	"cmp"
	"slices"

	"mrsched/model"
)

// knapsack finds the most valuable set of partitions that fits into a limit, by the list of all sums that no lighter one
// exceeds in value (Nemhauser, Ullmann 1969). It is used again and again.
type knapsack struct {
	items []knapItem
	// work is how many sums it may still look at; below 0: it gave up. Programs whose columns it makes use it up, too.
	work int64

	list, next []knapSum
	chosen     []knapLink
}

type knapItem struct {
	part   int32
	weight model.Time
	value  int64
}

// knapSum is a sum of items; link is the last of them.
type knapSum struct {
	weight model.Time
	value  int64
	link   int32
}

type knapLink struct{ part, before int32 }

// solve is the value of the best set of items, all of weight ≤ limit, and the set, ascending; false: work is used up. It
// reorders the items.
//
// Complexity: O(items · min(limit, Σ values, 2^items)).
func (k *knapsack) solve(limit model.Time) (value int64, set []int32, ok bool) {
	slices.SortFunc(k.items, func(a, b knapItem) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.part, b.part)) })
	k.chosen = append(k.chosen[:0], knapLink{-1, -1})
	k.list = append(k.list[:0], knapSum{})
	for _, x := range k.items {
		if k.work -= int64(len(k.list)); k.work < 0 {
			return 0, nil, false
		}
		k.next = k.next[:0]
		a, b := 0, 0 // next of list without x, and with x
		for a < len(k.list) || b < len(k.list) && k.list[b].weight+x.weight <= limit {
			with := a == len(k.list) || b < len(k.list) && k.list[b].weight+x.weight < k.list[a].weight
			var v knapSum
			if with {
				v = knapSum{k.list[b].weight + x.weight, k.list[b].value + x.value, k.list[b].link}
				b++
			} else {
				v = k.list[a]
				a++
			}
			last := len(k.next) - 1
			if last >= 0 && v.value <= k.next[last].value {
				continue
			}
			if with {
				k.chosen = append(k.chosen, knapLink{x.part, v.link})
				v.link = int32(len(k.chosen) - 1)
			}
			if last >= 0 && v.weight == k.next[last].weight {
				k.next[last] = v
			} else {
				k.next = append(k.next, v)
			}
		}
		k.list, k.next = k.next, k.list
	}
	best := k.list[len(k.list)-1]
	for at := best.link; at > 0; at = k.chosen[at].before {
		set = append(set, k.chosen[at].part)
	}
	slices.Sort(set)
	return best.value, set, true
}
