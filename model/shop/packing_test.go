package shop

import (
	"math"
	"math/rand/v2"
	"testing"

	"mrsched/model"
	"mrsched/model/tier"
)

// TestPackings: no function refutes a time within which the tasks fit. The test tries all ways to pack them.
func TestPackings(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2))
	refuted := map[bool]int{} // by whether the area alone refutes
	for range tier.Draws(1500, 8000) {
		m := 1 + r.IntN(3)
		lengths := make([]model.Time, 1+r.IntN(8))
		var work model.Time
		for i := range lengths {
			lengths[i] = model.Time(r.IntN(13))
			work += lengths[i]
		}
		least := makespan(lengths, make([]model.Time, m))
		for within := range least + 3 {
			for cut := range within/2 + 1 {
				for steps := range 5 {
					p := Packing{Within: within, Cut: cut, Steps: steps}
					if !p.Refutes(lengths, m) {
						continue
					}
					if within >= least {
						t.Fatalf("%+v refutes %v on %d machines, which take %d", p, lengths, m, least)
					}
					refuted[within*model.Time(m) < work]++
				}
			}
		}
	}
	if refuted[false] < 400 || refuted[true] < 400 {
		t.Errorf("refuted: %v", refuted)
	}
}

// makespan is the least time in which the tasks end on machines that are busy until given times.
func makespan(lengths, busy []model.Time) model.Time {
	if len(lengths) == 0 {
		var last model.Time
		for _, b := range busy {
			last = max(last, b)
		}
		return last
	}
	best := model.Time(math.MaxInt64)
	for i := range busy {
		busy[i] += lengths[0]
		best = min(best, makespan(lengths[1:], busy))
		busy[i] -= lengths[0]
	}
	return best
}

// TestPackingRefused: a function that is not dual feasible refutes nothing, and large numbers do not overflow.
func TestPackingRefused(t *testing.T) {
	five := []model.Time{5, 5, 5}
	for _, p := range []Packing{{Within: -1}, {Within: 9, Cut: 5}, {Within: 9, Cut: -1}, {Within: 9, Steps: -1},
		{Within: 9, Steps: math.MaxInt64 / 5}} {
		if p.Refutes(five, 2) {
			t.Errorf("%+v refutes", p)
		}
	}
	if p := (Packing{Within: 9, Steps: 1}); !p.Refutes(five, 2) {
		t.Errorf("%+v does not refute", p)
	}
	large := []model.Time{model.MaxHorizon, model.MaxHorizon, model.MaxHorizon}
	if p := (Packing{Within: model.MaxHorizon + 1, Steps: 1}); !p.Refutes(large, 2) || p.Refutes(large, 3) {
		t.Errorf("%+v of three tasks on two machines, or on three", p)
	}
}
