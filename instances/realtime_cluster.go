package instances

import (
	"math"
	"math/rand/v2"

	"mrsched/model"
)

// Past runs all state the same processor and memory use, half a core and Hadoop's default heap of 200 MB: tasks of a
// class do the same work, and a spread that says nothing about times would only blur which runs are alike.
const (
	historyCPU    = 0.5
	historyMemory = 200_000_000
)

// historyReach is how far beyond the sizes of the jobs' own tasks those of past runs go, so that these have neighbours
// on both sides.
const historyReach = 1.25

// speedDigits rounds speeds to what a reader of the workload can take in.
const speedDigits = 1e4

// cluster adds the workers.
func (g *realtimeGenerator) cluster() {
	r := random(uint64(g.p.Int("speed-seed")), realtimeSpeeds)
	g.b.root()
	for k := range g.workers {
		v := max(1/speedDigits, math.Round(lognormal(r, g.p.Float("speed-spread"))*speedDigits)/speedDigits)
		g.speed = append(g.speed, v)
		n := model.Node{ID: workerName(k), Kind: model.HostNode, Speed: model.Some(v)}
		if g.runs(k, model.Map) {
			n.MapSlots = 1
		}
		if g.runs(k, model.Reduce) {
			n.ReduceSlots = 1
		}
		g.b.node(n, "root")
	}
}

func workerName(k int) string { return nth("w", k) }

// runs says whether a worker has a slot of a kind.
func (g *realtimeGenerator) runs(worker int, kind model.TaskKind) bool {
	if kind == model.Map {
		return worker < g.mapWorkers || g.workers == 1 && g.maps > 0
	}
	return worker >= g.mapWorkers
}

// law is what a task of a size takes on a worker, in seconds, times a log-normal factor of mean 1.
func (g *realtimeGenerator) law(kind model.TaskKind, bytes model.Bytes, worker int, noise float64,
	r *rand.Rand) model.Time {
	rate, seconds := g.mapRate, g.p.Float("overhead")
	if kind == model.Reduce {
		rate = g.reduceRate
	}
	if bytes > 0 && rate > 0 {
		seconds += float64(bytes) / rate
	}
	return model.TimeOf(seconds / g.speed[worker] * lognormal(r, noise))
}

// stateTimes adds what a task truly takes on each worker, if that is not what its size says.
func (g *realtimeGenerator) stateTimes(job, task string, kind model.TaskKind, bytes model.Bytes) {
	spread := g.p.Float("noise")
	if spread == 0 {
		return
	}
	for w := range g.workers {
		if g.runs(w, kind) {
			g.b.givenTime(model.GivenTime{Task: task, Time: g.law(kind, bytes, w, spread, g.noise)}, job, workerName(w))
		}
	}
}

// history adds past runs of each worker. Sizes are uniform, so that every size has neighbours and those that matter,
// the large ones, no fewer: up to those of a map, and of the largest partition of the first job, and somewhat beyond.
func (g *realtimeGenerator) history(largest model.Bytes) {
	r, runs := random(g.seed, realtimeHistory), g.p.Int("history-runs")
	most := map[model.TaskKind]float64{model.Map: historyReach * g.p.Float("input") * megabyte / float64(max(1, g.maps)),
		model.Reduce: historyReach * float64(largest)}
	for w := range g.workers {
		for _, kind := range []model.TaskKind{model.Map, model.Reduce} {
			if !g.runs(w, kind) {
				continue
			}
			for range runs {
				bytes := model.Bytes(math.Round(most[kind] * r.Float64()))
				g.b.pastRun(model.PastRun{Class: g.name, Worker: workerName(w), Kind: kind, Bytes: bytes,
					CPU: model.Some(historyCPU), MemoryBytes: model.Some(model.Bytes(historyMemory)),
					Time: g.law(kind, bytes, w, g.p.Float("history-noise"), r)})
			}
		}
	}
}
