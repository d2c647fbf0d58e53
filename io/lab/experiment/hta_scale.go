package experiment

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
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

func scaleFigure(f *figure) error {
	sizes := upTo(f.tasksMax, scaleTasks)
	if len(sizes) == 0 {
		return engine.Usagef("--tasks-max %d: this figure starts at %d tasks", f.tasksMax, scaleTasks[0])
	}
	f.axes("tasks", "ms of processor time (full lines), MiB (broken lines)")
	f.Log = true
	f.setParameters(map[string]any{"tasks_max": f.tasksMax, "tasks": sizes, "reproducible": notReproducible,
		"servers": "one for a hundred tasks, at least 100, unless the curve says otherwise",
		"time": fmt.Sprintf("processor time from the workload in memory to schedule and signed bound, on one core; the "+
			"fastest of %d runs", scaleRuns), "memory": "at most: the live heap with the workload in it, and all that the run " +
			"allocates, freed or not", "seeds_used": fmt.Sprintf("as many as have %d tasks together, at least one", scaleWork)})
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	curves := scaleCurves()
	for i, c := range curves {
		times := report.Curve{Name: c.name, Style: report.Main, Color: i}
		memory := report.Curve{Name: "memory, " + c.name, Style: report.Alternative, Color: i}
		for k, m := range sizes {
			t, b := report.Point{X: float64(m)}, report.Point{X: float64(m)}
			for _, seed := range f.seeds[:min(len(f.seeds), max(1, scaleWork/m))] {
				x, err := f.scale(c.at(m), seed)
				if err != nil {
					return err
				}
				t.Samples, b.Samples = append(t.Samples, x.ms), append(b.Samples, x.mib)
			}
			times.Points, memory.Points = append(times.Points, t), append(memory.Points, b)
			f.progress(i*len(sizes)+k+1, len(curves)*len(sizes))
		}
		scaleClaims(f, c, times.Points, memory.Points)
		f.draw(times)
		if c.limits {
			f.draw(memory)
		}
	}
	return nil
}

// notReproducible marks figures of times.
const notReproducible = "no: times depend on the machine and on what else it does"

// processorTime is how many milliseconds of processor time something takes. While one thread runs alone it is the time
// on the clock, but without what other processes of a busy machine take.
func processorTime(do func() error) (ms float64, err error) {
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			return 0
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	begin := used()
	err = do()
	return float64((used() - begin).Nanoseconds()) / 1e6, err
}

// scale measures one instance. What was found is verified, outside the measured time.
func (l *Lab) scale(c htaCase, seed uint64) (s scaled, err error) {
	w, err := c.workload(seed)
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
		var o *engine.Opened
		var out *solver.Outcome
		ms, err := processorTime(func() (err error) {
			if o, err = l.open(w, nil); err == nil {
				out, err = o.Run.Solve(l.ctx, a.Name, scenario{}.options(seed))
			}
			return err
		})
		if err := cmp.Or(err, l.ctx.Err()); err != nil {
			return s, err
		}
		s.ms = min(s.ms, ms)
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
func scaleClaims(f *figure, c scaleCurve, times, memory []report.Point) {
	last := len(times) - 1
	tasks := int(times[last].X)
	size := fmt.Sprintf("%d tasks on %d servers, %s", tasks, c.at(tasks).servers, c.name)
	if last > 0 {
		f.atMost("the time grows as this power of the tasks, to "+size, scaleSlope, 0,
			samples{growth(times[last-1], times[last])}, "%s", scaleSteps(times)+"; the paper proves O(m²n)")
	}
	if c.limits {
		f.atMost("ms of processor time at "+size, scaleTime, 0, times[last].Samples, "")
		f.atMost("MiB at "+size, scaleMemory, 0, memory[last].Samples, "the workload's own included")
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
