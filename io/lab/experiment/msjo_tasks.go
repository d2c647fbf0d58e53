package experiment

import (
	"fmt"
	"math"
	"strings"

	"mrsched/io/engine"
	"mrsched/model"
)

// taskSweep is up to a thousand tasks with weights of their own. A job has 45 tasks on average; twice the jobs needed
// leave no doubt.
func (f *figure) taskSweep() *series {
	return &series{f, steps(100, 100, min(1000, 45*float64(f.jobsMax))), taskModes, func(x float64, m mode) scenario {
		return scenario{preset: "mars", params: m.params, generate: engine.Settings{"jobs": number(4 + x/20),
			"tasks": number(x), "task-weights": "random"}}
	}}
}

func fig15(f *figure) {
	s := f.taskSweep()
	s.curves(allTaskAlgorithms)
	s.published(taskAlgorithms, ratioTable{"tmars": {100: 1.03}, "h-mares": {100: 1.19, 1000: 1.6}, "stf": {100: 1.31},
		"htwf": {100: 1.42}}, "tasks", paperTasks)
	for _, v := range tmarsVariants {
		top := extreme(s.curve(v, paperTasks, 0), 1)
		f.claim(ownOrder(v)+paperTasks.states(fmt.Sprintf("%s at most, here at %s", label[v], number(top.X)+" tasks")),
			atMost(1.21, limitTolerance), top.Samples)
	}
	for _, a := range []string{"stf", "htwf"} {
		if ours := s.ratio(a, paperTasks, 1000); ours != nil {
			f.claim(label[a]+" at 1000 tasks ("+paperTasks.name+")", atLeast(2.2, tolerance), ours)
		}
	}
	s.tmarsBelow("")
}

// fig16 is how the tasks' waiting times are distributed.
func fig16(f *figure) {
	s := f.taskSweep()
	half := map[string]float64{"tmars": 0.71, "h-mares": 0.62, "stf": 0.58, "htwf": 0.51}
	ours := map[string]samples{}
	for color, a := range allTaskAlgorithms {
		ours[a] = f.line(label[a], color, steps(1./waitingSteps, 1./waitingSteps, 1), func(x float64) samples {
			return f.each(s.scenario(s.xs[len(s.xs)-1], strongTasks), a,
				func(r reading) float64 { return r.waiting[int(math.Round(x*waitingSteps))] })
		}).Points[waitingSteps/2-1].Samples
	}
	for color, a := range taskAlgorithms {
		f.claim(label[a]+": share of tasks done at half of the longest waiting time", near(half[a], tolerance), ours[a])
		f.marks(label[a], color, map[float64]float64{0.5: half[a]})
	}
	for _, a := range taskAlgorithms[1:] {
		f.minus("T-MarS above "+label[a]+" at half of the longest waiting time", atLeast(0, 0), ours["tmars"], ours[a])
	}
}

// ownOrder marks claims about the variant that never idles.
func ownOrder(algorithm string) string {
	if strings.HasSuffix(algorithm, "-list") {
		return ours
	}
	return ""
}

// waitingSteps is the number of steps into which relative waiting times are divided.
const waitingSteps = 10

// waitingShares are the shares of tasks whose waiting time, from their job's release to their end, is at most 1/10,
// 2/10, … of the longest.
func waitingShares(w *model.Workload, s *model.Schedule) []float64 {
	wait := func(e model.Entry) model.Time { return e.End - w.Jobs[w.Tasks[e.Task].Job].Release }
	var longest model.Time
	for _, e := range s.Entries {
		longest = max(longest, wait(e))
	}
	shares := make([]float64, waitingSteps+1)
	for _, e := range s.Entries {
		share := float64(wait(e)) / float64(longest)
		for k := int(math.Ceil(share * waitingSteps)); k <= waitingSteps; k++ {
			shares[k] += 1 / float64(len(s.Entries))
		}
	}
	return shares
}

// The job sets of §6.2, as groups of bars.
const smallSet, wholeSet = 0, 1

// testbed is the jobs of §6 on a cluster, algorithms compared on both job sets.
func (f *figure) testbed(generate engine.Settings, modes []mode, algorithms []string) *series {
	f.Groups = []string{"set 1: 10 jobs below 1 GB", "set 2: all 27 jobs"}
	s := &series{f, []float64{smallSet, wholeSet}, modes, func(x float64, m mode) scenario {
		return scenario{preset: "wikipedia", params: m.params,
			generate: with(generate, engine.Settings{"set": []string{"small", "all"}[int(x)]})}
	}}
	s.curves(algorithms)
	return s
}

// testbedJobs are the figures under the job objective, 18 and 21, with the published ratios on set 1.
func (f *figure) testbedJobs(generate engine.Settings, published []float64) *series {
	s := f.testbed(generate, jobModes, jobAlgorithms)
	for color, a := range jobAlgorithms {
		f.claim(label[a]+" on set 1 (ε = 0.3)", near(published[color], tolerance), s.ratio(a, stopped, smallSet))
		f.marks(label[a], color, map[float64]float64{smallSet: published[color]})
	}
	s.marsBelow(" on both sets")
	return s
}

// growth is by which share an algorithm's ratio on set 2 exceeds that on set 1.
func (s *series) growth(algorithm string, m mode) samples {
	return s.ratio(algorithm, m, wholeSet).Over(s.ratio(algorithm, m, smallSet)).Plus(-1)
}

func fig18(f *figure) {
	s := f.testbedJobs(engine.Settings{"machines": "16"}, []float64{1.416, 1.539, 1.81, 1.672})
	for _, a := range jobAlgorithms {
		f.claim(fmt.Sprintf("%s is worse on set 2 than on set 1, as a share (%s)", label[a], stopped.name), atLeast(0, 0),
			s.growth(a, stopped))
	}
	for _, a := range jobAlgorithms[:3] {
		f.minus("HJWF grows more than "+label[a]+" from set 1 to set 2 (ε = 0.3)", atLeast(0, 0),
			s.growth("hjwf", stopped), s.growth(a, stopped))
	}
}

func fig19(f *figure) {
	s := f.testbed(engine.Settings{"machines": "16", "task-weights": "random"}, taskModes, allTaskAlgorithms)
	s.tmarsBelow(" on both sets")
	m := paperTasks
	for _, v := range tmarsVariants {
		f.claim(ownOrder(v)+m.states(label[v]+" grows from set 1 to set 2 by this share"), near(0.039, 0.02),
			s.growth(v, m))
		for _, u := range taskAlgorithms[1:] {
			f.minus(ownOrder(v)+m.states(label[u]+" grows more than "+label[v]+" from set 1 to set 2"), atLeast(0, 0),
				s.growth(u, m), s.growth(v, m))
		}
	}
}

func fig21(f *figure) {
	s := f.testbedJobs(engine.Settings{"machines": "24", "bandwidth": "1000"}, []float64{1.36, 1.45, 1.68, 1.59})
	mars, mares := s.ratio("mars", stopped, wholeSet), s.ratio("mares", stopped, wholeSet)
	f.compared("MarS's gain over MARES on set 2, as a share (ε = 0.3)", near(0.067, 0.02),
		mars.Over(mares).Times(-1).Plus(1), mars, mares)
}
