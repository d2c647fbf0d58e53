package experiment

import (
	"fmt"
	"slices"
	"strconv"

	"mrsched/io/engine"
	"mrsched/io/report"
)

// What the paper says at fig10Partitions: percent of balance and milliseconds of the reduce phase, and how far ours may
// lie from them to be called the same.
const (
	fig10LB, fig10DP         = 90, 64
	fig10LBTime, fig10DPTime = 2800, 1900
	fig10Percent             = 5
	fig10Share               = 0.1
)

// partitionRuns are the measurements of Figs. 9, 10 and 12.
type partitionRuns struct {
	l *Lab
	d realtimeData
}

// plain is lb and dp without sketches.
func (r partitionRuns) plain(partitions int) scenario {
	return r.d.partitioned(partitions, paperSkew, r.d.keyed, false, "lb", "dp")
}

// sketched chooses among the rows of sketches.
func (r partitionRuns) sketched(partitions int) scenario {
	return r.d.partitioned(partitions, paperSkew, true, true, "lb-sketch", "dp-sketch")
}

// learned is dp with other past runs.
func (r partitionRuns) learned(partitions, runs int) scenario {
	s := r.plain(partitions)
	s.algorithms = []string{"dp"}
	return altered(s, engine.Settings{"history-runs": strconv.Itoa(runs)})
}

// hadoop is hash with as many partitions as reducers.
func (r partitionRuns) hadoop() scenario {
	return r.d.partitioned(paperReducers, paperSkew, r.d.keyed, false, "hash")
}

// fewRuns are fewer past runs of each worker than the presets' 100.
const fewRuns = 10

// curve adds milliseconds over partitions.
func (r partitionRuns) curve(f *report.Figure, name string, style report.Style, color int, partitions []int,
	at func(p int) []float64) report.Curve {
	c := curveOver(name, style, color, floats(partitions), func(x float64) []float64 { return milliseconds(at(int(x))) })
	f.Curves = append(f.Curves, c)
	return c
}

func (d realtimeData) fig9(l *Lab, f *report.Figure) error {
	r := partitionRuns{l, d}
	list := []scenario{r.hadoop()}
	for _, p := range fig9Partitions {
		list = append(list, r.plain(p), r.learned(p, fewRuns))
		if slices.Contains(d.bestAt, p) {
			list = append(list, bestOf(r.plain(p)))
		}
	}
	if err := l.run(list...); err != nil {
		return err
	}
	f.Source, f.XLabel, f.YLabel = realtimeSource+", Fig. 9", "partitions", "reduce phase, ms"
	describeRealtime(f, r.plain(fig10Partitions), "partitions", fig9Partitions)
	hash := r.curve(f, fmt.Sprintf("Hadoop's hash, %d partitions", paperReducers), report.Alternative, 1, fig9Partitions,
		func(int) []float64 { return l.costs(r.hadoop(), "hash") })
	lb := r.curve(f, "LB", report.Main, 2, fig9Partitions, func(p int) []float64 { return l.costs(r.plain(p), "lb") })
	dp := r.curve(f, "DP", report.Main, 0, fig9Partitions, func(p int) []float64 { return l.costs(r.plain(p), "dp") })
	few := r.curve(f, fmt.Sprintf("DP, %d past runs a worker", fewRuns), report.Alternative, 0, fig9Partitions,
		func(p int) []float64 { return l.costs(r.learned(p, fewRuns), "dp") })
	most := r.curve(f, "best (ours)", report.Main, 5, d.bestAt, func(p int) []float64 {
		return l.costs(bestOf(r.plain(p)),
			"best")
	})
	bound := r.curve(f, "bound", report.Alternative, 6, d.bestAt,
		func(p int) []float64 { return l.bounds(bestOf(r.plain(p)), "best") })
	where := func(x float64) string { return at(x, "partitions") }
	learning := fmt.Sprintf("DP believes estimates from 100 past runs a worker; with %d it takes %+.1f %%, on average "+
		"over the partitions (realtime-fig4 has the estimates)", fewRuns, over(means(few), means(dp)))
	f.Claims = append(f.Claims,
		report.Below("DP takes less than LB at every number of partitions", dp, []report.Curve{lb}, where, learning),
		report.Below("LB takes less than default Hadoop with p = R", lb, []report.Curve{hash}, where, d.whyLB()),
		report.Below("DP takes less than default Hadoop with p = R", dp, []report.Curve{hash}, where, ""),
		noHigher("mrsched: best is nowhere slower than DP or LB", most, []report.Curve{dp, lb}, "partitions",
			fmt.Sprintf("DP is on average %.1f %% above best, LB %.1f %%; best is at most %.2f %% above the bound",
				over(means(shared(dp, most)), means(most)), over(means(shared(lb, most)), means(most)), gap(most, bound))))
	return nil
}

// whyLB says what LB can even out.
func (d realtimeData) whyLB() string {
	if d.keyed {
		return "another number of partitions puts keys together anew, evenly so, and they can be dealt out; Hadoop leaves " +
			"the largest to any worker"
	}
	return "partitions are 80 % skewed whatever their number here, so that the largest holds 5/p of the data; LB " +
		"leaves it to the first worker, whatever its speed, as Hadoop does to any"
}

// means are the means of a curve's points.
func means(c report.Curve) (list []float64) {
	for _, p := range c.Points {
		list = append(list, p.Mean())
	}
	return list
}

// shared is the part of a curve that lies at positions of another.
func shared(c, at report.Curve) report.Curve {
	c.Points = slices.DeleteFunc(slices.Clone(c.Points), func(p report.Point) bool { return at.At(p.X) == nil })
	return c
}

// gap is by how many percent a curve's means are at most above another's.
func gap(c, lower report.Curve) (most float64) {
	for _, p := range c.Points {
		if v := lower.At(p.X); v != nil {
			most = max(most, over(p.Samples, v))
		}
	}
	return most
}

func realtimeFig10(l *Lab, f *report.Figure) error {
	r := partitionRuns{l, twitterData}
	list := []scenario{knowing(r.plain(fig10Partitions)), r.learned(fig10Partitions, fewRuns)}
	for _, p := range fig9Partitions {
		list = append(list, r.plain(p))
		if slices.Contains(r.d.bestAt, p) {
			list = append(list, bestOf(r.plain(p)))
		}
	}
	if err := l.run(list...); err != nil {
		return err
	}
	f.Source, f.XLabel, f.YLabel = realtimeSource+", Fig. 10", "partitions", "balance of the reducers' data, %"
	describeRealtime(f, r.plain(fig10Partitions), "partitions", fig9Partitions)
	lb := curveOver("LB", report.Main, 2, floats(fig9Partitions),
		func(x float64) []float64 { return l.metric(r.plain(int(x)), "lb", "balance") })
	dp := curveOver("DP", report.Main, 0, floats(fig9Partitions),
		func(x float64) []float64 { return l.metric(r.plain(int(x)), "dp", "balance") })
	most := curveOver("best (ours)", report.Main, 5, floats(r.d.bestAt),
		func(x float64) []float64 { return l.metric(bestOf(r.plain(int(x))), "best", "balance") })
	f.Curves = append(f.Curves, lb, dp, most)
	published(f, "LB", 2, map[float64]float64{fig10Partitions: fig10LB})
	published(f, "DP", 0, map[float64]float64{fig10Partitions: fig10DP})
	plain := r.plain(fig10Partitions)
	dpTime, trueTime, fewTime := milliseconds(l.costs(plain, "dp")),
		milliseconds(l.costs(knowing(r.plain(fig10Partitions)), "dp")), milliseconds(l.costs(r.learned(fig10Partitions,
			fewRuns), "dp"))
	where := fmt.Sprintf("at %d partitions, ", fig10Partitions)
	f.Claims = append(f.Claims,
		report.Near(where+"balance of LB, in %", fig10LB, fig10Percent, lb.At(fig10Partitions),
			fmt.Sprintf("follows from the sizes of the partitions alone. The 80 %% skewness of the paper must be that of "+
				"Hadoop's p = R: of %d partitions with it the largest would hold 5/%d of the data, and no assignment balance "+
				"more than %.1f %%. Theirs is %.1f %% here",
				fig10Partitions, fig10Partitions, (100-paperSkew)*float64(fig10Partitions)/paperReducers,
				report.Mean(l.metric(plain, "lb", "skewness")))),
		report.Near(where+"balance of DP, in %", fig10DP, fig10Percent, dp.At(fig10Partitions),
			fmt.Sprintf("the more workers differ, the less even; best balances %.1f %%, so that is what these workers ask for",
				report.Mean(most.At(fig10Partitions)))),
		report.Near(where+"reduce phase of LB, in ms", fig10LBTime, fig10Share*fig10LBTime,
			milliseconds(l.costs(plain, "lb")), "the preset's 1.4 s for an even share is chosen to that end"),
		report.Near(where+"reduce phase of DP, in ms", fig10DPTime, fig10Share*fig10DPTime, dpTime,
			fmt.Sprintf("100 past runs a worker; with %d it takes %.0f ms, with true times %.0f: the rest is what k-NN "+
				"estimates cost", fewRuns, report.Mean(fewTime), report.Mean(trueTime))),
		report.Near(where+"reduce phase of DP if it knows true times, in ms", fig10DPTime, fig10Share*fig10DPTime,
			trueTime, ""),
		report.Below("DP is less balanced than LB, and faster, at every number of partitions: balance", dp,
			[]report.Curve{lb}, func(x float64) string { return at(x, "partitions") }, "times: realtime-fig9"))
	return nil
}

func realtimeFig12(l *Lab, f *report.Figure) error {
	r := partitionRuns{l, twitterData}
	var list []scenario
	for _, p := range fig9Partitions {
		list = append(list, r.plain(p), r.sketched(p))
	}
	if err := l.run(list...); err != nil {
		return err
	}
	f.Source, f.XLabel, f.YLabel = realtimeSource+", Fig. 12", "partitions", "reduce phase, ms"
	describeRealtime(f, r.sketched(fig10Partitions), "partitions", fig9Partitions)
	lb := r.curve(f, "LB with sketches", report.Main, 2, fig9Partitions,
		func(p int) []float64 { return l.costs(r.sketched(p), "lb-sketch") })
	dp := r.curve(f, "DP with sketches", report.Main, 0, fig9Partitions,
		func(p int) []float64 { return l.costs(r.sketched(p), "dp-sketch") })
	plain := r.curve(f, "LB", report.Alternative, 2, fig9Partitions, func(p int) []float64 {
		return l.costs(r.plain(p),
			"lb")
	})
	where := func(x float64) string { return at(x, "partitions") }
	balance := func(name string, s scenario) float64 { return report.Mean(l.metric(s, name, "balance")) }
	f.Claims = append(f.Claims,
		report.Below("with sketches too, DP takes less than LB at every number of partitions", dp, []report.Curve{lb}, where,
			fmt.Sprintf("on average LB with sketches takes %.1f %% more", over(means(lb), means(dp)))),
		report.Below("sketches reduce the time of LB", lb, []report.Curve{plain}, where,
			fmt.Sprintf("they do what they are for, balance (at %d partitions %.1f %% instead of %.1f), but on unequal "+
				"workers a more even share of the data is no faster: it is the slowest worker's that counts",
				fig10Partitions, balance("lb-sketch", r.sketched(fig10Partitions)), balance("lb", r.plain(fig10Partitions)))))
	return nil
}
