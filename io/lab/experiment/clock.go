package experiment

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"syscall"
	"time"

	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/solver"
)

// notReproducible marks figures of times.
const notReproducible = "no: times depend on the machine and on what else it does"

// timedRuns is how often something is timed; the fastest run counts, because a busy machine only adds time.
const timedRuns = 3

// fastest is how many milliseconds of processor time something takes. For a single thread that is wall-clock time
// without the share of other processes.
func fastest(do func(run int) error) (ms float64, err error) {
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			return 0
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	ms = math.Inf(1)
	for run := range timedRuns {
		runtime.GC()
		begin := used()
		if err := do(run); err != nil {
			return 0, err
		}
		ms = min(ms, float64((used()-begin).Nanoseconds())/1e6)
	}
	return ms, nil
}

// planning is what an algorithm takes to decide, in milliseconds of processor time.
func (f *figure) planning(s scenario, algorithm string) samples {
	return timed(f.Lab, f.Name+" "+algorithm, len(f.seeds), func(ctx context.Context, i int) (float64, error) {
		var open [timedRuns]*engine.Opened
		for run := range open {
			o, err := f.opened(s, f.seeds[i])
			if err != nil {
				return 0, err
			}
			open[run] = o
		}
		return fastest(func(run int) error {
			_, err := open[run].Run.(bareRun).SolveBare(ctx, algorithm, s.options(f.seeds[i]))
			return err
		})
	})
}

// What hta-scale claims at its largest size, and how it measures.
const (
	scaleTime   = 2000 // ms
	scaleMemory = 1536 // MiB
	scaleSlope  = 1.2
	// scaleWork bounds the tasks of all seeds of a point, since generating a million takes longer than assigning them.
	scaleWork = 1_000_000
)

var scaleTasks = []float64{1_000, 10_000, 100_000, 1_000_000}

// scaleCurves are series of growing instances.
var scaleCurves = []struct {
	name     string
	replicas int
	zipf     float64
	servers  int  // 0: one for a hundred tasks, but no fewer than a hundred
	limits   bool // claims time and memory
}{
	{"3 replicas", 3, 0, 0, true},
	{"3 replicas, Zipf 0.5", 3, 0.5, 0, true},
	{"3 replicas, Zipf 1", 3, 1, 0, true},
	{"1 replica", 1, 0, 0, false},
	{"2 replicas", 2, 0, 0, false},
	{"5 replicas", 5, 0, 0, true},
	{"3 replicas, always 100 servers", 3, 0, 100, false},
}

// scaled is the cost of solving one instance.
type scaled struct{ ms, mib float64 }

func scale(f *figure) {
	sizes := upTo(f.tasksMax, scaleTasks)
	if len(sizes) == 0 {
		must(engine.Usagef("--tasks-max %d: this figure starts at %g tasks", f.tasksMax, scaleTasks[0]))
	}
	f.Log = true
	f.Parameters["tasks_max"], f.Parameters["reproducible"] = f.tasksMax, notReproducible
	for i, c := range scaleCurves {
		at := func(x float64) htaCase {
			tasks := int(x)
			return htaCase{preset: "replicated", tasks: tasks, servers: cmp.Or(c.servers, max(100, tasks/100)),
				replicas: c.replicas, zipf: c.zipf}
		}
		read := func(what func(scaled) float64) values {
			return func(x float64) (list samples) {
				for _, s := range f.scale(at(x)) {
					list = append(list, what(s))
				}
				return list
			}
		}
		times := newCurve(c.name, report.Main, i, sizes, read(func(s scaled) float64 { return s.ms }))
		memory := newCurve("memory, "+c.name, report.Alternative, i, sizes, read(func(s scaled) float64 { return s.mib }))
		last := len(sizes) - 1
		top := times.Points[last]
		size := fmt.Sprintf("%g tasks on %d servers, %s", sizes[last], at(sizes[last]).servers, c.name)
		if last > 0 {
			f.claim("the time grows as this power of the tasks, to "+size, never(scaleSlope),
				samples{growth(times.Points[last-1], top)}).Why = steepness(times.Points)
		}
		f.add(times)
		if c.limits {
			f.claim("ms of processor time at "+size, never(scaleTime), top.Samples)
			f.claim("MiB at "+size, never(scaleMemory), memory.Points[last].Samples)
			f.add(memory)
		}
	}
}

// scale measures instances of a case: the time from the workload in memory to schedule and signed bound, and at most
// the memory, which is the live heap with the workload in it and all that the run allocates, freed or not. It verifies
// the result outside the measured time.
func (f *figure) scale(c htaCase) []scaled {
	n := min(len(f.seeds), max(1, scaleWork/c.tasks))
	return timed(f.Lab, fmt.Sprintf("%s %+v", f.Name, c), n, func(ctx context.Context, i int) (s scaled, err error) {
		w, err := c.workload(f.seeds[i])
		if err != nil {
			return s, err
		}
		a, _ := f.problem.Algorithm("flow")
		var o *engine.Opened
		var out *solver.Outcome
		solve := func(int) (err error) {
			if o, err = f.open(w, nil); err == nil {
				out, err = o.Run.Solve(ctx, a.Name, scenario{}.options(f.seeds[i]))
			}
			return cmp.Or(err, ctx.Err())
		}
		if s.ms, err = fastest(solve); err != nil {
			return s, err
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		err = solve(0)
		runtime.ReadMemStats(&after)
		s.mib = float64(before.HeapAlloc+after.TotalAlloc-before.TotalAlloc) / (1 << 20)
		if err == nil {
			_, err = o.Verify(a, out)
		}
		return s, err
	})
}

// steepness lists the times, with the power by which each step grows.
func steepness(times []report.Point) string {
	text := fmt.Sprintf("%.2g ms at %.0f tasks", times[0].Mean(), times[0].X)
	for i := 1; i < len(times); i++ {
		text += fmt.Sprintf(", %.1f at %.0f (%.2f)", times[i].Mean(), times[i].X, growth(times[i-1], times[i]))
	}
	return text
}

// growth is the slope between two points where both axes are logarithmic.
func growth(a, b report.Point) float64 {
	return math.Log(b.Mean()/a.Mean()) / math.Log(b.X/a.X)
}
