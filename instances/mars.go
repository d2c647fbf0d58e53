package instances

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"mrsched/model"
	"mrsched/solver"
)

// The numbers of Ling et al. 2016, §5.1.1.
const (
	marsMeanMaps    = 30
	marsMaps        = 30 // uniform counts
	marsReduces     = 10
	marsMapTime     = 10 // seconds; uniform times, and the mean of random ones
	marsReduceTime  = 15
	marsTimeSpread  = 5 // standard deviation of random times
	marsWeightMean  = 30
	marsWeightSigma = 10
)

// Purposes of the random streams.
const (
	marsReleases = iota + 1
	marsCounts
	marsMapTimes
	marsReduceTimes
	marsWeights
	marsTaskWeights
)

func marsPreset() Preset {
	return Preset{
		Problem: "msjo", Name: "mars",
		Examples: []string{"mrsched generate msjo --jobs 20 --seed 7 -o jobs20.json"},
		Summary:  "the synthetic jobs of the MarS paper: Bernoulli arrivals, about 30 maps and 15 reduces per job",
		Params: []solver.Param{
			whole("jobs", "100", 1, 1e7, "number of jobs"),
			whole("machines", "50", 1, 1e7, "number of identical machines"),
			choice("counts", "tasks per job: Poisson(30) maps and 1…maps reduces, or 30 and 10", "random", "uniform"),
			choice("times", "seconds per task: N(10,5) and N(15,5), or 10 and 15", "random", "uniform"),
			number("delay-factor", "1.3", 0, 1000, "shuffle delay of a map as a multiple of its processing time"),
			slotParam(),
			choice("uw-order", "draw unit weights instead of weights from N(30,10), in this order by release", "none",
				"increasing", "decreasing"),
			flag("ordered-times", "cut maps to the length of their job's shortest reduce (the premise of factor 3)"),
			whole("tasks", "0", 0, 1e9, "at most this many tasks; the last job is cut short; 0: no limit"),
			taskWeightsParam(),
		},
		Generate: generateMars,
		Tasks: func(p solver.Params, _ uint64) int64 {
			n := product(p.Int("jobs"), 46) // 30 maps on average, and 1 … maps reduces
			if most := p.Int("tasks"); most > 0 {
				n = min(n, most)
			}
			return n
		},
	}
}

func taskWeightsParam() solver.Param {
	return choice("task-weights", "weights of the tasks, for the task objective: their job's, or N(30,10)", "job",
		"random")
}

// taskWeights draws the tasks' own weights; without --task-weights random there are none.
func taskWeights(p solver.Params, seed uint64) func() model.Optional[model.Weight] {
	if p.Text("task-weights") != "random" {
		return func() (none model.Optional[model.Weight]) { return none }
	}
	draw := normal(marsWeightMean, marsWeightSigma, stream(seed, marsTaskWeights))
	return func() model.Optional[model.Weight] { return model.Some(model.WeightOf(draw())) }
}

// normal draws from a normal distribution until the number, rounded to a millionth, is greater than 0.
func normal(mean, sigma float64, src rand.Source) func() float64 {
	draw := distuv.Normal{Mu: mean, Sigma: sigma, Src: src}.Rand
	return func() float64 { return positive(draw) }
}

func positive(draw func() float64) float64 {
	for {
		if v := draw(); v >= 1e-6 {
			return v
		}
	}
}

// slotParam is the length that the paper leaves open.
func slotParam() solver.Param {
	return seconds("slot", "1", 0.001, 1e6, "seconds of a slot; in each a job arrives with probability ½")
}

// arrivals draws times of release: one arrival in a slot with probability ½.
func arrivals(p solver.Params, src rand.Source) func() model.Time {
	random, slot, length := rand.New(src), 0, model.TimeOf(p.Float("slot"))
	return func() model.Time {
		for random.IntN(2) == 0 {
			slot++
		}
		slot++
		return model.Time(slot-1) * length
	}
}

// marsJob is a job before it gets its place in the sequence of releases.
type marsJob struct {
	weight        model.Weight
	maps, reduces []model.Time
}

// unitWeights takes the jobs' weights for unit weights and sorts them along the releases. A job's weight becomes its
// unit weight times the processing time of all its tasks.
func unitWeights(jobs []marsJob, increasing bool) {
	unit := make([]model.Weight, len(jobs))
	for k, j := range jobs {
		unit[k] = j.weight
	}
	slices.Sort(unit)
	if !increasing {
		slices.Reverse(unit)
	}
	for k, j := range jobs {
		var work model.Time
		for _, p := range slices.Concat(j.maps, j.reduces) {
			work += p
		}
		jobs[k].weight = model.WeightOf(unit[k].Float() * work.Seconds())
	}
}

func generateMars(p solver.Params, seed uint64) (*model.Workload, error) {
	n := int(p.Int("jobs"))
	jobs := marsJobs(p, seed, n)
	if order := p.Text("uw-order"); order != "none" {
		unitWeights(jobs, order == "increasing")
	}
	b := newMaker()
	b.Scalars(fmt.Sprintf("mars-%d-seed%d", n, seed), "msjo", model.Some(p.Int("machines")), nil)
	release, own := arrivals(p, stream(seed, marsReleases)), taskWeights(p, seed)
	factor := p.Float("delay-factor")
	for k, j := range cut(jobs, int(p.Int("tasks"))) {
		id := nth("j", k)
		b.job(model.Job{ID: id, Release: release(), Weight: j.weight})
		for i, t := range j.maps {
			b.task(model.Task{ID: nth(id+".m", i), Kind: model.Map, Processing: model.Some(t),
				ShuffleDelay: model.TimeOf(factor * t.Seconds()), Weight: own()}, id, "")
		}
		for i, t := range j.reduces {
			b.task(model.Task{ID: nth(id+".r", i), Kind: model.Reduce, Processing: model.Some(t), Weight: own()}, id, "")
		}
	}
	return b.Build()
}

// cut keeps the first jobs, at most this many tasks of them; 0: all. The last job loses maps and reduces alike.
func cut(jobs []marsJob, tasks int) []marsJob {
	if tasks == 0 {
		return jobs
	}
	for k, j := range jobs {
		n := len(j.maps) + len(j.reduces)
		if n >= tasks {
			maps := max(1, tasks*len(j.maps)/n)
			jobs[k].maps, jobs[k].reduces = j.maps[:maps], j.reduces[:tasks-maps]
			return jobs[:k+1]
		}
		tasks -= n
	}
	return jobs
}

func marsJobs(p solver.Params, seed uint64, n int) []marsJob {
	counts := stream(seed, marsCounts)
	maps := distuv.Poisson{Lambda: marsMeanMaps, Src: counts}
	reduces := rand.New(counts)
	times := func(mean float64, purpose uint64) func(count int) []model.Time {
		draw := normal(mean, marsTimeSpread, stream(seed, purpose))
		if p.Text("times") != "random" {
			draw = func() float64 { return mean }
		}
		return func(count int) []model.Time {
			list := make([]model.Time, count)
			for i := range list {
				list[i] = model.TimeOf(draw())
			}
			return list
		}
	}
	mapTimes, reduceTimes := times(marsMapTime, marsMapTimes), times(marsReduceTime, marsReduceTimes)
	weight := normal(marsWeightMean, marsWeightSigma, stream(seed, marsWeights))
	jobs := make([]marsJob, n)
	for k := range jobs {
		nm, nr := marsMaps, marsReduces
		if p.Text("counts") == "random" {
			nm = int(positive(maps.Rand))
			nr = 1 + reduces.IntN(nm)
		}
		j := marsJob{model.WeightOf(weight()), mapTimes(nm), reduceTimes(nr)}
		if p.Bool("ordered-times") {
			shortest := slices.Min(j.reduces)
			for i := range j.maps {
				j.maps[i] = min(j.maps[i], shortest)
			}
		}
		jobs[k] = j
	}
	return jobs
}

// wikipediaMB are the sizes of the 27 files of English Wikipedia of 30 January 2010, in megabytes. The paper gives the
// least, the largest, the total of 43.7 GB, and ten files below 1 GB; between them the sizes here grow geometrically up
// to 950 MB and by growing factors from 1 GB on.
var wikipediaMB = []int64{149, 183, 225, 276, 339, 417, 512, 629, 773, 950,
	1000, 1000, 1001, 1005, 1013, 1031, 1062, 1113, 1192, 1312, 1494, 1772, 2204, 2898, 4059, 6111, 9980}

// The numbers of Ling et al. 2016, §6.2–6.4.
const (
	wikipediaBlock    = 64 << 20 // bytes per map
	wikipediaSmall    = 10       // jobs of set 1
	wikipediaMachines = "16"
)

// Purposes of the random streams.
const (
	wikipediaReleases = iota + 101
	wikipediaWeights
	wikipediaMapTimes
	wikipediaReduceTimes
	wikipediaOrder
)

func wikipediaPreset() Preset {
	return Preset{
		Problem: "msjo", Name: "wikipedia",
		Summary: "word counts of 27 Wikipedia files on a small cluster, as in the MarS paper's testbeds",
		Params: []solver.Param{
			choice("set", "all 27 files, or the ten below 1 GB", "all", "small"),
			whole("machines", wikipediaMachines, 1, 1e7,
				"number of slots: 16 in EC2, 12 machines of two in the local cluster"),
			seconds("map-time", "80", 0.001, 1e6, "mean seconds per map"),
			seconds("reduce-time", "150", 0.001, 1e6, "mean seconds per reduce"),
			number("time-spread", "0.1", 0, 1, "standard deviation of the times, as a share of their mean"),
			slotParam(),
			number("bandwidth", "400", 0.001, 1e6,
				"megabits per second between machines; a map's shuffle delay is one block at this rate"),
			taskWeightsParam(),
		},
		Generate: generateWikipedia,
	}
}

// generateWikipedia makes one job per file: a map per block, half as many reduces. Files arrive in random order;
// releases and weights are those of the simulations.
func generateWikipedia(p solver.Params, seed uint64) (*model.Workload, error) {
	files := wikipediaMB
	if p.Text("set") == "small" {
		files = files[:wikipediaSmall]
	}
	times := func(mean float64, purpose uint64) func() model.Optional[model.Time] {
		draw := normal(mean, mean*p.Float("time-spread"), stream(seed, purpose))
		return func() model.Optional[model.Time] { return model.Some(model.TimeOf(draw())) }
	}
	mapTime := times(p.Float("map-time"), wikipediaMapTimes)
	reduceTime := times(p.Float("reduce-time"), wikipediaReduceTimes)
	weight := normal(marsWeightMean, marsWeightSigma, stream(seed, wikipediaWeights))
	release, own := arrivals(p, stream(seed, wikipediaReleases)), taskWeights(p, seed)
	delay := model.TimeOf(wikipediaBlock * 8 / (p.Float("bandwidth") * 1e6))
	b := newMaker()
	b.Scalars(fmt.Sprintf("wikipedia-%s-seed%d", p.Text("set"), seed), "msjo", model.Some(p.Int("machines")), nil)
	for _, k := range random(seed, wikipediaOrder).Perm(len(files)) {
		id := nth("file", k)
		bytes := files[k] * 1_000_000
		maps := int((bytes + wikipediaBlock - 1) / wikipediaBlock)
		b.job(model.Job{ID: id, Release: release(), Weight: model.WeightOf(weight())})
		for i := range maps {
			read := min(bytes-int64(i)*wikipediaBlock, wikipediaBlock)
			b.task(model.Task{ID: nth(id+".m", i), Kind: model.Map, Processing: mapTime(), ShuffleDelay: delay,
				InputBytes: model.Some(model.Bytes(read)), Weight: own()}, id, "")
		}
		for i := range maps / 2 {
			b.task(model.Task{ID: nth(id+".r", i), Kind: model.Reduce, Processing: reduceTime(), Weight: own()}, id, "")
		}
	}
	return b.Build()
}
