package msjo

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
)

// priced computes the time-indexed bound of a small instance.
func priced(t fataler, in *msjo.Instance, iterations int) *msjo.Certificate {
	t.Helper()
	c, r := relax(t, in, false, generationOptions{warm: true})
	run := &run{in: in, c: c, solved: kept[*relaxation]{value: r, known: true}, p: solver.Bind[params](solver.Params{})}
	b, err := run.timeIndexed(context.Background(), r, solver.Options{Iterations: iterations, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	if b.bound == nil {
		return nil
	}
	return b.bound.Certificate.(*msjo.Certificate)
}

// TestTimeIndexedBound: the certified bound never exceeds the optimum, and its text proves it.
func TestTimeIndexedBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 7, false)
		cert := priced(t, in, 60)
		if cert == nil {
			return
		}
		lb := reread(t, in, cert)
		if opt := optimum(t, in); lb.Cmp(opt) > 0 {
			t.Fatalf("bound %s above optimum %s", lb.FloatString(6), opt.FloatString(6))
		}
	})
}

// TestAnyPrices: the bound holds for any prices, rising or falling.
func TestAnyPrices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 6, false)
		cert := &msjo.Certificate{Claim: model.Claim{Method: "time-indexed", Kind: msjo.KindMachinePrices}}
		cert.MachinePrices = &msjo.MachinePrices{
			Cell:  model.Time(rapid.Int64Range(1, 3_000_000).Draw(t, "cell")),
			Shift: rapid.IntRange(-4, 4).Draw(t, "shift"),
			Steps: rapid.SliceOfN(rapid.Int64Range(0, 3_000_000), 1, 12).Draw(t, "steps"),
		}
		if err := in.Sign(cert); err != nil {
			t.Skip(err)
		}
		if lb, opt := reread(t, in, cert), optimum(t, in); lb.Cmp(opt) > 0 {
			t.Fatalf("bound %s above optimum %s", lb.FloatString(6), opt.FloatString(6))
		}
	})
}

// TestMachinePricesByHand: one machine, two tasks of 2 s with weights 1. λ = 1 on [0, 2), 0 after. Alone each completes
// at 2 for 1·2 + Λ = 2 + 2, or later at C < 4 for C + (4 − C) = 4, or at 4 for 4: every choice costs 4. The bound is 4
// + 4 − 1·Λ(∞) = 8 − 2 = 6, which equals the optimum 2 + 4.
func TestMachinePricesByHand(t *testing.T) {
	in := handmade(t, 1, job{weight: 1, maps: []float64{2}}, job{weight: 1, maps: []float64{2}})
	cert := &msjo.Certificate{Claim: model.Claim{Method: "time-indexed", Kind: msjo.KindMachinePrices}}
	cert.MachinePrices = &msjo.MachinePrices{
		Cell: model.Second, Steps: []int64{int64(model.UnitWeight), int64(model.UnitWeight)}}
	if err := in.Sign(cert); err != nil {
		t.Fatal(err)
	}
	if v := float(reread(t, in, cert)); math.Abs(v-6) > 1e-4 || v > 6 {
		t.Errorf("bound %g, want 6", v)
	}
}

// long is enough for the first-order method.
var long = solver.Options{Iterations: 3000}

// TestFirstOrder: its value and certificate agree with lp_solve's optimum.
func TestFirstOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 12, false)
		if rapid.IntRange(0, 2).Draw(t, "thin out") > 0 {
			return
		}
		_, exact := relax(t, in, false, generationOptions{})
		c := newCollapsed(in)
		r := c.firstOrder(context.Background(), long, 1e-9, 0)
		lb := float(proven(t, c, r))
		if lb > exact.value*(1+1e-9)+1e-9 || lb < exact.value*(1-1e-3)-1e-6 {
			t.Fatalf("first-order certified %.9f, lp_solve %.9f", lb, exact.value)
		}
	})
	for _, jobs := range []int64{20, 100} {
		in := marsInstance(t, jobs, 2)
		_, exact := relax(t, in, false, generationOptions{warm: true})
		c := newCollapsed(in)
		lb := float(proven(t, c, c.firstOrder(context.Background(), long, firstOrderTolerance, 0)))
		if d := (exact.value - lb) / exact.value; d < -1e-9 || d > 1e-5 {
			t.Errorf("%d jobs: first-order %.6f, lp_solve %.6f, relative %g", jobs, lb, exact.value, d)
		}
	}
}

// TestHeads: the inequalities shifted by heads, in both methods, prove at least the LP and at most the optimum.
func TestHeads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 7, false)
		c, plain := relax(t, in, false, generationOptions{})
		f := byDelayHeads{byDelay{c}, c.thresholds(headThresholds)}
		r, err := c.generate(context.Background(), backend, f, generationOptions{warm: true},
			solver.Options{Iterations: unlimited})
		if err != nil {
			t.Fatal(err)
		}
		opt, lb := optimum(t, in), proven(t, c, r)
		if lb.Cmp(opt) > 0 {
			t.Fatalf("bound %s above optimum %s", lb.FloatString(6), opt.FloatString(6))
		}
		if float(lb) < plain.value*(1-1e-7)-1e-9 || float(lb) < r.value*(1-1e-7)-1e-9 {
			t.Fatalf("bound %s below the LP's %g or its own %g", lb.FloatString(6), plain.value, r.value)
		}
		if rapid.IntRange(0, 5).Draw(t, "compare methods") > 0 { // the slower half of the test
			return
		}
		first := proven(t, c, c.firstOrder(context.Background(), long, 1e-9, c.thresholds(headThresholds)...))
		if v := float(first); v > r.value*(1+1e-7)+1e-9 || v < r.value*(1-2e-3)-1e-6 {
			t.Fatalf("first-order %g, lp_solve %g", v, r.value)
		}
	})
}
