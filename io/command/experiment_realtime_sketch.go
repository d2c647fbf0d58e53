package command

import (
	"fmt"
	"math"
	"runtime"
	"slices"

	"mrsched/io/report"
	"mrsched/solver"
)

// What the paper says of planning, in milliseconds, and of what sketches gain.
const (
	planPartitions = 45
	planPlain      = 80
	planSketched   = 200
	sketchGain     = 500 // for twitter, at least
	planTolerance  = 0.5 // of the ratio
)

// fig11 includes p = R, where Hadoop's hash alone makes the skew.
func (d realtimeData) fig11(l *lab, f *report.Figure) error {
	partitions := append([]int{paperReducers}, fig9Partitions...)
	plain := func(p int) scenario { return d.partitioned(p, paperSkew, true, false, "lb", "dp") }
	sketched := func(p int) scenario { return d.partitioned(p, paperSkew, true, true, "lb-sketch", "dp-sketch") }
	list := []scenario{best(plain(planPartitions))}
	for _, p := range partitions {
		list = append(list, plain(p), sketched(p), knowing(plain(p)), knowing(sketched(p)))
	}
	if err := l.run(list...); err != nil {
		return err
	}
	f.Source, f.XLabel, f.YLabel = realtimeSource+", Fig. 11", "partitions", "reduce phase, ms"
	describeRealtime(f, sketched(planPartitions), "partitions", partitions)
	f.Parameters["reproducible"] = "curves: yes; claims about planning: no, times depend on the machine and on what else it does"
	r := partitionRuns{l, d}
	without := r.curve(f, "DP", report.Main, 0, partitions, func(p int) []float64 { return l.costs(plain(p), "dp") })
	sketches := r.curve(f, "DP with sketches", report.Main, 1, partitions, func(p int) []float64 { return l.costs(sketched(p), "dp-sketch") })
	known := 0 // partitions at which sketches gain for those who know true times
	for _, p := range partitions {
		if report.Mean(l.costs(knowing(sketched(p)), "dp-sketch")) < report.Mean(l.costs(knowing(plain(p)), "dp")) {
			known++
		}
	}
	gain := report.Curve{Name: "what sketches gain", Style: report.Alternative, Color: 2}
	for i, p := range without.Points {
		gain.Points = append(gain.Points, report.Point{X: p.X, Samples: report.Difference(p.Samples, sketches.Points[i].Samples)})
	}
	f.Curves = append(f.Curves, gain)
	times, err := d.planning(l)
	if err != nil {
		return err
	}
	d.fig11Claims(f, []report.Curve{without, sketches, gain}, times, known, milliseconds(l.bounds(best(plain(planPartitions)), "best")))
	return nil
}

// knowing is a scenario whose algorithms believe true times.
func knowing(s scenario) scenario {
	s.params = with(s.params, settings{"estimates": "true"})
	return s
}

// fig11Claims judges the curves of dp, dp-sketch and their difference. known is at how many of the points sketches gain with
// true times, bound what no assignment of Hadoop's partitions can take less than at planPartitions.
func (d realtimeData) fig11Claims(f *report.Figure, curves []report.Curve, planning [2][]float64, known int, bound []float64) {
	without, sketches, gain := curves[0], curves[1], curves[2]
	where := func(x float64) string { return at(x, "partitions") }
	first, last := gain.Points[0], gain.Points[len(gain.Points)-1]
	extra := report.Difference(planning[1], planning[0])
	at45 := gain.At(planPartitions)
	f.Claims = append(f.Claims,
		report.Below("sketches reduce the time of the reduce phase at every number of partitions", sketches, []report.Curve{without}, where,
			fmt.Sprintf("%.0f ms are gained at p = R, where only another hash than Hadoop's can undo its skew, %.0f at %g. Where hashes spread keys evenly anyway rows differ little, and which is best is judged by estimates: with true times sketches gain at %d of %d points", first.Mean(), last.Mean(), last.X, known, len(gain.Points))),
		report.AtLeast("the benefit of sketches grows with the partitions: ms at the most partitions less that at the fewest beyond R", 0, 0,
			report.Difference(last.Samples, gain.Points[1].Samples), "with more partitions, any hash evens the keys out"))
	if d.preset == twitterData.preset {
		f.Claims = append(f.Claims, report.AtLeast(fmt.Sprintf("for Twitter the benefit exceeds 500 ms, in ms at %d partitions", planPartitions), sketchGain, 0, at45,
			fmt.Sprintf("DP without sketches takes %.0f ms there and the best of its partitions can do is %.0f (certified): there are no 500 ms to gain where Hadoop's hash is even. At p = R, where it is not, the benefit is %.0f ms",
				report.Mean(without.At(planPartitions)), report.Mean(bound), first.Mean())))
	} else {
		f.Claims = append(f.Claims, report.AtMost(fmt.Sprintf("for jobs as short as YouTube's the benefit is less than the extra planning, the paper's %d ms, in ms at %d partitions", planSketched-planPlain, planPartitions),
			planSketched-planPlain, 0, at45, fmt.Sprintf("the reduce phase takes %.0f ms as a whole", report.Mean(without.At(planPartitions)))))
	}
	ratio := report.Near(fmt.Sprintf("planning of %d partitions takes %.1f times as long with sketches", planPartitions, float64(planSketched)/planPlain), float64(planSketched)/planPlain, planTolerance,
		report.Quotient(planning[1], planning[0]),
		"ours is the time of deciding alone, estimates included, which sketches multiply by their 8 rows less what is estimated once; the paper's 80 ms must hold much that does not depend on rows, such as messages")
	f.Claims = append(f.Claims, ratio,
		report.AtMost("ms to plan without sketches", planPlain, 0, planning[0], "processor time"),
		report.AtMost("ms to plan with sketches", planSketched, 0, planning[1], "processor time"),
		report.AtLeast(fmt.Sprintf("mrsched: what sketches gain at p = R exceeds what they cost: ms of gain less ms of planning at %d partitions", planPartitions), 0, 0, report.Difference(first.Samples, extra),
			fmt.Sprintf("planning takes %.2f ms more", report.Mean(extra))))
}

// planning is what dp takes to decide without and with sketches, in milliseconds of processor time, one a seed.
func (d realtimeData) planning(l *lab) (times [2][]float64, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for k, name := range []string{"dp", "dp-sketch"} {
		for _, seed := range l.seeds {
			s := d.partitioned(planPartitions, paperSkew, true, k == 1, name)
			least := math.Inf(1)
			for range scaleRuns {
				o, err := l.opened(s, seed)
				if err != nil {
					return times, err
				}
				r, ok := o.run.(bareRun)
				if !ok {
					return times, fmt.Errorf("%s proves bounds with every algorithm", l.problem.Name)
				}
				begin := processorTime()
				if _, err := r.SolveBare(l.ctx, name, l.options(s, seed)); err != nil {
					return times, err
				}
				least = min(least, float64((processorTime()-begin).Nanoseconds())/1e6)
			}
			times[k] = append(times[k], least)
		}
	}
	return times, l.ctx.Err()
}

// boundPartitions are those of realtime-bound, bars of which each has a name.
var boundPartitions = []int{23, 30, 40, 60, 80, 100, 300, 1000}

// What mrsched promises at boundPartitions: percent above the bound for the most partitions, and the factor that is proven.
const (
	boundBest = 1
	boundLST  = 2
)

// realtimeBound compares assignments with the certified bound. Sizes are those of the preset and speeds do not depend on seeds:
// seeds differ in which partition is how large, and so in ties, and in the history that dp learns from.
func realtimeBound(l *lab, f *report.Figure) error {
	at := func(p int, skew float64) scenario {
		s := youtubeData.partitioned(p, skew, false, false, "best", "lst", "dp", "lb")
		s.bare, s.iterations = false, fewIterations
		return s
	}
	var list []scenario
	for _, p := range boundPartitions {
		list = append(list, at(p, paperSkew), at(p, 0))
	}
	if err := l.run(list...); err != nil {
		return err
	}
	f.Source, f.XLabel, f.YLabel = "mrsched's own; bounds: Lenstra, Shmoys, Tardos 1990, and prices of partitions and of slots", "partitions", "% above the certified bound"
	describeRealtime(f, at(fig10Partitions, paperSkew), "partitions", boundPartitions)
	f.Parameters["skew"], f.Parameters["iterations"] = []float64{0, paperSkew}, fewIterations
	for _, p := range boundPartitions {
		f.Groups = append(f.Groups, fmt.Sprint(p))
	}
	xs := steps(0, 1, float64(len(boundPartitions)-1))
	curve := func(name, algorithm string, skew float64, style report.Style, color int) report.Curve {
		c := curveOver(name, style, color, xs, func(x float64) []float64 {
			s := at(boundPartitions[int(x)], skew)
			return slices.Collect(func(yield func(float64) bool) {
				for _, q := range report.Quotient(l.costs(s, algorithm), l.bounds(s, algorithm)) {
					if !yield(100 * (q - 1)) {
						return
					}
				}
			})
		})
		f.Curves = append(f.Curves, c)
		return c
	}
	best := curve("best, 80 % skewness", "best", paperSkew, report.Main, 5)
	even := curve("best, no skewness", "best", 0, report.Alternative, 5)
	dp := curve("DP, 80 %", "dp", paperSkew, report.Main, 0)
	lst := curve("LST rounding, 80 %", "lst", paperSkew, report.Main, 2)
	lstEven := curve("LST rounding, no skewness", "lst", 0, report.Alternative, 2)
	lb := curve("LB, 80 %", "lb", paperSkew, report.Main, 3)
	last := float64(len(xs) - 1)
	worst := extreme(extremeCurve([]report.Curve{lst, lstEven}, 1, last), 1)
	f.Claims = append(f.Claims,
		report.AtMost(fmt.Sprintf("best is within 1 %% of the bound at %d partitions and 80 %% skewness, in %%", boundPartitions[len(boundPartitions)-1]), boundBest, 0, best.At(last),
			fmt.Sprintf("%d iterations; without skewness %.2f %%", fewIterations, report.Mean(even.At(last)))),
		report.AtMost("best is within 1 % of the bound at every point, in % where it is farthest", boundBest, 0, extreme(extremeCurve([]report.Curve{best, even}, 1, last), 1).Samples, ""),
		report.AtMost("the rounding of Lenstra, Shmoys and Tardos is never above twice the bound, in % above it where it is farthest", 100*(boundLST-1), 0, worst.Samples, fmt.Sprintf("at %s partitions", f.Groups[int(worst.X)])),
		noHigher("best is nowhere slower than DP, LB or LST rounding", best, []report.Curve{dp, lb, lst}, "(position)", fmt.Sprintf("farthest from the bound: DP %.1f %%, LB %.1f %%, LST %.1f %%",
			extreme(dp, 1).Mean(), extreme(lb, 1).Mean(), extreme(lst, 1).Mean())))
	return nil
}

// opened makes a scenario's instance of a seed, ready for algorithms.
func (l *lab) opened(s scenario, seed uint64) (*opened, error) {
	w, err := generated(l.problem.Name, s.preset, s.generate, seed)
	if err != nil {
		return nil, err
	}
	params, err := settingValues(l.problem.Params, s.params)
	if err != nil {
		return nil, err
	}
	return open(l.problem, w, params)
}

// options are what a scenario's algorithms run under.
func (l *lab) options(s scenario, seed uint64) solver.Options {
	return solver.Options{Iterations: solver.DefaultIterations, Seed: seed, Threads: 1}
}
