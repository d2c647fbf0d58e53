package experiment

import (
	"fmt"
	"slices"
	"strconv"

	"mrsched/io/engine"
	"mrsched/io/report"
)

// fig5Copies is how many instances a seed stands for: one of few jobs has few deadlines to miss.
const fig5Copies = 2

// The loads of realtime-fig5; the paper speaks of up to eight jobs, and of six where the others begin to miss.
var fig5Loads = []int{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14}

const (
	fig5Last  = 8
	fig5Knee  = 6
	fig5Small = 2 // "a small number of concurrent jobs"
)

// The policies that the paper compares with llf.
var fig5Others = []string{"edf", "fifo", "fair"}

// policyNames are how they are written in the figure.
var policyNames = map[string]string{"llf": "LLF", "edf": "EDF", "fifo": "FIFO", "fair": "FAIR", "admit": "admit (ours)",
	"best": "best (ours, knows all)"}

// deadlineRuns are the measurements of realtime-fig5.
type deadlineRuns struct {
	l *Lab
	d realtimeData
}

// at is n jobs that come within about the time of one, by Poisson arrivals.
func (r deadlineRuns) at(n, copy int) scenario {
	return scenario{preset: r.d.preset, copy: copy, iterations: fewIterations,
		params:     engine.Settings{"sketch-delta": "0"},
		generate:   engine.Settings{"jobs": strconv.Itoa(n), "concurrent": strconv.Itoa(n)},
		algorithms: []string{"llf", "edf", "fifo", "fair", "admit", "best"}}
}

// alone is the same with llf only, LOF being switched off.
func (r deadlineRuns) alone(n, copy int) scenario {
	s := r.at(n, copy)
	s.bare, s.algorithms, s.params = true, []string{"llf"}, with(s.params, engine.Settings{"lof-threshold": "0"})
	return s
}

// misses are percent of n jobs, one a seed.
func (r deadlineRuns) misses(n int, of func(n, copy int) scenario, read func(scenario) []float64) []float64 {
	sum := make([]float64, len(r.l.seeds))
	for c := range fig5Copies {
		for i, v := range read(of(n, c)) {
			sum[i] += 100 * v / float64(n*fig5Copies)
		}
	}
	return sum
}

// curve is misses over the loads.
func (r deadlineRuns) curve(name string, style report.Style, color int, loads []int, of func(n, copy int) scenario,
	read func(scenario) []float64) report.Curve {
	return curveOver(name, style, color, floats(loads), func(x float64) []float64 { return r.misses(int(x), of, read) })
}

func (d realtimeData) fig5(l *Lab, f *report.Figure) error {
	loads := slices.DeleteFunc(slices.Clone(fig5Loads), func(n int) bool { return n > l.jobsMax })
	r := deadlineRuns{l, d}
	var list []scenario
	for _, n := range loads {
		for c := range fig5Copies {
			list = append(list, r.at(n, c), r.alone(n, c))
		}
	}
	if err := l.run(list...); err != nil {
		return err
	}
	f.Source, f.XLabel, f.YLabel = realtimeSource+", Fig. 5", "concurrent jobs", "jobs that miss their deadlines, %"
	describeRealtime(f, r.at(1, 0), "jobs", loads)
	f.Parameters["concurrent"], f.Parameters["instances_a_seed"], f.Parameters["jobs_max"] = "as many as jobs",
		fig5Copies, l.jobsMax
	f.Parameters["iterations"] = fewIterations
	for color, name := range []string{"llf", "edf", "fifo", "fair", "admit", "best"} {
		f.Curves = append(f.Curves, r.curve(policyNames[name], report.Main, color, loads, r.at,
			func(s scenario) []float64 { return l.costs(s, name) }))
	}
	f.Curves = append(f.Curves,
		r.curve("LLF without LOF", report.Alternative, 0, loads, r.alone, func(s scenario) []float64 {
			return l.costs(s,
				"llf")
		}),
		r.curve("bound: no policy misses fewer", report.Alternative, 5, loads, r.at,
			func(s scenario) []float64 { return l.bounds(s, "llf") }))
	d.fig5Claims(f, loads)
	return nil
}

// fig5Claims judges what the paper says of the figure, and what mrsched adds.
func (d realtimeData) fig5Claims(f *report.Figure, loads []int) {
	llf := named(f, policyNames["llf"])
	var others []report.Curve
	for _, name := range fig5Others {
		others = append(others, named(f, policyNames[name]))
	}
	all := append([]report.Curve{llf}, others...)
	small := inside(extremeCurve(all, 1, fig5Small), 1, fig5Small)
	worst := extreme(small, 1)
	f.Claims = append(f.Claims,
		report.AtMost(fmt.Sprintf("for a small number of concurrent jobs (1 … %d) all four policies meet all deadlines "+
			"(most misses, in %%)", fig5Small), 0, 1, worst.Samples,
			"the paper gives no numbers; up to 1 % counts as all"))
	last := float64(loads[len(loads)-1])
	f.Claims = append(f.Claims,
		noHigher(fmt.Sprintf("LLF has the smallest percentage of misses at every load of the figure (1 … %d jobs)", fig5Last),
			inside(llf, 1, fig5Last), others, "jobs", d.whyLLF(f, fig5Last)))
	if last > fig5Last {
		f.Claims = append(f.Claims, noHigher(fmt.Sprintf("and beyond it (%d … %g jobs)", fig5Last+1, last),
			inside(llf, fig5Last+1, last), others, "jobs", d.whyLLF(f, last)))
	}
	if knee := llf.At(fig5Knee); knee != nil {
		least := others[0]
		for _, c := range others {
			if report.Mean(c.At(fig5Knee)) < report.Mean(least.At(fig5Knee)) {
				least = c
			}
		}
		f.Claims = append(f.Claims,
			report.AtMost(fmt.Sprintf("LLF keeps misses few at %d jobs (at most 10 %%, our reading of few)", fig5Knee), 10, 0,
				knee, "the paper gives no number"),
			report.AtLeast(fmt.Sprintf("the misses of all others rise significantly at %d jobs: points above LLF (at least "+
				"10, our reading)", fig5Knee), 10, 0,
				report.Difference(least.At(fig5Knee), knee), fmt.Sprintf("nearest is %s with %.1f %% against %.1f %%", least.Name,
					report.Mean(least.At(fig5Knee)), report.Mean(knee))))
	}
	admit, most, bound := named(f, policyNames["admit"]), named(f, policyNames["best"]), f.Curves[len(f.Curves)-1]
	f.Claims = append(f.Claims,
		noHigher("mrsched: admit misses no more than any of the four at any load", admit, all, "jobs",
			"it holds back jobs that would make others late, by the same estimates"),
		noHigher("mrsched: best misses no more than any policy at any load", most, append(all, admit), "jobs",
			"it plans with true times and knows all arrivals, so it is no policy"),
		noHigher("the certified bound lies above no plan", bound, append(all, admit, most), "jobs",
			fmt.Sprintf("at %g jobs the bound is %.1f %%, best %.1f %%, admit %.1f %%", last, report.Mean(bound.At(last)),
				report.Mean(most.At(last)), report.Mean(admit.At(last)))))
}

// extremeCurve takes, up to an x, the highest (sign 1) or lowest of some curves at each x.
func extremeCurve(list []report.Curve, sign, last float64) (c report.Curve) {
	for _, p := range inside(list[0], 0, last).Points {
		for _, other := range list[1:] {
			if q := other.At(p.X); sign*(report.Mean(q)-p.Mean()) > 0 {
				p.Samples = q
			}
		}
		c.Points = append(c.Points, p)
	}
	return c
}

// whyLLF explains what LLF owes to laxities and what to LOF, and what overload does to it.
func (d realtimeData) whyLLF(f *report.Figure, x float64) string {
	value := func(name string) float64 {
		c := named(f, name)
		c.Points = inside(c, 0, x).Points
		return c.Points[len(c.Points)-1].Mean()
	}
	last := inside(named(f, policyNames["llf"]), 0, x).Points
	text := fmt.Sprintf("at %g jobs LLF misses %.1f %%, EDF %.1f, FIFO %.1f, FAIR %.1f, and LLF without LOF %.1f",
		last[len(last)-1].X, value(policyNames["llf"]),
		value(policyNames["edf"]), value(policyNames["fifo"]), value(policyNames["fair"]), value("LLF without LOF"))
	if value("LLF without LOF") > value(policyNames["llf"]) {
		return text + fmt.Sprintf(": of %.1f points below EDF %.1f are due to LOF, which moves tasks away from slow "+
			"workers, on which maps fall behind",
			value(policyNames["edf"])-value(policyNames["llf"]), value("LLF without LOF")-value(policyNames["llf"]))
	}
	return text + ": a laxity counts what a job itself still takes and not what waits before it, so that under " +
		"overload jobs look hopeful until late, are worked on in turn " +
		fmt.Sprintf("and miss together, the more so as LOF evens the queues out; FIFO at least ends the first in time. "+
			"admit, which does count what waits, misses %.1f", value(policyNames["admit"]))
}
