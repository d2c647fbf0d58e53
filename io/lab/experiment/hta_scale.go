package experiment

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"syscall"
	"time"

	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/solver"
)

// What hta-scale claims at its largest size, and how it measures.
const (
	scaleTime   = 2000 // ms
	scaleMemory = 1536 // MiB
	scaleSlope  = 1.2
	// scaleRuns is how often an instance is solved; the fastest run counts, for a busy machine only adds time.
	scaleRuns = 3
	// scaleWork bounds the tasks of all seeds of a point, since generating a million takes longer than assigning them.
	scaleWork = 1_000_000
)

var scaleTasks = []int{1_000, 10_000, 100_000, 1_000_000}

// scaleCurve is instances that grow.
type scaleCurve struct {
	name     string
	replicas int
	zipf     float64
	servers  int  // 0: one for a hundred tasks, but no fewer than a hundred
	limits   bool // claims time and memory
}

func scaleCurves() []scaleCurve {
	return []scaleCurve{
		{"3 replicas", 3, 0, 0, true},
		{"3 replicas, Zipf 0.5", 3, 0.5, 0, true},
		{"3 replicas, Zipf 1", 3, 1, 0, true},
		{"1 replica", 1, 0, 0, false},
		{"2 replicas", 2, 0, 0, false},
		{"5 replicas", 5, 0, 0, true},
		{"3 replicas, always 100 servers", 3, 0, 100, false},
	}
}

// at is the instance with so many tasks.
func (c scaleCurve) at(tasks int) htaCase {
	servers := c.servers
	if servers == 0 {
		servers = max(100, tasks/100)
	}
	return htaCase{preset: "replicated", tasks: tasks, servers: servers, replicas: c.replicas, zipf: c.zipf}
}

// scaled is what one instance costs.
type scaled struct{ ms, mib float64 }

func scaleFigure(l *Lab, f *report.Figure) error {
	sizes := slices.DeleteFunc(slices.Clone(scaleTasks), func(m int) bool { return m > l.tasksMax })
	if len(sizes) == 0 {
		return engine.Usagef("--tasks-max %d: this figure starts at %d tasks", l.tasksMax, scaleTasks[0])
	}
	f.Source, f.XLabel, f.YLabel = htaSource+", Theorem 5.4; the limits are mrsched's own", "tasks",
		"ms of processor time (full lines), MiB (broken lines)"
	f.Log = true
	f.Parameters["tasks_max"], f.Parameters["tasks"] = l.tasksMax, sizes
	f.Parameters["servers"] = "one for a hundred tasks, at least 100, unless the curve says otherwise"
	f.Parameters["reproducible"] = "no: times depend on the machine and on what else it does"
	f.Parameters["time"] = fmt.Sprintf("processor time from the workload in memory to schedule and signed bound, on "+
		"one core; the fastest of %d runs", scaleRuns)
	f.Parameters["memory"] = "at most: the live heap with the workload in it, and all that the run allocates, freed or not"
	f.Parameters["seeds_used"] = fmt.Sprintf("as many as have %d tasks together, at least one", scaleWork)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	curves := scaleCurves()
	for i, c := range curves {
		times := report.Curve{Name: c.name, Style: report.Main, Color: i}
		memory := report.Curve{Name: "memory, " + c.name, Style: report.Alternative, Color: i}
		for k, m := range sizes {
			t, b := report.Point{X: float64(m)}, report.Point{X: float64(m)}
			for _, seed := range l.seeds[:min(len(l.seeds), max(1, scaleWork/m))] {
				x, err := l.scale(c.at(m), seed)
				if err != nil {
					return err
				}
				t.Samples, b.Samples = append(t.Samples, x.ms), append(b.Samples, x.mib)
			}
			times.Points, memory.Points = append(times.Points, t), append(memory.Points, b)
			l.progress(i*len(sizes)+k+1, len(curves)*len(sizes))
		}
		scaleClaims(f, c, times.Points, memory.Points)
		f.Curves = append(f.Curves, times)
		if c.limits {
			f.Curves = append(f.Curves, memory)
		}
	}
	return nil
}

// processorTime is what this process has used so far. While one thread runs alone it is the time on the clock; unlike
// that, it does not count what other processes of a busy machine take.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// scale measures one instance. What was found is verified, outside the measured time.
func (l *Lab) scale(c htaCase, seed uint64) (s scaled, err error) {
	w, err := c.workload(seed)
	if err != nil {
		return s, err
	}
	params, err := engine.SettingValues(l.problem.Params, nil)
	if err != nil {
		return s, err
	}
	a, ok := l.problem.Algorithm("flow")
	if !ok {
		return s, fmt.Errorf("hta has no algorithm flow")
	}
	s.ms = math.Inf(1)
	for run := range scaleRuns {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		begin := processorTime()
		o, err := engine.Open(l.problem, w, params)
		if err != nil {
			return s, err
		}
		out, err := o.Run.Solve(l.ctx, a.Name, solver.Options{Iterations: solver.DefaultIterations, Seed: seed, Threads: 1})
		s.ms = min(s.ms, float64((processorTime()-begin).Nanoseconds())/1e6)
		if err == nil {
			err = l.ctx.Err()
		}
		if err != nil {
			return s, err
		}
		if run > 0 {
			continue
		}
		runtime.ReadMemStats(&after)
		s.mib = float64(before.HeapAlloc+after.TotalAlloc-before.TotalAlloc) / (1 << 20)
		if _, err := o.Verify(a, out); err != nil {
			return s, err
		}
	}
	return s, nil
}

// scaleClaims judges one curve: how it grows between its two largest sizes, and what the largest needs.
func scaleClaims(f *report.Figure, c scaleCurve, times, memory []report.Point) {
	last := len(times) - 1
	tasks := int(times[last].X)
	size := fmt.Sprintf("%d tasks on %d servers, %s", tasks, c.at(tasks).servers, c.name)
	if last > 0 {
		f.Claims = append(f.Claims, report.AtMost("the time grows as this power of the tasks, to "+size, scaleSlope, 0,
			[]float64{growth(times[last-1], times[last])},
			scaleSteps(times)+"; the paper proves O(m²n)"))
	}
	if c.limits {
		f.Claims = append(f.Claims, report.AtMost("ms of processor time at "+size, scaleTime, 0, times[last].Samples, ""),
			report.AtMost("MiB at "+size, scaleMemory, 0, memory[last].Samples, "the workload's own included"))
	}
}

// scaleSteps lists the times, with the power by which each step grows.
func scaleSteps(times []report.Point) string {
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
