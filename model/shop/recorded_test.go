package shop_test

import (
	"testing"

	"mrsched/model"
)

// TestRecorded: in the example, tasks of 4 s take 8 s on n2. A record that satisfies all constraints becomes a schedule
// with these lengths. One that violates some is a schedule that Check rejects. One with a gap is no schedule.
func TestRecorded(t *testing.T) {
	n1, n2 := "n1", "n2"
	for _, c := range []struct {
		name   string
		node   [4]string
		start  [4]int64 // -1: not stated
		broken int      // -1: no schedule
	}{
		{"fits", [4]string{n1, n2, n1, n1}, [4]int64{0, 5, 4, 4}, 0},
		{"full", [4]string{n1, n1, n1, n1}, [4]int64{0, 5, 5, 5}, 1},
		{"before its predecessor", [4]string{n1, n2, n1, n1}, [4]int64{0, 4, 4, 4}, 1},
		{"gone", [4]string{n1, "gone", n1, n1}, [4]int64{0, 5, 4, 4}, -1},
		{"no node", [4]string{n1, "", n1, n1}, [4]int64{0, 5, 4, 4}, -1},
		{"no start", [4]string{n1, n2, n1, n1}, [4]int64{0, -1, 4, 4}, -1},
	} {
		w, err := example(nil).Build()
		if err != nil {
			t.Fatal(err)
		}
		for u := range w.Tasks {
			w.Tasks[u].RecordedNode = c.node[u]
			if c.start[u] >= 0 {
				w.Tasks[u].RecordedStart = model.Some(model.Time(c.start[u]) * model.Second)
			}
		}
		_, s := open(t, w).Recorded()
		switch {
		case c.broken < 0 || s == nil:
			if c.broken >= 0 || s != nil {
				t.Errorf("%s: %v", c.name, s)
			}
		case len(open(t, w).Check(s)) != c.broken:
			t.Errorf("%s: %v", c.name, open(t, w).Check(s))
		case c.broken == 0 && s.Entries[1].End != 13*model.Second:
			t.Errorf("%s: %v", c.name, s.Entries)
		}
	}
}
