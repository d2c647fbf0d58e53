package heap

import (
	"cmp"
	"container/heap"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestHeap: pushes, replacements and pops in any order always take the least key with the least index.
func TestHeap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		item := rapid.Custom(func(t *rapid.T) Item[int64] {
			return Item[int64]{rapid.Int64Range(-3, 3).Draw(t, "key"), rapid.Int32Range(0, 5).Draw(t, "index")}
		})
		order := func(a, b Item[int64]) int { return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Index, b.Index)) }
		h := Heap[int64](rapid.SliceOfN(item, 0, 20).Draw(t, "items"))
		sorted := slices.Clone(h)
		h.Init()
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			slices.SortFunc(sorted, order)
			x, what := item.Draw(t, "x"), rapid.IntRange(0, 2).Draw(t, "what")
			if len(sorted) == 0 {
				what = 0
			}
			switch what {
			case 0:
				h.Push(x)
				sorted = append(sorted, x)
			case 1:
				h.ReplaceTop(x)
				sorted[0] = x
			case 2:
				if got := h.Pop(); got != sorted[0] {
					t.Fatalf("%v, want %v", got, sorted[0])
				}
				sorted = sorted[1:]
			}
		}
	})
}

// TestReplaceTop: the least key is in front after every replacement.
func TestReplaceTop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := make([]int64, rapid.IntRange(1, 9).Draw(t, "size"))
		sorted := slices.Clone(h)
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			x := h[0] + rapid.Int64Range(0, 5).Draw(t, "more")
			ReplaceTop(h, x)
			sorted[0] = x
			slices.Sort(sorted)
			if h[0] != sorted[0] {
				t.Fatalf("%d in front of %v", h[0], sorted)
			}
		}
	})
}

// pair is an item that compares by its first number.
type pair [2]int

// reference is the same order for the standard library.
type reference []pair

func (r reference) Len() int           { return len(r) }
func (r reference) Less(i, k int) bool { return r[i][0] < r[k][0] }
func (r reference) Swap(i, k int)      { r[i], r[k] = r[k], r[i] }
func (r *reference) Push(x any)        { *r = append(*r, x.(pair)) }
func (r *reference) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}

// TestBy: the heap holds what container/heap holds, in the same places, so equal items come in the same order.
func TestBy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := By[pair]{Before: func(a, b pair) bool { return a[0] < b[0] }}
		var want reference
		for k := range rapid.IntRange(0, 80).Draw(t, "steps") {
			if h.Len() == 0 || rapid.IntRange(0, 2).Draw(t, "what") > 0 {
				x := pair{rapid.IntRange(0, 4).Draw(t, "key"), k}
				h.Push(x)
				heap.Push(&want, x)
			} else if got, w := h.Pop(), heap.Pop(&want).(pair); got != w {
				t.Fatalf("%v, want %v", got, w)
			}
			if !slices.Equal(h.Items, want) {
				t.Fatalf("%v, want %v", h.Items, want)
			}
		}
	})
}
