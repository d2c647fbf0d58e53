package experiment

import (
	"fmt"
	"math"
	"slices"

	"mrsched/io/engine"
	"mrsched/model"
)

// taskSweep is up to a thousand tasks with weights of their own. A job has 45 tasks on average; twice the jobs needed
// leave no doubt.
func (f *figure) taskSweep() *series {
	return &series{f, steps(100, 100, min(1000, 45*float64(f.JobsMax))), func(x float64) scenario {
		return f.jobs(4+x/20, engine.Settings{"tasks": number(x), "task-weights": "random"}, taskParams)
	}}
}

func fig15(f *figure) {
	s := f.taskSweep()
	s.curves(append(slices.Clone(taskAlgorithms), neverIdle)...)
	s.published(taskAlgorithms, ratioTable{"tmars": {100: 1.03}, "h-mares": {100: 1.19, 1000: 1.6}, "stf": {100: 1.31},
		"htwf": {100: 1.42}}, "tasks")
	for k, a := range []string{"tmars", neverIdle} {
		top := extreme(s.curve(a, 0), 1)
		f.claim([]string{"", ours}[k]+label[a]+" at most", atMost(1.21, limitTolerance), top.Samples)
	}
	f.claim(ours+"1 + Σ W p/LB, which T-MarS's ratio cannot be below, at 100 tasks", atMost(1.03, tolerance),
		f.each(s.scenario(100), "tmars", func(r reading) float64 { return r.work }).
			Over(f.bounds(s.scenario(100), "tmars")).Plus(1))
	for _, a := range []string{"stf", "htwf"} {
		if ours := s.ratio(a, 1000); ours != nil {
			f.claim(label[a]+" at 1000 tasks", atLeast(2.2, tolerance), ours)
		}
	}
	s.tmarsBelow("")
}

// fig16 is how the tasks' waiting times are distributed.
func fig16(f *figure) {
	s := f.taskSweep()
	most := s.scenario(s.xs[len(s.xs)-1])
	half := []float64{0.71, 0.62, 0.58, 0.51}
	var done []samples
	for color, a := range taskAlgorithms {
		c := f.line(label[a], color, steps(1./waitingSteps, 1./waitingSteps, 1), func(x float64) samples {
			return f.each(most, a, func(r reading) float64 { return r.waiting[int(math.Round(x*waitingSteps))] })
		})
		done = append(done, c.Points[waitingSteps/2-1].Samples)
		f.claim(label[a]+": share of tasks done at half of the longest waiting time", near(half[color], tolerance),
			done[color])
		f.marks(label[a], color, map[float64]float64{0.5: half[color]})
	}
	for k, a := range taskAlgorithms[1:] {
		f.minus("T-MarS above "+label[a]+" at half of the longest waiting time", atLeast(0, 0), done[0], done[k+1])
	}
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

// testbed is the jobs of §6 on a cluster, algorithms compared on both job sets, under parameters of each.
func (f *figure) testbed(generate engine.Settings, params [2]engine.Settings, algorithms ...string) *series {
	f.Groups = []string{"set 1: 10 jobs below 1 GB", "set 2: all 27 jobs"}
	s := &series{f, []float64{smallSet, wholeSet}, func(x float64) scenario {
		return scenario{preset: "wikipedia", params: params[int(x)],
			generate: with(generate, engine.Settings{"set": []string{"small", "all"}[int(x)]})}
	}}
	s.curves(algorithms...)
	return s
}

// testbedJobs are the figures under the job objective, 18 and 21, with the published ratios on set 1.
func (f *figure) testbedJobs(generate engine.Settings, published []float64) *series {
	s := f.testbed(generate, [2]engine.Settings{asPublished, stopped}, append(slices.Clone(jobAlgorithms), "h-mares")...)
	for color, a := range jobAlgorithms {
		f.claim(label[a]+" on set 1", near(published[color], tolerance), s.ratio(a, smallSet))
		f.marks(label[a], color, map[float64]float64{smallSet: published[color]})
	}
	f.claim(ours+"H-MARES, which does not wait for LP completion times, in place of MARES on set 1",
		near(published[1], tolerance), s.ratio("h-mares", smallSet))
	s.marsBelow(" on both sets")
	return s
}

// growth is by which share an algorithm's ratio on set 2 exceeds that on set 1.
func (s *series) growth(algorithm string) samples {
	return s.ratio(algorithm, wholeSet).Over(s.ratio(algorithm, smallSet)).Plus(-1)
}

func fig18(f *figure) {
	s := f.testbedJobs(engine.Settings{"machines": "16"}, []float64{1.416, 1.539, 1.81, 1.672})
	for _, a := range jobAlgorithms {
		f.claim(label[a]+" is worse on set 2 than on set 1, as a share", atLeast(0, 0), s.growth(a))
	}
	for _, a := range jobAlgorithms[:3] {
		f.minus("HJWF grows more than "+label[a]+" from set 1 to set 2", atLeast(0, 0), s.growth("hjwf"), s.growth(a))
	}
}

func fig19(f *figure) {
	s := f.testbed(engine.Settings{"machines": "16", "task-weights": "random"},
		[2]engine.Settings{taskParams, taskParams}, append(slices.Clone(taskAlgorithms), neverIdle)...)
	s.tmarsBelow(" on both sets")
	f.claim("T-MarS grows from set 1 to set 2 by this share", near(0.039, 0.02), s.growth("tmars"))
	for _, u := range taskAlgorithms[1:] {
		f.minus(label[u]+" grows more than T-MarS from set 1 to set 2", atLeast(0, 0), s.growth(u), s.growth("tmars"))
	}
	for _, pair := range [][2]string{{"tmars", "h-mares"}, {"stf", "htwf"}} {
		f.minus(fmt.Sprintf("%s and %s are close on set 1", label[pair[0]], label[pair[1]]), near(0, tolerance),
			s.ratio(pair[1], smallSet), s.ratio(pair[0], smallSet))
	}
}

func fig21(f *figure) {
	s := f.testbedJobs(engine.Settings{"machines": "24", "bandwidth": "1000"}, []float64{1.36, 1.45, 1.68, 1.59})
	mars, mares := s.ratio("mars", wholeSet), s.ratio("mares", wholeSet)
	f.claim("MarS's gain over MARES on set 2, as a share", near(0.067, 0.02), mars.Over(mares).Times(-1).Plus(1))
}
