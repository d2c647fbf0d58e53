package instances

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"

	"mrsched/model"
	"mrsched/solver"
)

// Purposes of the random streams.
const (
	placementArrivals = iota + 301
	placementWork
	placementReduces
	placementData
	placementCosts
	placementMaps
)

// megabyte is the unit of X.
const megabyte = 1e6

// maxPlacementMaps bounds the rows of the table tasks, which must fit into memory.
const maxPlacementMaps = 50_000_000

func placementPreset() Preset {
	return Preset{
		Problem: "reduceplace", Name: "placement",
		Examples: []string{"mrsched generate reduceplace --jobs 100 --lambda 0.9 -o stream.json"},
		Summary:  "the simulations of the reduce placement paper: Poisson arrivals, exponential map work, uniform slot costs",
		Params: []solver.Param{
			whole("jobs", "50000", 1, 1e7, "number of jobs"),
			whole("slots", "1000", 1, 1e6, "number of reduce slots"),
			number("lambda", "0.6", 1e-6, 1e6, "mean number of jobs that arrive per second"),
			number("mu", "1", 1e-6, 1e6, "mean number of jobs whose map work the cluster does per second"),
			whole("max-running", "100", 0, 1e9, "most jobs that share the map phase, `max_running_jobs`; 0: all"),
			whole("max-reduces", "10", 1, 1e6, "most reduces of a job: uniform up to this number"),
			whole("min-reduces", "1", 1, 1e6, "fewest reduces of a job"),
			number("max-data", "100", 1, 1e9, "most megabytes of intermediate data of a job"),
			choice("data", "law of a job's data from 1 to --max-data, which the paper leaves open: uniform; uniform in the "+
				"logarithm; for 80 % uniform in the lowest tenth, else in the highest; or the lowest for 80 %, else the "+
				"highest", "uniform", "log-uniform", "tail", "two"),
			number("max-cost", "100", 1, 1e6, "highest cost of a slot per byte: uniform from 1 to this number"),
			choice("correlate", "map work: exponential and independent of the data, or by the linear fit of a block of "+
				"the paper's Table I, where a job with mean data has the block's mean data and all work is scaled to the "+
				"mean 1/mu", "none", "block1", "block2", "block3"),
			whole("maps", "0", 0, 1e6, "list this many maps per job with their output, so that a job's data can be estimated "+
				"from its first maps; 0: none"),
			number("map-spread", "0.5", 0, 5,
				"spread of the maps' outputs: the standard deviation of their logarithms"),
		},
		Generate: generatePlacement,
		Tasks: func(p solver.Params, _ uint64) int64 {
			return product(p.Int("jobs"), 1+p.Int("max-reduces")+p.Int("maps"))
		},
	}
}

// generatePlacement makes jobs "j1", "j2", … on slots "s1", "s2", …. Each number comes from a stream of its own, so
// that cost, data and reduces stay the same under another --lambda, and everything does with or without --maps.
func generatePlacement(p solver.Params, seed uint64) (*model.Workload, error) {
	jobs, slots, maps := int(p.Int("jobs")), int(p.Int("slots")), int(p.Int("maps"))
	b := newMaker()
	if most := p.Int("max-reduces"); most > int64(slots) {
		b.refuse(fmt.Sprintf("up to %s per job on %s", model.Counted(most, "reduce"), model.Counted(slots, "slot")),
			"slots for all reduces of a job at once", "lower --max-reduces or raise --slots")
	}
	if n := jobs * maps; n > maxPlacementMaps {
		b.refuse(fmt.Sprintf("%d maps in all", n), fmt.Sprintf("at most %d", maxPlacementMaps), "lower --maps or --jobs")
	}
	if p.Int("min-reduces") > p.Int("max-reduces") {
		b.refuse(fmt.Sprintf("from %d to %d reduces per job", p.Int("min-reduces"), p.Int("max-reduces")),
			"--min-reduces of at most --max-reduces", "change one of them")
	}
	if !b.Findings.Empty() {
		return nil, b.Findings.Err()
	}
	b.start(fmt.Sprintf("placement-%d-%d-seed%d", jobs, slots, seed), "reduceplace")
	if k := p.Int("max-running"); k > 0 {
		b.MaxRunningJobs(model.Some(k))
	}
	costs := random(seed, placementCosts)
	for s := range slots {
		b.reduceSlot(model.ReduceSlot{ID: nth("s", s), Cost: model.CostOf(upTo(costs, p.Float("max-cost")))})
	}
	arrivals, counts, data := random(seed, placementArrivals), random(seed, placementReduces), random(seed, placementData)
	work, outputs := mapWork(p, seed), mapOutputs(p, seed)
	b.Reserve(jobs * maps)
	now, fewest := 0.0, p.Int("min-reduces")
	for k := range jobs {
		now += arrivals.ExpFloat64() / p.Float("lambda")
		x := dataOf(p, data)
		j := model.Job{ID: nth("j", k), Weight: model.UnitWeight, Release: model.TimeOf(now),
			Reduces:           model.Some(fewest + counts.Int64N(p.Int("max-reduces")-fewest+1)),
			IntermediateBytes: model.Some(model.Bytes(math.Round(x * megabyte))), MapWork: model.Some(model.TimeOf(work(x)))}
		b.job(j)
		for m, bytes := range outputs(j.IntermediateBytes.Value) {
			b.task(model.Task{ID: nth(j.ID+".m", m), Kind: model.Map, OutputBytes: model.Some(bytes)}, j.ID, "")
		}
	}
	return b.Build()
}

// upTo draws uniformly from 1 to most.
func upTo(r *rand.Rand, most float64) float64 { return 1 + float64((most-1)*r.Float64()) }

// dataOf draws a job's megabytes, of each law from one number or two.
func dataOf(p solver.Params, r *rand.Rand) float64 {
	most := p.Float("max-data")
	x := upTo(r, most)
	switch share := (x - 1) / max(most-1, 1e-9); p.Text("data") { // uniform from 0 to 1
	case "log-uniform":
		return solver.Exp(share * math.Log(most))
	case "tail":
		y := r.Float64()
		if share < 0.8 {
			return 1 + float64(y*max(0, most/10-1))
		}
		return max(1, most-float64(y*most/10))
	case "two":
		if share < 0.8 {
			return 1
		}
		return most
	}
	return x
}

// mapWork gives the seconds of map work of a job with x megabytes: exponential, or on a measured line.
func mapWork(p solver.Params, seed uint64) func(x float64) float64 {
	mean := 1 / p.Float("mu")
	for k, block := range MeasuredBlocks() {
		if p.Text("correlate") == nth("block", k) {
			a, slope, _ := block.Line()
			// The simulated data differs from the measured data: only its ratio to the mean can be carried over.
			perMean, center := block.MeanData(), (1+p.Float("max-data"))/2
			return func(x float64) float64 { return mean * (a + slope*perMean*x/center) / (a + slope*perMean) }
		}
	}
	r := random(seed, placementWork)
	return func(float64) float64 { return mean * r.ExpFloat64() }
}

// mapOutputs splits a job's data over its maps by lognormal shares. The outputs stay valid until the next call.
func mapOutputs(p solver.Params, seed uint64) func(total model.Bytes) []model.Bytes {
	r, spread := random(seed, placementMaps), p.Float("map-spread")
	share, bytes := make([]float64, p.Int("maps")), make([]model.Bytes, p.Int("maps"))
	return func(total model.Bytes) []model.Bytes {
		for k := range share {
			share[k] = solver.Exp(spread * r.NormFloat64())
		}
		apportion(total, share, bytes)
		return bytes
	}
}

// apportion divides a total by shares, up to a common factor, into whole numbers that add up to it: each sum of the
// first ones is rounded.
func apportion(total model.Bytes, share []float64, into []model.Bytes) {
	sum := 0.0
	for _, s := range share {
		sum += s
	}
	before, part := model.Bytes(0), 0.0
	for k, s := range share {
		part += s
		until := min(total, model.Bytes(math.Round(float64(total)*part/sum)))
		if k == len(share)-1 {
			until = total
		}
		into[k], before = until-before, until
	}
}

// MeasuredJob is a row of Table I of Tan et al., INFOCOM 2013: a Grep over 10 GB on 7 nodes.
type MeasuredJob struct {
	Expression   string
	Intermediate float64 // megabytes
	Output       float64 // megabytes
	Seconds      float64 // processing time of the job
}

// MeasuredBlock is a block of the table: expressions of one form.
type MeasuredBlock []MeasuredJob

// MeasuredBlocks are the three blocks of Table I.
func MeasuredBlocks() []MeasuredBlock {
	return []MeasuredBlock{
		{
			{"[1-2]*", 184.41, 0.01, 1110}, {"[1-3]*", 189.22, 0.27, 1129}, {"[1-4]*", 195.23, 3.02, 1165},
			{"[0-4]*", 210.80, 17.51, 1208},
			{"[1-5]*", 194.96, 20.49, 1178}, {"[0-5]*", 675.90, 86.57, 1235}, {"[1-6]*", 243.45, 99.23, 1249},
			{"[0-6]*", 2092.84, 336.68, 1315},
			{"[1-7]*", 2221.29, 380.42, 1337}, {"[0-7]*", 5495.84, 1098.06, 1490}, {"[1-8]*", 5641.22, 1225.81, 1533},
		},
		{
			{"[1-3][1-8]*", 3157.23, 463.57, 795}, {"[1-4][1-8]*", 3606.56, 616.84, 884}, {"[1-5][1-8]*", 4950.25, 769.78, 1005},
			{"[1-6][1-8]*", 5584.79, 922.49, 1083}, {"[1-7][1-8]*", 5914.40, 1074.76, 1138},
		},
		{
			{"^[0-2][0-2][0-9]*", 1621.28, 501.03, 295}, {"^[0-3][5-6][0-9]*", 1564.35, 501.07, 295},
			{"^[0-4][1-2][0-9]*", 2442.98, 667.95, 325},
			{"^1[0-9]*", 2787.25, 835.00, 371}, {"^[0-1][0-7][0-9]*", 5727.24, 1336.03, 525},
			{"^[0-1][0-8][0-9]*", 5891.73, 1502.99, 558},
			{"^[0-2][0-9]*", 6939.92, 1670.02, 615},
		},
	}
}

func (b MeasuredBlock) columns() (data, seconds []float64) {
	for _, j := range b {
		data, seconds = append(data, j.Intermediate), append(seconds, j.Seconds)
	}
	return data, seconds
}

// Line is the least-squares line seconds = intercept + slope·megabytes of intermediate data, and its coefficient of
// determination.
func (b MeasuredBlock) Line() (intercept, slope, r2 float64) {
	data, seconds := b.columns()
	intercept, slope = stat.LinearRegression(data, seconds, nil, false)
	return intercept, slope, stat.RSquared(data, seconds, nil, intercept, slope)
}

// MeanData is the mean of the intermediate data, in megabytes.
func (b MeasuredBlock) MeanData() float64 {
	data, _ := b.columns()
	return stat.Mean(data, nil)
}
