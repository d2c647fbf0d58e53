package unrelated

import (
	"cmp"
	"slices"

	"mrsched/model"
	"mrsched/solver/list"
)

// order says in which order list scheduling takes tasks.
type order int

const (
	bySize   order = iota // longest shortest time first
	byRegret              // largest difference between the two best classes first
	byMean                // largest mean time over the machines first
)

// sorted lists the tasks in an order; ties: the longer shortest time, then the first.
func (in *Instance) sorted(by order) []int32 {
	key := make([]float64, in.n)
	for i := range key {
		switch by {
		case bySize:
			key[i] = float64(in.least[i])
		case byRegret:
			key[i] = in.regret(i)
		case byMean:
			for c, machines := range in.members {
				key[i] += float64(in.time(i, c)) * float64(len(machines))
			}
		}
	}
	return ordered(in.n, func(a, b int32) int {
		return cmp.Or(cmp.Compare(key[b], key[a]), cmp.Compare(in.least[b], in.least[a]))
	})
}

// regret is how much longer a task takes on its second-best class; 0 if there is one class.
func (in *Instance) regret(i int) float64 {
	second, best := model.Time(-1), -1
	for c := range in.speed {
		if t := in.time(i, c); t == in.least[i] && best < 0 {
			best = c
		} else if second < 0 || t < second {
			second = t
		}
	}
	if second < 0 {
		return 0
	}
	return float64(second - in.least[i])
}

// Greedy is list scheduling: each task, the longest first, goes to the machine on which it ends first.
func (in *Instance) Greedy() Assignment { return in.greedy(bySize) }

// greedy is list scheduling in an order; ties: the shorter time, then the first class, then the first machine. Unused
// machines are opened as long as that is allowed.
//
// Complexity: O(tasks · (classes + log machines)).
func (in *Instance) greedy(by order) Assignment {
	a := make(Assignment, in.n)
	open := make([]list.Heap, len(in.speed)) // by class: its used machines, by load
	used := 0
	for _, i := range in.sorted(by) {
		best, end, own := -1, model.Time(0), model.Time(0)
		for c, machines := range in.members {
			at := model.Time(0)
			if len(open[c]) == len(machines) || used == in.most {
				if len(open[c]) == 0 {
					continue
				}
				at = open[c][0].Key
			}
			t := in.time(int(i), c)
			if best < 0 || at+t < end || at+t == end && t < own {
				best, end, own = c, at+t, t
			}
		}
		heap := &open[best]
		if len(*heap) < len(in.members[best]) && used < in.most {
			a[i] = in.members[best][len(*heap)]
			heap.Push(list.Item{Key: own, Index: a[i]})
			used++
			continue
		}
		a[i] = (*heap)[0].Index
		heap.ReplaceTop(list.Item{Key: end, Index: a[i]})
	}
	return a
}

// multifitTimes is how many tasks times machines MULTIFIT looks at in one round at most, multifitRounds its rounds.
const multifitTimes, multifitRounds = 5_000_000, 24

// multifit is MULTIFIT for related machines: for a limit, each task, the largest first, goes to the slowest machine on
// which it fits. The limit is bisected between a lower bound and the makespan of a known assignment; nil if no limit is
// kept. In the result a large task can be alone on a slow machine, where greedy would not put it.
//
// Source: Friesen, Langston 1983.   Complexity: O(rounds · tasks · machines).
func (in *Instance) multifit(lower model.Time, known Assignment) (best Assignment) {
	if !in.related || in.n*in.m > multifitTimes {
		return nil
	}
	var machines []int32 // the slowest first
	for _, c := range slices.Backward(in.bySpeed()) {
		machines = append(machines, in.members[c]...)
	}
	tasks := in.sorted(bySize)
	high := in.Makespan(known)
	for range multifitRounds {
		mid := lower + (high-lower)/2
		if mid >= high {
			break
		}
		if found := in.firstFit(tasks, machines, mid); found != nil {
			best, high = found, in.Makespan(found)
		} else {
			lower = mid + 1
		}
	}
	return best
}

// firstFit puts each task on the first machine on which it fits; nil if one fits on none.
func (in *Instance) firstFit(tasks, machines []int32, limit model.Time) Assignment {
	a, load := make(Assignment, in.n), make([]model.Time, in.m)
	for _, i := range tasks {
		at := slices.IndexFunc(machines, func(k int32) bool { return load[k]+in.on(int(i), k) <= limit })
		if at < 0 {
			return nil
		}
		a[i] = machines[at]
		load[a[i]] += in.on(int(i), a[i])
	}
	return a
}
