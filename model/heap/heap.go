package heap

import "cmp"

// Item is an index with its key, for instance a task with its ready time.
type Item[K cmp.Ordered] struct {
	Key   K
	Index int32
}

func (a Item[K]) before(b Item[K]) bool { return a.Key < b.Key || a.Key == b.Key && a.Index < b.Index }

// Heap has the item with the least key in front; ties: the lower index.
type Heap[K cmp.Ordered] []Item[K]

// Push adds an item.
func (h *Heap[K]) Push(x Item[K]) {
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
func (h *Heap[K]) Pop() Item[K] {
	s := *h
	top, last := s[0], s[len(s)-1]
	*h = s[:len(s)-1]
	if len(*h) > 0 {
		h.ReplaceTop(last)
	}
	return top
}

// ReplaceTop puts x in the place of the first item.
func (h Heap[K]) ReplaceTop(x Item[K]) { h.down(0, x) }

// Raise gives the item at an index a key that is not less.
func (h Heap[K]) Raise(i int, key K) { h.down(i, Item[K]{Key: key, Index: h[i].Index}) }

// Init makes a heap of items in any order.
func (h Heap[K]) Init() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.down(i, h[i])
	}
}

// down puts x where it belongs at or below index i.
func (h Heap[K]) down(i int, x Item[K]) {
	for down := 2*i + 1; down < len(h); down = 2*i + 1 {
		first := h[down]
		if right := down + 1; right < len(h) && h[right].before(first) {
			down, first = right, h[right]
		}
		if !first.before(x) {
			break
		}
		h[i] = first
		i = down
	}
	h[i] = x
}

// ReplaceTop puts x in the place of the least key of a heap of keys alone.
func ReplaceTop[K cmp.Ordered](h []K, x K) {
	i := 0
	for down := 1; down < len(h); down = 2*i + 1 {
		if down+1 < len(h) && h[down+1] < h[down] {
			down++
		}
		if h[down] >= x {
			break
		}
		h[i] = h[down]
		i = down
	}
	h[i] = x
}

// By is a heap whose order is a function; which of equal items comes first depends on the pushes and pops before.
type By[T any] struct {
	Items  []T // the first is at 0
	Before func(a, b T) bool
}

// Len is the number of items.
func (h *By[T]) Len() int { return len(h.Items) }

// Push adds an item.
func (h *By[T]) Push(x T) {
	s := append(h.Items, x)
	i := len(s) - 1
	for i > 0 && h.Before(x, s[(i-1)/2]) {
		s[i] = s[(i-1)/2]
		i = (i - 1) / 2
	}
	s[i] = x
	h.Items = s
}

// Pop takes the first item; the heap must not be empty.
func (h *By[T]) Pop() T {
	top, s := h.Items[0], h.Items[:len(h.Items)-1]
	x, i := h.Items[len(s)], 0
	for down := 1; down < len(s); down = 2*i + 1 {
		if down+1 < len(s) && h.Before(s[down+1], s[down]) {
			down++
		}
		if !h.Before(s[down], x) {
			break
		}
		s[i] = s[down]
		i = down
	}
	if h.Items = s; len(s) > 0 {
		s[i] = x
	}
	return top
}
