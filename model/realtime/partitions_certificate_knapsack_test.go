package realtime

import (
	"math/rand/v2"
	"testing"

	"mrsched/model"
)

// TestKnapsackOfProofs compares with all subsets: the result is within the slack below the best, never above it.
func TestKnapsackOfProofs(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for range 500 {
		s := phaseSpec{speeds: []float64{1, 1}, reducers: 2}
		price := make([]int64, 1+random.IntN(9))
		for i := range price {
			s.seconds = append(s.seconds, []int{random.IntN(12), random.IntN(12)})
			price[i] = random.Int64N(15)
		}
		in := phaseInstance(t, s)
		set := in.Sets[0]
		limit := model.Time(random.IntN(30)) * model.Second
		slack := random.Int64N(4) * random.Int64N(4)
		r := &refutation{in: in, set: set, limit: limit, Candidates: in.Candidates(set), work: maxKnapsackWork}
		r.group = r.Class
		best := int64(0)
		for subset := range 1 << len(price) {
			weight, worth := model.Time(0), int64(0)
			for i, u := range price {
				if subset>>i&1 == 1 {
					weight, worth = weight+in.Time(set.First+int32(i), r.Worker[r.Class[0]]), worth+u
				}
			}
			if weight <= limit {
				best = max(best, worth)
			}
		}
		if got, ok := r.knapsack(0, price, slack); !ok || got > best || got < best-slack {
			t.Fatalf("%v at prices %v, limit %v, slack %d: %d, best %d", s.seconds, price, limit, slack, got, best)
		}
	}
}
