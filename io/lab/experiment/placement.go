package experiment

import (
	"encoding/json"
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

// placementPaper is the reduce placement paper, with its Theorem 2, and the sensitivity of its policy.
var placementPaper = paper{"reduceplace", "Tan, Meng, Meng, Zhang, INFOCOM 2013", []entry{
	{"placement-fig8", "Intermediate data against job processing time", "Table I and Fig. 8", placementFig8},
	{"placement-fig9", "Fetching cost saved against greedy and random placement", "Fig. 9", placementFig9},
	{"placement-fig10", "Two sorts a minute apart, under random and enhanced placement", "Fig. 10", placementFig10},
	{"placement-theorem2", "Thresholds for K jobs that never leave", "Theorems 1 and 2", placementTheorem2},
	{"placement-theorem3", "Thresholds for a stream of jobs, on a tiny system", "Theorem 3", placementTheorem3},
	{"placement-window", "How many arrivals receding horizon control remembers", "", placementWindow},
	{"placement-misestimate", "Intermediate data estimated from the first 5 % of the maps", "", placementMisestimate},
}}

// jobsPerUnit is the number of simulated jobs per job of --jobs-max. The default of that flag gives the paper's 50 000.
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

// placementFig8 fits lines to the paper's Table I. The figure prints its own lines, which the text does not repeat, so
// one can only compare that they fit and that they differ.
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
		f.claim(report.Claim{Claim: fmt.Sprintf("block %d lies on a line: R² is near 1.0 (at least 0.9)", k+1),
			Published: "≥ 0.9", Ours: fmt.Sprintf("%.4f", r2), Verdict: report.Judge(r2 >= 0.9, true),
			Why: fmt.Sprintf("%s, %d rows; the paper's own line and R² stand in its drawing only", text, len(block))})
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

// The loads of placement-fig9; the paper's axis ends at fig9Last.
var fig9Loads = []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98}

// The published axis, and the figures in the text, in percent.
const (
	fig9First, fig9Last = 0.2, 0.6
	fig9Random          = 90 // at least
	fig9Greedy          = 22 // up to
)

// savings are the curves of the figure.
type savings struct {
	*figure
	jobs int
}

func (s *savings) at(lambda float64) scenario {
	return placed(lambda, s.jobs, nil, nil, "greedy", "random", "rhc", "lookahead")
}

// over is what an algorithm saves against another, by load.
func (s *savings) over(algorithm, against string, color int) report.Curve {
	return s.line(algorithm+" over "+against, color, fig9Loads,
		func(x float64) samples { return saved(s.costs(s.at(x), algorithm), s.costs(s.at(x), against)) })
}

// bound is the saving that no policy can exceed: the clairvoyant bound replaces a cost.
func (s *savings) bound(against string, color int) report.Curve {
	return newCurve("clairvoyant bound over "+against+": no policy saves more", report.Alternative, color, fig9Loads,
		func(x float64) samples { return saved(s.bounds(s.at(x), "greedy"), s.costs(s.at(x), against)) })
}

func placementFig9(f *figure) error {
	s := &savings{f, jobsPerUnit * f.jobsMax}
	var list []scenario
	for _, x := range fig9Loads {
		list = append(list, s.at(x))
	}
	if err := f.run(list...); err != nil {
		return err
	}
	f.axes("job arrival rate λ (μ = 1)", "fetching cost saved, %")
	f.statePlacement(engine.Settings{"jobs": strconv.Itoa(s.jobs)}, list[0].algorithms)
	f.setParameters(map[string]any{"lambda": fig9Loads, "window": "100"})
	random, greedy := s.over("rhc", "random", 0), s.over("rhc", "greedy", 1)
	look, lookRHC := s.over("lookahead", "greedy", 2), s.over("lookahead", "rhc", 4)
	most := f.draw(s.bound("greedy", 3))
	f.band(greedy)
	f.marks("rhc over random, at least", 0, map[float64]float64{fig9First: fig9Random, fig9Last: fig9Random})
	f.marks("rhc over greedy, up to", 1, map[float64]float64{fig9Last: fig9Greedy})
	s.randomClaims(random)
	s.greedyClaims(greedy, most)
	s.ownClaims(look, lookRHC, s.bound("lookahead", 0))
	return s.correlated(greedy)
}

// correlated adds what is saved if map work grows with the data, as Remark 1 says it does.
func (s *savings) correlated(independent report.Curve) error {
	axis := inRange(fig9Loads, fig9First, fig9Last)
	at := func(lambda float64) scenario {
		return placed(lambda, s.jobs, engine.Settings{"correlate": "block1"}, nil, "greedy", "rhc")
	}
	for _, x := range axis {
		if err := s.run(at(x)); err != nil {
			return err
		}
	}
	c := s.dashed("rhc over greedy, map work on the line of block 1", 1, axis, func(x float64) samples {
		return saved(s.costs(at(x), "rhc"), s.costs(at(x), "greedy"))
	})
	last := c.At(fig9Last)
	s.near(ours+"Remark 1: the saving against greedy hardly changes if map work is correlated with data (points at "+
		"λ = 0.6, tolerance 2)", 0, 2, last.Minus(independent.At(fig9Last)), "%s with it, %s without", interval(last, " %"),
		interval(independent.At(fig9Last), " %"))
	return nil
}

// present is the mean number of jobs in the system under processor sharing: λ/(1−λ), as μ = 1.
func present(lambda float64) float64 { return lambda / (1 - lambda) }

// randomClaims compare with random placement.
func (s *savings) randomClaims(c report.Curve) {
	least, beyond := extreme(inside(c, fig9First, fig9Last), -1), extreme(c, -1)
	s.atLeast("rhc saves more than 90 % against random on the published axis (λ 0.2 … 0.6), in %", fig9Random, 0,
		least.Samples, "least at λ = %g: %s", least.X, interval(least.Samples, " %"))
	s.atLeast("rhc saves more than 90 % against random up to λ = 0.98, beyond the published axis, in %", fig9Random, 0,
		beyond.Samples, "least at λ = %g: %s; there %.0f jobs run on average, so even the cheapest free slots are no "+
			"longer few", beyond.X, interval(beyond.Samples, " %"), present(beyond.X))
}

// greedyClaims compare with greedy placement. limit is the largest saving that the certified bound allows any policy:
// if it is below the published saving on every seed, that saving is disproved for this setting, not just missed.
func (s *savings) greedyClaims(c, limit report.Curve) {
	axis := inside(c, fig9First, fig9Last)
	best, most, top := extreme(axis, 1), extreme(inside(limit, fig9First, fig9Last), 1), extreme(c, 1)
	claim := s.near("rhc saves up to 22 % against greedy on the published axis (λ 0.2 … 0.6), in %", fig9Greedy, 2,
		best.Samples, "most at λ = %g: %s. There %.1f jobs run on average, on some %.0f of 1000 slots, and the cheapest "+
			"slots hardly differ: even a policy that knows all arrivals saves at most %.1f %% (certified bound)", best.X,
		interval(best.Samples, " %"), present(best.X), 5.5*present(best.X), most.Mean())
	if slices.Max(most.Samples) < fig9Greedy {
		claim.Verdict = report.Contradicted
	}
	room := extreme(limit, 1)
	s.atLeast("rhc saves 22 % against greedy at some load up to 0.98, in %", fig9Greedy, 2, top.Samples, "most at λ = "+
		"%g: %s; the bound leaves room for %.1f %% at λ = %g", top.X, interval(top.Samples, " %"), room.Mean(), room.X)
	s.rising("the saving against greedy grows with λ on the published axis", " %", axis)
	s.rising("the saving against greedy grows with λ up to 0.98", " %", inside(c, fig9First, 1))
}

// ownClaims are mrsched's own claims about its default policy.
func (s *savings) ownClaims(greedy, rhc, gap report.Curve) {
	for k, c := range []report.Curve{greedy, rhc} {
		least, most := extreme(c, -1), extreme(c, 1)
		s.atLeast(fmt.Sprintf("mrsched: lookahead is no dearer than %s at any load (saving in %%, tolerance 0.1)",
			[]string{"greedy", "rhc"}[k]), 0, 0.1, least.Samples, "least at λ = %g: %s; most at λ = %g: %s", least.X,
			interval(least.Samples, " %"), most.X, interval(most.Samples, " %"))
	}
	high := gap.Points[len(gap.Points)-1]
	s.atLeast("mrsched: the clairvoyant bound lies below lookahead at every load (by how much at least, in %)", 0, 0,
		extreme(gap, -1).Samples, "%.1f %% below at λ = %g, %.1f %% at λ = %g: what knowing the future may still be worth, "+
			"and what the bound leaves open", gap.At(fig9Last).Mean(), fig9Last, high.Mean(), high.X)
}

// The settings of placement-window.
var (
	windowSizes = []float64{1, 3, 10, 30, 100, 300, 1000, 10000}
	windowLoads = []float64{0.6, 0.9, 0.95}
)

// placementWindow varies Δ, about which the paper says nothing. It has half as many jobs as placement-fig9.
func placementWindow(f *figure) error {
	jobs := jobsPerUnit * f.jobsMax / 2
	at := func(lambda, window float64) scenario {
		return placed(lambda, jobs, nil, engine.Settings{"window": number(window)}, "rhc")
	}
	base := func(lambda float64) scenario { return placed(lambda, jobs, nil, nil, "greedy") }
	var list []scenario
	for _, lambda := range windowLoads {
		list = append(list, base(lambda))
		for _, w := range windowSizes {
			list = append(list, at(lambda, w))
		}
	}
	if err := f.run(list...); err != nil {
		return err
	}
	f.axes("Δ, latest arrivals that are averaged (decimal logarithm)", "fetching cost saved against greedy, %")
	f.statePlacement(engine.Settings{"jobs": strconv.Itoa(jobs)}, []string{"greedy", "rhc"})
	f.setParameters(map[string]any{"window": windowSizes, "lambda": windowLoads})
	for color, lambda := range windowLoads {
		over := func(w float64) samples { return saved(f.costs(at(lambda, w), "rhc"), f.costs(base(lambda), "greedy")) }
		c := newCurve(fmt.Sprintf("rhc, λ = %g", lambda), report.Main, color, windowSizes, over)
		best, usual := extreme(c, 1), over(100)
		f.atMost(fmt.Sprintf("mrsched: Δ = 100 is as good as any at λ = %g (percentage points lost, tolerance 0.5)", lambda),
			0, 0.5, best.Samples.Minus(usual), "%s at Δ = 100, %s at the best Δ = %g, %s at Δ = 1; the paper states no Δ",
			interval(usual, " %"), interval(best.Samples, " %"), best.X, interval(over(1), " %"))
		for i := range c.Points {
			c.Points[i].X = math.Log10(c.Points[i].X)
		}
		f.draw(c)
	}
	return nil
}

// The settings of placement-misestimate: 2 of 40 maps are 5 %.
const (
	estimateMaps  = 40
	estimateShare = "0.05"
	estimateLoad  = 0.9
)

var estimateSpreads = []float64{0, 0.25, 0.5, 1, 1.5}

// placementMisestimate lets policies estimate a job's data from its first maps, for several degrees of variation
// between maps. It has a quarter of the jobs of placement-fig9.
func placementMisestimate(f *figure) error {
	jobs := jobsPerUnit * f.jobsMax / 4
	policies := []string{"rhc", "lookahead"}
	exact := placed(estimateLoad, jobs, nil, nil, "greedy", "rhc", "lookahead")
	at := func(spread float64) scenario {
		return placed(estimateLoad, jobs, engine.Settings{"maps": strconv.Itoa(estimateMaps), "map-spread": number(spread)},
			engine.Settings{"estimate": estimateShare}, policies...)
	}
	list := []scenario{exact}
	for _, spread := range estimateSpreads {
		list = append(list, at(spread))
	}
	if err := f.run(list...); err != nil {
		return err
	}
	f.axes("spread of the maps' outputs (standard deviation of their logarithms)", "fetching cost saved against greedy, %")
	f.statePlacement(engine.Settings{"jobs": strconv.Itoa(jobs), "lambda": number(estimateLoad),
		"maps": strconv.Itoa(estimateMaps)}, policies)
	f.setParameters(map[string]any{"map_spread": estimateSpreads, "estimate": estimateShare})
	greedy := f.costs(exact, "greedy")
	for color, name := range policies {
		known := saved(f.costs(exact, name), greedy)
		estimated := f.line(name+", estimated from 5 % of the maps", color, estimateSpreads,
			func(x float64) samples { return saved(f.costs(at(x), name), greedy) })
		f.dashed(name+", data known", color, estimateSpreads, func(float64) samples { return known })
		for _, p := range estimated.Points {
			f.atMost(fmt.Sprintf("%san estimate from 5 %% of the maps is accurate enough for %s where outputs spread by %g "+
				"(percentage points lost, at most 1)", []string{"", "mrsched: "}[color], name, p.X), 1, 0, known.Minus(p.Samples),
				"data off by %.0f %% on average and %.0f %% at most; %s with it, %s with data known, both against greedy",
				100*f.estimateErrors(at(p.X), name, "estimate_error_mean").Mean(), 100*f.estimateErrors(at(p.X), name,
					"estimate_error_max").Mean(), interval(p.Samples, " %"), interval(known, " %"))
		}
	}
	errors := map[string]string{} // not a curve: it would dwarf the others
	for _, x := range estimateSpreads {
		errors[number(x)] = fmt.Sprintf("%.1f", 100*f.estimateErrors(at(x), "rhc", "estimate_error_mean").Mean())
	}
	f.Parameters["mean_error_percent_by_spread"] = errors
	return nil
}

// estimateErrors are a fact of the runs, one per seed.
func (l *Lab) estimateErrors(s scenario, algorithm, fact string) samples {
	return l.each(s, algorithm, func(r reading) float64 {
		n, _ := r.found[fact].(json.Number)
		v, err := strconv.ParseFloat(string(n), 64)
		if err != nil {
			return math.NaN()
		}
		return v
	})
}
