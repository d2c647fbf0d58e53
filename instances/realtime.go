package instances

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"mrsched/model"
	"mrsched/solver"
)

// Purposes of the random streams.
const (
	realtimeSpeeds = iota + 401
	realtimeArrivals
	realtimeUrgency
	_
	realtimeRanks
	realtimeKeys
	_
	realtimeHistory
	realtimeNoise
	realtimeNeeds
	realtimePastNeeds
	realtimeLoad
)

// maxRealtimeRows bounds the rows of a generated table, which must fit into memory.
const maxRealtimeRows = 50_000_000

// realtimeJob is one of the two jobs of the DynamicShare paper (§5), with values that the paper leaves open fitted to
// reproduce its figures. Times are for a worker of speed 1.
type realtimeJob struct {
	name, summary string
	// Megabytes that maps read, from the paper, and that they write.
	input, data float64
	// Seconds of a map, of a reducer with 1/R of the data, and of a task without data.
	mapTime, reduceTime, overhead float64
	// Seconds from arrival to deadline, from the paper.
	strict, relaxed float64
	keys            int64
	// Other users' tasks on a worker, on average, and the spread of true times.
	load, noise float64
	examples    []string // commands
}

// The paper's jobs. Its 59 map slots run one map of a job each, so n jobs that arrive together take n map times and a
// reduce phase: the times are fitted so that about six of them meet strict deadlines, which is where misses begin to
// rise in Figure 5.
//
// twitter, fitted: with 1.4 s a reducer and the speeds of --speed-seed 1, 40 partitions take LB some 2.8 s, evened out
// to 90 %, and DP 1.9 s, as in Figures 9 and 10. The paper does not say how much maps write; a tenth of the tweets is
// an assumption: only the ratio of data to rate matters. youtube, fitted: most laxities are 1650 of 2000 ms (Figure 6):
// 350 ms for a map and a reduce, of which reduces get less, as their number of bytes is that of the maps on fewer
// slots, yet adding up degrees is less than parsing edges. A pair for every edge is written.
var (
	twitterJob = realtimeJob{name: "twitter", summary: "unique friends in 2 GB of tweets, deadlines of 15 and 20 s, " +
		"keys with a skewed hash",
		input: 2000, data: 200, mapTime: 2, reduceTime: 1.4, overhead: 0.02, strict: 15, relaxed: 20, keys: 2000}
	youtubeJob = realtimeJob{name: "youtube", summary: "degrees in a social graph of 39 MB, deadlines of 2 and 4 s, " +
		"power-law partitions",
		input: 39, data: 39, mapTime: 0.22, reduceTime: 0.11, overhead: 0.005, strict: 2, relaxed: 4,
		examples: []string{"mrsched generate realtime --preset youtube --jobs 5 -o youtube"}}
	colocatedJob = besideOthers(youtubeJob)
)

// besideOthers are a job's settings on workers that other users load, as on PlanetLab. The load is fitted: Figure 6 has
// five overloaded workers, and with this load 5 of 59 workers have other tasks on average. True times vary as past runs
// do.
func besideOthers(j realtimeJob) realtimeJob {
	j.name, j.examples = "colocated", nil
	j.summary = "the youtube jobs on workers that other users' tasks slow down, at times that vary"
	j.load, j.noise = 0.085, 0.1
	return j
}

// The other defaults: 82 workers, 59 maps, 23 reducers, 70 % strict deadlines and a skewness of 80 % are the paper's,
// 40 partitions those of which it states results (Figures 9 and 10). The rest is fitted. A spread of 0.3 gives the
// slowest of 23 reducers about half of the mean speed, which the ratio of LB to DP there requires; 2000 keys with
// exponent 0.5 allow a sketch of 40 partitions to reach the balance of 90 %, which larger keys would not. 3 jobs at a
// time is half the load at which misses begin to rise. A past run's time is off by a tenth; 100 runs per worker make
// estimates good enough to reproduce the order of its curves, 30 do not always. Estimates in Figure 4 are close to the
// truth. A --need-spread of more than 0.1, which changes times by some 5 %, would make that impossible, because needs
// are unknown in advance.
//
// It is an assumption that other users' tasks stay for a minute, longer than a job.

// realtimeParams are the settings of a job's generator.
func realtimeParams(j realtimeJob) []solver.Param {
	shortest := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	// own is a parameter whose default is a number of the job's.
	own := func(name string, value func(realtimeJob) float64, least, most float64, usage string) solver.Param {
		for i, k := range []realtimeJob{twitterJob, youtubeJob, colocatedJob} {
			usage += []string{" (", ", ", ", "}[i] + k.name + " " + shortest(value(k))
		}
		usage += ")"
		return number(name, shortest(value(j)), least, most, usage)
	}
	ownTime := func(name string, value func(realtimeJob) float64, least, most float64, usage string) solver.Param {
		p := own(name, value, least, most, usage)
		p.Seconds = true
		return p
	}
	return []solver.Param{
		whole("jobs", "20", 1, 1e6, "number of jobs"),
		whole("workers", "82", 1, 1e6, "number of workers, each with one map slot or one reduce slot, in the proportion "+
			"of maps and reduces of a job"),
		whole("maps", "59", 0, 1e6, "maps of a job"),
		whole("reduces", "23", 1, 1e6, "reducers of a job"),
		whole("partitions", "40", 1, 1e6, "partitions of a job's intermediate data"),
		number("skew", "80", 0, 99.9, "skewness in percent, 100 − 100·mean/largest: of the partitions, or with --keys "+
			"of those that Hadoop's hash makes for as many partitions as reducers"),
		whole("keys", strconv.FormatInt(j.keys, 10), 0, 1e7, fmt.Sprintf("number of keys per job whose data are stated, "+
			"so that sketches can be made; 0: only the data of partitions (%s %d, others 0)", twitterJob.name, twitterJob.keys)),
		number("key-zipf", "0.5", 0, 10, "Zipf exponent of the keys that share a partition"),
		number("concurrent", "3", 1e-3, 1e6,
			"mean number of jobs in the system if none waits: sets the rate of Poisson arrivals"),
		seconds("interarrival", "0", 0, 1e6, "mean seconds between Poisson arrivals; 0: as --concurrent says"),
		number("strict", "0.7", 0, 1, "share of the jobs that have the strict deadline, rounded to a number of jobs"),
		ownTime("strict-deadline", func(j realtimeJob) float64 { return j.strict }, 0, 1e6,
			"seconds from arrival to a strict deadline"),
		ownTime("relaxed-deadline", func(j realtimeJob) float64 { return j.relaxed }, 0, 1e6,
			"seconds from arrival to a relaxed deadline"),
		own("input", func(j realtimeJob) float64 { return j.input }, 0, 1e6, "megabytes that the maps of a job read, in "+
			"equal parts"),
		own("data", func(j realtimeJob) float64 { return j.data }, 0, 1e6, "megabytes that the maps of a job write"),
		ownTime("map-time", func(j realtimeJob) float64 { return j.mapTime }, 1e-6, 1e6,
			"seconds of a map on a worker of speed 1"),
		ownTime("reduce-time", func(j realtimeJob) float64 { return j.reduceTime }, 1e-6, 1e6,
			"seconds of a reducer of speed 1 with an equal share of the data in one partition"),
		ownTime("overhead", func(j realtimeJob) float64 { return j.overhead }, 0, 1e6,
			"seconds that a map or partition takes in addition at speed 1, whatever its size"),
		number("speed-spread", "0.3", 0, 5,
			"spread of the workers' speeds: the standard deviation of their logarithms; their mean is 1"),
		whole("speed-seed", "1", 0, 1e18, "seed of the workers' speeds, which do not depend on the other seed"),
		whole("history-runs", "100", 0, 1e7, "number of past runs per worker, of the kind of tasks for which it has a slot"),
		number("history-noise", "0.1", 0, 5,
			"spread of past runs around what size and worker predict: the standard deviation of logarithms"),
		number("need-spread", "0.1", 0, 5, "spread of the cores and memory that jobs need, with which task times vary; "+
			"past runs state these needs, new tasks do not; 0: all jobs need the same"),
		flag("state-needs", "state the cores and memory that maps need"),
		own("noise", func(j realtimeJob) float64 { return j.noise }, 0, 5, "spread of the true times around what size and "+
			"worker predict, as --history-noise; the table times then states them, for partitions only without --keys"),
		own("load", func(j realtimeJob) float64 { return j.load }, 0, 100, "mean number of other users' tasks on a worker; "+
			"n of them make a task 1 + n times as long; they change over time, see --load-time"),
		seconds("load-time", "60", 1e-3, 1e6, "mean seconds that another user's task stays on a worker"),
	}
}

func realtimePreset(j realtimeJob) Preset {
	return Preset{
		Problem: "realtime", Name: j.name, Examples: j.examples,
		Summary:  "the " + j.name + " jobs of the DynamicShare paper: " + j.summary,
		Params:   realtimeParams(j),
		Generate: func(p solver.Params, seed uint64) (*model.Workload, error) { return generateRealtime(j.name, p, seed) },
		Tasks: func(p solver.Params, _ uint64) int64 {
			return product(p.Int("jobs"), p.Int("maps")+max(p.Int("partitions"), p.Int("keys")))
		},
	}
}

type realtimeGenerator struct {
	name string
	p    solver.Params
	seed uint64
	b    maker

	jobs, workers, maps, reduces, partitions, keys int

	job   int // the job that is being generated
	needs jobNeeds
	// the first workers have a map slot, the others a reduce slot; one worker has both
	mapWorkers          int
	speed               []float64
	pastLoad, load      [][]float64 // by worker, by past run or job: see drawLoads; nil: 1
	noise               *rand.Rand
	mapRate, reduceRate float64 // bytes per second at speed 1; 0: there are no bytes
}

// generateRealtime makes jobs "j1", "j2", … on workers "w1", "w2", …. Each kind of number comes from a stream of its
// own, so that the others stay the same under another value of a flag.
func generateRealtime(name string, p solver.Params, seed uint64) (*model.Workload, error) {
	g := &realtimeGenerator{name: name, p: p, seed: seed, b: newMaker(), jobs: int(p.Int("jobs")),
		workers: int(p.Int("workers")), maps: int(p.Int("maps")), reduces: int(p.Int("reduces")),
		partitions: int(p.Int("partitions")), keys: int(p.Int("keys")), noise: random(seed, realtimeNoise)}
	g.split()
	if g.check(); !g.b.Findings.Empty() {
		return nil, g.b.Findings.Err()
	}
	g.b.start(fmt.Sprintf("%s-%d-%d-seed%d", name, g.jobs, g.workers, seed), "realtime")
	g.cluster()
	g.rates()
	release, deadline := g.arrivals(), g.deadlines()
	needs := g.drawNeeds(random(seed, realtimeNeeds), g.jobs)
	g.drawLoads(release)
	data := newRealtimeData(g)
	g.b.Reserve(g.jobs * g.maps)
	for k := range g.jobs {
		j := model.Job{ID: nth("j", k), Weight: model.UnitWeight, Class: name, Release: release[k],
			Deadline: model.Some(deadline[k]), Reduces: model.Some(int64(g.reduces)),
			TaskOverhead: model.Some(model.TimeOf(p.Float("overhead")))}
		if g.mapRate > 0 && g.maps > 0 {
			j.MapRate = model.Some(g.mapRate / needs[k].factor())
		}
		if g.reduceRate > 0 {
			j.ReduceRate = model.Some(g.reduceRate / needs[k].factor())
		}
		if g.keys > 0 {
			j.Partitions = model.Some(int64(g.partitions))
		}
		g.b.job(j)
		g.job = k
		g.needs = needs[k]
		g.addMaps(j.ID)
		data.add(j.ID, model.Bytes(math.Round(p.Float("data")*megabyte)))
	}
	g.history(data.largest)
	return g.b.Build()
}

// split divides the workers into those with a map slot and those with a reduce slot.
func (g *realtimeGenerator) split() {
	g.mapWorkers = int(math.Round(float64(g.workers) * float64(g.maps) / float64(g.maps+g.reduces)))
	if g.maps > 0 {
		g.mapWorkers = max(1, g.mapWorkers)
	}
	g.mapWorkers = max(0, min(g.mapWorkers, g.workers-1))
}

func (g *realtimeGenerator) check() {
	p := g.p
	for _, x := range [][2]string{{"map-time", "input"}, {"reduce-time", "data"}} {
		if p.Float(x[0]) <= p.Float("overhead") && p.Float(x[1]) > 0 {
			g.b.refuse(fmt.Sprintf("--%s %g is not more than --overhead %g", x[0], p.Float(x[0]), p.Float("overhead")),
				"time for the data", "lower --overhead")
		}
	}
	if p.Float("load") > 0 && g.keys > 0 {
		g.b.refuse("--load with --keys", "times of partitions, which the table times then states", "add --keys 0")
	}
	parts := g.partitions
	if g.keys > 0 {
		parts = g.reduces
	}
	if most := 100 - 100/float64(parts); p.Float("skew") > most {
		g.b.refuse(fmt.Sprintf("--skew %g of %s", p.Float("skew"), model.Counted(parts, "partition")),
			fmt.Sprintf("at most %g: one of them holds everything then", most), "lower --skew")
	}
	rows := map[string]float64{"tasks": float64(g.jobs) * float64(g.maps),
		"history": float64(g.workers) * float64(p.Int("history-runs"))}
	rows["partitions"] = float64(g.jobs) * float64(max(g.partitions, g.keys))
	if p.Float("noise") > 0 || p.Float("load") > 0 {
		rows["times"] = float64(g.jobs) * float64(g.workers) * float64(max(g.maps, g.partitions))
	}
	for _, table := range []string{"tasks", "history", "partitions", "times"} {
		if rows[table] > maxRealtimeRows {
			g.b.refuse(fmt.Sprintf("up to %.0f rows of %s", rows[table], table), fmt.Sprintf("at most %d", maxRealtimeRows),
				"lower --jobs")
		}
	}
}

// rates follow from the times of a job of the mean size.
func (g *realtimeGenerator) rates() {
	rate := func(megabytes float64, tasks int, time string) float64 {
		return megabytes * megabyte / float64(max(1, tasks)) / (g.p.Float(time) - g.p.Float("overhead"))
	}
	if g.p.Float("input") > 0 {
		g.mapRate = rate(g.p.Float("input"), g.maps, "map-time")
	}
	if g.p.Float("data") > 0 {
		g.reduceRate = rate(g.p.Float("data"), g.reduces, "reduce-time")
	}
}

// arrivals are the jobs' releases; the first is at 0.
func (g *realtimeGenerator) arrivals() []model.Time {
	r, release, at := random(g.seed, realtimeArrivals), make([]model.Time, g.jobs), 0.0
	for k := 1; k < len(release); k++ {
		at += float64(g.gap() * r.ExpFloat64())
		release[k] = model.TimeOf(at)
	}
	return release
}

// gap is the mean time between arrivals, in seconds.
func (g *realtimeGenerator) gap() float64 {
	if mean := g.p.Float("interarrival"); mean > 0 {
		return mean
	}
	return (g.p.Float("map-time") + g.p.Float("reduce-time")) / g.p.Float("concurrent") // Little's law
}

// deadlines are strict for a fixed share of the jobs, chosen at random.
func (g *realtimeGenerator) deadlines() []model.Time {
	r, list := random(g.seed, realtimeUrgency), make([]model.Time, g.jobs)
	strict := int(math.Round(g.p.Float("strict") * float64(g.jobs)))
	for i, k := range r.Perm(g.jobs) {
		list[k] = model.TimeOf(g.p.Float("relaxed-deadline"))
		if i < strict {
			list[k] = model.TimeOf(g.p.Float("strict-deadline"))
		}
	}
	return list
}

// lognormal draws from the law with mean 1 and the given standard deviation of logarithms.
func lognormal(r *rand.Rand, sigma float64) float64 {
	return solver.Exp(sigma*r.NormFloat64() - sigma*sigma/2)
}

// addMaps lists a job's maps, which read equal splits.
func (g *realtimeGenerator) addMaps(job string) {
	split := model.Bytes(math.Round(g.p.Float("input") * megabyte / float64(max(1, g.maps))))
	for m := range g.maps {
		t := model.Task{ID: mapName(job, m), Kind: model.Map, InputBytes: model.Some(split)}
		if g.p.Bool("state-needs") {
			t.CPU, t.MemoryBytes = g.needs.cpu(), g.needs.memory()
		}
		g.b.task(t, job, "")
		g.stateTimes(job, mapName(job, m), model.Map, split)
	}
}

func mapName(job string, m int) string { return nth(job+".m", m) }
