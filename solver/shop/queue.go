package shop

import (
	"math"
	"slices"
)

// queue holds waiting tasks in an order that is known in advance, and finds the first one that fits into what a node
// has free. It is a binary tree over the positions; each of its nodes knows the least demand of every resource below
// it.
type queue struct {
	resources int
	leaves    int
	least     []int64 // by tree node and resource; above every capacity if no task waits below
	task      []int32 // by position
	count     int
}

// newQueue makes an empty queue of tasks that may wait, in their order.
func newQueue(order []int32, resources int) *queue {
	q := &queue{resources: resources, leaves: 1, task: order}
	for q.leaves < len(order) {
		q.leaves *= 2
	}
	// One more number than resources distinguishes a task that needs nothing from no task.
	q.least = make([]int64, 2*q.leaves*(resources+1))
	for k := range q.least {
		q.least[k] = math.MaxInt64
	}
	return q
}

// width is the length of a row of least.
func (q *queue) width() int { return q.resources + 1 }

// set makes the task at a position wait; without a demand, the task no longer waits. It reports whether the least
// demands of all tasks changed.
func (q *queue) set(position int32, demand []int64) (changed bool) {
	width := q.width()
	node := q.leaves + int(position)
	row := q.least[node*width : (node+1)*width]
	waited := row[q.resources] == 0
	if demand == nil {
		changed = waited
		for r := range row {
			row[r] = math.MaxInt64
		}
	} else {
		changed = !waited || !slices.Equal(demand, row[:q.resources])
		copy(row, demand)
		row[q.resources] = 0
	}
	if waited {
		q.count--
	}
	if demand != nil {
		q.count++
	}
	for node /= 2; node >= 1 && changed; node /= 2 {
		changed = false
		row := q.least[node*width : (node+1)*width]
		left, right := q.least[2*node*width:], q.least[(2*node+1)*width:]
		for r := range row {
			if v := min(left[r], right[r]); v != row[r] {
				row[r], changed = v, true
			}
		}
	}
	return changed
}

// next is the first position from one on whose task waits and needs no more than is free; negative if there is none.
func (q *queue) next(from int32, free []int64) int32 {
	if q.count == 0 || int(from) >= len(q.task) {
		return -1
	}
	return q.below(1, 0, q.leaves, int(from), free)
}

// below is next among the positions first … first+size−1, those of a tree node.
func (q *queue) below(node, first, size, from int, free []int64) int32 {
	if first+size <= from || !q.fits(node, free) {
		return -1
	}
	if size == 1 {
		return int32(first)
	}
	if k := q.below(2*node, first, size/2, from, free); k >= 0 {
		return k
	}
	return q.below(2*node+1, first+size/2, size/2, from, free)
}

func (q *queue) fits(node int, free []int64) bool {
	row := q.least[node*q.width() : (node+1)*q.width()]
	if row[q.resources] != 0 {
		return false
	}
	for r, f := range free {
		if row[r] > f {
			return false
		}
	}
	return true
}
