package experiment

import (
	"fmt"
	"maps"

	"mrsched/io/engine"
	"mrsched/io/report"
)

// realtimePaper is the DynamicShare paper; names with -youtube are figures for its other job; realtime-bound is
// mrsched's own.
var realtimePaper = paper{"realtime", "DynamicShare", []entry{
	{"realtime-fig1", "Partition sizes and reduce times under Hadoop's hash", "Fig. 1", realtimeFig1},
	{"realtime-fig4", "Estimated against actual times as past runs accumulate", "Fig. 4", realtimeFig4},
	{"realtime-fig5", "Deadline misses against concurrent jobs, Twitter", "Fig. 5", twitterData.fig5},
	{"realtime-fig5-youtube", "Deadline misses against concurrent jobs, YouTube", "Fig. 5", youtubeData.fig5},
	{"realtime-fig6", "Laxities of one job's tasks, and the workers found overloaded", "Fig. 6", realtimeFig6},
	{"realtime-fig7", "Time of the Local Outlier Factor against tasks", "Fig. 7", realtimeFig7},
	{"realtime-fig8", "Reduce phase against skewness, Twitter", "Fig. 8", twitterData.fig8},
	{"realtime-fig8-youtube", "Reduce phase against skewness, YouTube", "Fig. 8", youtubeData.fig8},
	{"realtime-fig9", "Reduce phase against partitions, Twitter", "Fig. 9", twitterData.fig9},
	{"realtime-fig9-youtube", "Reduce phase against partitions, YouTube", "Fig. 9", youtubeData.fig9},
	{"realtime-fig10", "Balance against partitions, Twitter", "Fig. 10", realtimeFig10},
	{"realtime-fig11", "DP with and without sketches, Twitter", "Fig. 11", twitterData.fig11},
	{"realtime-fig11-youtube", "DP with and without sketches, YouTube", "Fig. 11", youtubeData.fig11},
	{"realtime-fig12", "DP and LB with sketches, Twitter", "Fig. 12", realtimeFig12},
	{"realtime-bound", "How far assignments are from the bound of R||Cmax", "", realtimeBound},
}}

// Reducers of a job of both presets, and the paper's figures for their data and for the curves at fig10Partitions.
const (
	paperReducers   = 23
	paperSkew       = 80 // percent
	fig10Partitions = 40
)

// fewIterations lets best search for a tenth of the time; realtime-bound shows what that leaves open.
const fewIterations = 100

// fewRuns are fewer past runs of each worker than the presets' 100.
const fewRuns = 10

// sketchKeys are the keys of which partitions are made where sketches are requested: those of preset twitter.
const sketchKeys = "2000"

// realtimeData is one of the paper's two jobs.
type realtimeData struct {
	preset string
	// even is how many seconds the preset takes for a reducer with an even share of the data at mean speed.
	even float64
	// costs are what a split of skewtune may take, in seconds, hadoopSplit among them.
	costs []float64
	// keyed says that the partitions of fig9 are made of keys, by Hadoop's hash for any number of partitions.
	keyed bool
	// bestAt are the numbers of partitions for which best and its bound are worth their time.
	bestAt []float64
}

// hadoopSplit is the split time, in seconds, of the paper's SkewTune. The paper does not state it; this is our
// assumption for asking all reducers and starting new ones in the Hadoop of its time.
const hadoopSplit = 2

var (
	twitterData = realtimeData{preset: "twitter", even: 1.4, costs: []float64{0.1, 0.5, hadoopSplit, 5}, keyed: true,
		bestAt: []float64{25, 30, 40, 60}}
	youtubeData = realtimeData{preset: "youtube", even: 0.11, costs: []float64{0.01, 0.05, 0.2, hadoopSplit},
		bestAt: fig9Partitions}
)

// fig9Partitions are the numbers of partitions of Figs. 9–12. The paper leaves out p = R for lb, where it equals hash.
var fig9Partitions = []float64{25, 30, 35, 40, 45, 50, 60}

// partitioned is the reduce phase of one job under algorithms. Without sketched there are no sketches.
func (d realtimeData) partitioned(partitions, skew float64, keyed, sketched bool, algorithms ...string) scenario {
	s := scenario{preset: d.preset, bare: true, algorithms: algorithms, params: engine.Settings{"goal": "partitions"},
		generate: engine.Settings{"jobs": "1", "keys": "0", "partitions": number(partitions), "skew": number(skew)}}
	if keyed {
		s.generate["keys"] = sketchKeys
	}
	if !sketched {
		s.params["sketch-delta"] = "0"
	}
	return s
}

// plain is lb and dp without sketches.
func (d realtimeData) plain(partitions float64) scenario {
	return d.partitioned(partitions, paperSkew, d.keyed, false, "lb", "dp")
}

// sketched chooses among the rows of sketches.
func (d realtimeData) sketched(partitions float64) scenario {
	return d.partitioned(partitions, paperSkew, true, true, "lb-sketch", "dp-sketch")
}

// best is the same as plain under best alone, with the bound.
func (d realtimeData) best(partitions float64) scenario { return bestOf(d.plain(partitions)) }

// learned is dp with fewer past runs.
func (d realtimeData) learned(partitions float64) scenario {
	s := d.plain(partitions).generating(engine.Settings{"history-runs": number(fewRuns)})
	s.algorithms = []string{"dp"}
	return s
}

// bestOf is the same instance under best alone, with the bound.
func bestOf(s scenario) scenario {
	s.bare, s.iterations, s.algorithms = false, fewIterations, []string{"best"}
	return s
}

// knowing is a scenario whose algorithms know the true times.
func knowing(s scenario) scenario { return s.using(engine.Settings{"estimates": "true"}) }

// describeVarying states what was run over the values of one setting.
func (f *figure) describeVarying(s scenario, vary string, values any) {
	s.generate = maps.Clone(s.generate)
	delete(s.generate, vary)
	f.describe(s)
	f.Parameters[vary] = values
}

// millis reads an algorithm's costs along an axis, in milliseconds.
func (l *Lab) millis(at func(x float64) scenario, algorithm string) func(x float64) samples {
	return func(x float64) samples { return l.costs(at(x), algorithm).Times(1000) }
}

// millisBound reads the bounds of best.
func (l *Lab) millisBound(at func(x float64) scenario) func(x float64) samples {
	return func(x float64) samples { return l.bounds(at(x), "best").Times(1000) }
}

// sweep lists scenarios at every position of an axis.
func sweep(xs []float64, at ...func(x float64) scenario) (list []scenario) {
	for _, x := range xs {
		for _, s := range at {
			list = append(list, s(x))
		}
	}
	return list
}

// boundPartitions are those of realtime-bound, bars of which each has a name.
var boundPartitions = []int{23, 30, 40, 60, 80, 100, 300, 1000}

// What mrsched promises at boundPartitions: percent above the bound for the most partitions, and the factor that is
// proven.
const (
	boundBest = 1
	boundLST  = 2
)

// realtimeBound compares assignments with the certified bound. Sizes are those of the preset and speeds do not depend
// on seeds: seeds differ in the order of the partition sizes, hence in ties, and in the history from which dp learns.
func realtimeBound(f *figure) error {
	at := func(p int, skew float64) scenario {
		s := youtubeData.partitioned(float64(p), skew, false, false, "best", "lst", "dp", "lb")
		s.bare, s.iterations = false, fewIterations
		return s
	}
	var list []scenario
	for _, p := range boundPartitions {
		list = append(list, at(p, paperSkew), at(p, 0))
		f.Groups = append(f.Groups, fmt.Sprint(p))
	}
	if err := f.run(list...); err != nil {
		return err
	}
	f.Source = "mrsched's own; bounds: Lenstra, Shmoys, Tardos 1990, and prices of partitions and of slots"
	f.axes("partitions", "% above the certified bound")
	f.describeVarying(at(fig10Partitions, paperSkew), "partitions", boundPartitions)
	f.setParameters(map[string]any{"skew": []float64{0, paperSkew}, "iterations": fewIterations})
	xs := positions(len(boundPartitions))
	above := func(algorithm string,
		skew float64) func(x float64) samples {
		return func(x float64) samples {
			return f.ratios(at(boundPartitions[int(x)], skew), algorithm).Plus(-1).Times(100)
		}
	}
	best := f.line("best, 80 % skewness", 5, xs, above("best", paperSkew))
	even := f.dashed("best, no skewness", 5, xs, above("best", 0))
	dp := f.line("DP, 80 %", 0, xs, above("dp", paperSkew))
	lst := f.line("LST rounding, 80 %", 2, xs, above("lst", paperSkew))
	lstEven := f.dashed("LST rounding, no skewness", 2, xs, above("lst", 0))
	lb := f.line("LB, 80 %", 3, xs, above("lb", paperSkew))
	last := float64(len(xs) - 1)
	most := boundPartitions[len(xs)-1]
	worst := extreme(extremeCurve([]report.Curve{lst, lstEven}, 1, last), 1)
	f.atMost(fmt.Sprintf("best is within 1 %% of the bound at %d partitions and 80 %% skewness, in %%", most), boundBest,
		0, best.At(last), "%d iterations; without skewness %.2f %%", fewIterations, even.At(last).Mean())
	f.atMost("and at every point of the figure, in % where it is farthest", boundBest, 0,
		extreme(extremeCurve([]report.Curve{best, even}, 1, last), 1).Samples, "without skewness, %d partitions: all "+
			"are alike there and largest first is optimal for those who know true times, as best does, so what is left is "+
			"the bound's", most)
	f.atMost("the rounding of Lenstra, Shmoys and Tardos is never above twice the bound, in % above it where it is "+
		"farthest", 100*(boundLST-1), 0, worst.Samples, "at %s partitions", f.Groups[int(worst.X)])
	f.noHigher("best is nowhere slower than DP, LB or LST rounding", best, []report.Curve{dp, lb, lst}, "(position)",
		"farthest from the bound: DP %.1f %%, LB %.1f %%, LST %.1f %%", extreme(dp, 1).Mean(), extreme(lb, 1).Mean(),
		extreme(lst, 1).Mean())
	return nil
}
