package unrelated

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/model"
)

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
