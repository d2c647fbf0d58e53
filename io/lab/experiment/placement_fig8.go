package experiment

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"mrsched/instances"
	"mrsched/io/report"
)

// placementFig8 fits lines to the paper's Table I. The figure prints its own, which the text does not repeat: what can
// be compared is that they fit and that they are different.
func placementFig8(_ *Lab, f *report.Figure) error {
	f.Source, f.XLabel, f.YLabel = placementSource+", Table I and Fig. 8", "intermediate data, MB",
		"job processing time, s"
	blocks := instances.MeasuredBlocks()
	f.Parameters["seeds"] = "none: the numbers are those of Table I, shipped in instances/placement_table1.go"
	lines := map[string]string{}
	var slopes, errors []float64
	for k, block := range blocks {
		name := fmt.Sprintf("block %d of Table I", k+1)
		a, slope, r2 := block.Line()
		marks, line := report.Curve{Name: name, Style: report.Published, Color: k},
			report.Curve{Name: name + ", least squares", Style: report.Main, Color: k}
		least, most := math.Inf(1), math.Inf(-1)
		for _, j := range block {
			marks.Points = append(marks.Points, report.Point{X: j.Intermediate, Samples: []float64{j.Seconds}})
			least, most = min(least, j.Intermediate), max(most, j.Intermediate)
		}
		for _, x := range []float64{least, most} {
			line.Points = append(line.Points, report.Point{X: x, Samples: []float64{a + slope*x}})
		}
		f.Curves = append(f.Curves, marks, line)
		text := fmt.Sprintf("time = %.1f s + %.5f s/MB · data, R² = %.4f", a, slope, r2)
		lines[name] = text
		f.Claims = append(f.Claims, report.AtLeast(fmt.Sprintf("block %d lies on a line: R² is near 1.0 (at least 0.9)", k+1),
			0.9, 0, []float64{r2},
			fmt.Sprintf("%s, %d rows; the paper's own line and R² stand in its drawing only", text, len(block))))
		slopes, errors = append(slopes, slope), append(errors, slopeError(block))
	}
	f.Parameters["lines"] = lines
	f.Claims = append(f.Claims, differentSlopes(blocks, slopes, errors))
	return nil
}

// slopeError is the standard error of a block's slope.
func slopeError(block instances.MeasuredBlock) float64 {
	a, slope, _ := block.Line()
	sum, data := 0.0, []float64{}
	for _, j := range block {
		off := j.Seconds - a - slope*j.Intermediate
		sum, data = sum+off*off, append(data, j.Intermediate)
	}
	n := float64(len(block))
	return math.Sqrt(sum / (n - 2) / (stat.Variance(data, nil) * (n - 1)))
}

// differentSlopes compares each two slopes by Welch's t-test at 5 %.
func differentSlopes(blocks []instances.MeasuredBlock, slopes, errors []float64) report.Claim {
	c := report.Claim{Claim: "the lines have different slopes", Published: "each two"}
	pairs, apart, why := 0, 0, ""
	for i := range slopes {
		for k := range i {
			variance := errors[i]*errors[i] + errors[k]*errors[k]
			freedom := variance * variance / (math.Pow(errors[i], 4)/float64(len(blocks[i])-2) + math.Pow(errors[k],
				4)/float64(len(blocks[k])-2))
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
	c.Ours, c.Why = fmt.Sprintf("%d of %d pairs differ at the 5 %% level", apart, pairs), why
	switch {
	case apart == pairs:
		c.Verdict = report.Holds
	case apart == 0:
		c.Verdict = report.Contradicted
	default:
		c.Verdict = report.Differs
	}
	return c
}
