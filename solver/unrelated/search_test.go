package unrelated

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"mrsched/model"
)

// TestCounters: of five tasks of 6 on two machines, two fit within 17 on each, so the work of 30 needs 18, and T* is
// 15.
func TestCounters(t *testing.T) {
	in := matrix([][]model.Time{{6}, {6}, {6}, {6}, {6}}, []int{2}, 0)
	in.unit = 1
	b := Bound{Value: 15}
	if _, err := in.countedBound(context.Background(), &b, nil); err != nil || b.Value != 18 {
		t.Fatal(b.Value, err)
	}
	if !holds(in, &b.Proof, 17, func(int, int32) bool { return true }) {
		t.Fatal("the proof does not hold")
	}
}

// TestRoundThreads compares rounds on one processor and on several.
func TestRoundThreads(t *testing.T) {
	for _, tasks := range []int{30, 500} { // with trees and without
		var first Assignment
		var bound model.Time
		for _, threads := range []int{1, 4} {
			before := runtime.GOMAXPROCS(threads)
			r := rand.New(rand.NewPCG(4, 4))
			in := matrix(drawTimes(r, tasks, 5, 1000), nil, 0)
			x := NewSearch([]*Instance{in}, make([]Bound, 1), func() {})
			x.Start(context.Background())
			for round := range uint64(3) {
				if _, err := x.Round(context.Background(), round, 300_000, 300_000); err != nil {
					t.Fatal(err)
				}
			}
			runtime.GOMAXPROCS(before)
			_, a, _ := x.Best()
			if first == nil {
				first, bound = a, x.Bounds()[0].Value
			} else if !slices.Equal(a, first) || bound != x.Bounds()[0].Value {
				t.Errorf("%d tasks: results depend on threads", tasks)
			}
		}
	}
}

func TestLuby(t *testing.T) {
	var list []int
	for n := 1; n <= 15; n++ {
		list = append(list, luby(n))
	}
	if !slices.Equal(list, []int{1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8}) {
		t.Fatal(list)
	}
}

// TestKnapsack compares with all subsets: the best, or within the slack below it.
func TestKnapsack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		n := r.IntN(10)
		items := make([]knapsackItem, n)
		for i := range items {
			items[i] = knapsackItem{task: int32(i), weight: model.Time(1 + r.IntN(20)), value: int64(r.IntN(20))}
		}
		limit, best := model.Time(r.IntN(60)), int64(0)
		for set := range 1 << n {
			weight, value := model.Time(0), int64(0)
			for i, x := range items {
				if set>>i&1 == 1 {
					weight, value = weight+x.weight, value+x.value
				}
			}
			if weight <= limit {
				best = max(best, value)
			}
		}
		slack := r.Int64N(4) * r.Int64N(4)
		k := knapsack{items: slices.Clone(items), work: 1 << 40, slack: slack}
		got, set, ok := k.solve(limit)
		weight, value := model.Time(0), int64(0)
		for _, i := range set {
			weight, value = weight+items[i].weight, value+items[i].value
		}
		if !ok || got < best-slack || got > best || value != got || weight > limit {
			t.Fatalf("%v, limit %d, slack %d: %d with %v; best %d", items, limit, slack, got, set, best)
		}
	}
	k := knapsack{items: []knapsackItem{{task: 0, weight: 1, value: 1}, {task: 1, weight: 1, value: 1}}, work: 1}
	if _, _, ok := k.solve(5); ok {
		t.Error("the limit of work does not matter")
	}
}

// TestTabuManyTasks: a step of the search evaluates a bounded number of swaps however many tasks share a machine: 40
// 000 tasks on three machines have 10⁸ swaps for each pair of machines.
func TestTabuManyTasks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	sizes := make([]float64, 40_000)
	for i := range sizes {
		sizes[i] = float64(1000 + r.IntN(1000))
	}
	in := speeds(sizes, []float64{1, 1.3, 0.7})
	x := in.newTabu(1, 0)
	x.start(in.Greedy(), 0)
	for from := range int32(3) {
		for to := range int32(3) {
			if leave, take := x.some(from, to); from != to && (len(leave)*len(take) > tabuPairs ||
				len(leave)*len(take) < tabuPairs/2) {
				t.Errorf("%d swaps of %d", len(leave)*len(take), len(x.tasks[from])*len(x.tasks[to]))
			}
		}
	}
	x.moves = 3 * tabuPairs
	if x.advance(x.excess); x.moves < 0 {
		t.Errorf("a step looks at %d moves too many", -x.moves)
	}
}
