package experiment

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/io/engine"
	"mrsched/io/report"
)

// deadlinePolicies are compared with deadlines.
var deadlinePolicies = []struct{ algorithm, name string }{{"llf", "LLF"}, {"edf", "EDF"}, {"fifo", "FIFO"},
	{"fair", "FAIR"}}

// The loads of Fig. 5: the paper speaks of up to eight jobs, of six where the others begin to miss, and of "a small
// number". A seed stands for several instances, since one of few jobs has few deadlines to miss.
const (
	fig5Knee   = 6
	fig5Small  = 2
	fig5Copies = 2
)

var fig5Loads = steps(1, 1, 8)

// fig5 has n jobs that come within about the time of one, by Poisson arrivals.
func (d realtimeData) fig5(f *figure) {
	var plans []report.Curve
	for color, p := range deadlinePolicies {
		// In percent of the jobs of all copies.
		plans = append(plans, f.line(p.name, color, upTo(f.JobsMax, fig5Loads), func(n float64) samples {
			sum := make(samples, len(f.seeds))
			for k := range fig5Copies {
				s := scenario{preset: d.preset, copy: k, params: engine.Settings{"sketch-delta": "0"},
					generate: engine.Settings{"jobs": number(n), "concurrent": number(n)}}
				for i, v := range f.costs(s, p.algorithm) {
					sum[i] += 100 * v / (n * fig5Copies)
				}
			}
			return sum
		}))
	}
	llf, others, small := plans[0], plans[1:], samples{}
	for _, p := range plans {
		if most := extreme(inside(p, 1, fig5Small), 1).Samples; small.Mean() <= most.Mean() {
			small = most
		}
	}
	f.claim(fmt.Sprintf("for a small number of concurrent jobs (1 … %d) all four policies meet all deadlines (most "+
		"misses, in %%)", fig5Small), atMost(0, 1), small)
	f.noHigher("LLF has the smallest percentage of misses at every load of the figure (1 … 8 jobs)", llf, others...)
	if knee := llf.At(fig5Knee); knee != nil {
		least := slices.MinFunc(others, func(a, b report.Curve) int {
			return cmp.Compare(a.At(fig5Knee).Mean(), b.At(fig5Knee).Mean())
		})
		f.claim(fmt.Sprintf("LLF keeps misses few at %d jobs (at most 10 %%, our reading of few)", fig5Knee), atMost(10, 0),
			knee)
		f.minus(fmt.Sprintf("the misses of all others rise significantly at %d jobs: points above LLF (at least 10, our "+
			"reading)", fig5Knee), atLeast(10, 0), least.At(fig5Knee), knee)
	}
}
