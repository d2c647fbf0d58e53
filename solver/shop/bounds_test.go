package shop

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

// pricingOf prepares bounds of an instance.
func pricingOf(t *testing.T, in *shop.Instance) *Pricing {
	t.Helper()
	p, err := NewPricing(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestUnrelatedBounds: prices of cells and jobs prove the optimum of nearly every small instance of R||Σ wC. Prices of
// jobs prove no less than those of cells. They stay small enough to be exact integers if the target is a cost that they
// cannot prove, as late releases cause.
func TestUnrelatedBounds(t *testing.T) {
	met := 0
	opt := solver.Options{Iterations: 20, Threads: 1}
	jobsAndCells := func(in *shop.Instance, target float64) (jobs, cells *shop.Certificate) {
		b := pricingOf(t, in)
		cells, err := b.cells(t.Context(), nil, 0, opt)
		if err != nil {
			t.Fatal(err)
		}
		if jobs, err = b.jobPrices(t.Context(), cells, target, opt); err != nil {
			t.Fatal(err)
		}
		return jobs, cells
	}
	for seed := range uint64(10) {
		in := onUnrelated(t, rand.New(rand.NewPCG(seed, 3)), 8, 2)
		out := outcome(t, &run{in: in}, "exact", opt)
		if out.Status != model.StatusOptimal {
			t.Fatal(out.Status)
		}
		optimum := in.Evaluate(out.Schedule).Value
		jobs, cells := jobsAndCells(in, 0)
		v := rounded(t, in, jobs)
		if v.Cmp(optimum) > 0 || v.Cmp(rounded(t, in, cells)) < 0 {
			t.Errorf("seed %d: prices of jobs prove %v, of cells %v, of %s", seed, jobs, cells, optimum)
		}
		if v.Cmp(optimum) == 0 {
			met++
		}
		if seed < 4 {
			if jobs, _ := jobsAndCells(onUnrelated(t, rand.New(rand.NewPCG(seed, 3)), 8, 1), 1e17); jobs == nil {
				t.Errorf("seed %d: no prices", seed)
			}
		}
	}
	if met < 8 {
		t.Errorf("prices of jobs prove the optimum of %d instances of 10", met)
	}
}

// TestForty: forty tasks of 10 s and one core on a node of 16 cores end at 30 s, by counting. Five tasks of 3 cores run
// at a time on such a node, so ten take 20 s.
func TestForty(t *testing.T) {
	for _, c := range []struct {
		tasks int
		cores float64
		want  int64
	}{{40, 1, 30}, {10, 3, 20}, {11, 3, 30}} {
		b := begun(16)
		for u := range c.tasks {
			add(b, fmt.Sprint("t", u), 10, c.cores)
		}
		p := pricingOf(t, built(t, b, shop.Makespan))
		cert, err := p.JobsAlone()
		if err != nil || rounded(t, p.In, cert).Cmp(big.NewRat(c.want, 1)) != 0 {
			t.Errorf("%d tasks: %s, %v", c.tasks, cert.Value, err)
		}
	}
}
