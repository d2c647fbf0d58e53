package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"mrsched/instances"
	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/io/workload"
	"mrsched/model"
	placementmodel "mrsched/model/reduceplace"
)

// placementPaper is the reduce placement paper.
var placementPaper = paper{"reduceplace", "Tan, Meng, Meng, Zhang, INFOCOM 2013", []entry{
	{"placement-fig8", "Intermediate data against job processing time", "Table I and Fig. 8", "intermediate data, MB",
		"job processing time, s", placementFig8},
	{"placement-fig9", "Fetching cost saved against greedy and random placement", "Fig. 9", "job arrival rate λ (μ = 1)",
		"fetching cost saved, %", placementFig9},
	{"placement-fig10", "Two sorts a minute apart, under random and enhanced placement", "Fig. 10", "",
		"relative time of the slowest reduce", placementFig10},
}}

// jobsPerUnit is the number of simulated jobs per job of --jobs-max. The default of that flag gives the paper's 50 000.
const jobsPerUnit = 500

// placed is the preset placement at a load.
func (f *figure) placed(lambda float64) scenario {
	return scenario{preset: "placement", generate: engine.Settings{"jobs": strconv.Itoa(jobsPerUnit * f.JobsMax),
		"lambda": number(lambda)}}
}

// saving is what a policy saves against another.
func (f *figure) saving(at func(x float64) scenario, policy, against string) values {
	return func(x float64) samples { return saved(f.costs(at(x), policy), f.costs(at(x), against)) }
}

// placementFig8 fits lines to the paper's Table I. The figure prints its own lines, which the text does not repeat, so
// one can only compare that they fit and that they differ.
func placementFig8(f *figure) {
	blocks := instances.MeasuredBlocks()
	f.Parameters["seeds"] = "none: the numbers are those of Table I, shipped in instances/placement_table1.go"
	for k, block := range blocks {
		name := fmt.Sprintf("block %d of Table I", k+1)
		a, slope, r2 := block.Line()
		marks := report.Curve{Name: name, Style: report.Published, Color: k}
		for _, j := range block {
			marks.Points = append(marks.Points, report.Point{X: j.Intermediate, Samples: samples{j.Seconds}})
		}
		f.add(marks)
		data := intermediate(block)
		f.line(name+", least squares", k, []float64{slices.Min(data), slices.Max(data)},
			func(x float64) samples { return samples{a + slope*x} })
		f.state(report.Claim{Claim: fmt.Sprintf("block %d lies on a line: R² is near 1.0 (at least 0.9)", k+1),
			Published: "≥ 0.9", Ours: fmt.Sprintf("%.4f", r2), Verdict: report.Judge(r2 >= 0.9, true)})
	}
	pairs, apart := 0, 0
	for i := range blocks {
		for k := range i {
			if pairs++; unequalSlopes(blocks[i], blocks[k]) < 0.05 {
				apart++
			}
		}
	}
	f.state(report.Claim{Claim: "the lines have different slopes", Published: "each two",
		Ours:    fmt.Sprintf("%d of %d pairs differ at the 5 %% level", apart, pairs),
		Verdict: report.Judge(apart == pairs, apart == 0)})
}

// intermediate are the amounts of data of a block's jobs.
func intermediate(block instances.MeasuredBlock) (data []float64) {
	for _, j := range block {
		data = append(data, j.Intermediate)
	}
	return data
}

// slopeError is the standard error of a block's slope.
func slopeError(block instances.MeasuredBlock) float64 {
	a, slope, _ := block.Line()
	sum := 0.0
	for _, j := range block {
		off := j.Seconds - a - slope*j.Intermediate
		sum += off * off
	}
	n := float64(len(block))
	return math.Sqrt(sum / (n - 2) / (stat.Variance(intermediate(block), nil) * (n - 1)))
}

// unequalSlopes is the p value of Welch's t-test on two slopes.
func unequalSlopes(a, b instances.MeasuredBlock) float64 {
	_, slopeA, _ := a.Line()
	_, slopeB, _ := b.Line()
	errorA, errorB := slopeError(a), slopeError(b)
	variance := errorA*errorA + errorB*errorB
	freedom := variance * variance / (math.Pow(errorA, 4)/float64(len(a)-2) + math.Pow(errorB, 4)/float64(len(b)-2))
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Survival(math.Abs(slopeA-slopeB)/math.Sqrt(variance))
}

// The loads of placement-fig9, and the figures in the text, in percent: at least fig9Random, up to fig9Greedy.
var fig9Loads = []float64{0.2, 0.3, 0.4, 0.5, 0.6}

const fig9Random, fig9Greedy = 90, 22

// fig9Laws are laws of data: the text says that it ranges from 1 to 100, and that a job has 1 to 10 reduces. The first,
// the uniform one, counts as the paper's.
var fig9Laws = []struct {
	mark     string
	settings engine.Settings
}{
	{"", engine.Settings{"data": "uniform"}},
	{ours + "log-uniform data: ", engine.Settings{"data": "log-uniform"}},
	{ours + "80 % of the jobs with 1 … 10 MB: ", engine.Settings{"data": "tail"}},
	{ours + "1 or 100 MB, ten reduces: ", engine.Settings{"data": "two", "min-reduces": "10"}},
}

// placementFig9 draws and judges the savings under each law, and the clairvoyant bound in place of a cost, which no
// policy can exceed.
func placementFig9(f *figure) {
	for color, law := range fig9Laws {
		at := func(x float64) scenario { return f.placed(x).generating(law.settings) }
		name := ", data " + law.settings["data"]
		random := f.line("rhc over random"+name, color, fig9Loads, f.saving(at, "rhc", "random"))
		greedy := f.line("rhc over greedy"+name, color, fig9Loads, f.saving(at, "rhc", "greedy"))
		f.dashed("clairvoyant bound over greedy"+name, color, fig9Loads, func(x float64) samples {
			return saved(f.bounds(at(x), "greedy"), f.costs(at(x), "greedy"))
		})
		f.claim(law.mark+"rhc saves more than 90 % against random, in %", atLeast(fig9Random, 0),
			extreme(random, -1).Samples)
		f.claim(law.mark+"rhc saves up to 22 % against greedy, in %", near(fig9Greedy, 2), extreme(greedy, 1).Samples)
		f.rising(law.mark+"the saving against greedy grows with λ", greedy)
	}
	f.marks("rhc over random, at least", 4, map[float64]float64{0.2: fig9Random, 0.6: fig9Random})
	f.marks("rhc over greedy, up to", 5, map[float64]float64{0.6: fig9Greedy})
}

// fig10Runs is how often the paper repeated its experiment.
const fig10Runs = 5

// placementFig10 places the two sorts at random and by receding horizon control. The paper measures a slot's cost as
// the time of a reduce there over the average, so a job's reduces take as long as its most expensive slot costs. That
// is all the model knows of processing times.
func placementFig10(f *figure) {
	preset, err := instances.FindPreset("reduceplace", "sorts")
	must(err)
	w, err := workload.ReadBytes(preset.Document, preset.Name, workload.Options{})
	must(err)
	f.Parameters["runs"], f.Parameters["preset"] = fig10Runs, preset.Name
	for _, j := range w.Jobs {
		f.Groups = append(f.Groups, "sort "+j.ID)
	}
	slowest := func(name string) values {
		runs := measured(f.Lab, f.Name+name, fig10Runs, func(ctx context.Context, k int) (samples, error) {
			return f.slowest(ctx, w, name, f.seeds[0]+uint64(k))
		})
		return func(x float64) (list samples) {
			for _, jobs := range runs {
				list = append(list, jobs[int(x)])
			}
			return list
		}
	}
	axis := positions(len(f.Groups))
	random := f.line("random placement", 0, axis, slowest("random"))
	enhanced := f.line("enhanced placement", 1, axis, slowest("rhc"))
	for i, name := range f.Groups {
		a, b := random.Points[i].Samples, enhanced.Points[i].Samples
		f.claim(name+": a bad placement can take 1.75 times as long (Fig. 3; the worst run at random over the mean "+
			"enhanced one)", atLeast(1.75, 0), b.Map(func(x float64) float64 { return slices.Max(a) / x }))
		f.minus(name+": enhanced placement is faster on average (slowest reduce, random minus enhanced)", atLeast(0, 0), a,
			b)
	}
}

// slowest places the jobs once and gives, for each, the cost of its most expensive slot.
func (l *Lab) slowest(ctx context.Context, w *model.Workload, algorithm string, seed uint64) (list samples, err error) {
	o, err := l.open(w, nil)
	if err != nil {
		return nil, err
	}
	v, err := l.solve(ctx, o, algorithm, seed, true)
	if err != nil {
		return nil, err
	}
	in := o.Run.View().(*placementmodel.Instance)
	slot := in.Placed(v.Schedule)
	for i := range in.Jobs {
		dearest := 0.0
		for t := in.First[i]; t < in.First[i+1]; t++ {
			dearest = max(dearest, in.Cost[slot[t]].Float())
		}
		list = append(list, dearest)
	}
	return list, nil
}
