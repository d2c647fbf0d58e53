package realtime

import (
	"cmp"
	"slices"

	"mrsched/model"
)

// knapsack finds the most valuable set of partitions that fits into a limit: the list of all sums that no lighter one
// exceeds in value (Nemhauser, Ullmann 1969), less those that cannot beat what is known even if what is left could be
// cut (Dantzig 1957). It is used again and again.
type knapsack struct {
	items []knapItem
	// work is how many sums it may still look at; below 0: it gave up. Programs whose columns it makes use it up, too.
	work int64
	// slack is by how much the value may fall short of the best.
	slack int64

	list, next []knapSum
	chosen     []knapLink
	weight     []model.Time // by number of items: the sum of the first ones
	value      []int64      // the same of values
}

type knapItem struct {
	part   int32
	weight model.Time
	value  int64
	rate   float64 // value/weight; set by knapsack
}

// knapSum is a sum of items; link is the last of them.
type knapSum struct {
	weight model.Time
	value  int64
	link   int32
}

type knapLink struct{ part, before int32 }

// knapBest is a sum with the items from one number on, up to another, added.
type knapBest struct {
	knapSum
	first, end int
}

// knapSlack is what makes up for rounding errors where a bound in floating point is compared with whole values.
const knapSlack = 1e-3

// solve is the value of the best set of items, all of weight from 1 to limit, or one that is worse by slack at most,
// and the set, ascending; false: work is used up. It reorders the items.
//
// Complexity: O(items · (items + min(limit, Σ values, 2^items))), mostly far less.
func (k *knapsack) solve(limit model.Time) (value int64, set []int32, ok bool) {
	k.sort()
	k.chosen = append(k.chosen[:0], knapLink{-1, -1})
	k.list = append(k.list[:0], knapSum{})
	best := knapBest{}
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
	for at := best.link; at > 0; at = k.chosen[at].before {
		set = append(set, k.chosen[at].part)
	}
	for _, x := range k.items[best.first:best.end] {
		set = append(set, x.part)
	}
	slices.Sort(set)
	return best.value, set, true
}

// sort puts the items in the order of value per weight, the largest first, and adds them up.
func (k *knapsack) sort() {
	for i := range k.items {
		k.items[i].rate = float64(k.items[i].value) / float64(k.items[i].weight)
	}
	slices.SortFunc(k.items, func(a, b knapItem) int {
		return cmp.Or(cmp.Compare(b.rate, a.rate), cmp.Compare(b.weight, a.weight), cmp.Compare(a.part, b.part))
	})
	k.weight, k.value = append(k.weight[:0], 0), append(k.value[:0], 0)
	for i, x := range k.items {
		k.weight, k.value = append(k.weight, k.weight[i]+x.weight), append(k.value, k.value[i]+x.value)
	}
}

// prune drops the sums of the first j items that cannot become better than the best one known, having filled each with
// the items that follow, as many as fit.
func (k *knapsack) prune(j int, limit model.Time, best *knapBest) {
	end := len(k.items)
	kept := k.list[:0]
	for _, s := range k.list { // the room falls
		room := limit - s.weight + k.weight[j]
		if k.weight[end] > room {
			end = j + lastWithin(k.weight[j:end], room)
		}
		v := s.value + k.value[end] - k.value[j]
		if v > best.value {
			*best = knapBest{knapSum{value: v, link: s.link}, j, end}
		}
		if end < len(k.items) {
			x := k.items[end]
			if float64(v)+float64(room-k.weight[end])*x.rate+knapSlack >= float64(best.value+k.slack+1) {
				kept = append(kept, s)
			}
		}
	}
	k.list = kept
}

// lastWithin is the last index of an ascending list, the first of which is not above a limit, that is not above it.
func lastWithin(list []model.Time, limit model.Time) int {
	i, _ := slices.BinarySearch(list, limit+1)
	return i - 1
}

// extend adds to the list what its sums are with one more item.
func (k *knapsack) extend(x knapItem, limit model.Time) {
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
