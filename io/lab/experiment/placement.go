package experiment

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"mrsched/instances"
	"mrsched/io/engine"
	"mrsched/io/report"
)

// placementPaper is the reduce placement paper, with its Theorem 2, and what its policy is sensitive to.
var placementPaper = paper{"reduceplace", "Tan, Meng, Meng, Zhang, INFOCOM 2013, ", []Experiment{
	{Name: "placement-fig8", Title: "Intermediate data against job processing time", Source: "Table I and Fig. 8",
		measure: placementFig8},
	{Name: "placement-fig9", Title: "Fetching cost saved against greedy and random placement", Source: "Fig. 9",
		measure: placementFig9},
	{Name: "placement-fig10", Title: "Two sorts a minute apart, under random and enhanced placement", Source: "Fig. 10",
		measure: placementFig10},
	{Name: "placement-theorem2", Title: "Thresholds for K jobs that never leave", Source: "Theorems 1 and 2",
		measure: placementTheorem2},
	{Name: "placement-window", Title: "How many arrivals receding horizon control remembers", Source: "§IV",
		measure: placementWindow},
	{Name: "placement-misestimate", Title: "Intermediate data estimated from the first 5 % of the maps",
		Source: "§I-B", measure: placementMisestimate},
}}

// jobsPerUnit is the simulated jobs for each job of --jobs-max: by default the paper's 50 000.
const jobsPerUnit = 500

// placed is a scenario of the preset placement.
func placed(lambda float64, jobs int, generate, params engine.Settings, algorithms ...string) scenario {
	base := engine.Settings{"jobs": strconv.Itoa(jobs), "lambda": number(lambda)}
	return scenario{preset: "placement", generate: with(base, generate), params: params, algorithms: algorithms}
}

// statePlacement says what was run on the preset placement.
func (f *figure) statePlacement(generate engine.Settings, algorithms []string) {
	f.setParameters(map[string]any{"preset": "placement", "generate": generate, "algorithms": algorithms,
		"runs": engine.Settings{}})
}

// saved is by how many percent an algorithm is cheaper than another.
func saved(cost, against samples) samples {
	return cost.Over(against).Map(func(x float64) float64 { return 100 * (1 - x) })
}

// placementFig8 fits lines to the paper's Table I. The figure prints its own, which the text does not repeat: what can
// be compared is that they fit and that they are different.
func placementFig8(f *figure) error {
	f.axes("intermediate data, MB", "job processing time, s")
	blocks := instances.MeasuredBlocks()
	f.Parameters["seeds"] = "none: the numbers are those of Table I, shipped in instances/placement_table1.go"
	lines := map[string]string{}
	var slopes, errors samples
	for k, block := range blocks {
		name := fmt.Sprintf("block %d of Table I", k+1)
		a, slope, r2 := block.Line()
		marks := report.Curve{Name: name, Style: report.Published, Color: k}
		for _, j := range block {
			marks.Points = append(marks.Points, report.Point{X: j.Intermediate, Samples: samples{j.Seconds}})
		}
		f.draw(marks)
		data := intermediate(block)
		f.line(name+", least squares", k, []float64{slices.Min(data), slices.Max(data)},
			func(x float64) samples { return samples{a + slope*x} })
		text := fmt.Sprintf("time = %.1f s + %.5f s/MB · data, R² = %.4f", a, slope, r2)
		lines[name] = text
		f.atLeast(fmt.Sprintf("block %d lies on a line: R² is near 1.0 (at least 0.9)", k+1), 0.9, 0, samples{r2},
			"%s, %d rows; the paper's own line and R² stand in its drawing only", text, len(block))
		slopes, errors = append(slopes, slope), append(errors, slopeError(block))
	}
	f.Parameters["lines"] = lines
	f.claim(differentSlopes(blocks, slopes, errors))
	return nil
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

// differentSlopes compares each two slopes by Welch's t-test at 5 %.
func differentSlopes(blocks []instances.MeasuredBlock, slopes, errors samples) report.Claim {
	pairs, apart, why := 0, 0, ""
	for i := range slopes {
		for k := range i {
			variance := errors[i]*errors[i] + errors[k]*errors[k]
			freedom := variance * variance / (math.Pow(errors[i], 4)/float64(len(blocks[i])-2) +
				math.Pow(errors[k], 4)/float64(len(blocks[k])-2))
			t := math.Abs(slopes[i]-slopes[k]) / math.Sqrt(variance)
			p := 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Survival(t)
			if pairs++; p < 0.05 {
				apart++
			}
			if why != "" {
				why += ", "
			}
			why += fmt.Sprintf("blocks %d and %d: %.5f and %.5f s/MB, p = %.3f", k+1, i+1, slopes[k], slopes[i], p)
		}
	}
	return report.Claim{Claim: "the lines have different slopes", Published: "each two", Why: why,
		Ours: fmt.Sprintf("%d of %d pairs differ at the 5 %% level", apart, pairs), Verdict: report.Judge(apart == pairs,
			apart == 0)}
}
