package experiment

import (
	"fmt"
	"strconv"

	"mrsched/io/engine"
	"mrsched/io/report"
)

// The tiny system of placement-theorem3, for which the optimal stationary policy can be computed.
var (
	theorem3System = engine.Settings{"slots": "4", "max-running": "2", "max-reduces": "2"}
	theorem3Law    = engine.Settings{"law": "uniform", "law-values": "1e6,1e8", "law-reduces": "2"}
	theorem3Loads  = []float64{0.3, 0.5, 0.7, 0.9}
	// theorem3Others are compared with stationary, which follows the theorem's thresholds.
	theorem3Others = []string{"greedy", "rhc", "random", "lookahead"}
)

// placementTheorem3 compares the optimal stationary policy, by thresholds on a job's data per reduce, with the others.
func placementTheorem3(f *figure) error {
	jobs := jobsPerUnit * f.jobsMax
	at := func(lambda float64) scenario {
		return placed(lambda, jobs, theorem3System, theorem3Law, append([]string{"stationary"}, theorem3Others...)...)
	}
	var list []scenario
	for _, x := range theorem3Loads {
		list = append(list, at(x))
	}
	if err := f.run(list...); err != nil {
		return err
	}
	f.axes("job arrival rate λ (μ = 1)", "fetching cost saved against greedy, %")
	f.statePlacement(with(theorem3System, engine.Settings{"jobs": strconv.Itoa(jobs)}), list[0].algorithms)
	f.setParameters(map[string]any{"lambda": theorem3Loads, "law": theorem3Law})
	saving := func(name string) func(x float64) samples {
		return func(x float64) samples { return saved(f.costs(at(x), name), f.costs(at(x), "greedy")) }
	}
	optimal := f.line("stationary", 0, theorem3Loads, saving("stationary"))
	for k, name := range theorem3Others {
		other := f.line(name, k+1, theorem3Loads, saving(name))
		claim := fmt.Sprintf("Theorem 3: thresholds are optimal in the long run, here against %s", name)
		f.below(claim, other, []report.Curve{optimal}, func(x float64) string { return fmt.Sprintf("λ = %g", x) },
			"4 slots, 2 jobs at once, up to 2 reduces; one stream of %d jobs a seed is not the long run itself", jobs)
	}
	return nil
}
