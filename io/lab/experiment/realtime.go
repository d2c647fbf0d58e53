package experiment

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"mrsched/io/engine"
	"mrsched/model"
	"mrsched/model/realtime"
)

// What several figures show.
const (
	reducePhase = "reduce phase, ms"
	misses      = "jobs that miss their deadlines, %"
)

// realtimePaper is the DynamicShare paper; names with -youtube are figures for its other job.
var realtimePaper = paper{"realtime", "DynamicShare", []entry{
	{"realtime-fig1", "Partition sizes and reduce times under Hadoop's hash", "Fig. 1", "reducers, by data",
		"% of the mean", realtimeFig1},
	{"realtime-fig4", "Estimated against actual times as past runs accumulate", "Fig. 4", "past runs on the worker",
		"estimate over actual time", realtimeFig4},
	{"realtime-fig5", "Deadline misses against concurrent jobs, Twitter", "Fig. 5", "concurrent jobs", misses,
		twitter.fig5},
	{"realtime-fig5-youtube", "Deadline misses against concurrent jobs, YouTube", "Fig. 5", "concurrent jobs", misses,
		youtube.fig5},
	{"realtime-fig6", "Laxities of one job's tasks, and the workers found overloaded", "Fig. 6", "workers, by laxity",
		"laxity of the job's task there, ms", realtimeFig6},
	{"realtime-fig8", "Reduce phase against skewness, Twitter", "Fig. 8", "skewness, %", reducePhase, twitter.fig8},
	{"realtime-fig8-youtube", "Reduce phase against skewness, YouTube", "Fig. 8", "skewness, %", reducePhase,
		youtube.fig8},
	{"realtime-fig9", "Reduce phase against partitions, Twitter", "Fig. 9", "partitions", reducePhase, twitter.fig9},
	{"realtime-fig9-youtube", "Reduce phase against partitions, YouTube", "Fig. 9", "partitions", reducePhase,
		youtube.fig9},
	{"realtime-fig10", "Balance against partitions, Twitter", "Fig. 10", "partitions", "balance of the reducers' data, %",
		twitter.fig10},
	{"realtime-fig11", "DP with and without sketches, Twitter", "Fig. 11", "partitions", reducePhase, twitter.fig11},
	{"realtime-fig11-youtube", "DP with and without sketches, YouTube", "Fig. 11", "partitions", reducePhase,
		youtube.fig11},
	{"realtime-fig12", "DP and LB with sketches, Twitter", "Fig. 12", "partitions", reducePhase, twitter.fig12},
}}

// Reducers of a job of both presets, the paper's skew in percent, and the partitions at which it states figures.
const (
	paperReducers   = 23
	paperSkew       = 80
	fig10Partitions = 40
)

// realtimeData is one of the paper's two jobs. If keyed, the partitions of fig9 are made of keys, by Hadoop's hash for
// any number of partitions.
type realtimeData struct {
	preset string
	keyed  bool
}

// hadoopSplit is the split time, in seconds, of the paper's SkewTune, which it does not state: our assumption for
// asking all reducers and starting new ones in the Hadoop of its time.
const hadoopSplit = 2

// fig9Partitions are the numbers of partitions of Figs. 9–12. The paper leaves out p = R for lb, where it equals hash.
var fig9Partitions = []float64{25, 30, 35, 40, 45, 50, 60}

var (
	twitter = realtimeData{"twitter", true}
	youtube = realtimeData{"youtube", false}
)

// partitioned is the reduce phase of one job. Without keys the skew is that of the partitions; sketches need keys.
func (d realtimeData) partitioned(partitions, skew float64, keyed bool) scenario {
	s := scenario{preset: d.preset, params: engine.Settings{"goal": "partitions", "sketch-delta": "0"},
		generate: engine.Settings{"jobs": "1", "keys": "0", "partitions": number(partitions), "skew": number(skew)}}
	if keyed {
		s.generate["keys"] = "2000" // as in preset twitter
	}
	return s
}

// plain is the paper's skew without sketches.
func (d realtimeData) plain(partitions float64) scenario {
	return d.partitioned(partitions, paperSkew, d.keyed)
}

// sketched chooses among the rows of sketches.
func (d realtimeData) sketched(partitions float64) scenario {
	s := d.partitioned(partitions, paperSkew, true)
	delete(s.params, "sketch-delta")
	return s
}

// millis reads an algorithm's costs along an axis, in milliseconds.
func (l *Lab) millis(at func(x float64) scenario, algorithm string) values {
	return func(x float64) samples { return l.costs(at(x), algorithm).Times(1000) }
}

// realtimeFig1 shows how Hadoop's hash distributes skewed data: by reducer, the one with the most data first, its share
// and its time, both in percent of the mean.
func realtimeFig1(f *figure) {
	s := youtube.partitioned(paperReducers, paperSkew, false)
	over := func(what func(reducers) float64) samples {
		return f.each(s, "hash", func(r reading) float64 { return what(r.reducers) })
	}
	ranks := steps(1, 1, paperReducers)
	f.line("data", 0, ranks, func(k float64) samples {
		return over(func(x reducers) float64 { return 100 * x.bytes[int(k)-1] / x.bytes.Mean() })
	})
	f.line("time", 1, ranks, func(k float64) samples {
		return over(func(x reducers) float64 { return 100 * x.seconds[int(k)-1] / x.seconds.Mean() })
	})
	f.claim(fitted+"skewness of the partitions under Hadoop's hash, in %", near(paperSkew, 1),
		over(func(x reducers) float64 { return 100 - 100*x.bytes.Mean()/slices.Max(x.bytes) }))
	f.claim("the skewness affects the times of reduce tasks: correlation of data and time over the reducers (at least "+
		"0.5)", atLeast(0.5, 0), over(func(x reducers) float64 { return stat.Correlation(x.bytes, x.seconds, nil) }))
	f.claim("the load is imbalanced: longest time over the mean (at least 2, our reading)", atLeast(2, 0),
		over(func(x reducers) float64 { return slices.Max(x.seconds) / x.seconds.Mean() }))
}

// reducers are the data and the time of each reducer of a schedule, the most data first, ties by slot.
type reducers struct{ bytes, seconds samples }

func reducersOf(in *realtime.Instance, s *model.Schedule) (x reducers) {
	data, times := map[int32]float64{}, map[int32]float64{}
	for _, e := range s.Entries {
		data[e.Machine] += float64(in.Bytes[e.Task])
		times[e.Machine] += (e.End - e.Start).Seconds()
	}
	slots := slices.Sorted(maps.Keys(data))
	slices.SortStableFunc(slots, func(a, b int32) int { return cmp.Compare(data[b], data[a]) })
	for _, slot := range slots {
		x.bytes, x.seconds = append(x.bytes, data[slot]), append(x.seconds, times[slot])
	}
	return x
}

// fig8Low is the factor by which a reduce phase at paperSkew may exceed one without skew and still count as low.
const fig8Low = 1.5

// fig8Skews are the skewness values of Fig. 8, in percent.
var fig8Skews = steps(0, 10, paperSkew)

func (d realtimeData) fig8(f *figure) {
	plain := func(x float64) scenario { return d.partitioned(paperReducers, x, false) }
	dp := f.line("DP", 0, fig8Skews, f.millis(plain, "dp"))
	hash := f.line("Hadoop's hash", 1, fig8Skews, f.millis(plain, "hash"))
	tuned := f.line(fmt.Sprintf("SkewTune, %d s a split", hadoopSplit), 2, fig8Skews, f.millis(func(x float64) scenario {
		return plain(x).using(engine.Settings{"resplit-cost": strconv.Itoa(hadoopSplit)})
	}, "skewtune"))
	f.below("DP takes less than Hadoop's hash at every skewness", dp, hash)
	f.below("DP takes less than SkewTune, whose repartitioning does not pay for short jobs, at every skewness", dp, tuned)
	f.claim(fmt.Sprintf(ours+"DP keeps the reduce phase low even at 80 %%: times that without skew "+
		"(at most %g, our reading)", fig8Low), atMost(fig8Low, 0), dp.At(paperSkew).Over(dp.At(0)))
}

func (d realtimeData) fig9(f *figure) {
	// hadoop is hash with as many partitions as reducers.
	hadoop := func(float64) scenario { return d.plain(paperReducers) }
	hash := f.dashed(fmt.Sprintf("Hadoop's hash, %d partitions", paperReducers), 1, fig9Partitions,
		f.millis(hadoop, "hash"))
	lb := f.line("LB", 2, fig9Partitions, f.millis(d.plain, "lb"))
	dp := f.line("DP", 0, fig9Partitions, f.millis(d.plain, "dp"))
	f.below("DP takes less than LB at every number of partitions", dp, lb)
	f.below("LB takes less than default Hadoop with p = R", lb, hash)
	f.below("DP takes less than default Hadoop with p = R", dp, hash)
}

// fig10 has the paper's figures at fig10Partitions: percent of balance and milliseconds of the reduce phase. They are
// equal to ours within five points or a tenth.
func (d realtimeData) fig10(f *figure) {
	balance := func(at func(x float64) scenario, algorithm string) values {
		return func(x float64) samples { return f.metric(at(x), algorithm, "balance") }
	}
	lb := f.line("LB", 2, fig9Partitions, balance(d.plain, "lb"))
	dp := f.line("DP", 0, fig9Partitions, balance(d.plain, "dp"))
	f.marks("LB", 2, map[float64]float64{fig10Partitions: 90})
	f.marks("DP", 0, map[float64]float64{fig10Partitions: 64})
	where, plain := fmt.Sprintf("at %d partitions, ", fig10Partitions), d.plain(fig10Partitions)
	f.claim(fitted+where+"balance of LB, in %", near(90, 5), lb.At(fig10Partitions))
	f.claim(where+"balance of DP, in %", near(64, 5), dp.At(fig10Partitions))
	f.claim(fitted+where+"reduce phase of LB, in ms", near(2800, 280), f.costs(plain, "lb").Times(1000))
	f.claim(where+"reduce phase of DP, in ms", near(1900, 190), f.costs(plain, "dp").Times(1000))
	f.below("DP is less balanced than LB, and faster, at every number of partitions: balance", dp, lb)
}

// The paper's figures for planning, in milliseconds.
const (
	planPartitions = 45
	planPlain      = 80
	planSketched   = 200
)

// fig11 includes p = R, where Hadoop's hash alone causes the skew.
func (d realtimeData) fig11(f *figure) {
	d.keyed = true
	partitions := append([]float64{paperReducers}, fig9Partitions...)
	without := f.line("DP", 0, partitions, f.millis(d.plain, "dp"))
	sketches := f.line("DP with sketches", 1, partitions, f.millis(d.sketched, "dp-sketch"))
	gain := f.dashed("what sketches gain", 2, partitions,
		func(p float64) samples { return without.At(p).Minus(sketches.At(p)) })
	f.below("sketches reduce the time of the reduce phase at every number of partitions", sketches, without)
	f.minus("the benefit of sketches grows with the partitions: ms at the most partitions less that at the fewest "+
		"beyond R", atLeast(0, 0), gain.At(partitions[len(partitions)-1]), gain.At(partitions[1]))
	if d.preset == twitter.preset {
		f.claim(fmt.Sprintf("for Twitter the benefit exceeds 500 ms, in ms at %d partitions", planPartitions),
			atLeast(500, 0), gain.At(planPartitions))
	} else {
		f.claim(fmt.Sprintf("for jobs as short as YouTube's the benefit is less than the extra planning, the paper's %d ms, "+
			"in ms at %d partitions", planSketched-planPlain, planPartitions), atMost(planSketched-planPlain, 0),
			gain.At(planPartitions))
	}
}

func (d realtimeData) fig12(f *figure) {
	lb := f.line("LB with sketches", 2, fig9Partitions, f.millis(d.sketched, "lb-sketch"))
	dp := f.line("DP with sketches", 0, fig9Partitions, f.millis(d.sketched, "dp-sketch"))
	plain := f.dashed("LB", 2, fig9Partitions, f.millis(d.plain, "lb"))
	f.below("with sketches too, DP takes less than LB at every number of partitions", dp, lb)
	f.below("sketches reduce the time of LB", lb, plain)
}
