package experiment

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/model"
)

const realtimeSource = "DynamicShare"

// realtimeExperiments are the figures of the DynamicShare paper; -youtube is the same of its other job. realtime-bound
// is ours.
func realtimeExperiments() []Experiment {
	return []Experiment{
		{"realtime-fig1", "realtime", "Partition sizes and reduce times under Hadoop's hash", realtimeFig1},
		{"realtime-fig4", "realtime", "Estimated against actual times as past runs accumulate", realtimeFig4},
		{"realtime-fig5", "realtime", "Deadline misses against concurrent jobs, Twitter", twitterData.fig5},
		{"realtime-fig5-youtube", "realtime", "Deadline misses against concurrent jobs, YouTube", youtubeData.fig5},
		{"realtime-fig6", "realtime", "Laxities of one job's tasks, and the workers found overloaded", realtimeFig6},
		{"realtime-fig7", "realtime", "Time of the Local Outlier Factor against tasks", realtimeFig7},
		{"realtime-fig8", "realtime", "Reduce phase against skewness, Twitter", twitterData.fig8},
		{"realtime-fig8-youtube", "realtime", "Reduce phase against skewness, YouTube", youtubeData.fig8},
		{"realtime-fig9", "realtime", "Reduce phase against partitions, Twitter", twitterData.fig9},
		{"realtime-fig9-youtube", "realtime", "Reduce phase against partitions, YouTube", youtubeData.fig9},
		{"realtime-fig10", "realtime", "Balance against partitions, Twitter", realtimeFig10},
		{"realtime-fig11", "realtime", "DP with and without sketches, Twitter", twitterData.fig11},
		{"realtime-fig11-youtube", "realtime", "DP with and without sketches, YouTube", youtubeData.fig11},
		{"realtime-fig12", "realtime", "DP and LB with sketches, Twitter", realtimeFig12},
		{"realtime-bound", "realtime", "How far assignments are from the bound of R||Cmax", realtimeBound},
	}
}

// Reducers of a job of both presets, and what the paper says of their data and of the curves at fig10Partitions.
const (
	paperReducers   = 23
	paperSkew       = 80 // percent
	fig10Partitions = 40
)

// fewIterations lets best search for a tenth of the time; realtime-bound shows what that leaves open.
const fewIterations = 100

// realtimeData is one of the paper's two jobs.
type realtimeData struct {
	preset string
	// even is what the preset takes for a reducer with its share of the data at mean speed, and a deadline of strict, in
	// seconds.
	even, strict float64
	// costs are what a split of skewtune may take, in seconds, hadoopSplit among them.
	costs []float64
	// keyed says that the partitions of fig9 are made of keys, by Hadoop's hash for any number of partitions.
	keyed bool
	// bestAt are the partitions for which best and its bound are worth their time.
	bestAt []int
}

// hadoopSplit is the split time in seconds that stands for the paper's SkewTune, of which it states none: our
// assumption for asking all reducers and starting new ones in the Hadoop of its time.
const hadoopSplit = 2

var (
	twitterData = realtimeData{preset: "twitter", even: 1.4, strict: 15, costs: []float64{0.1, 0.5, hadoopSplit, 5},
		keyed: true, bestAt: []int{25, 30, 40, 60}}
	youtubeData = realtimeData{preset: "youtube", even: 0.11, strict: 2, costs: []float64{0.01, 0.05, 0.2, hadoopSplit},
		bestAt: []int{25, 30, 35, 40, 45, 50, 60}}
)

// The keys of which partitions are made where sketches are asked for: those of preset twitter.
const sketchKeys = 2000

// fig9Partitions are the numbers of partitions of Figs. 9–12. The paper leaves out p = R for lb, which is hash's then.
var fig9Partitions = []int{25, 30, 35, 40, 45, 50, 60}

// partitioned is the reduce phase of one job under algorithms. Without sketched there are no sketches.
func (d realtimeData) partitioned(partitions int, skew float64, keyed, sketched bool, algorithms ...string) scenario {
	s := scenario{preset: d.preset, bare: true, algorithms: algorithms, params: engine.Settings{"goal": "partitions"},
		generate: engine.Settings{"jobs": "1", "keys": "0", "partitions": strconv.Itoa(partitions), "skew": number(skew)}}
	if keyed {
		s.generate["keys"] = strconv.Itoa(sketchKeys)
	}
	if !sketched {
		s.params["sketch-delta"] = "0"
	}
	return s
}

// bestOf is the same instance under best alone, with the bound.
func bestOf(s scenario) scenario {
	s.bare, s.iterations, s.algorithms = false, fewIterations, []string{"best"}
	return s
}

// altered is a scenario with some of its generator's settings changed.
func altered(s scenario, generate engine.Settings) scenario {
	s.generate = with(s.generate, generate)
	return s
}

// milliseconds turns seconds, one a seed.
func milliseconds(seconds []float64) []float64 {
	list := make([]float64, len(seconds))
	for i, v := range seconds {
		list[i] = 1000 * v
	}
	return list
}

// metric reads a metric of an algorithm's schedules, one a seed; 0 where there is none.
func (l *Lab) metric(s scenario, algorithm, name string) []float64 {
	return l.each(s, algorithm, func(r reading) float64 { return asFloat(r.metrics[name]) })
}

// asFloat is a number of a result; 0 if it is none.
func asFloat(v any) float64 {
	switch x := v.(type) {
	case model.Number:
		r, ok := x.Rat()
		if !ok {
			return 0
		}
		f, _ := r.Float64()
		return f
	case int:
		return float64(x)
	}
	return 0
}

// floats are whole numbers as positions on an axis.
func floats(list []int) []float64 {
	xs := make([]float64, len(list))
	for i, v := range list {
		xs[i] = float64(v)
	}
	return xs
}

// describeRealtime states what was run.
func describeRealtime(f *report.Figure, s scenario, vary string, values any) {
	generate, params := maps.Clone(s.generate), maps.Clone(s.params)
	delete(generate, vary)
	f.Parameters["preset"], f.Parameters["generate"], f.Parameters["params"], f.Parameters["algorithms"] = s.preset,
		generate, params, s.algorithms
	f.Parameters[vary] = values
}

// noHigher judges that one curve lies nowhere above others, by the means at every x that they share.
func noHigher(claim string, lower report.Curve, uppers []report.Curve, unit, why string) report.Claim {
	held, points, worst := 0, 0, 0.0
	where := ""
	for _, u := range uppers {
		for _, p := range lower.Points {
			samples := u.At(p.X)
			if samples == nil {
				continue
			}
			points++
			margin := report.Mean(samples) - p.Mean()
			if margin >= -1e-9 {
				held++
			}
			if margin < worst {
				worst, where = margin, fmt.Sprintf("worst at %s: %s is %.1f lower; ", at(p.X, unit), u.Name, -margin)
			}
		}
	}
	c := report.Claim{Claim: claim, Published: "everywhere", Ours: fmt.Sprintf("at %d of %d points", held, points),
		Why: where + why, Verdict: report.Differs}
	switch {
	case held == points:
		c.Verdict = report.Holds
	case 2*held < points:
		c.Verdict = report.Contradicted
	}
	return c
}

// over is the mean of the first over the mean of the second, in percent more (+) or less.
func over(a, b []float64) float64 { return 100 * (report.Mean(a)/report.Mean(b) - 1) }

// named finds a curve of a figure by its name.
func named(f *report.Figure, name string) report.Curve {
	i := slices.IndexFunc(f.Curves, func(c report.Curve) bool { return c.Name == name })
	if i < 0 {
		return report.Curve{Name: name}
	}
	return f.Curves[i]
}
