package instances

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"mrsched/model"
	"mrsched/solver"
)

// TestJobNeeds by hand: twice the computing adds half of the time, of which it is 2·0.5/1.5; twice the heap adds a
// tenth.
func TestJobNeeds(t *testing.T) {
	for _, c := range []struct {
		n           jobNeeds
		factor, cpu float64
		memory      model.Bytes
	}{{jobNeeds{1, 1}, 1, 0.5, 200e6}, {jobNeeds{2, 1}, 1.5, 0.6667, 200e6}, {jobNeeds{1, 2}, 1.1, 0.4545, 400e6},
		{jobNeeds{0.5, 0.5}, 0.7, 0.3571, 100e6}} {
		if got := c.n.factor(); math.Abs(got-c.factor) > 1e-12 || c.n.cpu() != model.Some(c.cpu) ||
			c.n.memory() != model.Some(c.memory) {
			t.Errorf("%v: factor %g, cpu %v, memory %v", c.n, got, c.n.cpu(), c.n.memory())
		}
	}
}

// TestRealtimeNeeds: by default past runs differ in cpu and memory, those of one past job agree, and times of jobs
// depend on their needs. With --need-spread 0 all need half a core and 200 MB, and nothing else differs.
func TestRealtimeNeeds(t *testing.T) {
	for _, preset := range []Preset{twitterPreset(), youtubePreset()} {
		few := solver.Params{"jobs": 3, "history-runs": 20, "history-noise": 0.0, "state-needs": true}
		w, in := realtimeOf(t, preset, few)
		few["need-spread"] = 0.0
		alike, same := realtimeOf(t, preset, few)
		if !slices.Equal(in.Bytes, same.Bytes) || !slices.Equal(in.Release, same.Release) ||
			!slices.Equal(in.Due, same.Due) {
			t.Errorf("%s: --need-spread changes sizes or arrivals", preset.Name)
		}
		seen := map[float64]bool{}
		for i := range w.History {
			h, a, first := &w.History[i], &alike.History[i], &w.History[i%20]
			seen[h.CPU.Value] = true
			if a.CPU != model.Some(0.5) || a.MemoryBytes != model.Some(model.Bytes(200e6)) || h.Bytes != a.Bytes ||
				h.CPU != first.CPU || h.MemoryBytes != first.MemoryBytes {
				t.Fatalf("%s: run %d: %+v, without needs %+v, first of its job %+v", preset.Name, i, h, a, first)
			}
		}
		if len(seen) < 15 {
			t.Errorf("%s: %d values of cpu in 20 past jobs", preset.Name, len(seen))
		}
		for j := range w.Jobs {
			maps, reduces := alike.Jobs[j].MapRate.Value/w.Jobs[j].MapRate.Value,
				alike.Jobs[j].ReduceRate.Value/w.Jobs[j].ReduceRate.Value
			if math.Abs(maps-reduces) > 1e-9 || math.Abs(maps-1) < 1e-6 {
				t.Errorf("%s: job %d takes %g times as long for its maps, %g for its reduces", preset.Name, j, maps, reduces)
			}
			// factor = 1 + (work − 1)/2 + (heap − 1)/10 and cpu = work/2/factor
			m := w.Tasks[in.FirstMap[j]]
			if want := 0.4 + m.CPU.Value*maps + 0.1*float64(m.MemoryBytes.Value)/200e6; math.Abs(maps-want) > 1e-3 {
				t.Errorf("%s: job %d: factor %g, by its needs %g", preset.Name, j, maps, want)
			}
		}
	}
}

// TestNeighbours: their number has mean and variance 0.8 at any time. After half a mean stay the correlation is e^−0.5,
// within about 4 standard errors of 20 000 draws. Skipping far ahead makes no difference.
func TestNeighbours(t *testing.T) {
	for _, gap := range []float64{0, 1000} {
		var first, second []float64
		n := newNeighbours(random(1, realtimeLoad), 0.8, 10, -50)
		for at := 0.0; len(first) < 20_000; at += 30 + gap {
			first = append(first, n.slowdown(at)-1)
			second = append(second, n.slowdown(at+5)-1)
		}
		mean, variance := stat.MeanVariance(first, nil)
		if c := stat.Correlation(first, second, nil); math.Abs(mean-0.8) > 0.03 || math.Abs(variance-0.8) > 0.05 ||
			math.Abs(c-math.Exp(-0.5)) > 0.03 {
			t.Errorf("gap %g: mean %g, variance %g, correlation %g", gap, mean, variance, c)
		}
	}
}

// TestRealtimeLoad: without other spreads, a task takes 1, 2, … times the time by size and speed, and all tasks of a
// job on one worker have the same factor. If other users' tasks stay long, past runs met the same load as jobs;
// otherwise only on average.
func TestRealtimeLoad(t *testing.T) {
	for _, stay := range []float64{1e6, 1e-3} {
		w, in := realtimeOf(t, realtimePreset(colocatedJob), solver.Params{"need-spread": 0.0, "noise": 0.0,
			"history-noise": 0.0, "load": 0.5, "load-time": stay, "jobs": 2})
		_, plain := realtimeOf(t, youtubePreset(), solver.Params{"need-spread": 0.0, "jobs": 2})
		of := make([]float64, in.Workers)
		for task := range int32(in.Tasks) {
			for _, slot := range in.SlotsFor(in.KindOf(task)) {
				worker := in.WorkerOf[slot]
				times := float64(in.Time(task, worker)) / float64(plain.Time(task, worker))
				if in.JobOf(task) == 0 && of[worker] == 0 {
					of[worker] = math.Round(times)
				}
				if math.Abs(times-math.Round(times)) > 1e-3 || in.JobOf(task) == 0 && of[worker] != math.Round(times) {
					t.Fatalf("task %d takes %g times as long on worker %d", task, times, worker)
				}
			}
		}
		agree, sum := 0, 0.0
		for i := range w.History {
			h := &w.History[i]
			rate := w.Jobs[0].MapRate.Value
			if h.Kind == model.Reduce {
				rate = w.Jobs[0].ReduceRate.Value
			}
			times := h.Time.Seconds() * w.Topology[h.Node].Speed.Value / (w.Jobs[0].TaskOverhead.Value.Seconds() +
				float64(h.Bytes)/rate)
			sum += times
			for k := range int32(in.Workers) {
				if in.WorkerName(k) == h.Worker && of[k] == math.Round(times) {
					agree++
				}
			}
		}
		share, mean := float64(agree)/float64(len(w.History)), sum/float64(len(w.History))
		// Two Poisson numbers of mean 1/2 are equal with probability e^−1·Σ 4^−k/k!² = 0.466.
		if stay == 1e6 && share < 0.99 || stay < 1 && (math.Abs(share-0.466) > 0.05 || math.Abs(mean-1.5) > 0.05) {
			t.Errorf("stay %g: %g of the runs have met the load of the first job, mean %g", stay, share, mean)
		}
	}
}

// TestColocated: of 59 workers with map slots five run other users' tasks, on average over 40 instances; 4 standard
// errors.
func TestColocated(t *testing.T) {
	loaded := 0
	for seed := range uint64(40) {
		w := workloadOf(t, realtimePreset(colocatedJob), seed,
			solver.Params{"jobs": 1, "noise": 0.0, "need-spread": 0.0, "history-runs": 1})
		for _, x := range w.Times[:59] { // those of the first map
			if x.Time.Seconds()*w.Topology[x.Worker].Speed.Value > 1.5*0.22 {
				loaded++
			}
		}
	}
	if mean := float64(loaded) / 40; math.Abs(mean-5) > 4*math.Sqrt(5.0/40) {
		t.Errorf("%g workers have company", mean)
	}
}
