package experiment

import (
	"fmt"

	"mrsched/io/engine"
	"mrsched/io/report"
)

// The job sets of §6.2, as groups of bars.
const (
	smallSet = 0
	wholeSet = 1
)

// testbed is the jobs of §6 on a cluster, algorithms compared on both job sets.
func testbed(l *Lab, f *report.Figure, source string, generate engine.Settings, modes []mode,
	algorithms []string) (*series,
	error) {
	s := &series{l: l, xs: []float64{smallSet, wholeSet}, modes: modes, scenario: func(x float64, m mode) scenario {
		return scenario{preset: "wikipedia", generate: with(generate,
			engine.Settings{"set": []string{"small", "all"}[int(x)]}),
			params: m.params, algorithms: algorithms}
	}}
	f.Source, f.XLabel, f.YLabel = marsSource+", "+source, "", "objective / LP bound"
	f.Groups = []string{"set 1: 10 jobs below 1 GB", "set 2: all 27 jobs"}
	describeRun(f, "wikipedia", generate, modes, algorithms)
	if err := s.run(); err != nil {
		return nil, err
	}
	s.curves(f, algorithms)
	return s, nil
}

// simulated is what a simulation of the testbed leaves out.
const simulated = "; measured on real machines, whose times exceed the predicted ones (its Fig. 20), here simulated " +
	"with the predicted ones"

// testbedJobs are the figures under the job objective, 18 and 21.
func testbedJobs(l *Lab, f *report.Figure, source string, generate engine.Settings,
	v map[string]float64) (*series, error) {
	s, err := testbed(l, f, source, generate, []mode{exactLP, stopped}, jobAlgorithms)
	if err != nil {
		return nil, err
	}
	for color, a := range jobAlgorithms {
		f.Claims = append(f.Claims, report.Near(label[a]+" on set 1 (ε = 0.3)", v[a], tolerance, s.at(a, stopped, smallSet),
			s.compareModes(a, smallSet, stopped, exactLP)+simulated))
		published(f, label[a], color, map[float64]float64{smallSet: v[a]})
	}
	s.order(f, "MarS is below MARES, HUWF and HJWF on both sets", "mars", jobAlgorithms[1:], "")
	return s, nil
}

func fig18(l *Lab, f *report.Figure) error {
	s, err := testbedJobs(l, f, "Fig. 18", engine.Settings{"machines": "16"},
		map[string]float64{"mars": 1.416, "mares": 1.539,
			"huwf": 1.81, "hjwf": 1.672})
	if err != nil {
		return err
	}
	for _, a := range jobAlgorithms {
		s.grows(f, a, stopped)
	}
	for _, a := range jobAlgorithms[:3] {
		f.Claims = append(f.Claims, report.AtLeast("HJWF grows more than "+label[a]+" from set 1 to set 2 (ε = 0.3)", 0, 0,
			report.Difference(s.growth("hjwf", stopped), s.growth(a, stopped)),
			"weights do not depend on sizes, so HJWF runs long jobs of middling weight first"))
	}
	return nil
}

// growth is by which share an algorithm's ratio on set 2 exceeds that on set 1, by seed.
func (s *series) growth(algorithm string, m mode) []float64 {
	share := report.Quotient(s.at(algorithm, m, wholeSet), s.at(algorithm, m, smallSet))
	for i := range share {
		share[i]--
	}
	return share
}

// grows claims that an algorithm does worse on set 2.
func (s *series) grows(f *report.Figure, a string, m mode) {
	f.Claims = append(f.Claims, report.AtLeast(fmt.Sprintf("%s is worse on set 2 than on set 1, as a share (%s)", label[a],
		m.name), 0, 0, s.growth(a, m),
		fmt.Sprintf("%.3f on set 1, %.3f on set 2", report.Mean(s.at(a, m, smallSet)), report.Mean(s.at(a, m, wholeSet)))))
}

func fig19(l *Lab, f *report.Figure) error {
	generate := engine.Settings{"machines": "16", "task-weights": "random"}
	s, err := testbed(l, f, "Fig. 19", generate, []mode{strongTasks, publishedTasks}, allTaskAlgorithms)
	if err != nil {
		return err
	}
	s.order(f, "T-MarS is below H-MARES, STF and HTWF on both sets", "tmars", taskAlgorithms[1:], intervals)
	s.order(f, "T-MarS, never idle is below H-MARES, STF and HTWF on both sets", "tmars-list", taskAlgorithms[1:],
		unwaiting)
	for _, a := range []string{"tmars", "tmars-list"} {
		f.Claims = append(f.Claims, report.Near(label[a]+" grows from set 1 to set 2 by this share ("+publishedTasks.name+")",
			0.039, 0.02, s.growth(a, publishedTasks),
			fmt.Sprintf("%.3f on set 1, %.3f on set 2; %s", report.Mean(s.at(a, publishedTasks, smallSet)),
				report.Mean(s.at(a, publishedTasks, wholeSet)), waits[a])))
		for _, u := range taskAlgorithms[1:] {
			f.Claims = append(f.Claims,
				report.AtLeast(label[u]+" grows more than "+label[a]+" from set 1 to set 2 ("+publishedTasks.name+")", 0, 0,
					report.Difference(s.growth(u, publishedTasks), s.growth(a, publishedTasks)),
					fmt.Sprintf("%+.1f %% against %+.1f %%",
						100*report.Mean(s.growth(u, publishedTasks)), 100*report.Mean(s.growth(a, publishedTasks)))))
		}
	}
	return nil
}

func fig21(l *Lab, f *report.Figure) error {
	s, err := testbedJobs(l, f, "Fig. 21", engine.Settings{"machines": "24", "bandwidth": "1000"},
		map[string]float64{"mars": 1.36, "mares": 1.45, "huwf": 1.68, "hjwf": 1.59})
	if err != nil {
		return err
	}
	gain := report.Quotient(s.at("mars", stopped, wholeSet), s.at("mares", stopped, wholeSet))
	for i := range gain {
		gain[i] = 1 - gain[i]
	}
	f.Claims = append(f.Claims, report.Near("MarS's gain over MARES on set 2, as a share (ε = 0.3)", 0.067, 0.02, gain,
		s.compareModes("mares", wholeSet, stopped, exactLP)))
	return nil
}
