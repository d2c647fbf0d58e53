package msjo

import (
	"context"
	"fmt"
	"testing"
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
			s := newAnnealing(in, nil, 1)
			construct(context.Background(), s, dueKeys(in, in.Alone), nil, options())
			c := s.List[0]
			for b.Loop() {
				c.step(0.5)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "moves/s")
		})
	}
}
