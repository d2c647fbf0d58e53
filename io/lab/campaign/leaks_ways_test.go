package campaign

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mrsched/io/engine"
	"mrsched/solver"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

// params are the defaults; every other call changes one of the problem's parameters.
func (l *leaks) params(x leakTask) solver.Params {
	l.t.Helper()
	p, err := engine.StatedParams(x.problem.Params, nil)
	noError(l.t, err)
	if x.problem.Name == "realtime" {
		p["goal"] = "partitions"
		if slices.Contains([]string{"llf", "admit", "edf", "fifo", "fair", "best"}, x.algorithm.Name) {
			p["goal"] = "deadlines"
		}
	}
	for _, q := range x.problem.Params {
		if len(q.Choices) > 0 && q.Name != "goal" && l.r.IntN(4) == 0 {
			p[q.Name] = pick(l.r, q.Choices...)
		}
	}
	return p
}

// spoil changes about half of the parameters: numbers to an end of their range, choices to a random one, and free texts
// to nonsense.
func (l *leaks) spoil(x leakTask, p solver.Params) {
	for _, q := range x.problem.Params {
		switch {
		case l.r.IntN(2) == 0:
		case q.Kind == solver.IntParam:
			p[q.Name] = int64(pick(l.r, q.Minimum, min(q.Maximum, 3)))
		case q.Kind == solver.FloatParam:
			p[q.Name] = pick(l.r, q.Minimum, q.Maximum)
		case q.Kind == solver.StringParam && len(q.Choices) == 0:
			p[q.Name] = "nonsense"
		case q.Kind == solver.StringParam:
			p[q.Name] = pick(l.r, q.Choices...)
		}
	}
}

// command runs a whole command: to its end, into a time limit, with a signal, with a wrong flag, or onto an existing
// result.
func (l *leaks) command(x leakTask) {
	l.t.Helper()
	out := filepath.Join(l.dir, "out")
	args := []string{"solve", pick(l.r, x.files...), "-a", x.algorithm.Name, "-q", "--iterations",
		fmt.Sprint(1 + l.r.IntN(40)), "--threads", fmt.Sprint(1 + l.r.IntN(3))}
	args = append(args, "-o", pick(l.r, out, out+"/r.json", out+"/r.json.gz", "-"))
	noError(l.t, os.MkdirAll(out, 0o700))
	switch l.r.IntN(6) {
	case 0:
		args = append(args, "--force")
	case 1:
		args = append(args, "--force", "--time-limit", time.Duration(1+l.r.Int64N(int64(3*time.Millisecond))).String())
	case 2:
		args = append(args, "--machines", "-3", "--sed", "1")
	case 3:
		args = append(args, "--force")
		timer := time.AfterFunc(time.Duration(l.r.ExpFloat64()*float64(5*time.Millisecond)), func() {
			if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
				l.t.Error(err)
			}
		})
		defer timer.Stop()
	}
	o := run(args...)
	if o.broken != "" || o.code == 1 {
		l.t.Errorf("mrsched %q: exit %d %s\n%s", args, o.code, o.broken, o.stderr)
	}
	l.ends["exit "+strconv.Itoa(o.code)]++
	if l.r.IntN(2) == 0 {
		noError(l.t, os.RemoveAll(out))
	}
}

// TestLeaksModels makes, changes, solves and deletes many models of lp_solve: the C heap stays as it was.
func TestLeaksModels(t *testing.T) {
	runtime.LockOSThread() // a thread keeps freed memory for itself: one of them, so that the numbers are comparable
	defer runtime.UnlockOSThread()
	r := rand.New(rand.NewPCG(9, 5))
	goroutines := runtime.NumGoroutine()
	ends := map[string]int{}
	var from footprint
	for k := range leakModels {
		if k == leakModels/10 {
			from = measure(t, goroutines)
		}
		ends[oneModel(t, r)]++
	}
	to := measure(t, goroutines)
	list := leaked(from, to)
	if grown := to.c - from.c; grown > modelsMargin {
		list = append(list, fmt.Sprintf("bytes of the C heap: %+d; expected at most %d", grown, modelsMargin))
	}
	for _, what := range list {
		t.Error(what)
	}
	Record(t, Row{Name: "leaks lp_solve", Command: "make leaks", Tried: leakModels, Found: len(list),
		Text: fmt.Sprintf("models made, changed, solved and deleted, which ended so: %s; %s", counts(ends),
			change(from, to))})
}

// modelsMargin is less than one byte per model.
const modelsMargin = 64 << 10

// oneModel makes a small random program, and may solve it, change and solve it again, cancel it, or deny it memory.
func oneModel(t *testing.T, r *rand.Rand) string {
	t.Helper()
	m := lp.NewModel("m")
	for j := range 1 + r.IntN(6) {
		c := m.AddCol(fmt.Sprint("x", j), r.Float64()*4-1, pick(r, 0, -lp.Inf, -3), pick(r, lp.Inf, 5))
		if r.IntN(4) == 0 {
			m.SetInt(c)
		}
	}
	entries := func() []lp.Entry {
		var list []lp.Entry
		for j := range m.NumCols() {
			if r.IntN(2) == 0 {
				list = append(list, lp.Entry{Col: lp.Col(j), Coef: float64(1 + r.IntN(5))})
			}
		}
		return list
	}
	relation := func() lp.Relation { return pick(r, lp.LE, lp.GE, lp.EQ) }
	for i := range 1 + r.IntN(5) {
		m.AddRow(fmt.Sprint("r", i), entries(), relation(), float64(r.IntN(20)-3))
	}
	if r.IntN(16) == 0 {
		defer lpsolve.Inject(lpsolve.Injection{Refuse: func(n int64) bool { return n > 0 && r.IntN(2) == 0 }})()
	}
	sv, err := lpsolve.NewSolver(m)
	if err != nil {
		return "refused"
	}
	defer sv.Close()
	ctx, end := context.Background(), "made"
	if r.IntN(16) == 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(r.IntN(100))*time.Microsecond)
		defer cancel()
		ctx = limited
	}
	for range r.IntN(4) {
		sol, err := sv.Solve(ctx)
		if err != nil {
			return "failed"
		}
		end = sol.Status.String()
		if _, err := sv.AddRow("", entries(), relation(), float64(r.IntN(20)-3)); err != nil {
			t.Fatal(err)
		}
		if n := sv.Model().NumRows(); r.IntN(2) == 0 {
			noError(t, sv.DeleteRows([]lp.Row{lp.Row(r.IntN(n))}))
		}
	}
	return end
}

// TestLeaksTold leaks on purpose: the footprint must show it.
func TestLeaksTold(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	from := measure(t, goroutines)
	m := lp.NewModel("m")
	m.AddCol("x", 1, 0, 1)
	sv, err := lpsolve.NewSolver(m)
	noError(t, err)
	f, err := os.Open(os.DevNull)
	noError(t, err)
	held := make([]byte, 2*heapMargin)
	stuck := make(chan bool)
	go func() { <-stuck }()
	list := leaked(from, measure(t, runtime.NumGoroutine()))
	want := []string{"goroutines: ", "open files: ", "models of lp_solve: 0, then 1", "bytes of the Go heap: "}
	if len(list) != len(want) {
		t.Fatalf("%q", list)
	}
	for k, text := range list {
		if !strings.HasPrefix(text, want[k]) {
			t.Errorf("%q, want %q", text, want[k])
		}
	}
	runtime.KeepAlive(held)
	close(stuck)
	noError(t, errors.Join(sv.Close(), f.Close()))
	if list := leaked(from, measure(t, goroutines)); len(list) > 0 {
		t.Errorf("nothing leaks any more, but: %q", list)
	}
}
