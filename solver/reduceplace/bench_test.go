package reduceplace

import (
	"context"
	"math/rand/v2"
	"strconv"
	"testing"

	"mrsched/model"
	"mrsched/model/reduceplace"
	"mrsched/solver"
)

// simulated is a workload like those of §V-B: 1 000 slots, at most 100 jobs at a time, Poisson arrivals.
func simulated(b *testing.B, jobs int, lambda float64) *model.Workload {
	b.Helper()
	r, build, now := rand.New(rand.NewPCG(1, 2)), model.NewBuilder(), 0.0
	build.MaxRunningJobs(model.Some[int64](100))
	for s := range 1000 {
		build.ReduceSlot(model.ReduceSlot{ID: "s" + strconv.Itoa(s), Cost: model.CostOf(1 + 99*r.Float64())}, model.Locus{})
	}
	for i := range jobs {
		now += r.ExpFloat64() / lambda
		build.Job(model.Job{ID: "j" + strconv.Itoa(i), Release: model.TimeOf(now), Reduces: model.Some(1 + r.Int64N(10)),
			IntermediateBytes: model.Some(model.Bytes(1e6 + r.Int64N(99e6))), MapWork: model.Some(model.TimeOf(r.ExpFloat64()))},
			model.Locus{})
	}
	w, err := build.Build()
	if err != nil {
		b.Fatal(err)
	}
	return w
}

// params are the problem's defaults.
func defaultParams(b *testing.B) solver.Params {
	b.Helper()
	values := solver.Params{}
	for _, p := range Problem().Params {
		var err error
		switch p.Kind {
		case solver.IntParam:
			values[p.Name], err = strconv.ParseInt(p.Default, 10, 64)
		case solver.FloatParam:
			values[p.Name], err = strconv.ParseFloat(p.Default, 64)
		case solver.BoolParam:
			values[p.Name] = p.Default == "true"
		default:
			values[p.Name] = p.Default
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	return values
}

// BenchmarkPolicies places 50 000 jobs on 1 000 slots at a low and a high load.
func BenchmarkPolicies(b *testing.B) {
	for _, lambda := range []float64{0.6, 0.95} {
		w := simulated(b, 50_000, lambda)
		p := defaultParams(b)
		run, err := open(w, p)
		if err != nil {
			b.Fatal(err)
		}
		for _, name := range []string{"greedy", "random", "rhc", "threshold", "lookahead"} {
			if _, ok := Problem().Algorithm(name); !ok {
				continue
			}
			b.Run(name+"/λ="+strconv.FormatFloat(lambda, 'g', -1, 64), func(b *testing.B) {
				for b.Loop() {
					if _, err := run.Solve(context.Background(), name, solver.Options{Iterations: solver.DefaultIterations, Seed: 1,
						Threads: 1}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkModel opens the same workload, and judges and checks a schedule of it.
func BenchmarkModel(b *testing.B) {
	w := simulated(b, 50_000, 0.6)
	run, err := open(w, defaultParams(b))
	if err != nil {
		b.Fatal(err)
	}
	out, err := run.Solve(context.Background(), "greedy", solver.Options{Iterations: 1, Seed: 1, Threads: 1})
	if err != nil {
		b.Fatal(err)
	}
	in, s := run.View().(*reduceplace.Instance), out.Schedule
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			if _, err := reduceplace.New(w, reduceplace.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("evaluate", func(b *testing.B) {
		for b.Loop() {
			in.Evaluate(s)
		}
	})
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			if found := in.Check(s); len(found) > 0 {
				b.Fatal(found[0])
			}
		}
	})
	b.Run("rows", func(b *testing.B) {
		for b.Loop() {
			for _, e := range s.Entries {
				in.TaskName(e.Task)
				in.Cells(e)
			}
		}
	})
}
