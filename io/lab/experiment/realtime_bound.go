package experiment

import (
	"fmt"

	"mrsched/io/report"
)

// boundPartitions are those of realtime-bound, bars of which each has a name.
var boundPartitions = []int{23, 30, 40, 60, 80, 100, 300, 1000}

// What mrsched promises at boundPartitions: percent above the bound for the most partitions, and the factor that is
// proven.
const (
	boundBest = 1
	boundLST  = 2
)

// realtimeBound compares assignments with the certified bound. Sizes are those of the preset and speeds do not depend
// on seeds: seeds differ in which partition is how large, and so in ties, and in the history that dp learns from.
func realtimeBound(l *Lab, f *report.Figure) error {
	at := func(p int, skew float64) scenario {
		s := youtubeData.partitioned(p, skew, false, false, "best", "lst", "dp", "lb")
		s.bare, s.iterations = false, fewIterations
		return s
	}
	var list []scenario
	for _, p := range boundPartitions {
		list = append(list, at(p, paperSkew), at(p, 0))
	}
	if err := l.run(list...); err != nil {
		return err
	}
	f.Source, f.XLabel, f.YLabel = "mrsched's own; bounds: Lenstra, Shmoys, Tardos 1990, and prices of partitions and "+
		"of slots", "partitions", "% above the certified bound"
	describeRealtime(f, at(fig10Partitions, paperSkew), "partitions", boundPartitions)
	f.Parameters["skew"], f.Parameters["iterations"] = []float64{0, paperSkew}, fewIterations
	for _, p := range boundPartitions {
		f.Groups = append(f.Groups, fmt.Sprint(p))
	}
	xs := steps(0, 1, float64(len(boundPartitions)-1))
	curve := func(name, algorithm string, skew float64, style report.Style, color int) report.Curve {
		c := curveOver(name, style, color, xs, func(x float64) []float64 {
			list := l.ratios(at(boundPartitions[int(x)], skew), algorithm)
			for i := range list {
				list[i] = 100 * (list[i] - 1)
			}
			return list
		})
		f.Curves = append(f.Curves, c)
		return c
	}
	best := curve("best, 80 % skewness", "best", paperSkew, report.Main, 5)
	even := curve("best, no skewness", "best", 0, report.Alternative, 5)
	dp := curve("DP, 80 %", "dp", paperSkew, report.Main, 0)
	lst := curve("LST rounding, 80 %", "lst", paperSkew, report.Main, 2)
	lstEven := curve("LST rounding, no skewness", "lst", 0, report.Alternative, 2)
	lb := curve("LB, 80 %", "lb", paperSkew, report.Main, 3)
	last := float64(len(xs) - 1)
	worst := extreme(extremeCurve([]report.Curve{lst, lstEven}, 1, last), 1)
	f.Claims = append(f.Claims,
		report.AtMost(fmt.Sprintf("best is within 1 %% of the bound at %d partitions and 80 %% skewness, in %%",
			boundPartitions[len(boundPartitions)-1]), boundBest, 0, best.At(last),
			fmt.Sprintf("%d iterations; without skewness %.2f %%", fewIterations, report.Mean(even.At(last)))),
		report.AtMost("and at every point of the figure, in % where it is farthest", boundBest, 0,
			extreme(extremeCurve([]report.Curve{best, even}, 1, last), 1).Samples,
			fmt.Sprintf("without skewness, %d partitions: all are alike there and largest first is optimal for those who "+
				"know true times, as best does, so what is left is the bound's", boundPartitions[len(boundPartitions)-1])),
		report.AtMost("the rounding of Lenstra, Shmoys and Tardos is never above twice the bound, in % above it where it "+
			"is farthest", 100*(boundLST-1), 0, worst.Samples, fmt.Sprintf("at %s partitions", f.Groups[int(worst.X)])),
		noHigher("best is nowhere slower than DP, LB or LST rounding", best, []report.Curve{dp, lb, lst}, "(position)",
			fmt.Sprintf("farthest from the bound: DP %.1f %%, LB %.1f %%, LST %.1f %%",
				extreme(dp, 1).Mean(), extreme(lb, 1).Mean(), extreme(lst, 1).Mean())))
	return nil
}
