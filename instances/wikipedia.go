package instances

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"mrsched/model"
	"mrsched/solver"
)

// wikipediaMB are the sizes of the 27 files of English Wikipedia of 30 January 2010, in megabytes. The paper gives
// the least, the largest, the total of 43.7 GB, and ten files below 1 GB; between them the sizes here grow
// geometrically up to 950 MB and by growing factors from 1 GB on.
var wikipediaMB = []int64{149, 183, 225, 276, 339, 417, 512, 629, 773, 950,
	1000, 1000, 1001, 1005, 1013, 1031, 1062, 1113, 1192, 1312, 1494, 1772, 2204, 2898, 4059, 6111, 9980}

// The numbers of Ling et al. 2016, §6.2–6.4.
const (
	wikipediaBlock    = 64 << 20 // bytes a map
	wikipediaSmall    = 10       // jobs of set 1
	wikipediaMachines = 16
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
		Source:  "Ling et al., JPDC 2016, §6.2",
		Params: []solver.Param{
			{Name: "set", Kind: solver.StringParam, Default: "all", Choices: []string{"all", "small"},
				Usage: "all 27 files, or the ten below 1 GB"},
			{Name: "machines", Kind: solver.IntParam, Default: fmt.Sprint(wikipediaMachines), Minimum: 1, Maximum: 1e7,
				Usage: "number of slots: 16 in EC2, 12 machines of two in the local cluster"},
			{Name: "map-time", Kind: solver.FloatParam, Default: "80", Minimum: 0.001, Maximum: 1e6,
				Usage: "mean seconds a map"},
			{Name: "reduce-time", Kind: solver.FloatParam, Default: "150", Minimum: 0.001, Maximum: 1e6,
				Usage: "mean seconds a reduce"},
			{Name: "time-spread", Kind: solver.FloatParam, Default: "0.1", Minimum: 0, Maximum: 1,
				Usage: "standard deviation of the times, as a share of their mean"},
			{Name: "bandwidth", Kind: solver.FloatParam, Default: "400", Minimum: 0.001, Maximum: 1e6,
				Usage: "megabits a second between machines; a map's shuffle delay is one block at this rate"},
			taskWeightsParam(),
		},
		Generate: generateWikipedia,
	}
}

// generateWikipedia makes one job a file: a map a block, half as many reduces. Files arrive in random order;
// releases and weights are those of the simulations.
func generateWikipedia(p solver.Params, seed uint64) (*model.Workload, error) {
	files := wikipediaMB
	if p.Text("set") == "small" {
		files = files[:wikipediaSmall]
	}
	draw := func(mean float64, purpose uint64) func() float64 {
		return distuv.Normal{Mu: mean, Sigma: mean * p.Float("time-spread"), Src: stream(seed, purpose)}.Rand
	}
	mapTime, reduceTime := draw(p.Float("map-time"), wikipediaMapTimes), draw(p.Float("reduce-time"), wikipediaReduceTimes)
	weight := distuv.Normal{Mu: marsWeightMean, Sigma: marsWeightSigma, Src: stream(seed, wikipediaWeights)}
	own := taskWeights(p, seed)
	arrivals := newArrivals(stream(seed, wikipediaReleases))
	delay := model.TimeOf(wikipediaBlock * 8 / (p.Float("bandwidth") * 1e6))
	b := model.NewBuilder()
	b.Scalars(fmt.Sprintf("wikipedia-%s-seed%d", p.Text("set"), seed), "msjo", model.Some(p.Int("machines")), nil)
	for _, k := range rand.New(stream(seed, wikipediaOrder)).Perm(len(files)) {
		id := fmt.Sprintf("file%d", k+1)
		bytes := files[k] * 1_000_000
		maps := int((bytes + wikipediaBlock - 1) / wikipediaBlock)
		b.Job(model.Job{ID: id, Release: arrivals.next(), Weight: model.WeightOf(positive(weight.Rand))}, model.Locus{})
		for i := range maps {
			read := min(bytes-int64(i)*wikipediaBlock, wikipediaBlock)
			b.Task(model.Task{ID: fmt.Sprintf("%s.m%d", id, i+1), Kind: model.Map,
				Processing:   model.Some(model.TimeOf(positive(mapTime))),
				ShuffleDelay: delay, InputBytes: model.Some(model.Bytes(read)), Weight: own()}, id, "", model.Locus{})
		}
		for i := range maps / 2 {
			b.Task(model.Task{ID: fmt.Sprintf("%s.r%d", id, i+1), Kind: model.Reduce,
				Processing: model.Some(model.TimeOf(positive(reduceTime))), Weight: own()}, id, "", model.Locus{})
		}
	}
	return b.Build()
}
