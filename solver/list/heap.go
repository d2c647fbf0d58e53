package list

import "mrsched/model"

// Item is an index with its key, for instance a task with its ready time.
type Item struct {
	Key   model.Time
	Index int32
}

func (a Item) before(b Item) bool { return a.Key < b.Key || a.Key == b.Key && a.Index < b.Index }

// Heap is a binary heap of items, the lowest key first; ties: the lower index.
type Heap []Item

// Push adds an item.
func (h *Heap) Push(x Item) {
	s := append(*h, x)
	i := len(s) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !x.before(s[up]) {
			break
		}
		s[i] = s[up]
		i = up
	}
	s[i] = x
	*h = s
}

// Pop takes the first item; the heap must not be empty.
func (h *Heap) Pop() Item {
	s := *h
	top, last := s[0], s[len(s)-1]
	*h = s[:len(s)-1]
	if len(*h) > 0 {
		h.ReplaceTop(last)
	}
	return top
}

// ReplaceTop puts x in the place of the first item.
func (h Heap) ReplaceTop(x Item) {
	i := 0
	for {
		down := 2*i + 1
		if down >= len(h) {
			break
		}
		if down+1 < len(h) && h[down+1].before(h[down]) {
			down++
		}
		if !h[down].before(x) {
			break
		}
		h[i] = h[down]
		i = down
	}
	h[i] = x
}

// machines is a heap of m machines, all idle at 0. Of more machines than tasks the first suffice: the lower
// index goes first, so that no other is ever used.
func (g *Graph) machines(m int) Heap {
	h := make(Heap, min(m, max(1, g.Tasks)))
	for i := range h {
		h[i].Index = int32(i)
	}
	return h
}
