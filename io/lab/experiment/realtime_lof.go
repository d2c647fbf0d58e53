package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"mrsched/io/engine"
	"mrsched/model"
	realtimemodel "mrsched/model/realtime"
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
	preset string
	busy   bool // the first workers run another job's maps; false: other users load the slower workers
}

// The cases of the figure.
var fig6Busy, fig6Loaded = fig6Case{"youtube", true}, fig6Case{"colocated", false}

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
	w, err := generated("realtime", c.preset, fig6Data, seed)
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
	if k := slices.IndexFunc(looks, func(look realtime.Look) bool { return look.Job == 0 }); k >= 0 {
		list = looks[k].Workers
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

// sight is what one seed shows: laxities in ms and who is flagged, by place; the median, the percent within 150 ms of
// it, how far slower workers are below it, how many of them are flagged, and how many others.
type sight struct {
	laxity, flagged            []float64
	median, near, found, other float64
	lower, share               samples // empty without slower workers
}

func newSight(list []realtime.Sighting, slower map[int32]bool) (x sight) {
	low := 0.0
	for _, s := range list {
		x.laxity, x.flagged = append(x.laxity, 1000*s.Laxity.Seconds()), append(x.flagged, 0)
	}
	x.median = stat.Quantile(0.5, stat.Empirical, x.laxity, nil)
	for i, s := range list {
		if math.Abs(x.laxity[i]-x.median) <= 150 {
			x.near += 100 / float64(len(list))
		}
		if s.Overloaded {
			x.flagged[i] = 1000
			if slower[s.Worker] {
				x.found++
			} else {
				x.other++
			}
		}
		if slower[s.Worker] {
			low += x.median - x.laxity[i]
		}
	}
	if n := float64(len(slower)); n > 0 {
		x.lower, x.share = samples{low / n}, samples{100 * x.found / n}
	}
	return x
}

// look collects what a case shows, by seed.
func (f *figure) look(c fig6Case) []sight {
	return measured(f.Lab, fmt.Sprintf("%s %+v", f.Name, c), len(f.seeds), func(_ context.Context, i int) (sight, error) {
		list, slower, err := f.sightings(c, f.seeds[i])
		if err != nil {
			return sight{}, err
		}
		return newSight(list, slower), nil
	})
}

// over reads a value from each sight, several if it gives several.
func over(list []sight, what func(sight) samples) (all samples) {
	for _, x := range list {
		all = append(all, what(x)...)
	}
	return all
}

func realtimeFig6(f *figure) {
	f.Parameters["generate"], f.Parameters["preset"] = fig6Data, fig6Busy.preset
	f.Parameters["loaded"] = "preset " + fig6Loaded.preset
	busy, loaded := f.look(fig6Busy), f.look(fig6Loaded)
	n := len(busy[0].laxity)
	place := func(list []sight, what func(sight) []float64) values {
		return func(x float64) samples {
			return over(list, func(s sight) samples { return what(s)[int(x)-1 : int(x)] })
		}
	}
	laxity, workers := func(s sight) []float64 { return s.laxity }, steps(1, 1, float64(n))
	f.line("laxity", 0, workers, place(busy, laxity))
	f.dashed("found overloaded, ‰ of the seeds", 1, workers, place(busy, func(s sight) []float64 { return s.flagged }))
	f.dashed("laxity beside other users' tasks", 3, workers, place(loaded, laxity))
	f.marks("most laxities", 2, map[float64]float64{fig6Low + 1: fig6Laxity, float64(n): fig6Laxity})
	const where = ours + "beside other users' tasks: "
	for _, x := range []struct {
		claim string
		judge judge
		seen  []sight
		of    func(sight) samples
	}{
		{fitted + "most laxities are close to this, in ms (median)", near(fig6Laxity, 100), busy,
			func(s sight) samples { return samples{s.median} }},
		{"the majority of the tasks is near it: % within 150 ms of the median", atLeast(50, 0), busy, sight.nearby},
		{"five tasks have significantly lower laxities: ms below the median, on average (at least 300, our reading)",
			atLeast(300, 0), busy, func(s sight) samples { return s.lower }},
		{"the workers of these five are characterised as overloaded: how many are", near(fig6Low, 0), busy,
			func(s sight) samples { return samples{s.found} }},
		{"and no other worker: how many others are", atMost(0, 0), busy, sight.others},
		{where + "the majority of the tasks is near it, too: % within 150 ms of the median", atLeast(50, 0), loaded,
			sight.nearby},
		{where + "the workers that they slow down are characterised as overloaded, in % (at least 90)", atLeast(90, 0),
			loaded, func(s sight) samples { return s.share }},
		{where + "and no other worker: how many others are", atMost(0, 0), loaded, sight.others},
	} {
		f.claim(x.claim, x.judge, over(x.seen, x.of))
	}
}

func (x sight) nearby() samples { return samples{x.near} }
func (x sight) others() samples { return samples{x.other} }
