package realtime

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// BenchmarkPartitions: algorithms for one job's partitions, by prices, by loads and by cutting them.
func BenchmarkPartitions(b *testing.B) {
	for _, c := range []struct {
		name, algorithm string
		of              spec
	}{
		{"1000x23", "best", skewed(1, 1000, 23, 0)}, {"45x23of82", "best", skewed(1, 45, 82, 23)},
		{"100000x1000", "best", skewed(1, 100_000, 1000, 0)}, {"100000x1000", "lb", skewed(1, 100_000, 1000, 0)},
		{"100000x1000", "dp", skewed(1, 100_000, 1000, 0)}, {"20000x500", "skewtune", skewed(1, 20_000, 500, 0)},
	} {
		w := c.of.workload(b)
		b.Run(c.algorithm+"/"+c.name, func(b *testing.B) {
			for b.Loop() {
				set := inPhases
				if c.algorithm == "skewtune" {
					set = inPieces
				}
				if _, err := opened(b, w, set).Solve(context.Background(), c.algorithm, search); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSimulate: 10⁴ jobs of 59 maps and 23 reduces on 82 workers, in a stream and all at once.
func BenchmarkSimulate(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	var workers []worker
	for k := range 82 {
		w := worker{speed: math.Exp(0.3 * random.NormFloat64()), maps: 1}
		if k >= 59 {
			w.maps, w.reduces = 0, 1
		}
		workers = append(workers, w)
	}
	for _, c := range []struct {
		name     string
		gap, due float64
	}{{"stream", 5, 20}, {"burst", 0.001, 20}, {"loose", 0.001, 1e5}} {
		x := spec{workers: workers}
		for k := range 10_000 {
			j := job{id: fmt.Sprintf("J%d", k), release: c.gap * float64(k), due: c.due}
			for range 59 {
				j.maps = append(j.maps, 2)
			}
			for range 23 {
				j.reduces = append(j.reduces, 3*random.Float64())
			}
			x.jobs = append(x.jobs, j)
		}
		r := x.run(b, map[string]any{lofParam: 1.5})
		for _, p := range policyList() {
			b.Run(c.name+"/"+p.Name, func(b *testing.B) {
				for b.Loop() {
					out := solved(b, r, p.Name)
					b.ReportMetric(float64(r.in.Ends(out.Schedule).Missed), "missed")
				}
			})
		}
	}
}
