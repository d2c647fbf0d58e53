package experiment

import (
	"fmt"

	"mrsched/io/engine"
	"mrsched/io/report"
)

// thresholds are the scenarios of Figs. 5 and 6: MarS over stop thresholds.
func thresholds(l *Lab) (main, every *series) {
	jobs := number(float64(min(100, l.jobsMax)))
	few := number(float64(min(30, l.jobsMax)))
	over := func(jobs string, m mode) *series {
		return &series{l: l, xs: steps(0.1, 0.1, 0.5), modes: []mode{m}, scenario: func(x float64, m mode) scenario {
			return scenario{preset: "mars", generate: engine.Settings{"jobs": jobs}, params: with(m.params,
				engine.Settings{"epsilon": number(x)}),
				algorithms: []string{"mars"}}
		}}
	}
	return over(jobs, mode{jobs + " jobs, most violated rows", engine.Settings{"bound": "lp"}, report.Main}),
		over(few, mode{few + " jobs, every violated row", engine.Settings{"bound": "lp", "separation": "every"},
			report.Alternative})
}

func thresholdFigure(l *Lab, f *report.Figure, what string) ([]*series, error) {
	main, every := thresholds(l)
	for _, s := range []*series{main, every} {
		if err := s.run(); err != nil {
			return nil, err
		}
	}
	f.Source, f.XLabel, f.YLabel = marsSource+", "+what, "stop threshold ε", "TWJCT / LP bound of the same ε"
	describeRun(f, "mars", engine.Settings{}, []mode{main.modes[0], every.modes[0]}, []string{"mars"})
	return []*series{main, every}, nil
}

func fig5(l *Lab, f *report.Figure) error {
	both, err := thresholdFigure(l, f, "Fig. 5")
	if err != nil {
		return err
	}
	for color, s := range both {
		m := s.modes[0]
		f.Curves = append(f.Curves, s.curve("mars", m, color))
		loss := report.Difference(s.at("mars", m, s.xs[4]), s.at("mars", m, s.xs[0]))
		why := fmt.Sprintf("the bound falls by %.1f %% and the schedule grows by %.1f %% between ε = 0.1 and 0.5",
			-100*(report.Mean(report.Quotient(s.l.bounds(s.scenario(s.xs[4], m), "mars"),
				s.l.bounds(s.scenario(s.xs[0], m), "mars")))-1),
			100*(report.Mean(report.Quotient(s.l.costs(s.scenario(s.xs[4], m), "mars"),
				s.l.costs(s.scenario(s.xs[0], m), "mars")))-1))
		f.Claims = append(f.Claims,
			report.AtLeast("the ratio grows from ε = 0.1 to 0.5 by ("+m.name+")", 0, 0, loss, why),
			report.AtMost("that growth is small, read as a tenth at most ("+m.name+")", 0.1, 0, loss, why))
	}
	return nil
}

func fig6(l *Lab, f *report.Figure) error {
	both, err := thresholdFigure(l, f, "Fig. 6")
	if err != nil {
		return err
	}
	f.YLabel = "LPs solved"
	for color, s := range both {
		m := s.modes[0]
		rounds := func(x float64) []float64 {
			return l.each(s.scenario(x, m), "mars", func(r reading) float64 { return r.rounds })
		}
		c := report.Curve{Name: m.name, Style: m.style, Color: color}
		for _, x := range s.xs {
			c.Points = append(c.Points, report.Point{X: x, Samples: rounds(x)})
		}
		f.Curves = append(f.Curves, c)
		f.Claims = append(f.Claims,
			report.AtMost("iterations at ε = 0.5 as a share of those at 0.1, read as a half at most ("+m.name+")", 0.5, 0,
				report.Quotient(rounds(s.xs[4]), rounds(s.xs[0])),
				fmt.Sprintf("%.1f LPs at 0.1, %.1f at 0.3, %.1f at 0.5; how many rows an iteration adds decides their number",
					report.Mean(rounds(s.xs[0])), report.Mean(rounds(s.xs[2])), report.Mean(rounds(s.xs[4])))))
	}
	return nil
}
