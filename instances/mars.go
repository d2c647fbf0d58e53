package instances

import (
	"cmp"
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
		Summary: "the synthetic jobs of the MarS paper: Bernoulli arrivals, about 30 maps and 15 reduces a job",
		Source:  "Ling et al., JPDC 2016, §5.1.1",
		Params: []solver.Param{
			{Name: "jobs", Kind: solver.IntParam, Default: "100", Minimum: 1, Maximum: 1e7, Usage: "number of jobs"},
			{Name: "machines", Kind: solver.IntParam, Default: "50", Minimum: 1, Maximum: 1e7,
				Usage: "number of identical machines"},
			{Name: "counts", Kind: solver.StringParam, Default: "random", Choices: []string{"random", "uniform"},
				Usage: "tasks a job: Poisson(30) maps and 1…maps reduces, or 30 and 10"},
			{Name: "times", Kind: solver.StringParam, Default: "random", Choices: []string{"random", "uniform"},
				Usage: "seconds a task: N(10,5) and N(15,5), or 10 and 15"},
			{Name: "delay-factor", Kind: solver.FloatParam, Default: "1.3", Minimum: 0, Maximum: 1000,
				Usage: "shuffle delay of a map as a multiple of its processing time"},
			{Name: "uw-order", Kind: solver.StringParam, Default: "none", Choices: []string{"none", "increasing", "decreasing"},
				Usage: "order of the jobs' unit weights along their releases"},
			{Name: "ordered-times", Kind: solver.BoolParam, Default: "false",
				Usage: "cut maps to the length of their job's shortest reduce (the premise of factor 3)"},
			{Name: "tasks", Kind: solver.IntParam, Default: "0", Minimum: 0, Maximum: 1e9,
				Usage: "at most this many tasks, the last job cut short; 0: all"},
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

// taskWeightsParam is the parameter that taskWeights reads.
func taskWeightsParam() solver.Param {
	return solver.Param{Name: "task-weights", Kind: solver.StringParam, Default: "job", Choices: []string{"job", "random"},
		Usage: "weights of the tasks, for the task objective: their job's, or N(30,10)"}
}

// taskWeights draws the tasks' own weights; none unless they are to be random.
func taskWeights(p solver.Params, seed uint64) func() model.Optional[model.Weight] {
	if p.Text("task-weights") != "random" {
		return func() model.Optional[model.Weight] { return model.Optional[model.Weight]{} }
	}
	weight := distuv.Normal{Mu: marsWeightMean, Sigma: marsWeightSigma, Src: stream(seed, marsTaskWeights)}
	return func() model.Optional[model.Weight] { return model.Some(model.WeightOf(positive(weight.Rand))) }
}

// arrivals are times of release: one arrival a 1 s slot with probability ½.
type arrivals struct {
	random *rand.Rand
	slot   int
}

func newArrivals(src rand.Source) *arrivals { return &arrivals{random: rand.New(src)} }

func (a *arrivals) next() model.Time {
	for a.random.IntN(2) == 0 {
		a.slot++
	}
	a.slot++
	return model.Time(a.slot-1) * model.Second
}

// marsJob is a job before it gets its place in the sequence of releases.
type marsJob struct {
	weight        model.Weight
	maps, reduces []model.Time
}

func (j marsJob) unitWeight() float64 {
	var work model.Time
	for _, p := range slices.Concat(j.maps, j.reduces) {
		work += p
	}
	return j.weight.Float() / work.Seconds()
}

func generateMars(p solver.Params, seed uint64) (*model.Workload, error) {
	n := int(p.Int("jobs"))
	jobs := marsJobs(p, seed, n)
	switch order := p.Text("uw-order"); order {
	case "increasing":
		slices.SortStableFunc(jobs, func(a, b marsJob) int { return cmp.Compare(a.unitWeight(), b.unitWeight()) })
	case "decreasing":
		slices.SortStableFunc(jobs, func(a, b marsJob) int { return cmp.Compare(b.unitWeight(), a.unitWeight()) })
	}
	b := model.NewBuilder()
	b.Scalars(fmt.Sprintf("mars-%d-seed%d", n, seed), "msjo", model.Some(p.Int("machines")), nil)
	arrivals := newArrivals(stream(seed, marsReleases))
	own := taskWeights(p, seed)
	factor := p.Float("delay-factor")
	for k, j := range cut(jobs, int(p.Int("tasks"))) {
		id := fmt.Sprintf("j%d", k+1)
		b.Job(model.Job{ID: id, Release: arrivals.next(), Weight: j.weight}, model.Locus{})
		for i, t := range j.maps {
			b.Task(model.Task{ID: fmt.Sprintf("%s.m%d", id, i+1), Kind: model.Map, Processing: model.Some(t),
				ShuffleDelay: model.TimeOf(factor * t.Seconds()), Weight: own()}, id, "", model.Locus{})
		}
		for i, t := range j.reduces {
			b.Task(model.Task{ID: fmt.Sprintf("%s.r%d", id, i+1), Kind: model.Reduce, Processing: model.Some(t), Weight: own()},
				id, "", model.Locus{})
		}
	}
	return b.Build()
}

// cut keeps the first jobs, at most so many tasks of them; 0: all. The last job loses maps and reduces alike.
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
	mapTime := distuv.Normal{Mu: marsMapTime, Sigma: marsTimeSpread, Src: stream(seed, marsMapTimes)}
	reduceTime := distuv.Normal{Mu: marsReduceTime, Sigma: marsTimeSpread, Src: stream(seed, marsReduceTimes)}
	weight := distuv.Normal{Mu: marsWeightMean, Sigma: marsWeightSigma, Src: stream(seed, marsWeights)}
	jobs := make([]marsJob, n)
	for k := range jobs {
		j := &jobs[k]
		nm, nr := marsMaps, marsReduces
		if p.Text("counts") == "random" {
			nm = int(positive(maps.Rand))
			nr = 1 + reduces.IntN(nm)
		}
		j.weight = model.WeightOf(positive(weight.Rand))
		j.maps, j.reduces = make([]model.Time, nm), make([]model.Time, nr)
		for i := range j.maps {
			j.maps[i] = marsMapTime * model.Second
			if p.Text("times") == "random" {
				j.maps[i] = model.TimeOf(positive(mapTime.Rand))
			}
		}
		for i := range j.reduces {
			j.reduces[i] = marsReduceTime * model.Second
			if p.Text("times") == "random" {
				j.reduces[i] = model.TimeOf(positive(reduceTime.Rand))
			}
		}
		if p.Bool("ordered-times") {
			shortest := slices.Min(j.reduces)
			for i := range j.maps {
				j.maps[i] = min(j.maps[i], shortest)
			}
		}
	}
	return jobs
}

// positive draws until the number, rounded to a millionth, is greater than 0.
func positive(draw func() float64) float64 {
	for {
		if v := draw(); v >= 1e-6 {
			return v
		}
	}
}
