package list

import (
	"testing"

	"mrsched/model"
)

// TestShifts by hand: task 0 runs from 0 to 3 on machine 0, then 2 until 4; 1 runs from 4 to 6 on machine 1, a delay of
// 1 after 0. Task 2 is released at 2, so it fits on machine 1 before 1.
func TestShifts(t *testing.T) {
	g := chain()
	x := g.NewShifts(&model.Schedule{Entries: []model.Entry{{Task: 0, Machine: 0, Start: 0, End: 3},
		{Task: 1, Machine: 1, Start: 4, End: 6}, {Task: 2, Machine: 0, Start: 3, End: 4}}})
	if x.Ready(1) != 4 || x.Ready(2) != 2 || x.Before(2) != 0 || x.Before(1) != model.None {
		t.Errorf("ready %s and %s, before %d and %d", x.Ready(1), x.Ready(2), x.Before(2), x.Before(1))
	}
	if p := x.Places(2, 1, 1); len(p) != 1 || p[0] != (Place{Machine: 1, Behind: 0, Start: 2, Fits: true}) {
		t.Errorf("places of 2: %+v", p)
	}
	// 2 in 3 s on machine 1 from 2 to 5 pushes 1 to 5.
	moved, ok := x.Move(2, Place{Machine: 1, Behind: 0, Start: 2}, 3, nil)
	if want := []model.Entry{{Task: 2, Machine: 1, Start: 2, End: 5}, {Task: 1, Machine: 1, Start: 5, End: 7}}; !ok ||
		len(moved) != 2 || moved[0] != want[0] || moved[1] != want[1] {
		t.Errorf("moved %+v, want %+v", moved, want)
	}
	// 0 before 2 on its machine from 1: ends at 4, pushes 2 to 4 and 1, after its delay, to 5.
	moved, _ = x.Move(0, Place{Machine: 0, Behind: 0, Start: 1}, 3, nil)
	if len(moved) != 3 || moved[1].Start != 5 || moved[2].Start != 4 {
		t.Errorf("moved %+v", moved)
	}
	if _, ok := x.Move(0, Place{Machine: 1, Behind: 1, Start: 6}, 3, nil); ok {
		t.Error("0 comes after 1, which must follow it")
	}
	never := func(int32, model.Time, model.Time) bool { return false }
	if _, ok := x.Move(0, Place{Machine: 0, Behind: 0, Start: 1}, 3, never); ok {
		t.Error("push was not asked")
	}
	// If only the end of 1 counts, at 6, and 7 is allowed, 0 has slack 1 s, and 2, which has no successor, 5 s.
	spare := func(v int32) model.Time { return map[int32]model.Time{0: 9, 1: 1, 2: 5}[v] }
	if a, b := x.Slack(0, spare), x.Slack(2, spare); a != 1 || b != 5 {
		t.Errorf("slack %s and %s", a, b)
	}
}

// TestTasksOfNoTime by hand: on one machine 0 takes no time at 5, 1 runs from 5 to 7 and 2 from 0 to 5. Moving task 1
// before 0 leaves it at its place, so this is no move. 2 may come later: behind 1, from 7 on.
func TestTasksOfNoTime(t *testing.T) {
	g := &Graph{Tasks: 3, Earliest: make([]model.Time, 3), Preds: make([]int32, 3), SuccFirst: make([]int32, 4)}
	x := g.NewShifts(&model.Schedule{Entries: []model.Entry{{Task: 0, Start: 5, End: 5}, {Task: 1, Start: 5, End: 7},
		{Task: 2, Start: 0, End: 5}}})
	for _, p := range x.Places(1, 0, 2) {
		if p.Start == 5 {
			t.Errorf("where it is, is a place: %+v", p)
		}
	}
	if p := x.Places(2, 0, 5); len(p) == 0 || p[len(p)-1] != (Place{Behind: 2, Start: 7, Fits: true}) {
		t.Errorf("later places: %+v", p)
	}
}

// TestPrecedenceAtOneMoment: two tasks of length 0 run at the same moment. The predecessor comes first on the machine,
// whatever their numbers.
func TestPrecedenceAtOneMoment(t *testing.T) {
	g := &Graph{Tasks: 2, Earliest: make([]model.Time, 2), Preds: []int32{1, 0}, SuccFirst: []int32{0, 0, 1},
		SuccStep: []int32{0}, SuccDelay: make([]model.Time, 1)}
	x := g.NewShifts(&model.Schedule{Entries: []model.Entry{{Task: 0, Start: 5, End: 5}, {Task: 1, Start: 5, End: 5}}})
	if x.Before(0) != 1 || x.Before(1) != model.None {
		t.Errorf("before %d and %d", x.Before(0), x.Before(1))
	}
}
