package experiment

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/stat"

	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/model"
	"mrsched/model/realtime"
)

// realtimeFig1 shows how Hadoop's hash distributes skewed data: by reducer, the one with the most data first, its share
// and its time, both in percent of the mean.
func realtimeFig1(f *figure) error {
	s := youtubeData.partitioned(paperReducers, paperSkew, false, false, "hash")
	f.axes("reducers, by data", "% of the mean")
	f.describeVarying(s, "seeds", f.seeds)
	data, times := make([]samples, paperReducers), make([]samples, paperReducers)
	var skews, correlations, longest samples
	for _, seed := range f.seeds {
		o, err := f.opened(s, seed)
		if err != nil {
			return err
		}
		v, err := f.solve(f.ctx, o, "hash", s.options(seed), s.bare)
		if err != nil {
			return err
		}
		bytes, seconds := reducersOf(o.Run.View().(*realtime.Instance), v.Schedule)
		order := make([]int, len(bytes))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(bytes[b], bytes[a]) })
		for k, i := range order {
			data[k] = append(data[k], 100*bytes[i]/bytes.Mean())
			times[k] = append(times[k], 100*seconds[i]/seconds.Mean())
		}
		skews = append(skews, 100-100*bytes.Mean()/slices.Max(bytes))
		correlations = append(correlations, stat.Correlation(bytes, seconds, nil))
		longest = append(longest, slices.Max(seconds)/seconds.Mean())
	}
	for color, list := range [][]samples{data, times} {
		f.line([]string{"data", "time"}[color], color, steps(1, 1, paperReducers),
			func(x float64) samples { return list[int(x)-1] })
	}
	f.near("skewness of the partitions under Hadoop's hash, in %", paperSkew, 1, skews, "the figure states no number; "+
		"that of Figs. 8 and 9 is taken")
	f.atLeast("the skewness affects the times of reduce tasks: correlation of data and time over the reducers (at "+
		"least 0.5)", 0.5, 0, correlations, "not 1, as the hash puts partitions on workers of any speed")
	f.atLeast("the load is imbalanced: longest time over the mean (at least 2, our reading)", 2, 0, longest,
		"the largest partition is five times the mean at 80 %%")
	return nil
}

// reducersOf are the data and the time of each reducer of a schedule, by slot.
func reducersOf(in *realtime.Instance, s *model.Schedule) (bytes, seconds samples) {
	data, times := map[int32]float64{}, map[int32]float64{}
	for _, e := range s.Entries {
		data[e.Machine] += float64(in.Bytes[e.Task])
		times[e.Machine] += (e.End - e.Start).Seconds()
	}
	for _, slot := range slices.Sorted(maps.Keys(data)) {
		bytes, seconds = append(bytes, data[slot]), append(seconds, times[slot])
	}
	return bytes, seconds
}

// fig8Skews are the skewness values of Fig. 8, in percent.
var fig8Skews = steps(0, 10, paperSkew)

const (
	// fig8Low is the factor by which a reduce phase at 80 % skew may exceed one without skew and still count as low.
	fig8Low = 1.5
	// fig8Spread is a spread of speeds, instead of the preset's, at which the fastest worker bears the largest partition.
	fig8Spread = 0.7
)

func (d realtimeData) fig8(f *figure) error {
	plain := func(x float64) scenario { return d.partitioned(paperReducers, x, false, false, "dp", "hash") }
	best := func(x float64) scenario { return bestOf(plain(x)) }
	unequal := func(x float64) scenario {
		return plain(x).generating(engine.Settings{"speed-spread": number(fig8Spread)})
	}
	split := func(cost float64) func(x float64) scenario {
		return func(x float64) scenario {
			return d.partitioned(paperReducers, x, false, false,
				"skewtune").using(engine.Settings{"resplit-cost": number(cost)})
		}
	}
	list := append(sweep([]float64{0, paperSkew}, unequal), sweep(fig8Skews, plain, best)...)
	for _, cost := range d.costs {
		list = append(list, sweep(fig8Skews, split(cost))...)
	}
	if err := f.run(list...); err != nil {
		return err
	}
	f.axes("skewness, %", "reduce phase, ms")
	f.describeVarying(plain(0), "skew", fig8Skews)
	f.Parameters["resplit_cost"] = d.costs
	dp := f.line("DP", 0, fig8Skews, f.millis(plain, "dp"))
	hash := f.line("Hadoop's hash", 1, fig8Skews, f.millis(plain, "hash"))
	var tuned []report.Curve
	for i, cost := range d.costs {
		tuned = append(tuned, f.dashed(fmt.Sprintf("SkewTune, %g s a split", cost), 2+i, fig8Skews,
			f.millis(split(cost), "skewtune")))
	}
	most := f.line("best (ours), whole partitions", 6, fig8Skews, f.millis(best, "best"))
	bound := f.dashed("bound of whole partitions", 6, fig8Skews, f.millisBound(best))
	d.fig8Claims(f, dp, hash, bound, tuned)
	f.atMost(fmt.Sprintf("and if speeds spread by %g", fig8Spread), fig8Low, 0, f.costs(unequal(paperSkew),
		"dp").Over(f.costs(unequal(0), "dp")), "the standard deviation of their logarithms")
	f.noHigher("mrsched: best is nowhere slower than DP or Hadoop's hash", most, []report.Curve{dp, hash}, "%",
		"DP is %.1f %% above best at 40 %% and %.1f %% at 80 %%; best is at most %.2f %% above the bound",
		percentOver(dp.At(40), most.At(40)), percentOver(dp.At(paperSkew), most.At(paperSkew)), gap(most, bound))
	return nil
}

// fig8Claims judges the paper's claims about the figure.
func (d realtimeData) fig8Claims(f *figure, dp, hash, bound report.Curve, tuned []report.Curve) {
	f.below("DP takes less than Hadoop's hash at every skewness", dp, []report.Curve{hash}, in("%"), "p = R = 23: one "+
		"partition a reducer under hash; DP may leave slow workers out")
	f.below("DP takes less than SkewTune, whose repartitioning does not pay for short jobs, at every skewness", dp,
		tuned[slices.Index(d.costs, hadoopSplit):][:1], in("%"), "the paper does not say what a split takes: %d s is our "+
			"assumption, where a reducer takes %g s on average. Pieces of a partition are worked off side by side, as no "+
			"assignment of whole ones can be: at %d %% DP is the better one if a split takes %s", hadoopSplit, d.even, paperSkew,
		d.breakEven(dp, tuned))
	last, none, least := dp.At(paperSkew), dp.At(0), bound.At(paperSkew).Mean()
	f.atMost(fmt.Sprintf("DP keeps the reduce phase low even at 80 %%: times that without skew (at most %g, our reading)",
		fig8Low), fig8Low, 0, last.Over(none), "at 80 %% and p = R the largest of 23 partitions holds %.1f %% of the data, "+
		"and on the fastest worker alone takes the certified bound of %.0f ms, %.1f times DP's time without skew: no "+
		"assignment of whole partitions is faster. Speeds spread by 0.3 here, as Fig. 10 asks for; the more they do, the "+
		"more the fastest worker bears", 100/(paperReducers*(1-paperSkew/100.0)), least, least/none.Mean())
}

// breakEven says how long splits take where SkewTune's time at 80 % passes DP's.
func (d realtimeData) breakEven(dp report.Curve, tuned []report.Curve) string {
	limit, below := dp.At(paperSkew).Mean(), ""
	for i, c := range tuned {
		if c.At(paperSkew).Mean() > limit {
			if below == "" {
				return number(d.costs[i]) + " s or less"
			}
			return "more than some time between " + below + " and " + number(d.costs[i]) + " s"
		}
		below = number(d.costs[i])
	}
	return "more than " + below + " s"
}

// The paper's figures at fig10Partitions: percent of balance and milliseconds of the reduce phase, and how far ours may
// deviate and still count as equal.
const (
	fig10LB, fig10DP         = 90, 64
	fig10LBTime, fig10DPTime = 2800, 1900
	fig10Percent             = 5
	fig10Share               = 0.1
)

func (d realtimeData) fig9(f *figure) error {
	// hadoop is hash with as many partitions as reducers.
	hadoop := func(float64) scenario { return d.partitioned(paperReducers, paperSkew, d.keyed, false, "hash") }
	list := append(sweep(fig9Partitions, d.plain, d.learned), sweep(d.bestAt, d.best)...)
	if err := f.run(append(list, hadoop(0))...); err != nil {
		return err
	}
	f.axes("partitions", "reduce phase, ms")
	f.describeVarying(d.plain(fig10Partitions), "partitions", fig9Partitions)
	hash := f.dashed(fmt.Sprintf("Hadoop's hash, %d partitions", paperReducers), 1, fig9Partitions,
		f.millis(hadoop, "hash"))
	lb := f.line("LB", 2, fig9Partitions, f.millis(d.plain, "lb"))
	dp := f.line("DP", 0, fig9Partitions, f.millis(d.plain, "dp"))
	few := f.dashed(fmt.Sprintf("DP, %d past runs a worker", fewRuns), 0, fig9Partitions, f.millis(d.learned, "dp"))
	most := f.line("best (ours)", 5, d.bestAt, f.millis(d.best, "best"))
	bound := f.dashed("bound", 6, d.bestAt, f.millisBound(d.best))
	f.below("DP takes less than LB at every number of partitions", dp, []report.Curve{lb}, in("partitions"),
		"DP uses estimates from 100 past runs a worker; with %d it takes %+.1f %%, on average over the partitions "+
			"(realtime-fig4 has the estimates)", fewRuns, percentOver(means(few), means(dp)))
	whyLB := "partitions are 80 % skewed whatever their number here, so that the largest holds 5/p of the data; LB " +
		"leaves it to the first worker, whatever its speed, as Hadoop does to any"
	if d.keyed {
		whyLB = "another number of partitions puts keys together anew, evenly so, and they can be dealt out; Hadoop leaves " +
			"the largest to any worker"
	}
	f.below("LB takes less than default Hadoop with p = R", lb, []report.Curve{hash}, in("partitions"), "%s", whyLB)
	f.below("DP takes less than default Hadoop with p = R", dp, []report.Curve{hash}, in("partitions"), "")
	f.noHigher("mrsched: best is nowhere slower than DP or LB", most, []report.Curve{dp, lb}, "partitions",
		"DP is on average %.1f %% above best, LB %.1f %%; best is at most %.2f %% above the bound",
		percentOver(means(shared(dp, most)), means(most)), percentOver(means(shared(lb, most)), means(most)),
		gap(most, bound))
	return nil
}

func realtimeFig10(f *figure) error {
	d := twitterData
	plain := d.plain(fig10Partitions)
	list := append(sweep(fig9Partitions, d.plain), sweep(d.bestAt, d.best)...)
	if err := f.run(append(list, knowing(plain), d.learned(fig10Partitions))...); err != nil {
		return err
	}
	f.axes("partitions", "balance of the reducers' data, %")
	f.describeVarying(plain, "partitions", fig9Partitions)
	balance := func(at func(x float64) scenario,
		algorithm string) func(x float64) samples {
		return func(x float64) samples { return f.metric(at(x), algorithm, "balance") }
	}
	lb := f.line("LB", 2, fig9Partitions, balance(d.plain, "lb"))
	dp := f.line("DP", 0, fig9Partitions, balance(d.plain, "dp"))
	most := f.line("best (ours)", 5, d.bestAt, balance(d.best, "best"))
	f.marks("LB", 2, map[float64]float64{fig10Partitions: fig10LB})
	f.marks("DP", 0, map[float64]float64{fig10Partitions: fig10DP})
	few, known := f.millis(d.learned, "dp")(fig10Partitions), f.costs(knowing(plain), "dp").Times(1000)
	where := fmt.Sprintf("at %d partitions, ", fig10Partitions)
	f.near(where+"balance of LB, in %", fig10LB, fig10Percent, lb.At(fig10Partitions), "follows from the sizes of the "+
		"partitions alone. The 80 %% skewness of the paper must be that of Hadoop's p = R: of %d partitions with it the "+
		"largest would hold 5/%d of the data, and no assignment balance more than %.1f %%. Theirs is %.1f %% here",
		fig10Partitions, fig10Partitions, (100-paperSkew)*float64(fig10Partitions)/paperReducers,
		f.metric(plain, "lb", "skewness").Mean())
	f.near(where+"balance of DP, in %", fig10DP, fig10Percent, dp.At(fig10Partitions), "the more workers differ, the "+
		"less even; best balances %.1f %%, so that is what these workers ask for", most.At(fig10Partitions).Mean())
	f.near(where+"reduce phase of LB, in ms", fig10LBTime, fig10Share*fig10LBTime, f.costs(plain, "lb").Times(1000),
		"the preset's 1.4 s for an even share is fitted to that")
	f.near(where+"reduce phase of DP, in ms", fig10DPTime, fig10Share*fig10DPTime, f.costs(plain, "dp").Times(1000),
		"100 past runs a worker; with %d it takes %.0f ms, with true times %.0f: the rest is what k-NN estimates cost",
		fewRuns, few.Mean(), known.Mean())
	f.near(where+"reduce phase of DP if it knows true times, in ms", fig10DPTime, fig10Share*fig10DPTime, known, "")
	f.below("DP is less balanced than LB, and faster, at every number of partitions: balance", dp, []report.Curve{lb},
		in("partitions"), "times: realtime-fig9")
	return nil
}

// The paper's figures for planning, in milliseconds, and for the gain of sketches.
const (
	planPartitions = 45
	planPlain      = 80
	planSketched   = 200
	sketchGain     = 500 // for twitter, at least
	planTolerance  = 0.5 // of the ratio
)

// fig11 includes p = R, where Hadoop's hash alone causes the skew.
func (d realtimeData) fig11(f *figure) error {
	partitions := append([]float64{paperReducers}, fig9Partitions...)
	d.keyed = true
	knownPlain := func(p float64) scenario { return knowing(d.plain(p)) }
	knownSketched := func(p float64) scenario { return knowing(d.sketched(p)) }
	list := append(sweep(partitions, d.plain, d.sketched, knownPlain, knownSketched), d.best(planPartitions))
	if err := f.run(list...); err != nil {
		return err
	}
	f.axes("partitions", "reduce phase, ms")
	f.describeVarying(d.sketched(planPartitions), "partitions", partitions)
	f.Parameters["reproducible"] = "curves: yes; claims about planning: no, times depend on the machine and on what " +
		"else it does"
	without := f.line("DP", 0, partitions, f.millis(d.plain, "dp"))
	sketches := f.line("DP with sketches", 1, partitions, f.millis(d.sketched, "dp-sketch"))
	gain := f.dashed("what sketches gain", 2, partitions,
		func(p float64) samples { return without.At(p).Minus(sketches.At(p)) })
	known := 0 // partitions at which sketches gain for algorithms that know true times
	for _, p := range partitions {
		if f.costs(knownSketched(p), "dp-sketch").Mean() < f.costs(knownPlain(p), "dp").Mean() {
			known++
		}
	}
	first, last, few := gain.Points[0], gain.Points[len(gain.Points)-1], gain.Points[1]
	f.below("sketches reduce the time of the reduce phase at every number of partitions", sketches,
		[]report.Curve{without}, in("partitions"), "%.0f ms are gained at p = R, where only another hash than Hadoop's can "+
			"undo its skew, %.0f at %g. Where hashes spread keys evenly anyway rows differ little, and which is best is judged "+
			"by estimates: with true times sketches gain at %d of %d points", first.Mean(), last.Mean(), last.X, known,
		len(gain.Points))
	f.atLeast("the benefit of sketches grows with the partitions: ms at the most partitions less that at the fewest "+
		"beyond R", 0, 0, last.Samples.Minus(few.Samples), "with more partitions, any hash evens the keys out")
	at45, time45 := gain.At(planPartitions), without.At(planPartitions).Mean()
	if d.preset == twitterData.preset {
		f.atLeast(fmt.Sprintf("for Twitter the benefit exceeds 500 ms, in ms at %d partitions", planPartitions),
			sketchGain, 0, at45, "DP without sketches takes %.0f ms there and the best of its partitions can do is %.0f "+
				"(certified): there are no 500 ms to gain where Hadoop's hash is even. At p = R, where it is not, the benefit "+
				"is %.0f ms", time45, f.millisBound(d.best)(planPartitions).Mean(), first.Mean())
	} else {
		f.atMost(fmt.Sprintf("for jobs as short as YouTube's the benefit is less than the extra planning, the paper's %d "+
			"ms, in ms at %d partitions", planSketched-planPlain, planPartitions), planSketched-planPlain, 0, at45,
			"the reduce phase takes %.0f ms as a whole", time45)
	}
	return d.planningClaims(f, first.Samples)
}

// planningClaims compares how long dp takes to decide without and with sketches, and what they gain at p = R.
func (d realtimeData) planningClaims(f *figure, gained samples) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	plain, err := f.planning(d.plain(planPartitions), "dp")
	if err != nil {
		return err
	}
	sketched, err := f.planning(d.sketched(planPartitions), "dp-sketch")
	if err != nil {
		return err
	}
	times := float64(planSketched) / planPlain
	f.near(fmt.Sprintf("planning of %d partitions takes %.1f times as long with sketches", planPartitions, times), times,
		planTolerance, sketched.Over(plain), "ours is the time of deciding alone, estimates included, which sketches "+
			"multiply by their 8 rows less what is estimated once; the paper's 80 ms must hold much that does not depend on "+
			"rows, such as messages")
	f.atMost("ms to plan without sketches", planPlain, 0, plain, "processor time")
	f.atMost("ms to plan with sketches", planSketched, 0, sketched, "processor time")
	extra := sketched.Minus(plain)
	f.atLeast(fmt.Sprintf("mrsched: what sketches gain at p = R exceeds what they cost: ms of gain less ms of planning "+
		"at %d partitions", planPartitions), 0, 0, gained.Minus(extra), "planning takes %.2f ms more", extra.Mean())
	return nil
}

// planning is what an algorithm takes to decide, in milliseconds of processor time.
func (l *Lab) planning(s scenario, algorithm string) (times samples, err error) {
	for _, seed := range l.seeds {
		least := math.Inf(1)
		for range scaleRuns {
			o, err := l.opened(s, seed)
			if err != nil {
				return nil, err
			}
			r, ok := o.Run.(bareRun)
			if !ok {
				return nil, fmt.Errorf("%s proves bounds with every algorithm", l.problem.Name)
			}
			ms, err := processorTime(func() error {
				_, err := r.SolveBare(l.ctx, algorithm, s.options(seed))
				return err
			})
			if err != nil {
				return nil, err
			}
			least = min(least, ms)
		}
		times = append(times, least)
	}
	return times, l.ctx.Err()
}

func realtimeFig12(f *figure) error {
	d := twitterData
	if err := f.run(sweep(fig9Partitions, d.plain, d.sketched)...); err != nil {
		return err
	}
	f.axes("partitions", "reduce phase, ms")
	f.describeVarying(d.sketched(fig10Partitions), "partitions", fig9Partitions)
	lb := f.line("LB with sketches", 2, fig9Partitions, f.millis(d.sketched, "lb-sketch"))
	dp := f.line("DP with sketches", 0, fig9Partitions, f.millis(d.sketched, "dp-sketch"))
	plain := f.dashed("LB", 2, fig9Partitions, f.millis(d.plain, "lb"))
	f.below("with sketches too, DP takes less than LB at every number of partitions", dp, []report.Curve{lb},
		in("partitions"), "on average LB with sketches takes %.1f %% more", percentOver(means(lb), means(dp)))
	f.below("sketches reduce the time of LB", lb, []report.Curve{plain}, in("partitions"), "they do what they are for, "+
		"balance (at %d partitions %.1f %% instead of %.1f), but on unequal workers a more even share of the data is no "+
		"faster: it is the slowest worker's that counts", fig10Partitions, f.metric(d.sketched(fig10Partitions), "lb-sketch",
		"balance").Mean(), f.metric(d.plain(fig10Partitions), "lb", "balance").Mean())
	return nil
}
