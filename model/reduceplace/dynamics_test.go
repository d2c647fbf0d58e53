package reduceplace

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

// queued is a job of a test, in microseconds.
type queued struct {
	at, work model.Time
	reduces  int64
}

// queue opens jobs on slots of cost 1.
func queue(t rapid.TB, n int, k int64, jobs []queued) *Instance {
	t.Helper()
	return opened(t, Options{MaxRunning: k}, func(b *model.Builder) {
		slots(b, slices.Repeat([]float64{1}, n)...)
		for i, j := range jobs {
			addJob(b, fmt.Sprint("j", i), j.at, j.work, j.reduces, 1)
		}
	})
}

// TestDynamicsByHand: each case says where its numbers come from.
func TestDynamicsByHand(t *testing.T) {
	const s = model.Second
	for _, c := range []struct {
		name       string
		slots      int
		k          int64
		jobs       []queued
		start, end []model.Time
		present    []int32
		crowded    int
	}{
		// The first has 3 s left when the second comes; sharing, the second ends at 1 + 2·2 = 5, the first has 1 s left then.
		// The third shares from 5 on and ends at 5 + 2·0.5 = 6; the first has 0.5 s left and all of the capacity.
		{"K = 2", 9, 2, []queued{{0, 4 * s, 1}, {1 * s, 2 * s, 1}, {2 * s, s / 2, 1}}, []model.Time{0, 1 * s, 5 * s},
			[]model.Time{13 * s / 2, 5 * s, 6 * s}, []int32{0, 1, 2}, 0},
		// Without K all three share from 2 on: attained 1.5, 0.5 and 0; the third ends at 2 + 3·0.5 = 3.5, the second at 3.5
		// + 2·1 = 5.5.
		{"no K", 9, 0, []queued{{0, 4 * s, 1}, {1 * s, 2 * s, 1}, {2 * s, s / 2, 1}}, []model.Time{0, 1 * s, 2 * s},
			[]model.Time{13 * s / 2, 11 * s / 2, 7 * s / 2}, []int32{0, 1, 2}, 0},
		{"K = 1", 9, 1, []queued{{0, 4 * s, 1}, {1 * s, 2 * s, 1}, {2 * s, s / 2, 1}}, []model.Time{0, 4 * s, 6 * s},
			[]model.Time{4 * s, 6 * s, 13 * s / 2}, []int32{0, 1, 2}, 0},
		// At 1 µs each of the first two attained 0.5 µs; three share 1.5 µs to the end of both, at 2.5, rounded up. The third
		// then has 0.5 µs left, rounded up.
		{"fractions", 9, 0, []queued{{0, 1, 1}, {0, 1, 1}, {1, 1, 1}}, []model.Time{0, 0, 1}, []model.Time{3, 3, 4},
			[]int32{0, 1, 2}, 0},
		{"thirds", 9, 0, []queued{{0, 1, 1}, {0, 1, 1}, {0, 1, 1}}, []model.Time{0, 0, 0}, []model.Time{3, 3, 3},
			[]int32{0, 1, 2}, 0},
		{"an arrival when one ends", 9, 1, []queued{{0, 5, 1}, {5, 5, 1}}, []model.Time{0, 5}, []model.Time{5, 10},
			[]int32{0, 0}, 0},
		{"an idle time", 9, 1, []queued{{0, 5, 1}, {20, 5, 1}}, []model.Time{0, 20}, []model.Time{5, 25}, []int32{0, 0}, 0},
		// The table's order decides between jobs with equal arrivals.
		{"together", 9, 1, []queued{{7, 3, 1}, {0, 1, 1}, {7, 2, 1}, {7, 1, 1}}, []model.Time{7, 0, 10, 12},
			[]model.Time{10, 1, 12, 13}, []int32{0, 0, 1, 2}, 0},
		{"no work", 9, 2, []queued{{0, 0, 1}, {3, 10, 1}, {5, 0, 1}, {6, 0, 2}}, []model.Time{0, 3, 5, 6},
			[]model.Time{0, 13, 5, 6}, []int32{0, 0, 1, 1}, 0},
		{"no work behind K", 9, 1, []queued{{3, 10, 1}, {5, 0, 1}, {6, 0, 2}}, []model.Time{3, 13, 13},
			[]model.Time{13, 13, 13}, []int32{0, 1, 2}, 0},
		// The second finds one slot free and needs two; the third would fit, but comes later.
		{"FIFO for slots", 3, 3, []queued{{0, 10, 2}, {1, 1, 2}, {2, 1, 1}}, []model.Time{0, 10, 10},
			[]model.Time{10, 12, 12}, []int32{0, 1, 2}, 1},
		{"no slots needed", 1, 3, []queued{{0, 4, 1}, {0, 4, 0}, {1, 1, 1}}, []model.Time{0, 0, 8}, []model.Time{8, 8, 9},
			[]int32{0, 1, 2}, 1},
		{"centuries", 3, 3, []queued{{1 << 58, 1 << 57, 1}, {1 << 58, 1 << 57, 1}, {1 << 58, 1<<57 + 1, 1}},
			[]model.Time{1 << 58, 1 << 58, 1 << 58},
			[]model.Time{1<<58 + 3<<57, 1<<58 + 3<<57, 1<<58 + 3<<57 + 1}, []int32{0, 1, 2}, 0},
	} {
		in := queue(t, c.slots, c.k, c.jobs)
		if !slices.Equal(in.Start, c.start) || !slices.Equal(in.End, c.end) || !slices.Equal(in.Present, c.present) ||
			in.Crowded != c.crowded {
			t.Errorf("%s: start %d, end %d, present %d, crowded %d; want %d, %d, %d, %d", c.name, in.Start, in.End, in.Present,
				in.Crowded, c.start, c.end, c.present, c.crowded)
		}
	}
}

// TestTotalTime: map work and releases must add up to less than MaxHorizon.
func TestTotalTime(t *testing.T) {
	for _, c := range []struct {
		release, work model.Time
		want          []model.Code
	}{
		{0, model.MaxHorizon / 2, nil},
		{1, model.MaxHorizon / 2, []model.Code{model.CodeTotalTime}},
		{0, model.MaxTime, []model.Code{model.CodeTotalTime}},
	} {
		expectRefused(t, c.release.String()+" "+c.work.String(), Options{}, func(b *model.Builder) {
			slots(b, 1)
			addJob(b, "a", c.release, c.work, 1, 1)
			addJob(b, "b", c.release, c.work, 1, 1)
		}, c.want...)
	}
}
