package realtime

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/solver"
)

func small(t tester, seed, k int) *model.Workload {
	t.Helper()
	w, err := instances.SmallRealtime(rand.New(rand.NewPCG(uint64(seed), uint64(k))), k)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestLooks: each evaluation names every worker with tasks of the job, and the flags are those of Overloaded.
func TestLooks(t *testing.T) {
	seen := 0
	for k := 1; k < 200; k += 2 {
		list, err := Looks(context.Background(), small(t, 8, k), settings(solver.Params{lofParam: 1.5}))
		if err != nil {
			t.Fatal(err)
		}
		seen += len(list)
		for _, look := range list {
			laxities, over := make([]model.Time, len(look.Workers)), 0
			for i, s := range look.Workers {
				laxities[i] = s.Laxity
				if s.Overloaded {
					over++
				}
			}
			if got := len(Overloaded(laxities, 1.5)); got != over {
				t.Errorf("%d: %d flags, %d of Overloaded", k, over, got)
			}
		}
	}
	if seen < 20 {
		t.Errorf("%d evaluations in 100 instances", seen)
	}
	if _, err := Looks(context.Background(), small(t, 8, 0), settings(inPhases)); err == nil {
		t.Error("goal partitions has laxities")
	}
}

// TestOverloaded: only outliers below the median are flagged. The median of 0 and 10 is 5: with factors 1, only 0 is
// flagged by a threshold of ½.
func TestOverloaded(t *testing.T) {
	list := []model.Time{-900}
	for i := range model.Time(20) {
		list = append(list, 1000+10*i)
	}
	list = append(list, 9000)
	for _, c := range []struct {
		laxities  []model.Time
		threshold float64
		want      []int32
	}{{list, 1.5, []int32{0}}, {list, 0, nil}, {nil, 1.5, nil}, {slices.Repeat([]model.Time{3}, 30), 0.5, nil},
		{[]model.Time{10, 0}, 0.5, []int32{1}}} {
		if got := Overloaded(c.laxities, c.threshold); !slices.Equal(got, c.want) {
			t.Errorf("flagged %v of %v by %g", got, c.laxities, c.threshold)
		}
	}
}
