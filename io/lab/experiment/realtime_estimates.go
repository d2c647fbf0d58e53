package experiment

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
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
	// How far an estimate may deviate from the truth and still be close, and how far it must exceed the truth to be
	// larger: our reading.
	fig4Close, fig4Larger = 0.1, 0.05
)

var fig4Data = engine.Settings{"jobs": "1", "keys": "0", "history-runs": strconv.Itoa(fig4Most)}

// fig4Settings are the settings of the figure in addition to fig4Data; the first are the preset's.
var fig4Settings = []struct {
	name     string
	settings engine.Settings
}{
	{name: "as the preset is"},
	{"all jobs need the same", engine.Settings{"need-spread": "0"}},
	{"maps state their needs", engine.Settings{"state-needs": "true"}},
	{"true times vary", engine.Settings{"noise": "0.1"}},
	{"beside other users' tasks", engine.Settings{"noise": "0.1", "load": fig4Load}},
	{"beside many of them", engine.Settings{"noise": "0.1", "load": fig4HeavyLoad}},
}

// Positions in fig4Settings.
const (
	fig4Preset = iota
	fig4Alike
	fig4Stated
	fig4Noise
	fig4Beside
	fig4Many
)

// The loads of fig4Settings: that of preset colocated, which is fitted to Fig. 6, and one that is a choice of ours.
const fig4Load, fig4HeavyLoad = "0.085", "0.5"

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

func newLearning(settings engine.Settings, seed uint64) (*learning, error) {
	w, err := generated("realtime", "twitter", with(fig4Data, settings), seed)
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

// estimator learns from a workload's history.
func (x *learning) estimator(w *model.Workload) (*realtimemodel.Instance, *realtime.Estimator, error) {
	in, err := realtimemodel.New(w, realtimemodel.Options{})
	if err != nil {
		return nil, nil, err
	}
	e, err := realtime.NewEstimator(in, maxNeighbours)
	return in, e, err
}

// at estimates with this many past runs.
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
		return out, nil // some worker must have a past run
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

// estimates are the estimates under some settings, by seed, then by past runs.
type estimates []map[float64]estimated

// of are the estimates of a kind of task over the truth on the watched worker.
func (e estimates) of(kind int) func(runs float64) samples {
	return func(runs float64) (list samples) {
		for _, at := range e {
			list = append(list, at[runs].of[kind])
		}
		return list
	}
}

// off is the mean error over all workers, in percent.
func (e estimates) off(kind int) func(runs float64) samples {
	return func(runs float64) (list samples) {
		for _, at := range e {
			list = append(list, 100*at[runs].all[kind])
		}
		return list
	}
}

func realtimeFig4(f *figure) error {
	found := make([]estimates, len(fig4Settings))
	for k := range found {
		found[k] = make(estimates, len(f.seeds))
	}
	err := f.every(len(found)*len(f.seeds), func(_ context.Context, i int) error {
		k, seed := i/len(f.seeds), i%len(f.seeds)
		at := map[float64]estimated{}
		x, err := newLearning(fig4Settings[k].settings, f.seeds[seed])
		for _, runs := range fig4Runs {
			if err == nil && (k == fig4Preset || runs == 0 || runs == fig4Few || runs >= 100) {
				at[runs], err = x.at(int(runs))
			}
		}
		found[k][seed] = at
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
		c := f.line(name, kind, fig4Runs, found[fig4Preset].of(kind))
		fig4Claims(f, c, found[fig4Preset].off(kind))
	}
	for color, k := range []int{fig4Noise, fig4Beside, fig4Many} {
		f.dashed("map, "+fig4Settings[k].name, 2+color, inRange(fig4Runs, 100, fig4Most), found[k].of(0))
	}
	f.dashed("actual", 6, fig4Runs, func(float64) samples { return samples{1} })
	settings := map[string]any{}
	for _, x := range fig4Settings[1:] {
		settings[x.name] = x.settings
	}
	f.Parameters["other_settings"] = settings
	fig4Varied(f, found)
	return nil
}

// fig4Varied judges how the needs of jobs and other users' tasks affect the estimates.
func fig4Varied(f *figure, found []estimates) {
	alike, varied := found[fig4Alike].off(0)(fig4Most), found[fig4Preset].off(0)(fig4Most)
	f.atLeast("mrsched: needs that the scheduler does not know add to the error of a map's estimate, in points", 0, 0,
		varied.Minus(alike), "%.1f %% where all jobs need the same cpu and memory, %.1f %% where they vary: the histogram "+
			"gives every new task those of most past runs", alike.Mean(), varied.Mean())
	stated := found[fig4Stated].off(0)(fig4Most)
	f.atLeast("mrsched: k-NN makes use of needs that maps state: points of error less than with the histogram", 0, 0,
		varied.Minus(stated), "%.1f %% with stated needs: what is averaged is a third of all runs, so that it follows the "+
			"needs of a task only in part, and less so at the ends of sizes and needs", stated.Mean())
	alike, varied = found[fig4Alike].off(1)(fig4Most), found[fig4Preset].off(1)(fig4Most)
	f.atLeast("mrsched: estimates of a partition are worse in three dimensions than by size alone, in points of error", 0,
		0, varied.Minus(alike), "%.1f %% by size alone, %.1f %% with cpu and memory: features count alike however little "+
			"they vary, and k = ⌈n^0.8⌉ suits one dimension; in three so many neighbours reach over most sizes", alike.Mean(),
		varied.Mean())
	for _, k := range []int{fig4Alike, fig4Noise, fig4Beside, fig4Many} {
		name := fig4Settings[k].name
		for kind, task := range []string{"map", "partition"} {
			off := found[k].off(kind)
			f.atMost(fmt.Sprintf("%s: with %d past runs estimates of a %s are close to the actual time: off by so many %% (at "+
				"most %g), mean over all workers", name, fig4Most, task, 100*fig4Close), 100*fig4Close, 0, off(fig4Most),
				"%s; with %d runs it is %.1f %%", setting(fig4Settings[k].settings), fig4Few, off(fig4Few).Mean())
		}
	}
	few, most := found[fig4Many].off(0)(fig4Few), found[fig4Many].off(0)(fig4Most)
	f.atLeast(fmt.Sprintf("mrsched: %s, the last %d runs tell more of a map's time than %d: points of error less",
		fig4Settings[fig4Many].name, fig4Few, fig4Most), 0, 0, most.Minus(few), "%.1f and %.1f %%: the last ones met the "+
		"load of now, which changes within a minute; the paper's k-NN does not know how old a run is", few.Mean(),
		most.Mean())
}

// setting prints settings as flags.
func setting(s engine.Settings) (text string) {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		text += " --" + name + " " + s[name]
	}
	return text[1:]
}

// fig4Claims judges the estimates of one kind of task. off is the mean error over all workers, in percent.
func fig4Claims(f *figure, c report.Curve, off func(runs float64) samples) {
	f.atLeast(fmt.Sprintf("without a past run on the worker the estimate of a %s is larger than the actual time "+
		"(estimate over actual, at least %g)", c.Name, 1+fig4Larger), 1+fig4Larger, 0, c.At(0), "other workers' runs stand "+
		"in, scaled by speed, which errs to neither side; the paper does not say what its first estimate is made of. One "+
		"run of another size says less: with 1 the ratio is %.2f, with 5 %.2f", c.At(1).Mean(), c.At(5).Mean())
	f.atMost(fmt.Sprintf("with %d past runs estimates of a %s are close to the actual time: off by so many %% (at most "+
		"%g), mean over all workers", fig4Most, c.Name, 100*fig4Close), 100*fig4Close, 0, off(fig4Most),
		"past runs themselves are off by a tenth, and what jobs need moves their times by half as much. "+
			"With the preset's 100 runs it is %.1f %%", off(100).Mean())
	f.atLeast(fmt.Sprintf("estimates of a %s improve as runs accumulate: error with %d runs less that with %d, in points",
		c.Name, fig4Few, fig4Most), 0, 0, off(fig4Few).Minus(off(fig4Most)), "%.1f %% and %.1f %%: the k = ⌈n^0.8⌉ "+
		"neighbours are %.0f %% of %d runs and %.0f %% of %d, so sizes of neighbours differ less", off(fig4Few).Mean(),
		off(fig4Most).Mean(), neighbourShare(fig4Few), fig4Few, neighbourShare(fig4Most), fig4Most)
}

// neighbourShare is the share of n runs that are neighbours, in percent.
func neighbourShare(n float64) float64 { return 100 * math.Ceil(math.Pow(n, 0.8)) / n }
