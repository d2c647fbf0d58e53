package command

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"mrsched/io/report"
	"mrsched/model"
	realtimemodel "mrsched/model/realtime"
	"mrsched/solver/realtime"
)

// fig4Runs are the numbers of past runs of the watched worker; the others have the most of them in any case.
var fig4Runs = []int{0, 1, 2, 3, 5, 10, 20, 30, 50, 100, 200, manyRuns}

// fig4Close is how far an estimate may lie from the truth and be close.
const fig4Close = 0.1

// maxNeighbours is the default of the parameter of that name.
const maxNeighbours = 256

// estimated is what is estimated with some past runs: one value for each kind, on the watched worker or as the mean error of all
// workers.
type estimated struct{ of, all [2]float64 }

// learning is how estimates of one instance change as runs accumulate.
type learning struct {
	w     *model.Workload
	in    *realtimemodel.Instance
	task  [2]int32   // by kind: the first map, and the partition nearest to the mean size
	slots [2][]int32 // by kind
}

func newLearning(seed uint64) (*learning, error) {
	w, err := generated("realtime", "twitter", settings{"jobs": "1", "keys": "0", "history-runs": strconv.Itoa(manyRuns)}, seed)
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

// known keeps the first runs of each worker and kind, so many of those that watched names and all of the others; without
// features only their bytes are kept.
func (x *learning) known(runs int, watched func(worker string) bool, features bool) *model.Workload {
	w := *x.w
	w.History = nil
	seen := map[string]int{}
	for _, h := range x.w.History {
		if seen[h.Worker]++; watched(h.Worker) && seen[h.Worker] > runs {
			continue
		}
		if !features {
			h.CPU, h.MemoryBytes = model.Optional[float64]{}, model.Optional[model.Bytes]{}
		}
		w.History = append(w.History, h)
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
func (x *learning) at(runs int, features bool) (out estimated, err error) {
	worker := func(kind int) int32 { return x.in.WorkerOf[x.slots[kind][0]] }
	in, e, err := x.estimator(x.known(runs, func(name string) bool {
		return name == x.in.WorkerName(worker(0)) || name == x.in.WorkerName(worker(1))
	}, features))
	if err != nil {
		return out, err
	}
	ratio := func(in *realtimemodel.Instance, e *realtime.Estimator, kind int, worker int32) float64 {
		return float64(e.Time(x.task[kind], worker)) / float64(in.Time(x.task[kind], worker))
	}
	for kind := range out.of {
		out.of[kind] = ratio(in, e, kind, worker(kind))
	}
	if runs == 0 {
		return out, nil // somebody has to know something
	}
	if in, e, err = x.estimator(x.known(runs, func(string) bool { return true }, features)); err != nil {
		return out, err
	}
	for kind, slots := range x.slots {
		for _, slot := range slots {
			out.all[kind] += math.Abs(ratio(in, e, kind, in.WorkerOf[slot])-1) / float64(len(slots))
		}
	}
	return out, nil
}

func realtimeFig4(l *lab, f *report.Figure) error {
	n := len(l.seeds)
	found := make([][]estimated, 2*len(fig4Runs)) // by runs and features, by seed
	for i := range found {
		found[i] = make([]estimated, n)
	}
	err := l.every(n, func(_ context.Context, i int) error {
		x, err := newLearning(l.seeds[i])
		for k := range found {
			if err == nil {
				found[k][i], err = x.at(fig4Runs[k/2], k%2 == 0)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	f.Source, f.XLabel, f.YLabel = realtimeSource+", Fig. 4", "past runs on the worker", "estimate over actual time"
	f.Parameters["preset"], f.Parameters["generate"] = "twitter", settings{"jobs": "1", "keys": "0", "history-runs": strconv.Itoa(manyRuns)}
	f.Parameters["runs"], f.Parameters["others"] = fig4Runs, fmt.Sprintf("the other workers have %d past runs each", manyRuns)
	f.Parameters["tasks"] = "the first map, and the partition nearest to the mean size, each on the first worker with a slot for it"
	read := func(k, features int, of func(estimated) float64) []float64 {
		list := make([]float64, n)
		for i, e := range found[2*k+features] {
			list[i] = of(e)
		}
		return list
	}
	at := func(x float64) int {
		for k, runs := range fig4Runs {
			if float64(runs) == x {
				return k
			}
		}
		return 0
	}
	kinds := []string{"map", "partition"}
	for kind, name := range kinds {
		of := func(e estimated) float64 { return e.of[kind] }
		f.Curves = append(f.Curves,
			curveOver(name, report.Main, kind, floats(fig4Runs), func(x float64) []float64 { return read(at(x), 0, of) }),
			curveOver(name+", by size alone", report.Alternative, kind, floats(fig4Runs), func(x float64) []float64 { return read(at(x), 1, of) }))
	}
	f.Curves = append(f.Curves, curveOver("actual", report.Alternative, 6, floats(fig4Runs), func(float64) []float64 { return []float64{1} }))
	last, few := len(fig4Runs)-1, at(10)
	percent := func(k, features, kind int) []float64 {
		return read(k, features, func(e estimated) float64 { return 100 * e.all[kind] })
	}
	for kind, name := range kinds {
		f.Claims = append(f.Claims,
			report.AtLeast("without a past run on the worker the estimate of a "+name+" is larger than the actual time (estimate over actual)", 1, 0, read(0, 0, func(e estimated) float64 { return e.of[kind] }),
				"other workers' runs stand in, scaled by speed, which neither over- nor underestimates; the paper does not say what its first estimate is made of"),
			report.AtMost(fmt.Sprintf("with %d past runs it is close to the actual time: off by so many %% (at most %g), mean over all workers", manyRuns, 100*fig4Close), 100*fig4Close, 0, percent(last, 0, kind),
				fmt.Sprintf("by size alone %.1f %%: cpu and memory say nothing about the time here, but count as much for who is a neighbour", report.Mean(percent(last, 1, kind)))),
			report.AtLeast(fmt.Sprintf("estimates of a %s improve as runs accumulate: error with 10 runs less that with %d, in points", name, manyRuns), 0, 0,
				report.Difference(percent(few, 0, kind), percent(last, 0, kind)), fmt.Sprintf("%.1f %% and %.1f %%; k = ⌈n^0.8⌉ neighbours are %.0f %% of %d runs and %.0f %% of %d",
					report.Mean(percent(few, 0, kind)), report.Mean(percent(last, 0, kind)), 100*neighbourShare(10), 10, 100*neighbourShare(manyRuns), manyRuns)))
	}
	f.Claims = append(f.Claims, report.AtMost("mrsched: with 30 runs, ignoring features that say nothing about the time improves estimates of a partition: error by size alone less that with cpu and memory, in points", 0, 0,
		report.Difference(percent(at(presetRuns), 1, 1), percent(at(presetRuns), 0, 1)), fmt.Sprintf("%.1f %% against %.1f %%", report.Mean(percent(at(presetRuns), 1, 1)), report.Mean(percent(at(presetRuns), 0, 1)))))
	return nil
}

// neighbourShare is the share of n runs that are neighbours.
func neighbourShare(n float64) float64 { return math.Ceil(math.Pow(n, 0.8)) / n }
