package experiment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/stat"

	"mrsched/io/engine"
	"mrsched/model"
	realtimemodel "mrsched/model/realtime"
	"mrsched/solver"
	"mrsched/solver/realtime"
)

// The paper's figures for Fig. 6.
const (
	fig6Laxity = 1650 // ms, of most tasks
	fig6Low    = 5    // tasks with significantly less
)

// fig6Data has no skew, about which the paper says nothing here: at 80 % the longest partition takes some 200 ms off
// all laxities.
var fig6Data = engine.Settings{"jobs": "1", "strict": "1", "skew": "0"}

// fig6Case is a reason for which some workers are slower.
type fig6Case struct {
	preset   string
	settings engine.Settings // in addition to fig6Data
	busy     bool            // the first workers run another job's maps; false: other users load the slower workers
}

// The cases of the figure. In the last one, past runs are equally old, but other users' tasks leave after a map.
var (
	fig6Busy    = fig6Case{preset: "youtube", busy: true}
	fig6Noisy   = fig6Case{"youtube", engine.Settings{"noise": "0.3", "history-noise": "0.3"}, true}
	fig6Loaded  = fig6Case{preset: "colocated"}
	fig6Passing = fig6Case{preset: "colocated", settings: engine.Settings{"load-time": "0.2"}}
)

// busyTime is what another job's map takes on each of the workers that are to be overloaded, at speed 1.
const busyTime = model.Second

// withBusy adds another job that came just before and whose maps keep the first five workers busy; past runs show these
// seconds-long maps.
func withBusy(made *model.Workload) *model.Workload {
	w := *made
	w.Jobs = append(slices.Clone(w.Jobs), model.Job{ID: "busy", Class: "busy", Weight: model.UnitWeight,
		Deadline: w.Jobs[0].Deadline})
	w.Jobs[0].Release = model.Second / 1000
	w.Tasks, w.History = slices.Clone(w.Tasks), slices.Clone(w.History)
	for k := range fig6Low {
		w.Tasks = append(w.Tasks, model.Task{ID: fmt.Sprintf("busy.m%d", k+1), Job: 1, Block: model.None, Kind: model.Map,
			Processing: model.Some(busyTime)})
	}
	first := w.History[0] // a run on the first worker, whose speed it is scaled by
	speed := w.Topology[first.Node].Speed.Or(1)
	w.History = append(w.History, model.PastRun{Class: "busy", Worker: first.Worker, Node: first.Node, Kind: model.Map,
		Time: model.Time(float64(busyTime) / speed)})
	return &w
}

// sightings are what LOF sees of the job when its maps arrive, the least laxity first, and which workers are slower
// than their speed says. Busy workers are those whose slots are dealt first.
func (l *Lab) sightings(c fig6Case, seed uint64) (list []realtime.Sighting, slower map[int32]bool, err error) {
	w, err := generated("realtime", c.preset, with(fig6Data, c.settings), seed)
	if err != nil {
		return nil, nil, err
	}
	if c.busy {
		w = withBusy(w)
	}
	o, err := l.open(w, nil)
	if err != nil {
		return nil, nil, err
	}
	in := o.Run.View().(*realtimemodel.Instance)
	if c.busy {
		slower = map[int32]bool{}
		for _, slot := range in.MapSlots[:fig6Low] {
			slower[in.WorkerOf[slot]] = true
		}
	} else {
		slower = loadedWorkers(in)
	}
	looks, err := realtime.Looks(l.ctx, w, o.Params)
	if err != nil {
		return nil, nil, err
	}
	for _, look := range looks {
		if look.Job == 0 {
			list = look.Workers
			break
		}
	}
	slices.SortStableFunc(list, func(a, b realtime.Sighting) int { return int(a.Laxity - b.Laxity) })
	return list, slower, nil
}

// loadedWorkers are the workers where the maps of a job take, on average, over 1.5 times as long as usual at their
// speed; next to one task of another user they take twice as long.
func loadedWorkers(in *realtimemodel.Instance) map[int32]bool {
	takes := make([]float64, len(in.MapSlots))
	for k, slot := range in.MapSlots {
		w := in.WorkerOf[slot]
		for t := in.FirstMap[0]; t < in.FirstMap[1]; t++ {
			takes[k] += in.Time(t, w).Seconds() * in.Speed[w]
		}
	}
	usual := stat.Quantile(0.5, stat.Empirical, slices.Sorted(slices.Values(takes)), nil)
	loaded := map[int32]bool{}
	for k, slot := range in.MapSlots {
		if takes[k] > 1.5*usual {
			loaded[in.WorkerOf[slot]] = true
		}
	}
	return loaded
}

// fig6Facts are the values behind the claims, one per seed; lower, lofSlower and share have one per seed with slower
// workers, others one per worker.
type fig6Facts struct {
	median, near, lower, found, share, other, lofSlower, others, paper samples
	slower                                                             samples // how many workers are slower
}

// look collects what a case shows on all seeds. The laxities and who is flagged are by place.
func (f *figure) look(c fig6Case) (x fig6Facts, laxity, flagged []samples, err error) {
	for _, seed := range f.seeds {
		list, slower, err := f.sightings(c, seed)
		if err != nil {
			return x, nil, nil, err
		}
		for len(laxity) < len(list) {
			laxity, flagged = append(laxity, nil), append(flagged, nil)
		}
		for i, s := range list {
			flag := 0.0
			if s.Overloaded {
				flag = 1000
			}
			laxity[i], flagged[i] = append(laxity[i], ms(s.Laxity)), append(flagged[i], flag)
		}
		x.add(list, slower)
	}
	return x, laxity, flagged, nil
}

func realtimeFig6(f *figure) error {
	f.axes("workers, by laxity", "laxity of the job's task there, ms")
	f.setParameters(map[string]any{"generate": fig6Data, "preset": fig6Busy.preset, "neighbours": 10,
		"lof_threshold": 1.5, "noisy": fig6Noisy.settings, "loaded": "preset " + fig6Loaded.preset,
		"passing": fig6Passing.settings, "busy": fmt.Sprintf("the first %d map slots, with a map of %s s at speed 1 of "+
			"another job", fig6Low, busyTime)})
	busy, laxity, flagged, err := f.look(fig6Busy)
	if err != nil {
		return err
	}
	loaded, slowed, _, err := f.look(fig6Loaded)
	if err != nil {
		return err
	}
	workers := steps(1, 1, float64(len(laxity)))
	f.line("laxity", 0, workers, func(x float64) samples { return laxity[int(x)-1] })
	f.dashed("found overloaded, ‰ of the seeds", 1, workers, func(x float64) samples { return flagged[int(x)-1] })
	f.dashed("laxity beside other users' tasks", 3, workers, func(x float64) samples { return slowed[int(x)-1] })
	f.marks("most laxities", 2, map[float64]float64{fig6Low + 1: fig6Laxity, float64(len(laxity)): fig6Laxity})
	busy.claims(f, len(laxity))
	noisy, _, _, err := f.look(fig6Noisy)
	if err != nil {
		return err
	}
	f.near("where true times and past runs vary by 0.3: how many of the five are characterised as overloaded", fig6Low, 0,
		noisy.found, "%s, in place of 0 and 0.1; others found: %.1f", setting(fig6Noisy.settings), noisy.other.Mean())
	passing, _, _, err := f.look(fig6Passing)
	if err != nil {
		return err
	}
	loaded.loadedClaims(f, &passing)
	return nil
}

// fig6Found is the percentage of the loaded workers that LOF has to find to be right, fig6Blind the percentage up to
// which it counts as blind: our reading.
const fig6Found, fig6Blind = 90, 20

// loadedClaims judges the paper's claims about overloaded workers if other users' tasks are the reason. These stay for
// a minute or, in passing, for as long as a map.
func (x *fig6Facts) loadedClaims(f *figure, passing *fig6Facts) {
	const where = "beside other users' tasks: "
	f.atLeast(where+"the majority of the tasks is near it, too: % within 150 ms of the median", 50, 0, x.near,
		"preset %s: of 59 workers %.1f have company, on average", fig6Loaded.preset, x.slower.Mean())
	f.atLeast(fmt.Sprintf("%sthe workers that they slow down are characterised as overloaded, in %% (at least %d)", where,
		fig6Found), fig6Found, 0, x.share, "a task beside another takes twice as long; past runs met the same company. The "+
		"job's tasks there have %.0f ms less laxity than the median, and the least LOF among them is %.2f, on average",
		x.lower.Mean(), x.lofSlower.Mean())
	f.atMost(where+"and no other worker: how many others are", 0, 0, x.other, "as above, the slowest workers, %.0f ms "+
		"below the median on average", x.others.Mean())
	f.atMost(fmt.Sprintf("mrsched: LOF finds hardly any if other users' tasks stay no longer than a map, in %% (at most "+
		"%d)", fig6Blind), fig6Blind, 0, passing.share, "%s: laxities follow from past runs, which met other "+
		"tasks; what a worker bears now shows only when its task is overdue", setting(fig6Passing.settings))
}

func ms(t model.Time) float64 { return 1000 * t.Seconds() }

// add takes the figures of one seed.
func (x *fig6Facts) add(list []realtime.Sighting, slower map[int32]bool) {
	var all samples
	var times []model.Time
	for _, s := range list {
		all, times = append(all, ms(s.Laxity)), append(times, s.Laxity)
	}
	median := stat.Quantile(0.5, stat.Empirical, all, nil)
	near, found, other, low, least := 0.0, 0.0, 0.0, 0.0, math.Inf(1)
	for i, s := range list {
		if math.Abs(all[i]-median) <= 150 {
			near++
		}
		switch {
		case slower[s.Worker]:
			low += median - all[i]
			least = min(least, s.Factor)
			if s.Overloaded {
				found++
			}
		case s.Overloaded:
			other++
			x.others = append(x.others, median-all[i])
		}
	}
	x.median, x.near = append(x.median, median), append(x.near, 100*near/float64(len(list)))
	x.found, x.other = append(x.found, found), append(x.other, other)
	x.paper = append(x.paper, float64(len(realtime.Overloaded(times, 1))))
	n := float64(len(slower))
	x.slower = append(x.slower, n)
	if n > 0 {
		x.lower, x.share, x.lofSlower = append(x.lower, low/n), append(x.share, 100*found/n), append(x.lofSlower, least)
	}
}

func (x *fig6Facts) claims(f *figure, workers int) {
	f.near("most laxities are close to this, in ms (median)", fig6Laxity, 100, x.median, "2000 ms less a map and what "+
		"is expected to follow it; the preset's times are fitted to that, for data without skew")
	f.atLeast("the majority of the tasks is near it: % within 150 ms of the median", 50, 0, x.near, "%d workers whose "+
		"speeds spread by 0.3: the slow ones have less laxity without being overloaded", workers)
	f.atLeast("five tasks have significantly lower laxities: ms below the median, on average (at least 300, our reading)",
		300, 0, x.lower, "their workers are busy with another job's map, of a second at speed 1")
	f.near("the workers of these five are characterised as overloaded: how many are", fig6Low, 0, x.found,
		"LOF of the five is %.2f at least, above the threshold of 1.5; five alike are each other's nearest and need the "+
			"sixth to tenth to differ", slices.Min(x.lofSlower))
	f.atMost("and no other worker: how many others are", 0, 0, x.other, "they are the slowest workers, %.0f ms below "+
		"the median on average: speeds spread by 0.3 and laxities with them, thin at the ends. Where workers were alike "+
		"but for the five, no others would stand out", x.others.Mean())
	f.atLeast(fmt.Sprintf("mrsched: the paper's threshold 1 would flag more than the five, of %d workers", workers),
		fig6Low+1, 0, x.paper, "in an ordinary sample about half of all factors exceed 1; hence 1.5 by default")
}

// The sizes of realtime-fig7: the paper's axis ends at 84 tasks; 10⁴ is a target of ours.
var fig7Tasks = []float64{12, 24, 36, 48, 60, 72, 84}

const (
	fig7Paper  = 84
	fig7Many   = 10_000
	fig7Few    = 5    // ms: "a few milliseconds"
	fig7Target = 1000 // ms for fig7Many
	// fig7Least is the least total number of tasks for which a size is evaluated, so that clocks can measure it.
	fig7Least = 100_000
)

func realtimeFig7(f *figure) error {
	f.axes("tasks", "μs of processor time")
	f.setParameters(map[string]any{"reproducible": notReproducible, "tasks": fig7Tasks,
		"time": fmt.Sprintf("processor time of one evaluation, on one core: that of as many as have %d tasks together, the "+
			"fastest of %d such runs", fig7Least, scaleRuns)})
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	times := func(n float64) (list samples) {
		for _, seed := range f.seeds {
			list = append(list, lofTime(int(n), seed))
		}
		return list
	}
	c := f.line("Local Outlier Factor", 0, fig7Tasks, times)
	last, first := c.Points[len(c.Points)-1], c.Points[0]
	f.atMost(fmt.Sprintf("%d tasks take only a few milliseconds (5, our reading)", fig7Paper), fig7Few, 0,
		last.Samples.Times(1e-3), "target of mrsched: 1 ms")
	f.atLeast(fmt.Sprintf("the time grows with the tasks: μs at %d over that at %g", fig7Paper, fig7Tasks[0]), 1, 0,
		last.Samples.Over(first.Samples), "power %.2f of the tasks; one sort and ten neighbours each, where the paper's "+
			"figure may compare all pairs", growth(first, last))
	f.atMost(fmt.Sprintf("mrsched: ms for %d tasks", fig7Many), fig7Target, 0, times(fig7Many).Times(1e-3), "")
	return nil
}

// lofTime is what an evaluation over n laxities takes, in microseconds.
func lofTime(n int, seed uint64) float64 {
	r, laxities := rand.New(rand.NewPCG(seed, uint64(n))), make([]model.Time, n)
	for i := range laxities {
		laxities[i] = model.TimeOf(fig6Laxity / 1000.0 * solver.Exp(0.1*r.NormFloat64()))
	}
	least, count := math.Inf(1), max(1, fig7Least/n)
	for range scaleRuns {
		ms, _ := processorTime(func() error {
			for range count {
				realtime.Overloaded(laxities, 1.5)
			}
			return nil
		})
		least = min(least, 1000*ms/float64(count))
	}
	return least
}
