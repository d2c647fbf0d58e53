package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"mrsched/io/engine"
	"mrsched/io/report"
)

// fig5Copies is how many instances a seed stands for: an instance of few jobs has few deadlines to miss.
const fig5Copies = 2

// The loads of realtime-fig5; the paper speaks of up to eight jobs, and of six where the others begin to miss.
var fig5Loads = []float64{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14}

const (
	fig5Last  = 8
	fig5Knee  = 6
	fig5Small = 2 // "a small number of concurrent jobs"
)

// deadlinePolicies are compared with deadlines; the paper's are the first four.
var deadlinePolicies = []struct{ algorithm, name string }{{"llf", "LLF"}, {"edf", "EDF"}, {"fifo", "FIFO"},
	{"fair", "FAIR"}, {"admit", "admit (ours)"}, {"best", "best (ours, knows all)"}}

// deadlines is n jobs that come within about the time of one, by Poisson arrivals.
func (d realtimeData) deadlines(n, copy int) scenario {
	s := scenario{preset: d.preset, copy: copy, iterations: fewIterations, params: engine.Settings{"sketch-delta": "0"},
		generate: engine.Settings{"jobs": strconv.Itoa(n), "concurrent": strconv.Itoa(n)}}
	for _, p := range deadlinePolicies {
		s.algorithms = append(s.algorithms, p.algorithm)
	}
	return s
}

// withoutLOF is the same with llf only, LOF being switched off.
func (d realtimeData) withoutLOF(n, copy int) scenario {
	s := d.deadlines(n, copy).using(engine.Settings{"lof-threshold": "0"})
	s.bare, s.algorithms = true, []string{"llf"}
	return s
}

func (d realtimeData) fig5(f *figure) error {
	loads := upTo(f.jobsMax, fig5Loads)
	var list []scenario
	for _, n := range loads {
		for c := range fig5Copies {
			list = append(list, d.deadlines(int(n), c), d.withoutLOF(int(n), c))
		}
	}
	if err := f.run(list...); err != nil {
		return err
	}
	f.axes("concurrent jobs", "jobs that miss their deadlines, %")
	f.describeVarying(d.deadlines(1, 0), "jobs", loads)
	f.setParameters(map[string]any{"concurrent": "as many as jobs", "instances_a_seed": fig5Copies, "jobs_max": f.jobsMax,
		"iterations": fewIterations})
	// misses are percent of the jobs of all copies.
	misses := func(of func(n, copy int) scenario, read func(scenario, string) samples,
		algorithm string) func(float64) samples {
		return func(n float64) samples {
			sum := make(samples, len(f.seeds))
			for c := range fig5Copies {
				for i, v := range read(of(int(n), c), algorithm) {
					sum[i] += 100 * v / (n * fig5Copies)
				}
			}
			return sum
		}
	}
	var plans []report.Curve
	for color, p := range deadlinePolicies {
		plans = append(plans, f.line(p.name, color, loads, misses(d.deadlines, f.costs, p.algorithm)))
	}
	f.dashed("LLF without LOF", 0, loads, misses(d.withoutLOF, f.costs, "llf"))
	bound := f.dashed("bound: no policy misses fewer", 5, loads, misses(d.deadlines, f.bounds, "llf"))
	fig5Claims(f, plans, bound)
	return nil
}

// fig5Claims judges the paper's claims about the figure, and mrsched's additions. Plans are in the order of
// deadlinePolicies.
func fig5Claims(f *figure, plans []report.Curve, bound report.Curve) {
	all, llf, others, admit, most := plans[:4], plans[0], plans[1:4], plans[4], plans[5]
	f.atMost(fmt.Sprintf("for a small number of concurrent jobs (1 … %d) all four policies meet all deadlines (most "+
		"misses, in %%)", fig5Small), 0, 1, extreme(inside(extremeCurve(all, 1, fig5Small), 1, fig5Small), 1).Samples,
		"the paper gives no numbers; up to 1 %% counts as all")
	last := bound.Points[len(bound.Points)-1].X
	f.noHigher(fmt.Sprintf("LLF has the smallest percentage of misses at every load of the figure (1 … %d jobs)",
		fig5Last), inside(llf, 1, fig5Last), others, "jobs", "%s", whyLLF(f, fig5Last))
	if last > fig5Last {
		f.noHigher(fmt.Sprintf("and beyond it (%d … %g jobs)", fig5Last+1, last), inside(llf, fig5Last+1, last), others,
			"jobs", "%s", whyLLF(f, last))
	}
	if knee := llf.At(fig5Knee); knee != nil {
		least := slices.MinFunc(others, func(a, b report.Curve) int {
			return cmp.Compare(a.At(fig5Knee).Mean(), b.At(fig5Knee).Mean())
		})
		f.atMost(fmt.Sprintf("LLF keeps misses few at %d jobs (at most 10 %%, our reading of few)", fig5Knee), 10, 0, knee,
			"the paper gives no number")
		f.atLeast(fmt.Sprintf("the misses of all others rise significantly at %d jobs: points above LLF (at least 10, our "+
			"reading)", fig5Knee), 10, 0, least.At(fig5Knee).Minus(knee), "nearest is %s with %.1f %% against %.1f %%",
			least.Name, least.At(fig5Knee).Mean(), knee.Mean())
	}
	f.noHigher("mrsched: admit misses no more than any of the four at any load", admit, all, "jobs", "it holds back "+
		"jobs that would make others late, by the same estimates")
	f.noHigher("mrsched: best misses no more than any policy at any load", most, plans[:5], "jobs", "it plans with true "+
		"times and knows all arrivals, so it is no policy")
	f.noHigher("the certified bound lies above no plan", bound, plans, "jobs", "at %g jobs the bound is %.1f %%, best "+
		"%.1f %%, admit %.1f %%", last, bound.At(last).Mean(), most.At(last).Mean(), admit.At(last).Mean())
}

// whyLLF explains LLF's misses at the last load up to x: how much laxities and LOF contribute, and what overload does.
func whyLLF(f *figure, x float64) string {
	last := func(name string) report.Point {
		points := inside(f.named(name), 0, x).Points
		return points[len(points)-1]
	}
	value := func(name string) float64 { return last(name).Mean() }
	llf, edf, without := value("LLF"), value("EDF"), value("LLF without LOF")
	text := fmt.Sprintf("at %g jobs LLF misses %.1f %%, EDF %.1f, FIFO %.1f, FAIR %.1f, and LLF without LOF %.1f",
		last("LLF").X, llf, edf, value("FIFO"), value("FAIR"), without)
	if without > llf {
		return text + fmt.Sprintf(": of %.1f points below EDF %.1f are due to LOF, which moves tasks away from slow "+
			"workers, on which maps fall behind", edf-llf, without-llf)
	}
	return text + fmt.Sprintf(": a laxity counts what a job itself still takes and not what waits before it, so that "+
		"under overload jobs look hopeful until late, are worked on in turn and miss together, the more so as LOF evens "+
		"the queues out; FIFO at least ends the first in time. admit, which does count what waits, misses %.1f",
		value("admit (ours)"))
}
