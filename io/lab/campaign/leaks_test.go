package campaign

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"mrsched/instances"
	"mrsched/io/engine"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
	"mrsched/solver/lp"
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

// footprint is what a process holds, in the order of held.
type footprint [5]int64

// held are the parts of a footprint, with the margins by which they may grow.
var held = []struct {
	what   string
	margin int64
}{{"goroutines", 0}, {"open files", 0}, {"models of lp_solve", 0}, {"bytes of the Go heap", heapMargin},
	{"bytes of the C heap", cMargin}}

// measure waits until there are no more goroutines than before, and collects garbage.
func measure(goroutines int) footprint {
	for end := time.Now().Add(ebb); runtime.NumGoroutine() > goroutines && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	runtime.GC()
	runtime.GC() // what finalizers and pools held
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	files, _ := os.ReadDir("/proc/self/fd") // there is none but on Linux
	return footprint{int64(runtime.NumGoroutine()), int64(len(files)), lpsolve.Live(), int64(m.HeapAlloc), cHeap()}
}

// leaked names what has grown beyond its margin between two footprints.
func leaked(from, to footprint) (list []string) {
	for k, x := range held {
		if to[k] > from[k]+x.margin {
			list = append(list, fmt.Sprintf("%s: %d, then %d; expected at most %d more", x.what, from[k], to[k], x.margin))
		}
	}
	return list
}

type leaks struct {
	t    *testing.T
	r    *rand.Rand
	dir  string
	ends map[int]int // how commands ended
}

// leakTask is an algorithm and the instances that it may run on.
type leakTask struct {
	problem   engine.Problem
	algorithm solver.Algorithm
	files     []string
}

// TestLeaks solves instances of every problem with every algorithm in one process, by whole commands: to the end, with
// other parameters, ended by a signal or a limit at random moments, with lp_solve failing, and with wrong flags.
// Afterwards the process holds no more than before.
func TestLeaks(t *testing.T) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt) // else one that comes after the end of a command would end the test
	defer signal.Stop(signals)
	l := &leaks{t: t, r: rand.New(rand.NewPCG(9, 4)), dir: t.TempDir(), ends: map[int]int{}}
	t.Setenv("TMPDIR", t.TempDir())
	tasks := l.prepare()
	goroutines := runtime.NumGoroutine()
	var from footprint
	for k := range leakSolves {
		if k == leakSolves/10 {
			from = measure(goroutines)
		}
		l.solve(tasks[k%len(tasks)])
	}
	to := measure(goroutines)
	from[0], from[2] = int64(goroutines), 0
	list := leaked(from, to)
	for _, what := range list {
		t.Error(what)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("%d temporary files are left: %v %v", len(left), left, err)
	}
	if to[0] > from[0] {
		stacks := make([]byte, 1<<20)
		t.Logf("%s", stacks[:runtime.Stack(stacks, true)])
	}
	t.Logf("exit codes: %v; held after a tenth: %v, in the end: %v", l.ends, from, to)
	Record(t, Row{"leaks", leakSolves, len(list)})
}

func (l *leaks) prepare() (tasks []leakTask) {
	l.t.Helper()
	for _, p := range engine.Problems() {
		var files []string
		write := func(w *model.Workload) {
			files = append(files, filepath.Join(l.dir, fmt.Sprintf("%s%d.json", p.Name, len(files))))
			noError(l.t, workload.Write(files[len(files)-1], w, true, io.Discard))
		}
		for k := range 6 {
			w, err := p.Small.Generate(rand.New(rand.NewPCG(uint64(k), 5)), k)
			if err == nil { // some random instances do not exist
				write(w)
			}
		}
		for _, example := range instances.Examples() {
			if example.Problem == p.Name {
				w, err := workload.Read("../../../instances/examples/"+example.Name+".json", nil, workload.Options{})
				noError(l.t, err)
				write(w)
			}
		}
		for _, a := range p.Algorithms {
			tasks = append(tasks, leakTask{p, a, files})
		}
	}
	return tasks
}

// solve solves once in a random way.
func (l *leaks) solve(x leakTask) {
	l.t.Helper()
	out := filepath.Join(l.dir, "out")
	noError(l.t, os.MkdirAll(out, 0o700))
	args := []string{"solve", pick(l.r, x.files...), "-a", x.algorithm.Name, "-q", "--iterations",
		fmt.Sprint(1 + l.r.IntN(40)), "--threads", fmt.Sprint(1 + l.r.IntN(4)), "--seed", fmt.Sprint(l.r.IntN(1000)),
		"-o", pick(l.r, out, out+"/r.json", out+"/r.json.gz", "-")}
	if l.r.IntN(8) > 0 {
		args = append(args, "--force")
	}
	for _, q := range x.problem.Params {
		switch {
		case len(q.Choices) > 0 && l.r.IntN(4) == 0:
			args = append(args, "--"+q.Name, pick(l.r, q.Choices...))
		case l.r.IntN(40) == 0:
			args = append(args, "--"+q.Name+"="+pick(l.r, "nonsense", "0", "1", "-3", "1e18"))
		}
	}
	switch l.r.IntN(8) {
	case 0:
		args = append(args, "--time-limit", time.Duration(1+l.r.Int64N(int64(3*time.Millisecond))).String())
	case 1, 2:
		timer := time.AfterFunc(time.Duration(l.r.ExpFloat64()*float64(5*time.Millisecond)), func() {
			if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
				l.t.Error(err)
			}
		})
		defer timer.Stop()
	case 3:
		defer lpsolve.Inject(l.injection())()
	}
	o := run(args...)
	if o.broken != "" || o.code == exitInternal {
		l.t.Errorf("mrsched %q: exit %d %s\n%s", args, o.code, o.broken, o.stderr)
	}
	l.ends[o.code]++
	if l.r.IntN(2) == 0 {
		noError(l.t, os.RemoveAll(out))
	}
}

// injection makes lp_solve fail now and then.
func (l *leaks) injection() lpsolve.Injection {
	verdicts := []lpsolve.SolutionType{lpsolve.NumFailure, lpsolve.Suboptimal, lpsolve.Timeout, lpsolve.Infeasible,
		lpsolve.Unbounded, lpsolve.AccuracyError, lpsolve.NoMemory}
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

// TestLeaksTold leaks on purpose: the footprint must show it.
func TestLeaksTold(t *testing.T) {
	from := measure(runtime.NumGoroutine())
	m := lp.NewModel("m")
	m.AddCol("x", 1, 0, 1)
	sv, err := lpsolve.NewSolver(m)
	noError(t, err)
	f, err := os.Open(os.DevNull)
	noError(t, err)
	memory := make([]byte, 2*heapMargin)
	stuck := make(chan bool)
	go func() { <-stuck }()
	list := strings.Join(leaked(from, measure(runtime.NumGoroutine())), "\n")
	for _, x := range held[:4] {
		if !strings.Contains(list, x.what) {
			t.Errorf("no %s in %q", x.what, list)
		}
	}
	runtime.KeepAlive(memory)
	close(stuck)
	noError(t, errors.Join(sv.Close(), f.Close()))
	if list := leaked(from, measure(int(from[0]))); len(list) > 0 {
		t.Errorf("nothing leaks any more, but: %q", list)
	}
}
