package list

import "mrsched/model"

// timed is something that happens at a time; ties go to the lower index.
type timed struct {
	at    model.Time
	index int32
}

func (a timed) before(b timed) bool { return a.at < b.at || a.at == b.at && a.index < b.index }

// timeHeap is a binary heap of timed, the earliest first.
type timeHeap []timed

func (h *timeHeap) push(x timed) {
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

func (h *timeHeap) pop() timed {
	s := *h
	top, last := s[0], s[len(s)-1]
	*h = s[:len(s)-1]
	if len(*h) > 0 {
		h.replaceTop(last)
	}
	return top
}

// replaceTop puts x in the place of the earliest element.
func (h timeHeap) replaceTop(x timed) {
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
func (g *Graph) machines(m int) timeHeap {
	h := make(timeHeap, min(m, max(1, g.Tasks)))
	for i := range h {
		h[i].index = int32(i)
	}
	return h
}
