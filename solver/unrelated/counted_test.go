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

// TestCountersHold compares with the optimum, and with the bound by prices of machines.
func TestCountersHold(t *testing.T) {
	better := 0
	for seed := range uint64(300) {
		in := tiny(rand.New(rand.NewPCG(seed, 11)))
		f, err := in.relaxation(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		b := f.Bound
		if _, err := in.countedBound(context.Background(), &b, in.firstTrial(b)); err != nil {
			t.Fatal(err)
		}
		if want := brute(in); b.Value > want {
			t.Fatalf("seed %d: bound %d, optimum %d", seed, b.Value, want)
		}
		if b.Value > f.Value {
			better++
			if !holds(in, &b.Proof, b.Value-1, func(int, int32) bool { return true }) {
				t.Fatalf("seed %d: the proof does not hold", seed)
			}
		}
	}
	if better < 30 {
		t.Errorf("better on %d of 300 instances", better)
	}
}

// TestSplit finds an assignment to two machines within feasible limits.
func TestSplit(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		n := 2 + r.IntN(7)
		in := matrix(drawTimes(r, n, 2, 20), nil, 0)
		a := make(Assignment, n)
		for i := range a {
			a[i] = int32(r.IntN(2))
		}
		limit := brute(in) + model.Time(r.IntN(3))
		x := in.newTabu(1, 1000)
		x.start(a, limit)
		over, other := int32(0), int32(1)
		if x.load[0] <= limit {
			over, other = 1, 0
		}
		if x.excess > 0 {
			x.split(over, other)
		}
		if x.excess > 0 {
			t.Fatalf("excess %d above %d", x.excess, limit)
		}
		if !slices.Equal(x.load, in.loads(x.machine)) {
			t.Fatal("wrong loads")
		}
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

// TestCoarseTimes: if all times are multiples of a long unit, so are bounds on related machines, and their proofs hold.
// Several instances are bounded together, as for the sets of a job.
func TestCoarseTimes(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 8))
		var list []*Instance
		for range 1 + r.IntN(4) {
			size, speed := make([]float64, 2+r.IntN(5)), make([]float64, 1+r.IntN(3))
			for i := range size {
				size[i] = float64(1+r.IntN(40)) * 250_000
			}
			for c := range speed {
				speed[c] = float64(1 + r.IntN(2))
			}
			list = append(list, speeds(size, speed))
		}
		_, tasks, err := LeastBounds(t.Context(), list)
		if err != nil {
			t.Fatal(err)
		}
		for k, b := range tasks {
			in := list[k]
			if b.Value > brute(in) || b.Value%in.unit != 0 || !holds(in, &b.Proof, b.Value-1, anywhere) {
				t.Fatalf("seed %d: %s, in units of %s, optimum %s: %+v", seed, b.Value, in.unit, brute(in), b.Proof)
			}
		}
	}
}
