package lpsolve

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"mrsched/solver/lp"
)

func TestProbe(t *testing.T) {
	if os.Getenv("PROBE") == "" {
		t.Skip()
	}
	n := 400
	fmt.Sscan(os.Getenv("PROBE"), &n)
	rounds := 40
	base := DefaultTuning()
	type tc struct {
		name string
		f    func(*Tuning)
	}
	cases := []tc{
		{"default", func(t *Tuning) {}},
		{"dualdual", func(t *Tuning) { t.Simplex = SimplexDualDual }},
		{"steepest", func(t *Tuning) { t.Pivoting = PriceSteepestEdge | PriceAdaptive }},
		{"steepest-true", func(t *Tuning) { t.Pivoting = PriceSteepestEdge | PriceAdaptive | PriceTrueNorm }},
		{"devex-true", func(t *Tuning) { t.Pivoting = PriceDevex | PriceAdaptive | PriceTrueNorm }},
		{"dantzig", func(t *Tuning) { t.Pivoting = PriceDantzig | PriceAdaptive }},
		{"devex noadapt", func(t *Tuning) { t.Pivoting = PriceDevex }},
		{"noscale", func(t *Tuning) { t.Scaling = 0 }},
		{"scale p2", func(t *Tuning) { t.Scaling = 4 + 64 + 128 + 32 }},
		{"scale dyn", func(t *Tuning) { t.Scaling = 4 + 64 + 128 + 256 }},
		{"curtis", func(t *Tuning) { t.Scaling = 7 + 128 + 32 }},
		{"maxpiv50", func(t *Tuning) { t.MaxPivots = 50 }},
		{"maxpiv100", func(t *Tuning) { t.MaxPivots = 100 }},
		{"improve0", func(t *Tuning) { t.Improve = 0 }},
		{"improve dualfeas", func(t *Tuning) { t.Improve = 2 }},
		{"improve thetagap", func(t *Tuning) { t.Improve = 4 }},
		{"loopleft", func(t *Tuning) { t.Pivoting = PriceDevex | PriceAdaptive | PriceLoopLeft }},
	}
	for _, c := range cases {
		tn := base
		c.f(&tn)
		cl := newCutLoop(n, 1)
		sv0, _ := NewSolver(cl.model())
		sv := sv0.(*solver)
		sv.l.SetTuning(tn)
		var tsolve, tadd, tdel, tver time.Duration
		var iters int64
		var obj float64
		st := 0
		for st = 1; st <= rounds; st++ {
			t0 := time.Now()
			if err := sv.flush(); err != nil {
				t.Fatal(err)
			}
			tadd += time.Since(t0)
			t0 = time.Now()
			kind, err := sv.l.Solve(context.Background())
			tsolve += time.Since(t0)
			if err != nil || kind != Optimal {
				fmt.Println(c.name, "round", st, kind, err)
				break
			}
			t0 = time.Now()
			sol := sv.translate(kind)
			if err := sv.verify(sol); err != nil {
				fmt.Println(c.name, "round", st, err)
				sv.coldSolves++
			}
			tver += time.Since(t0)
			obj = sol.Objective
			iters += sol.Iterations
			t0 = time.Now()
			if st%cl.keep == 0 {
				cl.drop(t, sv, sol)
			}
			tdel += time.Since(t0)
			order, cuts := cl.separate(sol.X)
			if len(cuts) == 0 {
				break
			}
			for _, k := range cuts[:min(len(cuts), cl.perTurn)] {
				e := make([]lp.Entry, k.size)
				for i, j := range order[:k.size] {
					e[i] = lp.Entry{Col: lp.Col(j), Coef: cl.p[j]}
				}
				sv.AddRow("", e, lp.GE, k.rhs)
			}
		}
		fmt.Printf("%-18s n=%d rounds=%d rows=%d it=%d obj=%.6g bad=%d solve=%v add=%v del=%v verify=%v\n", c.name, n, st, sv.m.NumRows(), iters, obj, sv.coldSolves, tsolve.Round(time.Millisecond), tadd.Round(time.Millisecond), tdel.Round(time.Millisecond), tver.Round(time.Millisecond))
		sv.Close()
	}
}
