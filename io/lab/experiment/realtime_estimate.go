package experiment

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/model"
	realtimemodel "mrsched/model/realtime"
	"mrsched/solver/realtime"
)

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

// estimated is what is estimated with some past runs: one value for each kind, on the watched worker or as the mean
// error of all workers.
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
		return name == x.in.WorkerName(worker(0)) ||
			name == x.in.WorkerName(worker(1))
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
