package experiment

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"mrsched/io/engine"
	"mrsched/model"
	realtimemodel "mrsched/model/realtime"
	"mrsched/solver/realtime"
)

// fig4Runs are the numbers of past runs of the watched worker; the others have fig4Most in any case. fig4Few are few
// past runs. An estimate may deviate from the truth by fig4Close and still be close, and exceeds it from fig4Larger on:
// our reading.
const (
	fig4Most              = 300
	fig4Few               = 10
	fig4Close, fig4Larger = 0.1, 0.05
)

var (
	fig4Data = engine.Settings{"jobs": "1", "keys": "0", "history-runs": strconv.Itoa(fig4Most)}
	fig4Runs = []float64{0, 1, 2, 3, 5, 10, 20, 30, 50, 100, 200, fig4Most}
)

// taskKinds are how figures call the kinds of tasks.
var taskKinds = []string{"map", "partition"}

// maxNeighbours is the default of the parameter of that name.
const maxNeighbours = 256

// estimated holds values by kind of task for a number of past runs: of is the estimate on the watched worker, relative
// to the true time, and all is the mean error over all workers.
type estimated struct{ of, all [2]float64 }

// learning is how estimates of one instance change as runs accumulate.
type learning struct {
	w        *model.Workload
	distance string
	in       *realtimemodel.Instance
	task     [2]int32   // by kind: the first map, and the partition nearest to the mean size
	slots    [2][]int32 // by kind
}

func (l *Lab) newLearning(seed uint64) (*learning, error) {
	w, err := generated("realtime", "twitter", l.read(scenario{preset: "twitter", generate: fig4Data}).generate, seed)
	if err != nil {
		return nil, err
	}
	in, err := realtimemodel.New(w, realtimemodel.Options{})
	if err != nil {
		return nil, err
	}
	x := &learning{w: w, distance: cmp.Or(l.Set["distance"], "plain"), in: in,
		slots: [2][]int32{in.MapSlots, in.ReduceSlots}}
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

// known keeps the last runs of each worker: this many for watched workers, all for others.
func (x *learning) known(runs int, watched func(worker string) bool) *model.Workload {
	w := *x.w
	w.History = nil
	seen := map[string]int{}
	for _, h := range slices.Backward(x.w.History) {
		if seen[h.Worker]++; !watched(h.Worker) || seen[h.Worker] <= runs {
			w.History = append(w.History, h)
		}
	}
	slices.Reverse(w.History)
	return &w
}

// estimator learns from the last runs of watched workers. It gives the estimate over the true time.
func (x *learning) estimator(runs int, watched func(worker string) bool) (func(kind int, worker int32) float64, error) {
	in, err := realtimemodel.New(x.known(runs, watched), realtimemodel.Options{})
	if err != nil {
		return nil, err
	}
	e, err := realtime.NewEstimator(in, maxNeighbours, x.distance)
	return func(kind int, worker int32) float64 {
		return float64(e.Time(x.task[kind], worker)) / float64(in.Time(x.task[kind], worker))
	}, err
}

// at estimates with this many past runs.
func (x *learning) at(runs int) (out estimated, err error) {
	worker := func(kind int) int32 { return x.in.WorkerOf[x.slots[kind][0]] }
	ratio, err := x.estimator(runs, func(name string) bool {
		return name == x.in.WorkerName(worker(0)) || name == x.in.WorkerName(worker(1))
	})
	if err != nil {
		return out, err
	}
	for kind := range out.of {
		out.of[kind] = ratio(kind, worker(kind))
	}
	if runs == 0 {
		return out, nil // some worker must have a past run
	}
	if ratio, err = x.estimator(runs, func(string) bool { return true }); err != nil {
		return out, err
	}
	for kind, slots := range x.slots {
		for _, slot := range slots {
			out.all[kind] += math.Abs(ratio(kind, x.in.WorkerOf[slot])-1) / float64(len(slots))
		}
	}
	return out, nil
}

// estimates reads a value of what is estimated with these past runs, by seed.
func (f *figure) estimates(runs float64, what func(estimated) float64) (list samples) {
	made := measured(f.Lab, f.Name, len(f.seeds), func(_ context.Context, i int) (*learning, error) {
		return f.newLearning(f.seeds[i])
	})
	found := measured(f.Lab, fmt.Sprint(f.Name, runs), len(f.seeds), func(_ context.Context, i int) (estimated, error) {
		return made[i].at(int(runs))
	})
	for _, e := range found {
		list = append(list, what(e))
	}
	return list
}

func realtimeFig4(f *figure) {
	f.Parameters["generate"] = fig4Data
	for kind, task := range taskKinds {
		c := f.line(task, kind, fig4Runs, func(runs float64) samples {
			return f.estimates(runs, func(e estimated) float64 { return e.of[kind] })
		})
		f.claim(fmt.Sprintf(ours+"without a past run on the worker other workers' runs make the estimate of a %s larger "+
			"than the actual time (estimate over actual, at least %g)", task, 1+fig4Larger), atLeast(1+fig4Larger, 0), c.At(0))
		off := func(runs float64) samples {
			return f.estimates(runs, func(e estimated) float64 { return 100 * e.all[kind] })
		}
		f.claim(fmt.Sprintf("with %d past runs estimates of a %s are close to the actual time: off by so many %% (at most "+
			"%g), mean over all workers", fig4Most, task, 100*fig4Close), atMost(100*fig4Close, 0), off(fig4Most))
		f.minus(fmt.Sprintf("estimates of a %s improve as runs accumulate: error with %d runs less that with %d, in points",
			task, fig4Few, fig4Most), atLeast(0, 0), off(fig4Few), off(fig4Most))
	}
	f.dashed("actual", 6, fig4Runs, func(float64) samples { return samples{1} })
}
