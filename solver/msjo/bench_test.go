package msjo

import (
	"context"
	"fmt"
	"testing"

	"mrsched/model"
	"mrsched/solver"
)

// BenchmarkLP solves one instance in the three ways that the LP can be written and separated. Compare the ratios
// between them; the published loop with every violated row takes minutes.
func BenchmarkLP(b *testing.B) {
	for _, x := range []struct {
		name      string
		jobs      int64
		published bool
		gen       generationOptions
	}{
		{"collapsed", 30, false, generationOptions{warm: true}},
		{"collapsed-cold", 30, false, generationOptions{}},
		{"published-peaks", 30, true, generationOptions{}},
		{"published-every", 30, true, generationOptions{every: true}},
		{"collapsed", 100, false, generationOptions{warm: true}},
		{"collapsed", 400, false, generationOptions{warm: true}},
	} {
		b.Run(fmt.Sprintf("%s-%djobs", x.name, x.jobs), func(b *testing.B) {
			in := marsInstance(b, x.jobs, 1)
			for b.Loop() {
				_, r := relax(b, in, x.published, x.gen)
				b.ReportMetric(r.value, "value")
				b.ReportMetric(float64(r.Rounds), "rounds")
				b.ReportMetric(float64(r.Rows), "rows")
			}
		})
	}
}

// BenchmarkSearch counts the changed schedules that best evaluates per second.
func BenchmarkSearch(b *testing.B) {
	for _, jobs := range []int64{10, 100, 1000} {
		b.Run(fmt.Sprintf("%djobs", jobs), func(b *testing.B) {
			in := marsInstance(b, jobs, 1)
			s := newSearch(context.Background(), in, in.Alone, options())
			s.first(dueKeys(in, in.Alone), nil, 1)
			c := s.chains[0]
			for b.Loop() {
				c.step(0.5)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "moves/s")
		})
	}
}

// BenchmarkFirstOrder solves the same LP by the first-order method alone. "short" is the relative loss of its certified
// bound against lp_solve.
func BenchmarkFirstOrder(b *testing.B) {
	for _, jobs := range []int64{100, 400} {
		b.Run(fmt.Sprintf("%djobs", jobs), func(b *testing.B) {
			in := marsInstance(b, jobs, 1)
			_, exact := relax(b, in, false, generationOptions{warm: true})
			c := newCollapsed(in)
			var r *relaxation
			for b.Loop() {
				r = c.firstOrder(context.Background(), solver.Options{Iterations: 3000}, firstOrderTolerance, 0)
			}
			b.ReportMetric((exact.value-float(proven(b, c, r)))/exact.value, "short")
			b.ReportMetric(float64(r.Rounds), "iterations")
		})
	}
}

// BenchmarkTimeIndexed counts evaluations of the time-indexed bound.
func BenchmarkTimeIndexed(b *testing.B) {
	for _, jobs := range []int64{10, 100} {
		b.Run(fmt.Sprintf("%djobs", jobs), func(b *testing.B) {
			in := marsInstance(b, jobs, 1)
			c, r := relax(b, in, false, generationOptions{warm: true})
			const cell = 3 * model.Second
			v, err := newVolume(in, cell, c.startPrices(r, cell, priceCells))
			if err != nil {
				b.Fatal(err)
			}
			usage := make([]float64, priceCells)
			for b.Loop() {
				if _, err := v.evaluate(2, usage); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
