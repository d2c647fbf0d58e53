package experiment

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/io/engine"
	"mrsched/io/report"
)

// deadlinePolicies are compared with deadlines; the paper's are the first four.
var deadlinePolicies = []struct{ algorithm, name string }{{"llf", "LLF"}, {"edf", "EDF"}, {"fifo", "FIFO"},
	{"fair", "FAIR"}, {"best", "best (ours, knows all)"}}

// The loads of Fig. 5: the paper speaks of up to eight jobs, of six where the others begin to miss, and of "a small
// number". A seed stands for several instances, since one of few jobs has few deadlines to miss.
const (
	fig5Last   = 8
	fig5Knee   = 6
	fig5Small  = 2
	fig5Copies = 2
)

var fig5Loads = []float64{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14}

// fig5 has n jobs that come within about the time of one, by Poisson arrivals.
func (d realtimeData) fig5(f *figure) {
	loads := upTo(f.jobsMax, fig5Loads)
	withLOF := func(n float64) scenario {
		return scenario{preset: d.preset, iterations: fewIterations, params: engine.Settings{"sketch-delta": "0"},
			generate: engine.Settings{"jobs": number(n), "concurrent": number(n)}}
	}
	without := func(n float64) scenario {
		s := withLOF(n).using(engine.Settings{"lof-threshold": "0"})
		s.bare = true
		return s
	}
	// missed is percent of the jobs of all copies.
	missed := func(of func(n float64) scenario, read func(scenario, string) samples, algorithm string) values {
		return func(n float64) samples {
			sum := make(samples, len(f.seeds))
			for s := of(n); s.copy < fig5Copies; s.copy++ {
				for i, v := range read(s, algorithm) {
					sum[i] += 100 * v / (n * fig5Copies)
				}
			}
			return sum
		}
	}
	var plans []report.Curve
	for color, p := range deadlinePolicies {
		plans = append(plans, f.line(p.name, color, loads, missed(withLOF, f.costs, p.algorithm)))
	}
	f.dashed("LLF without LOF", 0, loads, missed(without, f.costs, "llf"))
	bound := f.dashed("bound: no policy misses fewer", 5, loads, missed(withLOF, f.bounds, "llf"))
	f.fewestMisses(plans, bound)
}

// fewestMisses judges the paper's claims about Fig. 5, and mrsched's additions. Plans are in the order of
// deadlinePolicies.
func (f *figure) fewestMisses(plans []report.Curve, bound report.Curve) {
	all, llf, others := plans[:4], plans[0], plans[1:4]
	f.claim(fmt.Sprintf("for a small number of concurrent jobs (1 … %d) all four policies meet all deadlines (most "+
		"misses, in %%)", fig5Small), atMost(0, 1), extreme(highest(fig5Small, all...), 1).Samples)
	last := bound.Points[len(bound.Points)-1].X
	f.noHigher(fmt.Sprintf("LLF has the smallest percentage of misses at every load of the figure (1 … %d jobs)",
		fig5Last), inside(llf, 1, fig5Last), others...)
	if last > fig5Last {
		f.noHigher(fmt.Sprintf(ours+"and beyond it (%d … %g jobs)", fig5Last+1, last), inside(llf, fig5Last+1, last),
			others...)
	}
	if knee := llf.At(fig5Knee); knee != nil {
		least := slices.MinFunc(others, func(a, b report.Curve) int {
			return cmp.Compare(a.At(fig5Knee).Mean(), b.At(fig5Knee).Mean())
		})
		f.claim(fmt.Sprintf("LLF keeps misses few at %d jobs (at most 10 %%, our reading of few)", fig5Knee), atMost(10, 0),
			knee)
		f.minus(fmt.Sprintf("the misses of all others rise significantly at %d jobs: points above LLF (at least 10, our "+
			"reading)", fig5Knee), atLeast(10, 0), least.At(fig5Knee), knee).Why += ", nearest is " + least.Name
	}
}
