package campaign

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"mrsched/instances"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
	"mrsched/solver/lp/lpsolve"
)

// How much more may be held at the end than after the warm-up, a tenth of all solves. A leak in every solve adds up to
// thousands: goroutines, files and models of lp_solve need no margin, and 1 MiB is 116 bytes a solve. Each system
// thread caches up to a quarter of a MiB of freed C memory, unless GLIBC_TUNABLES says glibc.malloc.tcache_count=0, as
// make leaks does.
const (
	heapMargin = 1 << 20
	cMargin    = 2 << 20
	ebb        = 10 * time.Second // for goroutines to end
)

type footprint struct {
	goroutines, files int
	models            int64 // of lp_solve
	heap, c, resident int64 // bytes
}

// measure waits until there are no more goroutines than before, and collects garbage.
func measure(t *testing.T, goroutines int) footprint {
	t.Helper()
	for end := time.Now().Add(ebb); runtime.NumGoroutine() > goroutines && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	runtime.GC()
	runtime.GC() // what finalizers and pools held
	f := footprint{goroutines: runtime.NumGoroutine(), models: lpsolve.Live(), c: cHeap()}
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	f.heap = int64(m.HeapAlloc)
	if entries, err := os.ReadDir("/proc/self/fd"); err == nil {
		f.files = len(entries)
	}
	status, _ := os.ReadFile("/proc/self/status") // there is none but on Linux
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			noError(t, err)
			f.resident = kib << 10
		}
	}
	return f
}

// leaked names what has grown beyond its margin between two footprints.
func leaked(from, to footprint) []string {
	var list []string
	for _, x := range []struct {
		what             string
		from, to, margin int64
	}{
		{"goroutines", int64(from.goroutines), int64(to.goroutines), 0},
		{"open files", int64(from.files), int64(to.files), 0},
		{"models of lp_solve", 0, to.models, 0},
		{"bytes of the Go heap", from.heap, to.heap, heapMargin},
		{"bytes of the C heap", from.c, to.c, cMargin},
		{"resident bytes", from.resident, to.resident, residentMargin},
	} {
		if x.to > x.from+x.margin {
			list = append(list, fmt.Sprintf("%s: %d, then %d; expected at most %d more", x.what, x.from, x.to, x.margin))
		}
	}
	return list
}

func change(from, to footprint) string {
	return fmt.Sprintf("goroutines %+d, open files %+d, models of lp_solve %d, Go heap %+d B, C heap %+d B, resident "+
		"%+d KiB since a tenth of them",
		to.goroutines-from.goroutines, to.files-from.files, to.models, to.heap-from.heap, to.c-from.c,
		(to.resident-from.resident)>>10)
}

type leaks struct {
	t     *testing.T
	r     *rand.Rand
	dir   string
	tasks []leakTask
	ends  map[string]int // how solves ended
}

// leakTask is an algorithm and the instances that it may run on.
type leakTask struct {
	problem   *solver.Problem
	algorithm solver.Algorithm
	workloads []*model.Workload
	files     []string // the same
}

// TestLeaks solves instances of every problem with every algorithm in one process: to the end, cancelled at random
// moments, with lp_solve failing, with wrong parameters, and as whole commands, which read and write files and get
// signals. Afterwards the process holds no more than before.
func TestLeaks(t *testing.T) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt) // else one that comes after the end of a command would end the test
	defer signal.Stop(signals)
	l := &leaks{t: t, r: rand.New(rand.NewPCG(9, 4)), dir: t.TempDir(), ends: map[string]int{}}
	t.Setenv("TMPDIR", t.TempDir())
	l.prepare()
	goroutines := runtime.NumGoroutine()
	var from footprint
	for k := range leakSolves {
		if k == leakSolves/10 {
			from = measure(t, goroutines)
		}
		l.one(l.tasks[k%len(l.tasks)])
	}
	to := measure(t, goroutines)
	from.goroutines = goroutines
	list := leaked(from, to)
	for _, what := range list {
		t.Error(what)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("%d temporary files are left: %v %v", len(left), left, err)
	}
	if to.goroutines > goroutines {
		stacks := make([]byte, 1<<20)
		t.Logf("%s", stacks[:runtime.Stack(stacks, true)])
	}
	Record(t, Row{Name: "leaks", Command: "make leaks", Tried: leakSolves, Found: len(list),
		Text: fmt.Sprintf("solves in one process by %d algorithms, which ended so: %s; %s", len(l.tasks), counts(l.ends),
			change(from, to))})
}

func (l *leaks) prepare() {
	l.t.Helper()
	for _, p := range entries() {
		var list []*model.Workload
		var paths []string
		for k := range 6 {
			w, err := p.Small.Generate(rand.New(rand.NewPCG(uint64(k), 5)), k)
			if err == nil { // some random instances do not exist
				list = append(list, w)
			}
		}
		for _, example := range instances.Examples() {
			if example.Problem == p.Name {
				path := filepath.Join("..", "..", "..", "instances", "examples", example.Name+".json")
				w, err := workload.Read(path, nil, workload.Options{})
				noError(l.t, err)
				list = append(list, w)
			}
		}
		for k, w := range list {
			paths = append(paths, filepath.Join(l.dir, fmt.Sprintf("%s%d.json", p.Name, k)))
			writeWorkload(l.t, paths[k], 1, func() (*model.Workload, error) { return w, nil })
		}
		for _, a := range p.Algorithms {
			l.tasks = append(l.tasks, leakTask{p, a, list, paths})
		}
	}
}

// one solves once in a random way.
func (l *leaks) one(x leakTask) {
	l.t.Helper()
	ctx, restore := context.Background(), func() {}
	p := l.params(x)
	switch k := l.r.IntN(20); {
	case k < 9:
	case k < 13:
		cancelled, cancel := context.WithCancel(ctx)
		defer cancel()
		timer := time.AfterFunc(time.Duration(l.r.ExpFloat64()*float64(2*time.Millisecond)), cancel)
		defer timer.Stop()
		ctx = cancelled
	case k < 15:
		restore = lpsolve.Inject(l.injection())
	case k < 17:
		l.spoil(x, p)
	default:
		l.command(x)
		return
	}
	defer restore()
	l.ends[l.solve(ctx, x, p)]++
}

// solve opens an instance, runs the algorithm and checks the schedule.
func (l *leaks) solve(ctx context.Context, x leakTask, p solver.Params) string {
	l.t.Helper()
	run, err := x.problem.Open(pick(l.r, x.workloads...), p)
	if err != nil {
		return l.refused(x, err)
	}
	if run.Excludes(x.algorithm.Name).Why != "" && l.r.IntN(2) == 0 {
		return "excluded"
	}
	out, err := run.Solve(ctx, x.algorithm.Name, solver.Options{Iterations: 1 + l.r.IntN(40), Seed: l.r.Uint64(),
		Threads: 1 + l.r.IntN(4)})
	if err != nil {
		return l.refused(x, err)
	}
	if out.Schedule != nil {
		if found := run.View().Check(out.Schedule); len(found) > 0 {
			l.t.Errorf("%s %s: %s", x.problem.Name, x.algorithm.Name, found[0])
		}
	}
	return string(out.Status)
}

// refused classifies an error that is not a bug.
func (l *leaks) refused(x leakTask, err error) string {
	l.t.Helper()
	var input *model.InputError
	var backend *solver.BackendError
	switch {
	case errors.As(err, &input):
		return "input error"
	case errors.As(err, &backend):
		return "failure of lp_solve"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	}
	l.t.Errorf("%s %s: %v", x.problem.Name, x.algorithm.Name, err)
	return "error"
}

// injection makes lp_solve fail now and then.
func (l *leaks) injection() lpsolve.Injection {
	verdicts := []lpsolve.SolutionType{lpsolve.NumFailure, lpsolve.Suboptimal, lpsolve.Timeout, lpsolve.Infeasible,
		lpsolve.Unbounded, lpsolve.ProcFail, lpsolve.NoMemory}
	first, every, verdict := l.r.Int64N(4), 1+l.r.Int64N(3), pick(l.r, verdicts...)
	in := lpsolve.Injection{Solve: func(n int64, v lpsolve.SolutionType) lpsolve.SolutionType {
		if n > first && n%every == 0 {
			return verdict
		}
		return v
	}}
	if l.r.IntN(4) == 0 {
		in.Refuse = func(n int64) bool { return n > first }
	}
	return in
}
