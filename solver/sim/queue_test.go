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
	if _, ok := q.Next(); ok {
		t.Error("a drained queue is not empty")
	}
}

// TestQueueSorts compares with sorting all that waits at every step.
func TestQueueSorts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Queue[int]
		var list []Event[int]
		for sequence := range rapid.IntRange(1, 60).Draw(t, "steps") {
			if len(list) == 0 || rapid.IntRange(0, 2).Draw(t, "push") > 0 {
				e := Event[int]{model.Time(rapid.IntRange(0, 5).Draw(t, "time")), Kind(rapid.IntRange(0, 2).Draw(t, "kind")),
					sequence}
				q.Push(e.Time, e.Kind, e.Payload)
				list = append(list, e)
				continue
			}
			first := slices.MinFunc(list, func(a, b Event[int]) int {
				return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Payload, b.Payload))
			})
			if e, ok := q.Pop(); !ok || e != first {
				t.Fatalf("popped %+v, expected %+v", e, first)
			}
			list = slices.DeleteFunc(list, func(e Event[int]) bool { return e == first })
		}
	})
}
