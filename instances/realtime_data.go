package instances

import (
	"math"
	"math/rand/v2"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
)

// realtimeData makes the intermediate data of jobs: the partitions, or keys that Hadoop's hash puts into as many
// partitions as there are reducers.
type realtimeData struct {
	g *realtimeGenerator
	// share is the share of each non-empty partition, up to a factor, the largest first. members are the keys in each.
	share   []float64
	members [][]int

	ranks, order *rand.Rand

	largest model.Bytes // largest partition of the first job; with keys, of Hadoop's hash
}

func keyName(k int) string { return nth("u", k) }

func newRealtimeData(g *realtimeGenerator) *realtimeData {
	d := &realtimeData{g: g, ranks: random(g.seed, realtimeRanks), order: random(g.seed, realtimeKeys)}
	skew := g.p.Float("skew")
	if g.keys == 0 {
		d.share = powerLaw(g.partitions, g.partitions, skew)
		return d
	}
	hashed := make([][]int, g.reduces)
	for k := range g.keys {
		i := realtime.HadoopPartition(keyName(k), g.reduces)
		hashed[i] = append(hashed[i], k)
	}
	for _, list := range hashed {
		if len(list) > 0 {
			d.members = append(d.members, list)
		}
	}
	d.share = powerLaw(len(d.members), g.reduces, skew)
	return d
}

// powerLaw gives n of p partitions sizes 1, 2^−a, 3^−a, …; the others are empty. The exponent a gives all p the
// requested skewness, in percent; it is 0 if the empty ones alone exceed that.
func powerLaw(n, p int, skew float64) []float64 {
	// 100 − 100·Σ/(p·1) = skew: the sizes add up to p·(1 − skew/100). Sums fall from n at a = 0 to 1.
	want := float64(p) * (1 - skew/100)
	size := make([]float64, n)
	sum := func(a float64) (total float64) {
		for k := range size {
			size[k] = math.Pow(float64(k+1), -a)
			total += size[k]
		}
		return total
	}
	if sum(0) <= want {
		return size
	}
	low, high := 0.0, 64.0 // 2^−64 of any size is negligible
	for range 60 {         // as exact as a float is
		if a := (low + high) / 2; sum(a) > want {
			low = a
		} else {
			high = a
		}
	}
	sum(high)
	return size
}

func (d *realtimeData) add(job string, total model.Bytes) {
	rank := d.ranks.Perm(len(d.share))
	if d.members == nil {
		share, bytes := make([]float64, len(rank)), make([]model.Bytes, len(rank))
		for i, k := range rank {
			share[i] = d.share[k]
		}
		apportion(total, share, bytes)
		d.measure(bytes)
		for i, v := range bytes {
			id := nth("p", i)
			d.g.b.part(model.Part{Partition: id, Bytes: v}, job)
			d.g.stateTimes(job, id, model.Reduce, v)
		}
		return
	}
	sizes := d.keySizes(rank, total)
	hashed := make([]model.Bytes, d.g.partitions)
	for k, v := range sizes {
		hashed[realtime.HadoopPartition(keyName(k), d.g.partitions)] += v
	}
	d.measure(hashed)
	for k, v := range sizes {
		d.g.b.keyData(model.KeyData{Key: keyName(k), Bytes: v}, job)
	}
}

// measure finds the largest partition of the first job.
func (d *realtimeData) measure(sizes []model.Bytes) {
	if d.largest == 0 {
		d.largest = slices.Max(sizes)
	}
}

// keySizes divides a total over the keys: by partition, and in each by Zipf's law over its keys in a random order.
func (d *realtimeData) keySizes(rank []int, total model.Bytes) []model.Bytes {
	zipf := d.g.p.Float("key-zipf")
	share, key := make([]float64, 0, d.g.keys), make([]int, 0, d.g.keys)
	for i, list := range d.members {
		first, sum := len(share), 0.0
		for k := range list {
			share = append(share, math.Pow(float64(k+1), -zipf))
			sum += share[first+k]
		}
		for k := range list {
			share[first+k] *= d.share[rank[i]] / sum
		}
		for _, k := range d.order.Perm(len(list)) {
			key = append(key, list[k])
		}
	}
	inOrder, bytes := make([]model.Bytes, len(key)), make([]model.Bytes, len(key))
	apportion(total, share, inOrder)
	for i, k := range key {
		bytes[k] = inOrder[i]
	}
	return bytes
}

// historyReach is how far the sizes of past runs exceed those of the jobs' own tasks, so that these have neighbours on
// both sides.
const historyReach = 1.25

// speedDigits rounds speeds so that they are readable in the workload.
const speedDigits = 1e4

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

func (g *realtimeGenerator) runs(worker int, kind model.TaskKind) bool {
	if kind == model.Map {
		return worker < g.mapWorkers || g.workers == 1 && g.maps > 0
	}
	return worker >= g.mapWorkers
}

// law is what a task of a size takes on a worker, in seconds, times a factor and a log-normal one of mean 1.
func (g *realtimeGenerator) law(kind model.TaskKind, bytes model.Bytes, n jobNeeds, worker int, times float64,
	noise float64, r *rand.Rand) model.Time {
	rate, seconds := g.mapRate, g.p.Float("overhead")
	if kind == model.Reduce {
		rate = g.reduceRate
	}
	if bytes > 0 && rate > 0 {
		seconds += float64(float64(bytes) / rate * n.factor())
	}
	return model.TimeOf(seconds / g.speed[worker] * times * lognormal(r, noise))
}

// stateTimes adds the true time of a task on each worker, if it does not follow from its size.
func (g *realtimeGenerator) stateTimes(job, task string, kind model.TaskKind, bytes model.Bytes) {
	spread := g.p.Float("noise")
	if spread == 0 && g.p.Float("load") == 0 {
		return
	}
	for w := range g.workers {
		if g.runs(w, kind) {
			g.b.givenTime(model.GivenTime{Task: task,
				Time: g.law(kind, bytes, g.needs, w, loadOf(g.load, w, g.job), spread, g.noise)}, job, workerName(w))
		}
	}
}

// history adds past runs of each worker; the k-th run of each worker belongs to one past job. Sizes are uniform, so
// that every size has neighbours, also the large ones, which matter most. They reach somewhat beyond those of a map,
// and of the largest partition of the first job.
func (g *realtimeGenerator) history(largest model.Bytes) {
	r := random(g.seed, realtimeHistory)
	needs := g.drawNeeds(random(g.seed, realtimePastNeeds), int(g.p.Int("history-runs")))
	most := map[model.TaskKind]float64{model.Map: historyReach * g.p.Float("input") * megabyte / float64(max(1, g.maps)),
		model.Reduce: historyReach * float64(largest)}
	for w := range g.workers {
		for _, kind := range []model.TaskKind{model.Map, model.Reduce} {
			if !g.runs(w, kind) {
				continue
			}
			for k, n := range needs {
				bytes := model.Bytes(math.Round(most[kind] * r.Float64()))
				g.b.pastRun(model.PastRun{Class: g.name, Worker: workerName(w), Kind: kind, Bytes: bytes, CPU: n.cpu(),
					MemoryBytes: n.memory(),
					Time:        g.law(kind, bytes, n, w, loadOf(g.pastLoad, w, k), g.p.Float("history-noise"), r)})
			}
		}
	}
}
