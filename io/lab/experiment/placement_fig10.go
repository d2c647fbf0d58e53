package experiment

import (
	"context"
	"fmt"

	"mrsched/instances"
	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/io/workload"
	"mrsched/model/reduceplace"
	"mrsched/solver"
)

// fig10Runs is how often the paper repeated its experiment.
const fig10Runs = 5

// sortRun is one run: what the model says of each job.
type sortRun struct {
	slowest []float64 // by job: the cost of its dearest slot, on which its slowest reduce runs
	mean    []float64 // by job: the mean cost of its slots
}

// placementFig10 places the two sorts at random and by receding horizon control. A slot's cost is measured, in the
// paper, as the time of a reduce there over the average: so a job's reduces take as long as its dearest slot costs.
// That is all the model knows of processing times.
func placementFig10(l *Lab, f *report.Figure) error {
	f.Source, f.XLabel, f.YLabel = placementSource+", Fig. 10", "", "relative time of the slowest reduce"
	f.Parameters["runs"], f.Parameters["preset"], f.Parameters["enhanced"] = fig10Runs, "sorts", "rhc"
	seeds := make([]uint64, fig10Runs)
	for k := range seeds {
		seeds[k] = l.seeds[0] + uint64(k)
	}
	f.Parameters["seeds"] = seeds
	runs := map[string][]sortRun{}
	for _, name := range []string{"random", "rhc"} {
		for _, seed := range seeds {
			r, jobs, err := l.sorts(name, seed)
			if err != nil {
				return err
			}
			runs[name], f.Groups = append(runs[name], r), jobs
		}
	}
	for i := range f.Groups {
		f.Groups[i] = "sort " + f.Groups[i]
	}
	pick := func(name string, job int, of func(sortRun) []float64) (list []float64) {
		for _, r := range runs[name] {
			list = append(list, of(r)[job])
		}
		return list
	}
	slowest, mean := func(r sortRun) []float64 { return r.slowest }, func(r sortRun) []float64 { return r.mean }
	for color, a := range []struct{ name, label string }{{"random", "random placement"}, {"rhc", "enhanced placement"}} {
		c := report.Curve{Name: a.label, Style: report.Main, Color: color}
		for i := range f.Groups {
			c.Points = append(c.Points, report.Point{X: float64(i), Samples: pick(a.name, i, slowest)})
		}
		f.Curves = append(f.Curves, c)
	}
	for i, job := range f.Groups {
		random, enhanced := pick("random", i, slowest), pick("rhc", i, slowest)
		why := fmt.Sprintf("slowest reduce %.2f against %.2f times a reduce on a slot of cost 1; mean slot cost %.2f "+
			"against %.2f. The paper measured minutes on a real cluster, "+
			"maps and sorting included; simulated here is what the model says: reduces take as long as their slot costs",
			report.Mean(random), report.Mean(enhanced),
			report.Mean(pick("random", i, mean)), report.Mean(pick("rhc", i, mean)))
		f.Claims = append(f.Claims,
			report.AtLeast(job+": enhanced placement is faster on average (slowest reduce, random minus enhanced)", 0, 0,
				report.Difference(random, enhanced), why),
			report.AtLeast(job+": enhanced placement varies less (range over the runs, random minus enhanced)", 0, 0,
				[]float64{span(random) - span(enhanced)},
				fmt.Sprintf("%.2f against %.2f; the policy makes no random choice and the model has no other noise, so its "+
					"range is 0", span(random), span(enhanced))))
	}
	return nil
}

// span is the largest minus the smallest.
func span(v []float64) float64 {
	low, high := v[0], v[0]
	for _, x := range v {
		low, high = min(low, x), max(high, x)
	}
	return high - low
}

// sorts places the two jobs once.
func (l *Lab) sorts(algorithm string, seed uint64) (r sortRun, jobs []string, err error) {
	preset, err := instances.FindPreset("reduceplace", "sorts")
	if err != nil {
		return r, nil, err
	}
	w, err := workload.ReadBytes(preset.Document, preset.Name, workload.Options{})
	if err != nil {
		return r, nil, err
	}
	params, err := engine.SettingValues(l.problem.Params, nil)
	if err != nil {
		return r, nil, err
	}
	o, err := engine.Open(l.problem, w, params)
	if err != nil {
		return r, nil, err
	}
	v, err := l.solved(l.ctx, o, algorithm, seed)
	if err != nil {
		return r, nil, err
	}
	in := o.Run.View().(*reduceplace.Instance)
	slot := in.Placed(v.Schedule)
	for i := range in.Jobs {
		dearest, sum := 0.0, 0.0
		for t := in.First[i]; t < in.First[i+1]; t++ {
			c := in.Cost[slot[t]].Float()
			dearest, sum = max(dearest, c), sum+c
		}
		r.slowest, r.mean, jobs = append(r.slowest, dearest), append(r.mean, sum/float64(in.Reduces[i])),
			append(jobs, w.Jobs[i].ID)
	}
	return r, jobs, nil
}

// solved runs one algorithm on an opened instance and verifies what it found.
func (l *Lab) solved(ctx context.Context, o *engine.Opened, name string, seed uint64) (*engine.Verified, error) {
	a, ok := l.problem.Algorithm(name)
	if !ok {
		return nil, fmt.Errorf("%s has no algorithm %q", l.problem.Name, name)
	}
	v, err := o.Solve(ctx, a, solver.Options{Iterations: solver.DefaultIterations, Seed: seed, Threads: 1})
	if err == nil {
		err = ctx.Err()
	}
	return v, err
}
