package sim

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

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
			if at, ok := q.Next(); !ok || at != first.Time {
				t.Fatalf("next at %s, %v, expected %+v", at, ok, first)
			}
			if e, ok := q.Pop(); !ok || e != first {
				t.Fatalf("popped %+v, expected %+v", e, first)
			}
			list = slices.DeleteFunc(list, func(e Event[int]) bool { return e == first })
		}
		for range list {
			q.Pop()
		}
		_, next := q.Next()
		if _, ok := q.Pop(); ok || next {
			t.Fatal("a drained queue is not empty")
		}
	})
}
