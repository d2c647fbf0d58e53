package instances

import (
	"math"
	"math/rand/v2"
	"strconv"

	"mrsched/model"
)

// Past runs state processor and memory use that is independent of their size, so that estimates of it mislead nobody:
// half a core and 200 MB (Hadoop's default heap), each within some tenth.
const (
	historyCPU    = 0.5
	historyMemory = 200e6
	historySpread = 0.1
)

// speedDigits rounds speeds to what a reader of the workload can take in.
const speedDigits = 1e4

// cluster adds the workers.
func (g *realtimeGenerator) cluster() {
	r := rand.New(stream(uint64(g.p.Int("speed-seed")), realtimeSpeeds))
	g.b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
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
		g.b.Node(n, "root", model.Locus{})
	}
}

func workerName(k int) string { return "w" + strconv.Itoa(k+1) }

// runs says whether a worker has a slot of a kind.
func (g *realtimeGenerator) runs(worker int, kind model.TaskKind) bool {
	if kind == model.Map {
		return worker < g.mapWorkers || g.workers == 1 && g.maps > 0
	}
	return worker >= g.mapWorkers
}

// law is what a task of a size takes on a worker, in seconds, times a log-normal factor of mean 1.
func (g *realtimeGenerator) law(kind model.TaskKind, bytes model.Bytes, worker int, noise float64, r *rand.Rand) model.Time {
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
			g.b.GivenTime(model.GivenTime{Task: task, Time: g.law(kind, bytes, w, spread, g.noise)}, job, workerName(w), model.Locus{})
		}
	}
}

// history adds past runs of each worker. Their sizes spread evenly on a logarithmic scale, so that any size has neighbours:
// maps from half to double a split; partitions from a sixteenth of the mean one to all data of the fullest reducer
// under Hadoop's hash.
func (g *realtimeGenerator) history() {
	r, runs := rand.New(stream(g.seed, realtimeHistory)), g.p.Int("history-runs")
	split := g.p.Float("input") * megabyte / float64(max(1, g.maps))
	data := g.p.Float("data") * megabyte
	span := map[model.TaskKind][2]float64{
		model.Map:    {split / 2, split * 2},
		model.Reduce: {data / float64(16*g.partitions), min(data, data/(float64(g.reduces)*(1-g.p.Float("skew")/100)))},
	}
	for w := range g.workers {
		for _, kind := range []model.TaskKind{model.Map, model.Reduce} {
			if !g.runs(w, kind) {
				continue
			}
			least, most := span[kind][0], span[kind][1]
			for range runs {
				bytes := model.Bytes(0)
				if least > 0 {
					bytes = model.Bytes(math.Round(least * math.Pow(most/least, r.Float64())))
				}
				cpu := math.Round(100*historyCPU*lognormal(r, historySpread)) / 100
				memory := model.Bytes(math.Round(historyMemory * lognormal(r, historySpread)))
				g.b.PastRun(model.PastRun{Class: g.name, Worker: workerName(w), Kind: kind, Bytes: bytes, CPU: model.Some(cpu), MemoryBytes: model.Some(memory),
					Time: g.law(kind, bytes, w, g.p.Float("history-noise"), r)}, model.Locus{})
			}
		}
	}
}
