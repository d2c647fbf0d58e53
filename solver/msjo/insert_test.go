package msjo

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/instances"
	"mrsched/model"
)

// TestInsertion: insertion makes feasible schedules in which each job ends as if later jobs did not exist.
func TestInsertion(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 2))
	for k := range 500 {
		w, err := instances.SmallMSJO(r, 12, k%2 == 0)
		in := instance(t, w, err)
		jobs := make([]int32, in.Jobs)
		for i, j := range r.Perm(in.Jobs) {
			jobs[i] = int32(j)
		}
		e, within := newEngine(in), criticalFirst(in)
		e.insertion(jobs, within)
		if v := in.Check(assign(in, e.start)); len(v) > 0 {
			t.Fatalf("instance %d: %v", k, v)
		}
		all := slices.Clone(e.done)
		for n := range jobs {
			e.insertion(jobs[:n+1], within)
			if j := jobs[n]; e.done[j] != all[j] {
				t.Fatalf("instance %d: job %d ends at %s, with others after it at %s", k, j, e.done[j], all[j])
			}
		}
	}
}

// TestRoomByHand: two machines; 0–4 and 0–2 are taken, then a task of 3 fits at 2, one of 1 at 4 and none before 5.
func TestRoomByHand(t *testing.T) {
	var r room
	r.reset(2)
	for _, c := range []struct{ ready, length, begin model.Time }{{0, 4, 0}, {0, 2, 0}, {1, 3, 2}, {3, 1, 4}, {0, 0, 5},
		{0, 6, 5}, {0, 7, 6}, {0, 1, 11}} {
		if got := r.take(c.ready, c.length); got != c.begin {
			t.Errorf("%s from %s on begins at %s, want %s", c.length, c.ready, got, c.begin)
		}
	}
}
