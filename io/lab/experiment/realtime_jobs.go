package experiment

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/model"
	realtimemodel "mrsched/model/realtime"
	"mrsched/solver/realtime"
)

// fig5Copies is how many instances a seed stands for: one of few jobs has few deadlines to miss.
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

// fig5Claims judges what the paper says of the figure, and what mrsched adds. Plans are in the order of
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

// fig4Runs are the numbers of past runs of the watched worker; the others have the most of them in any case.
var fig4Runs = []float64{0, 1, 2, 3, 5, 10, 20, 30, 50, 100, 200, fig4Most}

const (
	fig4Most = 300
	fig4Few  = 10 // past runs, against which fig4Most are an improvement
	// How far an estimate may lie from the truth and be close, and beyond the truth and be larger than it: our reading.
	fig4Close, fig4Larger = 0.1, 0.05
)

var fig4Data = engine.Settings{"jobs": "1", "keys": "0", "history-runs": strconv.Itoa(fig4Most)}

// maxNeighbours is the default of the parameter of that name.
const maxNeighbours = 256

// estimated holds values by kind of task for a number of past runs: of is the estimate on the watched worker, relative
// to the true time, and all is the mean error over all workers.
type estimated struct{ of, all [2]float64 }

// learning is how estimates of one instance change as runs accumulate.
type learning struct {
	w     *model.Workload
	in    *realtimemodel.Instance
	task  [2]int32   // by kind: the first map, and the partition nearest to the mean size
	slots [2][]int32 // by kind
}

func newLearning(seed uint64) (*learning, error) {
	w, err := generated("realtime", "twitter", fig4Data, seed)
	if err != nil {
		return nil, err
	}
	in, err := realtimemodel.New(w, realtimemodel.Options{})
	if err != nil {
		return nil, err
	}
	x := &learning{w: w, in: in, slots: [2][]int32{in.MapSlots, in.ReduceSlots}}
	set := in.SetsOf(0)[0]
	sum := 0.0
	for k := range set.Count {
		sum += float64(in.Bytes[set.First+k])
	}
	off := func(t int32) float64 { return math.Abs(float64(in.Bytes[t]) - sum/float64(set.Count)) }
	x.task[1] = set.First
	for t := set.First; t < set.First+set.Count; t++ {
		if off(t) < off(x.task[1]) {
			x.task[1] = t
		}
	}
	return x, nil
}

// known keeps the first runs of each worker, so many of those that watched names and all of the others.
func (x *learning) known(runs int, watched func(worker string) bool) *model.Workload {
	w := *x.w
	w.History = nil
	seen := map[string]int{}
	for _, h := range x.w.History {
		if seen[h.Worker]++; !watched(h.Worker) || seen[h.Worker] <= runs {
			w.History = append(w.History, h)
		}
	}
	return &w
}

// estimator learns from a workload's history.
func (x *learning) estimator(w *model.Workload) (*realtimemodel.Instance, *realtime.Estimator, error) {
	in, err := realtimemodel.New(w, realtimemodel.Options{})
	if err != nil {
		return nil, nil, err
	}
	e, err := realtime.NewEstimator(in, maxNeighbours)
	return in, e, err
}

// at estimates with so many past runs.
func (x *learning) at(runs int) (out estimated, err error) {
	worker := func(kind int) int32 { return x.in.WorkerOf[x.slots[kind][0]] }
	in, e, err := x.estimator(x.known(runs, func(name string) bool {
		return name == x.in.WorkerName(worker(0)) || name == x.in.WorkerName(worker(1))
	}))
	if err != nil {
		return out, err
	}
	ratio := func(in *realtimemodel.Instance, e *realtime.Estimator, kind int,
		worker int32) float64 {
		return float64(e.Time(x.task[kind], worker)) / float64(in.Time(x.task[kind], worker))
	}
	for kind := range out.of {
		out.of[kind] = ratio(in, e, kind, worker(kind))
	}
	if runs == 0 {
		return out, nil // somebody has to know something
	}
	if in, e, err = x.estimator(x.known(runs, func(string) bool { return true })); err != nil {
		return out, err
	}
	for kind, slots := range x.slots {
		for _, slot := range slots {
			out.all[kind] += math.Abs(ratio(in, e, kind, in.WorkerOf[slot])-1) / float64(len(slots))
		}
	}
	return out, nil
}

func realtimeFig4(f *figure) error {
	found := make([]map[float64]estimated, len(f.seeds)) // by seed, by runs
	err := f.every(len(f.seeds), func(_ context.Context, i int) error {
		found[i] = map[float64]estimated{}
		x, err := newLearning(f.seeds[i])
		for _, runs := range fig4Runs {
			if err == nil {
				found[i][runs], err = x.at(int(runs))
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	f.axes("past runs on the worker", "estimate over actual time")
	f.setParameters(map[string]any{"preset": "twitter", "generate": fig4Data, "runs": fig4Runs,
		"others": fmt.Sprintf("the other workers have %d past runs each", fig4Most), "tasks": "the first map, and the " +
			"partition nearest to the mean size, each on the first worker with a slot for it"})
	for kind, name := range []string{"map", "partition"} {
		c := f.line(name, kind, fig4Runs, func(runs float64) (list samples) {
			for _, e := range found {
				list = append(list, e[runs].of[kind])
			}
			return list
		})
		fig4Claims(f, c, func(runs float64) (list samples) {
			for _, e := range found {
				list = append(list, 100*e[runs].all[kind])
			}
			return list
		})
	}
	f.dashed("actual", 6, fig4Runs, func(float64) samples { return samples{1} })
	return nil
}

// fig4Claims judges the estimates of one kind of task. off is the mean error over all workers, in percent.
func fig4Claims(f *figure, c report.Curve, off func(runs float64) samples) {
	f.atLeast(fmt.Sprintf("without a past run on the worker the estimate of a %s is larger than the actual time "+
		"(estimate over actual, at least %g)", c.Name, 1+fig4Larger), 1+fig4Larger, 0, c.At(0), "other workers' runs stand "+
		"in, scaled by speed, which errs to neither side; the paper does not say what its first estimate is made of. One "+
		"run of another size says less: with 1 the ratio is %.2f, with 5 %.2f", c.At(1).Mean(), c.At(5).Mean())
	f.atMost(fmt.Sprintf("with %d past runs estimates of a %s are close to the actual time: off by so many %% (at most "+
		"%g), mean over all workers", fig4Most, c.Name, 100*fig4Close), 100*fig4Close, 0, off(fig4Most),
		"past runs themselves are off by a tenth. With the preset's 100 runs it is %.1f %%", off(100).Mean())
	f.atLeast(fmt.Sprintf("estimates of a %s improve as runs accumulate: error with %d runs less that with %d, in points",
		c.Name, fig4Few, fig4Most), 0, 0, off(fig4Few).Minus(off(fig4Most)), "%.1f %% and %.1f %%: the k = ⌈n^0.8⌉ "+
		"neighbours are %.0f %% of %d runs and %.0f %% of %d, so sizes of neighbours differ less", off(fig4Few).Mean(),
		off(fig4Most).Mean(), neighbourShare(fig4Few), fig4Few, neighbourShare(fig4Most), fig4Most)
}

// neighbourShare is the share of n runs that are neighbours, in percent.
func neighbourShare(n float64) float64 { return 100 * math.Ceil(math.Pow(n, 0.8)) / n }
