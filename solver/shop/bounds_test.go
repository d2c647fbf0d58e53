package shop

import (
	"context"
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

// TestShaving: tasks a, b and c take 4 s, 4 s and 3 s with demands 2, 2 and 1 of 3; d takes 3 s with demand 1 after c.
// a and b never run together, but c and d fit beside them, so the makespan is 8. A release of c at 3 s makes it 9.
func TestShaving(t *testing.T) {
	for release, want := range map[model.Time]int64{0: 8, 3: 9} {
		b, at := begun(3), model.Locus{}
		add(b, "a", 4, 2)
		add(b, "b", 4, 2)
		b.Task(model.Task{ID: "c", Processing: model.Some(3 * model.Second), Release: model.Some(release * model.Second)}, "j",
			"", at)
		add(b, "d", 3, 1)
		b.Delay("c", "d", 0, at)
		p := pricingOf(t, built(t, b, shop.Makespan))
		cert, err := p.shaving(context.Background(), 0, 20e6, solver.Options{})
		if err != nil || rounded(t, p.In, cert).Cmp(big.NewRat(want, 1)) != 0 {
			t.Errorf("%v, %v", cert, err)
		}
	}
}

// TestShavingCrawls: three tasks of about 3 s on two nodes, of which one comes after 6 s, end at 9 s. Close to that,
// windows shrink by single microseconds, in millions of rounds. The bound gives up; a refutation also does if ctx ends.
func TestShavingCrawls(t *testing.T) {
	b, at := begun(0, 0), model.Locus{}
	b.Unavailable(model.Unavailable{Until: model.Some(6 * model.Second)}, "n0", at)
	for id, more := range []model.Time{3, 1, 0} {
		b.Task(model.Task{ID: fmt.Sprint(id), Processing: model.Some(3*model.Second + more)}, "j", "", at)
	}
	p := pricingOf(t, built(t, b, shop.Makespan))
	millions := 0
	opt := solver.Options{Watch: &solver.Watch{OnChange: func(s solver.State) { millions = max(millions, s.Done) }}}
	cert, err := p.shaving(context.Background(), 7.5e6, 9e6, opt)
	value := rounded(t, p.In, cert)
	if err != nil || value.Cmp(big.NewRat(17, 2)) < 0 || value.Cmp(big.NewRat(9, 1)) > 0 || millions > 1 {
		t.Errorf("%v, %v, %d million steps", cert, err, millions)
	}
	r, err := p.E.NewRefuter(p.Pools)
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	for ctx, want := range map[context.Context]bool{context.Background(): true, ended: false} {
		if refuted, _ := r.Try(ctx, cert.Due, cert.Work); refuted != want {
			t.Errorf("refuted: %v; expected %v", refuted, want)
		}
	}
}
