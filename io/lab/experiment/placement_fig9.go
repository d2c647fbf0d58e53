package experiment

import (
	"fmt"
	"slices"

	"mrsched/io/engine"
	"mrsched/io/report"
)

// The loads of placement-fig9; the paper's axis ends at fig9Last.
var fig9Loads = []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98}

// The published axis and what the text says of it, in percent.
const (
	fig9First, fig9Last = 0.2, 0.6
	fig9Random          = 90 // at least
	fig9Greedy          = 22 // up to
)

// savings are the curves of the figure.
type savings struct {
	l    *Lab
	jobs int
}

func (s *savings) at(lambda float64) scenario {
	return placed(lambda, s.jobs, nil, nil, "greedy", "random", "rhc", "lookahead")
}

// over is what an algorithm saves against another, by load.
func (s *savings) over(name, algorithm, against string, style report.Style, color int) report.Curve {
	return curveOver(name, style, color, fig9Loads, func(x float64) []float64 {
		return saved(s.l.costs(s.at(x), algorithm), s.l.costs(s.at(x), against))
	})
}

// bound is what no policy can exceed: the clairvoyant bound in place of a cost.
func (s *savings) bound(against string, color int) report.Curve {
	return curveOver("clairvoyant bound over "+against+": no policy saves more", report.Alternative, color, fig9Loads,
		func(x float64) []float64 {
			return saved(s.l.bounds(s.at(x), "greedy"), s.l.costs(s.at(x), against))
		})
}

func placementFig9(l *Lab, f *report.Figure) error {
	s := &savings{l, jobsPerUnit * l.jobsMax}
	var list []scenario
	for _, x := range fig9Loads {
		list = append(list, s.at(x))
	}
	if err := l.run(list...); err != nil {
		return err
	}
	f.Source, f.XLabel, f.YLabel = placementSource+", Fig. 9", "job arrival rate λ (μ = 1)", "fetching cost saved, %"
	describeRun(f, "placement", engine.Settings{"jobs": fmt.Sprint(s.jobs)}, nil,
		[]string{"greedy", "random", "rhc", "lookahead"})
	f.Parameters["lambda"], f.Parameters["window"] = fig9Loads, "100"
	random, greedy := s.over("rhc over random", "rhc", "random", report.Main, 0),
		s.over("rhc over greedy", "rhc", "greedy", report.Main, 1)
	look, lookRHC := s.over("lookahead over greedy", "lookahead", "greedy", report.Main, 2),
		s.over("lookahead over rhc", "lookahead", "rhc", report.Main, 4)
	most := s.bound("greedy", 3)
	f.Curves = append(f.Curves, random, greedy, look, lookRHC, most)
	band(f, greedy)
	published(f, "rhc over random, at least", 0, map[float64]float64{fig9First: fig9Random, fig9Last: fig9Random})
	published(f, "rhc over greedy, up to", 1, map[float64]float64{fig9Last: fig9Greedy})
	s.randomClaims(f, random)
	s.greedyClaims(f, greedy, most)
	s.ownClaims(f, look, lookRHC, s.bound("lookahead", 0))
	return nil
}

// present is the mean number of jobs in the system under processor sharing: λ/(1−λ), as μ = 1.
func present(lambda float64) float64 { return lambda / (1 - lambda) }

// randomClaims compare with random placement.
func (s *savings) randomClaims(f *report.Figure, c report.Curve) {
	least, beyond := extreme(inside(c, fig9First, fig9Last), -1), extreme(c, -1)
	f.Claims = append(f.Claims,
		report.AtLeast("rhc saves more than 90 % against random on the published axis (λ 0.2 … 0.6), in %", fig9Random, 0,
			least.Samples,
			fmt.Sprintf("least at λ = %g: %s", least.X, interval(least.Samples, " %"))),
		report.AtLeast("rhc saves more than 90 % against random up to λ = 0.98, beyond the published axis, in %", fig9Random,
			0, beyond.Samples,
			fmt.Sprintf("least at λ = %g: %s; there %.0f jobs run on average, so even the cheapest free slots are no longer few",
				beyond.X, interval(beyond.Samples, " %"), present(beyond.X))))
}

// greedyClaims compare with greedy placement. limit is what the certified bound leaves to any policy: where that is
// less than the published saving on every seed, it is disproved for this setting, not just missed.
func (s *savings) greedyClaims(f *report.Figure, c, limit report.Curve) {
	axis := inside(c, fig9First, fig9Last)
	best, most, top := extreme(axis, 1), extreme(inside(limit, fig9First, fig9Last), 1), extreme(c, 1)
	claim := report.Near("rhc saves up to 22 % against greedy on the published axis (λ 0.2 … 0.6), in %", fig9Greedy, 2,
		best.Samples,
		fmt.Sprintf("most at λ = %g: %s. There %.1f jobs run on average, on some %.0f of 1000 slots, and the cheapest "+
			"slots hardly differ: "+
			"even a policy that knows all arrivals saves at most %.1f %% (certified bound)", best.X,
			interval(best.Samples, " %"), present(best.X), 5.5*present(best.X), most.Mean()))
	if slices.Max(most.Samples) < fig9Greedy {
		claim.Verdict = report.Contradicted
	}
	f.Claims = append(f.Claims, claim,
		report.AtLeast("rhc saves 22 % against greedy at some load up to 0.98, in %", fig9Greedy, 2, top.Samples,
			fmt.Sprintf("most at λ = %g: %s; the bound leaves room for %.1f %% at λ = %g", top.X, interval(top.Samples, " %"),
				extreme(limit, 1).Mean(), extreme(limit, 1).X)),
		rising("the saving against greedy grows with λ on the published axis", axis),
		rising("the saving against greedy grows with λ up to 0.98", inside(c, fig9First, 1)))
}

// rising claims that a curve rises from each point to the next.
func rising(claim string, c report.Curve) report.Claim {
	rises, why := 0, ""
	for k, p := range c.Points {
		if k > 0 && p.Mean() > c.Points[k-1].Mean() {
			rises++
		}
		if why != "" {
			why += ", "
		}
		why += fmt.Sprintf("%.2f %% at %g", p.Mean(), p.X)
	}
	steps := len(c.Points) - 1
	verdict := report.Differs
	switch {
	case rises == steps:
		verdict = report.Holds
	case 2*rises < steps:
		verdict = report.Contradicted
	}
	return report.Claim{Claim: claim, Published: "everywhere", Ours: fmt.Sprintf("on %d of %d steps", rises, steps),
		Verdict: verdict, Why: why}
}

// ownClaims are mrsched's: what its default policy promises beside the paper's.
func (s *savings) ownClaims(f *report.Figure, greedy, rhc, gap report.Curve) {
	for _, c := range []struct {
		against string
		curve   report.Curve
	}{{"greedy", greedy}, {"rhc", rhc}} {
		least, most := extreme(c.curve, -1), extreme(c.curve, 1)
		f.Claims = append(f.Claims,
			report.AtLeast(fmt.Sprintf("mrsched: lookahead is no dearer than %s at any load (saving in %%, tolerance 0.1)",
				c.against), 0, 0.1, least.Samples,
				fmt.Sprintf("least at λ = %g: %s; most at λ = %g: %s", least.X, interval(least.Samples, " %"), most.X,
					interval(most.Samples, " %"))))
	}
	i := slices.IndexFunc(gap.Points, func(p report.Point) bool { return p.X == fig9Last })
	low, high := gap.Points[i], gap.Points[len(gap.Points)-1]
	f.Claims = append(f.Claims, report.AtLeast("the clairvoyant bound lies below lookahead at every load (by how much "+
		"at least, in %)", 0, 0, extreme(gap, -1).Samples,
		fmt.Sprintf("%.1f %% below at λ = %g, %.1f %% at λ = %g: what knowing the future may still be worth, and what the "+
			"bound leaves open", low.Mean(), low.X, high.Mean(), high.X)))
}
