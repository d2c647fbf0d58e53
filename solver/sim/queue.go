package sim

import "mrsched/model"

// Kind orders the events of one instant: the lower kind first. Callers number their kinds in the order in which these
// are to happen, for instance completions before arrivals.
type Kind uint8

// EventID names an event until it is popped or cancelled. The zero EventID names none.
type EventID uint64

// Event is what happens at a time.
type Event[P any] struct {
	Time    model.Time
	Kind    Kind
	Payload P
}

// Queue holds the events to come, ordered by time, then by kind, then by insertion. The zero value is an empty queue.
//
// Complexity: O(log n) for each change, with one slot of memory for each event that waits.
type Queue[P any] struct {
	heap     []entry
	slots    slots
	place    []int32 // by slot: index in heap
	payload  []P     // by slot
	sequence uint64
}

// entry is an event in the heap. The order within an instant is the kind in the top byte, then the sequence number.
type entry struct {
	time  model.Time
	order uint64
	slot  int32
}

const kindShift = 56

func (a entry) before(b entry) bool { return a.time < b.time || a.time == b.time && a.order < b.order }

// Len returns the number of events that wait.
func (q *Queue[P]) Len() int { return len(q.heap) }

// Push adds an event.
func (q *Queue[P]) Push(t model.Time, kind Kind, payload P) EventID {
	slot, fresh := q.slots.take()
	if fresh {
		q.place = append(q.place, 0)
		q.payload = append(q.payload, payload)
	} else {
		q.payload[slot] = payload
	}
	q.heap = append(q.heap, entry{})
	q.up(len(q.heap)-1, q.entry(t, kind, slot))
	return EventID(q.slots.id(slot))
}

func (q *Queue[P]) entry(t model.Time, kind Kind, slot int32) entry {
	q.sequence++
	return entry{t, uint64(kind)<<kindShift | q.sequence, slot}
}

// Next returns the time of the first event; false: the queue is empty.
func (q *Queue[P]) Next() (model.Time, bool) {
	if len(q.heap) == 0 {
		return 0, false
	}
	return q.heap[0].time, true
}

// Pop takes the first event; false: the queue is empty.
func (q *Queue[P]) Pop() (Event[P], bool) {
	if len(q.heap) == 0 {
		return Event[P]{}, false
	}
	e := q.heap[0]
	event := Event[P]{e.time, Kind(e.order >> kindShift), q.payload[e.slot]}
	q.remove(0)
	return event, true
}

// Cancel takes an event out; false: it is no longer there.
func (q *Queue[P]) Cancel(id EventID) bool {
	slot, ok := q.slots.find(uint64(id))
	if ok {
		q.remove(int(q.place[slot]))
	}
	return ok
}

// Reschedule moves an event to another time, where it counts as inserted now; false: it is no longer there.
func (q *Queue[P]) Reschedule(id EventID, t model.Time) bool {
	slot, ok := q.slots.find(uint64(id))
	if ok {
		i := int(q.place[slot])
		q.fix(i, q.entry(t, Kind(q.heap[i].order>>kindShift), slot))
	}
	return ok
}

func (q *Queue[P]) remove(i int) {
	slot, last := q.heap[i].slot, len(q.heap)-1
	moved := q.heap[last]
	q.heap = q.heap[:last]
	if i < last {
		q.fix(i, moved)
	}
	var none P
	q.payload[slot] = none // so that a payload with pointers is not kept alive
	q.slots.release(slot)
}

// fix puts e where index i is, or rather where it belongs from there.
func (q *Queue[P]) fix(i int, e entry) {
	if i > 0 && e.before(q.heap[(i-1)/2]) {
		q.up(i, e)
	} else {
		q.down(i, e)
	}
}

func (q *Queue[P]) up(i int, e entry) {
	for i > 0 {
		parent := (i - 1) / 2
		if !e.before(q.heap[parent]) {
			break
		}
		q.set(i, q.heap[parent])
		i = parent
	}
	q.set(i, e)
}

func (q *Queue[P]) down(i int, e entry) {
	for {
		child := 2*i + 1
		if child >= len(q.heap) {
			break
		}
		if child+1 < len(q.heap) && q.heap[child+1].before(q.heap[child]) {
			child++
		}
		if !q.heap[child].before(e) {
			break
		}
		q.set(i, q.heap[child])
		i = child
	}
	q.set(i, e)
}

func (q *Queue[P]) set(i int, e entry) {
	q.heap[i] = e
	q.place[e.slot] = int32(i)
}
