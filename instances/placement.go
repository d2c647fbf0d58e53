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
		Summary: "the simulations of the reduce placement paper: Poisson arrivals, exponential map work, uniform data and " +
			"slot costs",
		Source: "Tan, Meng, Meng, Zhang, INFOCOM 2013, §V-B",
		Params: []solver.Param{
			{Name: "jobs", Kind: solver.IntParam, Default: "50000", Minimum: 1, Maximum: 1e7, Usage: "number of jobs"},
			{Name: "slots", Kind: solver.IntParam, Default: "1000", Minimum: 1, Maximum: 1e6, Usage: "number of reduce slots"},
			{Name: "lambda", Kind: solver.FloatParam, Default: "0.6", Minimum: 1e-6, Maximum: 1e6,
				Usage: "jobs that arrive in a second, on average"},
			{Name: "mu", Kind: solver.FloatParam, Default: "1", Minimum: 1e-6, Maximum: 1e6,
				Usage: "jobs whose map work the cluster does in a second, on average"},
			{Name: "max-running", Kind: solver.IntParam, Default: "100", Minimum: 0, Maximum: 1e9,
				Usage: "jobs that share the map phase at most, `max_running_jobs`; 0: all"},
			{Name: "max-reduces", Kind: solver.IntParam, Default: "10", Minimum: 1, Maximum: 1e6,
				Usage: "a job has from 1 to so many reduces, each number equally likely"},
			{Name: "max-data", Kind: solver.FloatParam, Default: "100", Minimum: 1, Maximum: 1e9,
				Usage: "a job has from 1 to so many megabytes of intermediate data, uniformly"},
			{Name: "max-cost", Kind: solver.FloatParam, Default: "100", Minimum: 1, Maximum: 1e6,
				Usage: "a slot costs from 1 to so much a byte, uniformly"},
			{Name: "correlate", Kind: solver.StringParam, Default: "none", Choices: []string{"none", "block1",
				"block2", "block3"},
				Usage: "map work: exponential and independent of the data, or on the line that fits a block of the paper's " +
					"Table I, where a job with mean data has the block's mean data and all work is scaled to the mean 1/mu"},
			{Name: "maps", Kind: solver.IntParam, Default: "0", Minimum: 0, Maximum: 1e6,
				Usage: "list so many maps a job with what each puts out, so that data can be estimated from the first of them; " +
					"0: none"},
			{Name: "map-spread", Kind: solver.FloatParam, Default: "0.5", Minimum: 0, Maximum: 5,
				Usage: "spread of the maps' outputs: the standard deviation of their logarithms"},
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
	b := model.NewBuilder()
	if most := p.Int("max-reduces"); most > int64(slots) {
		b.Findings.Add(contradiction(fmt.Sprintf("up to %s a job on %s", model.Counted(most, "reduce"),
			model.Counted(slots, "slot")), "slots for all reduces of a job at once", "lower --max-reduces or raise --slots"))
	}
	if n := jobs * maps; n > maxPlacementMaps {
		b.Findings.Add(contradiction(fmt.Sprintf("%d maps in all", n), fmt.Sprintf("at most %d", maxPlacementMaps),
			"lower --maps or --jobs"))
	}
	if !b.Findings.Empty() {
		return nil, b.Findings.Err()
	}
	b.Scalars(fmt.Sprintf("placement-%d-%d-seed%d", jobs, slots, seed), "reduceplace", model.Optional[int64]{}, nil)
	if k := p.Int("max-running"); k > 0 {
		b.MaxRunningJobs(model.Some(k))
	}
	costs := rand.New(stream(seed, placementCosts))
	for s := range slots {
		b.ReduceSlot(model.ReduceSlot{ID: "s" + strconv.Itoa(s+1), Cost: model.CostOf(upTo(costs, p.Float("max-cost")))},
			model.Locus{})
	}
	arrivals, counts, data := rand.New(stream(seed, placementArrivals)), rand.New(stream(seed, placementReduces)),
		rand.New(stream(seed, placementData))
	work, outputs := mapWork(p, seed), newMapOutputs(p, seed)
	b.Reserve(jobs * maps)
	now := 0.0
	for k := range jobs {
		now += arrivals.ExpFloat64() / p.Float("lambda")
		x := upTo(data, p.Float("max-data"))
		j := model.Job{ID: "j" + strconv.Itoa(k+1), Weight: model.UnitWeight, Release: model.TimeOf(now),
			Reduces:           model.Some(1 + counts.Int64N(p.Int("max-reduces"))),
			IntermediateBytes: model.Some(model.Bytes(math.Round(x * megabyte))), MapWork: model.Some(model.TimeOf(work(x)))}
		b.Job(j, model.Locus{})
		for m, bytes := range outputs.of(j.IntermediateBytes.Value) {
			b.Task(model.Task{ID: j.ID + ".m" + strconv.Itoa(m+1), Kind: model.Map, OutputBytes: model.Some(bytes)}, j.ID, "",
				model.Locus{})
		}
	}
	return b.Build()
}

// upTo draws uniformly from 1 to most.
func upTo(r *rand.Rand, most float64) float64 { return 1 + (most-1)*r.Float64() }

// mapWork gives the seconds of map work of a job with x megabytes: exponential, or on a measured line.
func mapWork(p solver.Params, seed uint64) func(x float64) float64 {
	mean := 1 / p.Float("mu")
	for k, block := range MeasuredBlocks() {
		if p.Text("correlate") == fmt.Sprintf("block%d", k+1) {
			a, slope, _ := block.Line()
			// The simulated data is another one than the measured: only what it is relative to its mean can be carried over.
			perMean, center := block.MeanData(), (1+p.Float("max-data"))/2
			return func(x float64) float64 { return mean * (a + slope*perMean*x/center) / (a + slope*perMean) }
		}
	}
	r := rand.New(stream(seed, placementWork))
	return func(float64) float64 { return mean * r.ExpFloat64() }
}

// mapOutputs splits a job's data over its maps.
type mapOutputs struct {
	random *rand.Rand
	spread float64
	share  []float64
	bytes  []model.Bytes
}

func newMapOutputs(p solver.Params, seed uint64) *mapOutputs {
	n := p.Int("maps")
	return &mapOutputs{rand.New(stream(seed, placementMaps)), p.Float("map-spread"), make([]float64, n),
		make([]model.Bytes, n)}
}

// of gives the outputs, lognormal and scaled to the total; they stay valid until the next call.
func (o *mapOutputs) of(total model.Bytes) []model.Bytes {
	for k := range o.share {
		o.share[k] = math.Exp(o.spread * o.random.NormFloat64())
	}
	apportion(total, o.share, o.bytes)
	return o.bytes
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
