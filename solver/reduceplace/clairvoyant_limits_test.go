package reduceplace

import (
	"context"
	"math/big"
	"sync/atomic"
	"testing"
	"time"

	"mrsched/model"
	"mrsched/model/reduceplace"
	"mrsched/solver"
)

// TestBoundCancelled: later runs do not use a bound that a limit cut short.
func TestBoundCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in := queue(t, 2000, 100, 0.9)
	full, r := proven(t, runOf(in)), runOf(in)
	bound := func(out *solver.Outcome) *big.Rat {
		v, _ := new(big.Rat).SetString(out.Bounds[0].Certificate.(*reduceplace.Certificate).Value)
		return v
	}
	for _, name := range []string{"clairvoyant", "best", "exact", "greedy"} {
		out, err := r.Solve(ctx, name, solver.Options{Iterations: 10, Threads: 2})
		if err != nil || out.Status != model.StatusLimit || bound(out).Cmp(full) >= 0 {
			t.Errorf("%s: %v, %v", name, out, err)
		}
		cost(t, r, out)
	}
	out, err := r.Solve(context.Background(), "greedy", solver.Options{Iterations: 10, Threads: 2})
	if err != nil || bound(out).Cmp(full) != 0 {
		t.Error("a cancelled bound is not computed again", err)
	}
	if out, err = r.Solve(ctx, "greedy", solver.Options{Iterations: 10, Threads: 2}); err != nil ||
		bound(out).Cmp(full) != 0 {
		t.Error("a known bound is forgotten", err)
	}
}

// patient is a context that ends after this many checks; one with a deadline reports it.
type patient struct {
	context.Context
	left     *atomic.Int64
	deadline bool
}

func (p patient) Err() error {
	if p.left.Add(-1) < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

func (p patient) Deadline() (time.Time, bool) { return time.Now().Add(time.Hour), p.deadline }

// TestBoundGrows: a longer limit never gives a worse bound, up to the full one, and continuing later gives the same
// bound. With a deadline, the first levels of all busy periods come first.
func TestBoundGrows(t *testing.T) {
	in := queue(t, 400, 60, 0.95)
	full := proven(t, runOf(in))
	reached := func(r *run) *big.Rat {
		v, _ := new(big.Rat).SetString(r.bounds[0].Certificate.(*reduceplace.Certificate).Value)
		return v
	}
	for _, deadline := range []bool{false, true} {
		growths, last := 0, new(big.Rat)
		for looks := int64(0); last.Cmp(full) < 0; looks += 1 + looks/8 {
			if looks > 1_000_000 {
				t.Fatal("no end")
			}
			left := new(atomic.Int64)
			left.Store(looks)
			r, opt := runOf(in), solver.Options{Threads: 1}
			if err := r.prove(patient{context.Background(), left, deadline}, opt, 1); err != nil {
				t.Fatal(err)
			}
			switch reached(r).Cmp(last) {
			case -1:
				t.Fatalf("after %d looks %s, before %s", looks, reached(r), last)
			case 1:
				growths++
			}
			if last = reached(r); last.Cmp(full) > 0 {
				t.Fatalf("%s is above the full bound %s", last, full)
			}
			if err := r.prove(context.Background(), opt, 1); err != nil || reached(r).Cmp(full) != 0 {
				t.Fatalf("going on leads to %s, not %s: %v", reached(r), full, err)
			}
		}
		if growths < 10 {
			t.Errorf("the bound grew %d times", growths)
		}
	}
}

// TestClairvoyantIterations: more iterations never cost more, and the placement is near the bound: 1.7 % for 50 000
// such jobs.
func TestClairvoyantIterations(t *testing.T) {
	r := runOf(queue(t, 3000, 200, 0.9))
	var last *big.Rat
	for _, n := range []int{1, 30, 300} {
		out, err := r.Solve(context.Background(), "clairvoyant", solver.Options{Iterations: n, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		c := cost(t, r, out)
		if last != nil && c.Cmp(last) > 0 {
			t.Errorf("%d iterations: %s after %s", n, c, last)
		}
		last = c
	}
	if ratio, _ := new(big.Rat).Quo(last, proven(t, r)).Float64(); ratio < 1 || ratio > 1.05 {
		t.Errorf("%v times the bound", ratio)
	}
}
