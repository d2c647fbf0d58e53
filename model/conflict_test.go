package model

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// conflictOf is the first conflict of the findings; nil if the workload is built.
func conflictOf(t rapid.TB, b *Builder) *Conflict {
	t.Helper()
	_, err := b.Build()
	var input *InputError
	if !errors.As(err, &input) {
		return nil
	}
	for _, f := range input.Findings {
		if f.Conflict != nil {
			return f.Conflict
		}
	}
	t.Fatalf("findings without a conflict: %v", err)
	return nil
}

// TestShortestCycle compares with shortest walks by Floyd and Warshall, and walks along the members.
func TestShortestCycle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "tasks")
		b := NewBuilder()
		b.Job(Job{ID: "j"}, Locus{})
		for u := range n {
			b.Task(Task{ID: fmt.Sprint(u), Processing: Some(Second)}, "j", "", Locus{})
		}
		const far = 100
		var length [7][7]int
		for u := range n {
			for v := range n {
				length[u][v] = far
				if rapid.IntRange(0, 3).Draw(t, "delay") == 0 {
					length[u][v] = 1
					b.Delay(fmt.Sprint(u), fmt.Sprint(v), 0, Locus{})
				}
			}
		}
		arc := length
		for k := range n {
			for u := range n {
				for v := range n {
					length[u][v] = min(length[u][v], length[u][k]+length[k][v])
				}
			}
		}
		want := far
		for u := range n {
			want = min(want, length[u][u])
		}
		c := conflictOf(t, b)
		if want == far {
			if c != nil {
				t.Fatalf("there is no cycle: %+v", c)
			}
			return
		}
		if c == nil || len(c.Members) != want || !c.Infeasible || !c.Minimal {
			t.Fatalf("a shortest cycle has %d rows: %+v", want, c)
		}
		var first, last int
		for k, m := range c.Members {
			var from, to int
			if _, err := fmt.Sscanf(m.ID, "%d → %d", &from, &to); err != nil || arc[from][to] != 1 || k > 0 && from != last {
				t.Fatalf("member %d of %+v is no row, or does not follow: %v", k, c, err)
			}
			if k == 0 {
				first = from
			}
			last = to
		}
		if first != last {
			t.Fatalf("no cycle: %+v", c)
		}
	})
}
