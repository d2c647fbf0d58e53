package list

import (
	"mrsched/model"
	"mrsched/model/heap"
)

// Item is an index with a time.
type Item = heap.Item[model.Time]

// Heap is a heap of items by time.
type Heap = heap.Heap[model.Time]

// machines is a heap of m machines, all idle at 0. With more machines than tasks the first ones suffice: the lower
// index goes first, so that no other is ever used.
func (g *Graph) machines(m int) Heap {
	h := make(Heap, min(m, max(1, g.Tasks)))
	for i := range h {
		h[i].Index = int32(i)
	}
	return h
}
