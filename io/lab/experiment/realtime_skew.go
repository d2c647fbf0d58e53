package experiment

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"gonum.org/v1/gonum/stat"

	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/model"
	"mrsched/model/realtime"
)

// realtimeFig1 shows what Hadoop's hash makes of skewed data: by reducer, the one with the most data first, its share
// and its time, both in percent of the mean.
func realtimeFig1(l *Lab, f *report.Figure) error {
	s := youtubeData.partitioned(paperReducers, paperSkew, false, false, "hash")
	f.Source, f.XLabel, f.YLabel = realtimeSource+", Fig. 1", "reducers, by data", "% of the mean"
	describeRealtime(f, s, "seeds", l.seeds)
	data, times := report.Curve{Name: "data", Style: report.Main}, report.Curve{Name: "time", Style: report.Main, Color: 1}
	for k := range paperReducers {
		x := float64(k + 1)
		data.Points, times.Points = append(data.Points, report.Point{X: x}), append(times.Points, report.Point{X: x})
	}
	var skews, correlations, longest []float64
	for _, seed := range l.seeds {
		in, schedule, err := l.assigned(s, "hash", seed)
		if err != nil {
			return err
		}
		bytes, seconds := reducersOf(in, schedule)
		order := make([]int, len(bytes))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(bytes[b], bytes[a]) })
		meanBytes, meanSeconds := report.Mean(bytes), report.Mean(seconds)
		for k, i := range order {
			data.Points[k].Samples = append(data.Points[k].Samples, 100*bytes[i]/meanBytes)
			times.Points[k].Samples = append(times.Points[k].Samples, 100*seconds[i]/meanSeconds)
		}
		skews = append(skews, 100-100*meanBytes/slices.Max(bytes))
		correlations = append(correlations, stat.Correlation(bytes, seconds, nil))
		longest = append(longest, slices.Max(seconds)/meanSeconds)
	}
	f.Curves = append(f.Curves, data, times)
	f.Claims = append(f.Claims,
		report.Near("skewness of the partitions under Hadoop's hash, in %", paperSkew, 1, skews,
			"the figure states no number; that of Figs. 8 and 9 is taken"),
		report.AtLeast("the skewness affects the times of reduce tasks: correlation of data and time over the reducers "+
			"(at least 0.5)", 0.5, 0, correlations,
			"not 1, as the hash puts partitions on workers of any speed"),
		report.AtLeast("the load is imbalanced: longest time over the mean (at least 2, our reading)", 2, 0, longest,
			"the largest partition is five times the mean at 80 %"))
	return nil
}

// assigned is what one algorithm makes of a scenario's instance of a seed.
func (l *Lab) assigned(s scenario, algorithm string, seed uint64) (*realtime.Instance, *model.Schedule, error) {
	o, err := l.opened(s, seed)
	if err != nil {
		return nil, nil, err
	}
	a, ok := l.problem.Algorithm(algorithm)
	if !ok {
		return nil, nil, fmt.Errorf("%s has no algorithm %q", l.problem.Name, algorithm)
	}
	v, err := solveBare(l.ctx, o, a, s.options(seed))
	if err == nil {
		err = l.ctx.Err()
	}
	if err != nil {
		return nil, nil, err
	}
	return o.Run.View().(*realtime.Instance), v.Schedule, nil
}

// reducersOf are the data and the time of each reducer of a schedule, by slot.
func reducersOf(in *realtime.Instance, s *model.Schedule) (bytes, seconds []float64) {
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

// fig8Low is how much longer than without skew a reduce phase may take at 80 % and be called low.
const fig8Low = 1.5

// fig8Spread is a spread of speeds, in place of the preset's, at which the fastest worker bears the largest partition.
const fig8Spread = 0.7

// skewRuns are the measurements of Fig. 8.
type skewRuns struct {
	l *Lab
	d realtimeData
}

func (r skewRuns) plain(x float64) scenario {
	return r.d.partitioned(paperReducers, x, false, false, "dp", "hash")
}

func (r skewRuns) split(x, cost float64) scenario {
	s := r.d.partitioned(paperReducers, x, false, false, "skewtune")
	s.params = with(s.params, engine.Settings{"resplit-cost": number(cost)})
	return s
}

// unequal is on workers that differ more.
func (r skewRuns) unequal(x float64) scenario {
	return altered(r.plain(x), engine.Settings{"speed-spread": number(fig8Spread)})
}

func (d realtimeData) fig8(l *Lab, f *report.Figure) error {
	r := skewRuns{l, d}
	list := []scenario{r.unequal(0), r.unequal(paperSkew)}
	for _, x := range fig8Skews {
		list = append(list, r.plain(x), bestOf(r.plain(x)))
		for _, cost := range d.costs {
			list = append(list, r.split(x, cost))
		}
	}
	if err := l.run(list...); err != nil {
		return err
	}
	f.Source, f.XLabel, f.YLabel = realtimeSource+", Fig. 8", "skewness, %", "reduce phase, ms"
	describeRealtime(f, r.plain(0), "skew", fig8Skews)
	f.Parameters["resplit_cost"] = d.costs
	curve := func(name string, style report.Style, color int, at func(x float64) []float64) report.Curve {
		c := curveOver(name, style, color, fig8Skews, func(x float64) []float64 { return milliseconds(at(x)) })
		f.Curves = append(f.Curves, c)
		return c
	}
	dp := curve("DP", report.Main, 0, func(x float64) []float64 { return l.costs(r.plain(x), "dp") })
	hash := curve("Hadoop's hash", report.Main, 1, func(x float64) []float64 { return l.costs(r.plain(x), "hash") })
	var tuned []report.Curve
	for i, cost := range d.costs {
		tuned = append(tuned, curve(fmt.Sprintf("SkewTune, %g s a split", cost), report.Alternative, 2+i,
			func(x float64) []float64 { return l.costs(r.split(x, cost), "skewtune") }))
	}
	most := curve("best (ours), whole partitions", report.Main, 6,
		func(x float64) []float64 { return l.costs(bestOf(r.plain(x)), "best") })
	bound := curve("bound of whole partitions", report.Alternative, 6,
		func(x float64) []float64 { return l.bounds(bestOf(r.plain(x)), "best") })
	r.claims(f, dp, hash, bound, tuned)
	f.Claims = append(f.Claims, noHigher("mrsched: best is nowhere slower than DP or Hadoop's hash", most,
		[]report.Curve{dp, hash}, "%",
		fmt.Sprintf("DP is %.1f %% above best at 40 %% and %.1f %% at 80 %%; best is at most %.2f %% above the bound",
			over(dp.At(40), most.At(40)), over(dp.At(paperSkew), most.At(paperSkew)), gap(most, bound))))
	return nil
}

// claims judges what the paper says of the figure.
func (r skewRuns) claims(f *report.Figure, dp, hash, bound report.Curve, tuned []report.Curve) {
	where := func(x float64) string { return at(x, "%") }
	last, none := dp.At(paperSkew), dp.At(0)
	unequal := report.Quotient(r.l.costs(r.unequal(paperSkew), "dp"), r.l.costs(r.unequal(0), "dp"))
	f.Claims = append(f.Claims,
		report.Below("DP takes less than Hadoop's hash at every skewness", dp, []report.Curve{hash}, where,
			"p = R = 23: one partition a reducer under hash; DP may leave slow workers out"),
		report.Below("DP takes less than SkewTune, whose repartitioning does not pay for short jobs, at every skewness", dp,
			tuned[slices.Index(r.d.costs, hadoopSplit):][:1], where,
			fmt.Sprintf("the paper does not say what a split takes: %d s is our assumption, where a reducer takes %g s on "+
				"average. Pieces of a partition are worked off side by side, as no assignment of whole ones can be: at %d %% DP "+
				"is the better one if a split takes %s",
				hadoopSplit, r.d.even, paperSkew, r.d.breakEven(dp, tuned))),
		report.AtMost(fmt.Sprintf("DP keeps the reduce phase low even at 80 %%: times that without skew (at most %g, our "+
			"reading)", fig8Low), fig8Low, 0, report.Quotient(last, none),
			fmt.Sprintf("at 80 %% and p = R the largest of 23 partitions holds %.1f %% of the data, and on the fastest "+
				"worker alone takes the certified bound of %.0f ms, %.1f times DP's time without skew: no assignment of whole "+
				"partitions is faster. "+
				"Speeds spread by 0.3 here, as Fig. 10 asks for; the more they do, the more the fastest worker bears",
				100/(paperReducers*(1-paperSkew/100.0)), report.Mean(bound.At(paperSkew)),
				report.Mean(bound.At(paperSkew))/report.Mean(none))),
		report.AtMost(fmt.Sprintf("and if speeds spread by %g", fig8Spread), fig8Low, 0, unequal,
			"the standard deviation of their logarithms"))
}

// breakEven says how long splits take where SkewTune's time at 80 % passes DP's.
func (d realtimeData) breakEven(dp report.Curve, tuned []report.Curve) string {
	limit, below := report.Mean(dp.At(paperSkew)), ""
	for i, c := range tuned {
		if report.Mean(c.At(paperSkew)) > limit {
			if below == "" {
				return number(d.costs[i]) + " s or less"
			}
			return "more than some time between " + below + " and " + number(d.costs[i]) + " s"
		}
		below = number(d.costs[i])
	}
	return "more than " + below + " s"
}
