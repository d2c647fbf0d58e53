package list

import (
	"slices"
	"testing"

	"mrsched/model"
)

// chain has three tasks of 3, 2 and 1 s. Task 1 follows task 0 through a barrier after a delay of 1 s; task 2 is
// released at 2 s.
func chain() *Graph {
	return &Graph{Tasks: 3, Processing: []model.Time{3, 2, 1, 0}, Earliest: []model.Time{0, 0, 2, 0},
		SuccFirst: []int32{0, 1, 1, 1, 2}, SuccStep: []int32{3, 1}, SuccDelay: []model.Time{1, 0}, Preds: []int32{0, 1, 0, 1}}
}

// TestStarts by hand. On one machine, order 0, 1, 2: 0 at 0, 1 waits for 3+1, and 2 follows at 6 although the machine
// idles from 3 to 4. Order 0, 2, 1: 2 at 3, 1 at 4. Never idle, regardless of ranks, only 0 is ready at 0 and only 2 at
// 3; then comes 1 at 4. With two machines 2 runs beside 0 from 2. After a wait for a release all machines start at that
// time, none earlier.
func TestStarts(t *testing.T) {
	g := chain()
	late := &Graph{Tasks: 2, Processing: []model.Time{1, 1}, Earliest: []model.Time{5, 5}, SuccFirst: []int32{0, 0, 0},
		Preds: []int32{0, 0}}
	for name, c := range map[string]struct {
		s    *model.Schedule
		want []model.Time
	}{
		"order 0 1 2":              {g.InOrder([]int32{0, 1, 2}, 1), []model.Time{0, 4, 6}},
		"order 0 2 1":              {g.InOrder([]int32{0, 2, 1}, 1), []model.Time{0, 4, 3}},
		"never idle":               {g.NeverIdle([]int32{0, 1, 2}, 1), []model.Time{0, 4, 3}},
		"never idle, two machines": {g.NeverIdle([]int32{0, 1, 2}, 2), []model.Time{0, 4, 2}},
		"never idle, late":         {late.NeverIdle([]int32{0, 1}, 2), []model.Time{5, 5}},
	} {
		var got []model.Time
		for _, e := range c.s.Entries {
			got = append(got, e.Start)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestTopological: keys decide subject to precedence; ties go to the lower index.
func TestTopological(t *testing.T) {
	g := chain()
	for _, c := range []struct {
		key  []int64
		want []int32
	}{
		{[]int64{1, 0, 2, 0}, []int32{0, 1, 2}},
		{[]int64{5, 0, 2, 0}, []int32{2, 0, 1}},
		{[]int64{0, 0, 0, 0}, []int32{0, 1, 2}},
	} {
		if got := g.Topological(c.key); !slices.Equal(got, c.want) {
			t.Errorf("keys %v: %v, want %v", c.key, got, c.want)
		}
	}
}

// TestFixed gives machines to known starts: the third task takes the machine that the first left.
func TestFixed(t *testing.T) {
	g := &Graph{Tasks: 3, Processing: []model.Time{2, 4, 1}, SuccFirst: []int32{0, 0, 0, 0}}
	s := g.Fixed([]int32{0, 1, 2}, []model.Time{0, 0, 2}, 2)
	for u, want := range []int32{0, 1, 0} {
		if s.Entries[u].Machine != want {
			t.Errorf("task %d on machine %d, want %d", u, s.Entries[u].Machine, want)
		}
	}
}

// TestInOrderFit: tasks of 1 and 3 s begin at 0 on machines 0 and 1; one released at 5 s finds both idle and takes 1,
// which idles last, where InOrder takes 0.
func TestInOrderFit(t *testing.T) {
	g := &Graph{Tasks: 3, Processing: []model.Time{1, 3, 1}, Earliest: []model.Time{0, 0, 5}, SuccFirst: make([]int32, 4),
		Preds: make([]int32, 3)}
	for want, s := range []*model.Schedule{g.InOrder([]int32{0, 1, 2}, 2), g.InOrderFit([]int32{0, 1, 2}, 2)} {
		if e := s.Entries[2]; e.Machine != int32(want) || e.Start != 5 {
			t.Errorf("machine %d at %s, want %d", e.Machine, e.Start, want)
		}
	}
}
