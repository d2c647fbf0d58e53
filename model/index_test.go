package model

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestBlockNumbers: blocks are numbered as tasks name them, whatever placements came before.
func TestBlockNumbers(t *testing.T) {
	b := NewBuilder()
	b.Job(Job{ID: "j"}, Locus{})
	for _, block := range []string{"b3", "b1", "b2"} {
		b.Placement(block, "n", Locus{})
	}
	for i, block := range []string{"b1", "", "b2", "b1", "b3", "b4"} {
		b.Task(Task{ID: strconv.Itoa(i)}, "j", block, Locus{})
	}
	w := built(t, b)
	if got, want := w.Blocks, []string{"b1", "b2", "b3", "b4"}; !slices.Equal(got, want) {
		t.Errorf("blocks %v, want %v", got, want)
	}
	if want := []Placement{{2, 0}, {0, 0}, {1, 0}}; !slices.Equal(w.Placements, want) {
		t.Errorf("placements %v, want %v", w.Placements, want)
	}
	for i, want := range []BlockIndex{0, None, 1, 0, 2, 3} {
		if got := w.Tasks[i].Block; got != want {
			t.Errorf("task %d reads block %d, want %d", i, got, want)
		}
	}
}

// TestNumbering: an id has one number, in whatever order ids come.
func TestNumbering(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, want := numbering{of: map[string]int32{}}, map[string]int32{}
		for _, k := range rapid.SliceOfN(rapid.IntRange(0, 30), 0, 200).Draw(t, "ids") {
			id := strings.Repeat(strconv.Itoa(k), 1+k*k)
			if _, ok := want[id]; !ok {
				want[id] = int32(len(want))
			}
			if got := n.number(id); got != want[id] || n.ids[got] != id {
				t.Fatalf("%.20s has number %d, want %d", id, got, want[id])
			}
		}
	})
}

// TestCopies: copies do not change while others are made, and share no memory with their originals.
func TestCopies(t *testing.T) {
	var c Copies
	var copies, want []string
	for i := range 3000 {
		b := []byte(strings.Repeat(strconv.Itoa(i), 1+i%200))
		want = append(want, string(b))
		copies = append(copies, c.OfBytes(b), c.Of(string(b)))
		clear(b)
	}
	for i, text := range want {
		if copies[2*i] != text || copies[2*i+1] != text {
			t.Fatalf("%q is copied as %q and %q", text, copies[2*i], copies[2*i+1])
		}
	}
}
