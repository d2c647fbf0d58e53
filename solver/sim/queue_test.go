package sim

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

func drain(q *Queue[string]) (names []string) {
	for {
		e, ok := q.Pop()
		if !ok {
			return names
		}
		names = append(names, e.Payload)
	}
}

func TestQueueOrder(t *testing.T) {
	var q Queue[string]
	q.Push(5, 1, "late kind")
	q.Push(5, 0, "first inserted")
	q.Push(5, 0, "second inserted")
	q.Push(3, 9, "early")
	if next, ok := q.Next(); !ok || next != 3 {
		t.Errorf("Next() = %v, %v", next, ok)
	}
	want := []string{"early", "first inserted", "second inserted", "late kind"}
	if got := drain(&q); !slices.Equal(got, want) {
		t.Errorf("got %v, expected %v", got, want)
	}
	if _, ok := q.Next(); ok || q.Len() != 0 {
		t.Error("a drained queue is not empty")
	}
}

func TestQueueChanges(t *testing.T) {
	var q Queue[string]
	a, b, c := q.Push(1, 0, "a"), q.Push(1, 0, "b"), q.Push(1, 0, "c")
	if !q.Cancel(b) || q.Cancel(b) || q.Reschedule(b, 4) {
		t.Error("an event is cancelled once")
	}
	d := q.Push(1, 0, "d") // in b's slot
	if b == d || q.Cancel(b) || q.Cancel(0) {
		t.Error("an id of a former event names another")
	}
	if !q.Reschedule(a, 1) { // behind d, which was inserted before
		t.Error("an event that waits cannot be moved")
	}
	if got, want := drain(&q), []string{"c", "d", "a"}; !slices.Equal(got, want) {
		t.Errorf("got %v, expected %v", got, want)
	}
	if q.Cancel(c) {
		t.Error("an event that has happened was cancelled")
	}
}

// TestQueueSorts compares with sorting all that waits at every step.
func TestQueueSorts(t *testing.T) {
	type waiting struct {
		id       EventID
		time     model.Time
		kind     Kind
		sequence int
	}
	rapid.Check(t, func(t *rapid.T) {
		var q Queue[int]
		var list []waiting
		sequence := 0
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			sequence++
			at := model.Time(rapid.IntRange(0, 5).Draw(t, "time"))
			switch action := rapid.IntRange(0, 4).Draw(t, "action"); {
			case action <= 1 || len(list) == 0:
				kind := Kind(rapid.IntRange(0, 2).Draw(t, "kind"))
				list = append(list, waiting{q.Push(at, kind, sequence), at, kind, sequence})
			case action == 2:
				i := rapid.IntRange(0, len(list)-1).Draw(t, "which")
				if !q.Cancel(list[i].id) {
					t.Fatal("cannot cancel")
				}
				list = slices.Delete(list, i, i+1)
			case action == 3:
				i := rapid.IntRange(0, len(list)-1).Draw(t, "which")
				if !q.Reschedule(list[i].id, at) {
					t.Fatal("cannot move")
				}
				list[i].time, list[i].sequence = at, sequence
			default:
				first := slices.MinFunc(list, func(a, b waiting) int {
					return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.kind, b.kind), cmp.Compare(a.sequence, b.sequence))
				})
				e, ok := q.Pop()
				if !ok || e.Time != first.time || e.Kind != first.kind || q.Cancel(first.id) {
					t.Fatalf("popped %+v, expected %+v", e, first)
				}
				list = slices.DeleteFunc(list, func(w waiting) bool { return w.id == first.id })
			}
			if q.Len() != len(list) {
				t.Fatalf("%d events, expected %d", q.Len(), len(list))
			}
		}
	})
}
