package msjo

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

// TestJustify: neither pass makes a job later, and the result is a valid schedule.
func TestJustify(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 12, false)
		e := newEngine(in)
		for u := range e.key {
			e.key[u] = rapid.Int64Range(-5, 5).Draw(t, "key")
		}
		e.neverIdle()
		check := func(what string) {
			if v := in.Check(assign(in, e.start)); len(v) > 0 {
				t.Fatalf("%s: %v", what, v)
			}
		}
		check("never idle")
		for range 3 {
			before := slices.Clone(e.done)
			e.right(slices.Max(before))
			check("right")
			e.left()
			check("left")
			for j, c := range e.done {
				if c > before[j] {
					t.Fatalf("job %d: %s became %s", j, before[j], c)
				}
			}
		}
	})
}

// leastMakespan tries all assignments.
func leastMakespan(times, load []model.Time) model.Time {
	if len(times) == 0 {
		most := model.Time(0)
		for _, l := range load {
			most = max(most, l)
		}
		return most
	}
	best := model.MaxTime
	for k := range load {
		load[k] += times[0]
		best = min(best, leastMakespan(times[1:], load))
		load[k] -= times[0]
	}
	return best
}

// TestPacked compares waves of a job with the optimum. packed does not change other instances.
func TestPacked(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	draw := func(n int) (list []float64) {
		for range n {
			list = append(list, float64(r.IntN(20)))
		}
		return list
	}
	for range 60 {
		x := job{weight: 1, release: 3, maps: draw(1 + r.IntN(7)), reduces: draw(r.IntN(6)), delay: float64(r.IntN(5))}
		in := handmade(t, int64(1+r.IntN(3)), x)
		maps, reduces := in.Least[:len(x.maps)], in.Least[len(x.maps):in.Tasks]
		best := 3*model.Second + leastMakespan(maps, make([]model.Time, in.Nodes))
		if len(reduces) > 0 {
			best += model.TimeOf(x.delay) + leastMakespan(reduces, make([]model.Time, in.Nodes))
		}
		s, err := prepared(in, nil).packed(context.Background(), solver.Options{Iterations: 200, Seed: 1}, nil)
		if err != nil || s == nil {
			t.Fatal("no schedule", err)
		}
		if v := in.Check(s); len(v) > 0 {
			t.Fatal(v)
		}
		if end := in.Completions(s)[0]; end != best {
			t.Fatalf("%+v on %d machines: %s, best %s", x, in.Nodes, end, best)
		}
		if n := len((&run{in: in}).waves()); n != 1+min(1, len(reduces)) {
			t.Fatalf("%d waves", n)
		}
		if (&run{in: in.Under(shop.WeightedTaskEnds)}).waves() != nil {
			t.Fatal("waves under the task objective")
		}
	}
	if (&run{in: marsInstance(t, 2, 1)}).waves() != nil {
		t.Fatal("waves of two jobs")
	}
}

// TestRankSet compares random additions and removals with a sorted list, for sizes around those at which a level is
// added.
func TestRankSet(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 63, 64, 65, 4096, 4097, 300_000} {
		s, want := newRankSet(n), []int32(nil)
		for range 2000 {
			if rank := int32(r.IntN(n)); r.IntN(2) == 0 {
				s.add(rank)
				if k, found := slices.BinarySearch(want, rank); !found {
					want = slices.Insert(want, k, rank)
				}
			} else if len(want) > 0 {
				if got := s.pop(); got != want[0] {
					t.Fatalf("%d ranks: %d comes first, want %d", n, got, want[0])
				}
				want = want[1:]
			}
			if s.empty() != (len(want) == 0) {
				t.Fatalf("%d ranks: empty is %v with %d members", n, s.empty(), len(want))
			}
		}
	}
}
