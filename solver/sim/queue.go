package sim

import (
	"mrsched/model"
	"mrsched/model/heap"
)

// Kind orders the events of one instant: the lower kind first. Callers number their kinds in the order in which these
// are to happen, for instance completions before arrivals.
type Kind uint8

// Event is what happens at a time.
type Event[P any] struct {
	Time    model.Time
	Kind    Kind
	Payload P
}

// Queue holds the events to come, ordered by time, then by kind, then by insertion. The zero value is an empty queue.
//
// Complexity: O(log n) for each change.
type Queue[P any] struct {
	heap     heap.By[entry[P]]
	sequence uint64
}

// entry is an event in the heap.
type entry[P any] struct {
	time    model.Time
	order   uint64 // within an instant: the kind in the top byte, then the sequence number
	payload P
}

const kindShift = 56

func before[P any](a, b entry[P]) bool {
	return a.time < b.time || a.time == b.time && a.order < b.order
}

// Push adds an event.
func (q *Queue[P]) Push(t model.Time, kind Kind, payload P) {
	if q.heap.Before == nil {
		q.heap.Before = before[P]
	}
	q.sequence++
	q.heap.Push(entry[P]{t, uint64(kind)<<kindShift | q.sequence, payload})
}

// Next returns the time of the first event; false: the queue is empty.
func (q *Queue[P]) Next() (model.Time, bool) {
	if q.heap.Len() == 0 {
		return 0, false
	}
	return q.heap.Items[0].time, true
}

// Pop takes the first event; false: the queue is empty.
func (q *Queue[P]) Pop() (Event[P], bool) {
	if q.heap.Len() == 0 {
		return Event[P]{}, false
	}
	e := q.heap.Pop()
	return Event[P]{e.time, Kind(e.order >> kindShift), e.payload}, true
}
