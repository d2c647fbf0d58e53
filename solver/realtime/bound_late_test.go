package realtime

import (
	"context"
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// boundLate is the bound of the certificate, written, read and checked.
func boundLate(t rapid.TB, in *realtime.Instance) (int, *realtime.Certificate) {
	t.Helper()
	c, err := findLate(context.Background(), in, solver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	proven, err := in.Certify(raw)
	if err != nil || !proven.Value.IsInt() {
		t.Fatalf("%v, %v", proven.Value, err)
	}
	c.Value = new(big.Rat).Add(proven.Value, big.NewRat(1, 1)).RatString()
	if raw, err = json.Marshal(c); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Certify(raw); err == nil {
		t.Fatal("one more is accepted")
	}
	return int(proven.Value.Num().Int64()), c
}

// TestLateBoundByHand compares bounds with hand calculations.
func TestLateBoundByHand(t *testing.T) {
	one, split := []lateWorker{{1, 1, 1}}, realtime.Options{Resplit: model.Some(model.Time(0))}
	same := func(n int, j lateJob) []lateJob { return slices.Repeat([]lateJob{j}, n) }
	for name, c := range map[string]struct {
		workers []lateWorker
		jobs    []lateJob
		o       realtime.Options
		bound   int
	}{
		// Speeds 1 and 2 do 3 units a second, 30 before 10: two of three jobs of 2 × 6.
		"speeds": {[]lateWorker{{1, 1, 0}, {2, 1, 0}}, same(3, lateJob{maps: []model.Time{6, 6}, deadline: 10}),
			realtime.Options{}, 1},
		// A slot of speed 0.1 cannot run a map of 6 by 10 at all, so 10 + 1 units are 10: one of two.
		"unusable": {[]lateWorker{{1, 1, 0}, {0.1, 2, 0}}, same(2, lateJob{maps: []model.Time{6}, deadline: 10}),
			realtime.Options{}, 1},
		// Two slots have room for 20 s, and three jobs of one map of 6 s take 18; but each slot runs one map in time.
		"whole tasks": {[]lateWorker{{1, 2, 0}}, same(3, lateJob{maps: []model.Time{6}, deadline: 10}), realtime.Options{},
			1},
		// Maps of 7, 5, 3 and 1 s come at 0, 5, 9 and 9, due at 12. From 9 on 4 s are more than 3. Without the 3 s, 13 s from
		// 0 on are more than 12; without the 1 s, 15 are. Forward, the longest map alone would be enough to leave out.
		"backward": {one, []lateJob{{maps: []model.Time{7}, deadline: 12}, {release: 5, maps: []model.Time{5}, deadline: 7},
			{release: 9, maps: []model.Time{3}, deadline: 3}, {release: 9, maps: []model.Time{1}, deadline: 3}},
			realtime.Options{}, 2},
		// Reduces: maps of 1 s and reduces of 4 s each, due at 8. Reduces run from 1 on: 7 s are less than 8.
		"reduce stage": {one, same(2, lateJob{maps: []model.Time{1}, reduces: []model.Time{4}, deadline: 8}),
			realtime.Options{}, 1},
		// Reducers: four partitions of 3 s on two of four slots take 6 s.
		"reducers": {[]lateWorker{{1, 0, 4}}, []lateJob{{reducers: 2, keys: []int64{3, 3, 3, 3}, deadline: 5}},
			realtime.Options{Partitions: 4}, 1},
		// Their work alone is more than two slots do in 5 s.
		"reducers, split": {[]lateWorker{{1, 0, 4}}, []lateJob{{reducers: 2, keys: []int64{3, 3, 3, 3}, deadline: 5}}, split,
			1},
		// A partition of 6 s takes 3 in two pieces, one of 7 s more; whole, it takes 6.
		"split in time": {[]lateWorker{{1, 0, 2}}, []lateJob{{reduces: []model.Time{6, 0}, deadline: 3}}, split, 0},
		"not split": {[]lateWorker{{1, 0, 2}}, []lateJob{{reduces: []model.Time{6, 0}, deadline: 3}}, realtime.Options{},
			1},
		"split too far": {[]lateWorker{{1, 0, 2}}, []lateJob{{reduces: []model.Time{7, 0}, deadline: 3}}, split, 1},
		// Each map has one worker on which it ends in time; two of them have the same worker.
		"unrelated": {[]lateWorker{{1, 1, 0}, {1, 1, 0}}, []lateJob{
			{maps: []model.Time{1}, given: [][]model.Time{{4, 9}}, deadline: 5},
			{maps: []model.Time{1}, given: [][]model.Time{{4, 9}}, deadline: 5},
			{maps: []model.Time{1}, given: [][]model.Time{{9, 4}}, deadline: 5}}, realtime.Options{}, 1},
		// A job without a deadline is never late. A job without work is not late even if it is due on arrival.
		"free": {one, []lateJob{{maps: []model.Time{9}, deadline: -1}, {maps: []model.Time{0}, deadline: 0}},
			realtime.Options{}, 0},
	} {
		in := lateInstance(t, model.Second, c.workers, c.jobs, c.o)
		if got, cert := boundLate(t, in); got != c.bound {
			t.Errorf("%s: bound %d, expected %d: %+v", name, got, c.bound, cert.Late)
		}
	}
}

// TestLateBoundOfSplits: the bound with split partitions does not exceed the one without. The claims of the search do
// not exceed what the certificate proves.
func TestLateBoundOfSplits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		workers, jobs := drawLateWorkers(rt), drawLateJobs(rt, 12, 3, 3, 25, 0)
		whole, _ := boundLate(rt, lateInstance(rt, model.Second, workers, jobs, realtime.Options{Delta: 0.3}))
		in := lateInstance(rt, model.Second, workers, jobs, realtime.Options{Delta: 0.3, Resplit: model.Some(model.Time(0))})
		split, _ := boundLate(rt, in)
		if split > whole {
			rt.Fatalf("split %d, whole %d", split, whole)
		}
		prices, err := latePrices(t.Context(), in)
		if err != nil {
			rt.Fatal(err)
		}
		l, err := in.Lateness(prices)
		if err != nil {
			rt.Fatal(err)
		}
		s := newLateSearch(in, l, prices, math.MaxInt)
		s.run(t.Context())
		most := int32(0)
		for _, x := range s.best {
			most = max(most, x.late)
		}
		if claimed := int(most) + l.SureMisses(); claimed > split {
			rt.Fatalf("the search claims %d, the certificate proves %d", claimed, split)
		}
	})
}

// TestLateBoundScales: multiplying times, releases and deadlines by 2³⁰ changes nothing, though prices need larger
// units.
func TestLateBoundScales(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		workers, jobs := []lateWorker{{1, 1, 1}, {0.5, 2, 1}, {2, 1, 2}}, drawLateJobs(rt, 10, 3, 3, 25, 0)
		small, _ := boundLate(rt, lateInstance(rt, model.Second, workers, jobs, realtime.Options{}))
		large, _ := boundLate(rt, lateInstance(rt, model.Second<<30, workers, jobs, realtime.Options{}))
		if small != large {
			rt.Fatalf("%d, and %d with longer times", small, large)
		}
	})
}

// TestEvenlyThinned: the first is kept, and the others are evenly spread.
func TestEvenlyThinned(t *testing.T) {
	list := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	for n, want := range map[int][]int{0: {0}, 1: {0}, 3: {0, 3, 6}, 4: {0, 2, 5, 7}, 10: list, 20: list} {
		if got := thinned(list, n); !slices.Equal(got, want) {
			t.Errorf("%d: %v", n, got)
		}
	}
}
