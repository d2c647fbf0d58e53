package campaign

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mrsched/model/tier"
)

// The exit codes of faults, besides those of run_test.go.
const (
	exitInternal    = 1
	exitLimit       = 6
	exitInterrupted = 130
	exitPipe        = 141
)

// TestFaults runs the program as a user would, takes resources away in the middle of its work, and checks the remains:
// complete earlier or new results, the right exit code, and a message that says what happened.
func TestFaults(t *testing.T) {
	g := newGround(t)
	for _, part := range []struct {
		name string
		test func(t *testing.T, g *ground, n *tally)
	}{
		{"full disk", faultsFullDisk},
		{"file size limit", faultsFileSize},
		{"paths", faultsPaths},
		{"kills", faultsKills},
		{"killed sweeps", faultsSweepKills},
		{"interruptions", faultsSignals},
		{"time limits", faultsTimeLimits},
		{"streams", faultsStreams},
		{"memory", faultsMemory},
		{"lp_solve", faultsLP},
	} {
		t.Run(part.name, func(t *testing.T) {
			n := &tally{t: t}
			part.test(t, g, n)
			if n.tried.Load() > 0 { // this machine has what that needs
				Record(t, Row{"faults " + part.name, int(n.tried.Load()), int(n.found.Load())})
			}
		})
	}
}

// tally counts what a part of the campaign did.
type tally struct {
	t            *testing.T
	tried, found atomic.Int64
}

func (n *tally) fault(format string, args ...any) {
	n.t.Helper()
	if n.found.Add(1) <= 20 {
		n.t.Errorf(format, args...)
	}
}

// clean demands that a directory has no temporary files.
func (n *tally) clean(dir, what string, e *ended) {
	n.t.Helper()
	if left := strays(n.t, dir); len(left) > 0 {
		n.fault("%s: left behind: %v\n%v", what, left, e)
	}
}

// refused demands an exit code and a word about the reason.
func (n *tally) refused(e *ended, what string, code int, word string) {
	n.t.Helper()
	if e.code != code || !strings.Contains(e.stderr, word) {
		n.fault("%s: want exit %d and %q\n%v", what, code, word, e)
	}
}

// attempt runs a writer where an earlier state stands, which must still stand or be replaced afterwards.
func (g *ground) attempt(t *testing.T, n *tally, m *writer, dir string, old state, wrap []string, what string) *ended {
	t.Helper()
	e := g.run(wrap, m.line(m.command, m.target(dir))...)
	n.tried.Add(1)
	if wrong := m.judge(t, dir, old, e); wrong != "" {
		n.fault("%s, %s: %s\n%v", m.command, what, wrong, e)
	}
	return e
}

// side runs functions on all cores, on two at least.
func side(list []func()) {
	next := make(chan func(), len(list))
	for _, f := range list {
		next <- f
	}
	close(next)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for f := range next {
				f()
			}
		})
	}
	wg.Wait()
}

// ground is the binary and its directory.
type ground struct {
	bin, dir string
	folders  atomic.Int64
	calls    []*writer
}

// newGround builds the binary and makes instances, earlier results and the input of the writers.
func newGround(t *testing.T) *ground {
	t.Helper()
	g := &ground{dir: t.TempDir()}
	g.bin = filepath.Join(g.dir, "bin", "mrsched")
	build := exec.Command("go", "build", "-o", g.bin, "../../..")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	g.prepare(t)
	return g
}

// someCalls are all writers by night, and every fifth by day.
func (g *ground) someCalls() (list []*writer) {
	for i, m := range g.calls {
		if tier.Nightly || i%5 == 0 {
			list = append(list, m)
		}
	}
	return list
}

func (g *ground) in(parts ...string) string {
	return filepath.Join(append([]string{g.dir}, parts...)...)
}

// folder makes a new empty directory.
func (g *ground) folder(t *testing.T) string {
	t.Helper()
	dir := g.in("work", fmt.Sprint(g.folders.Add(1)))
	noError(t, os.MkdirAll(dir, 0o755))
	return dir
}

type ended struct {
	code           int            // −1: a signal ended it
	signal         syscall.Signal // that did
	stdout, stderr string
	wall, cpu      time.Duration
	hung           bool
}

func (e *ended) String() string {
	return fmt.Sprintf("exit %d %v after %s\n%s%s", e.code, e.signal, e.wall.Round(time.Millisecond), brief(e.stdout),
		brief(e.stderr))
}

// brief is the beginning of a text.
func brief(text string) string {
	const most = 2000
	if len(text) > most {
		return text[:most] + "…\n"
	}
	return text
}

// process is a running mrsched.
type process struct {
	*exec.Cmd
	out, err bytes.Buffer
	begin    time.Time
	cancel   context.CancelFunc
	late     context.Context
}

// command makes a process, wrapped in other programs if there are any.
func (g *ground) command(wrap []string, args ...string) *process {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	line := append(append(slices.Clone(wrap), g.bin), args...)
	p := &process{Cmd: exec.CommandContext(ctx, line[0], line[1:]...), cancel: cancel, late: ctx}
	p.Stdout, p.Stderr = &p.out, &p.err
	p.Dir = g.dir
	p.WaitDelay = time.Second
	return p
}

func (p *process) start() error {
	p.begin = time.Now()
	return p.Start()
}

func (p *process) end() *ended {
	err := p.Wait()
	defer p.cancel()
	e := &ended{code: p.ProcessState.ExitCode(), stdout: p.out.String(), stderr: p.err.String(), wall: time.Since(p.begin),
		cpu: p.ProcessState.UserTime() + p.ProcessState.SystemTime(), hung: p.late.Err() != nil}
	if status, ok := p.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		e.signal = status.Signal()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		e.stderr += err.Error()
	}
	return e
}

func (g *ground) run(wrap []string, args ...string) *ended {
	p := g.command(wrap, args...)
	if err := p.start(); err != nil {
		p.cancel()
		return &ended{code: -1, stderr: err.Error()}
	}
	return p.end()
}

// must runs a command that has to succeed.
func (g *ground) must(t *testing.T, args ...string) *ended {
	t.Helper()
	e := g.run(nil, args...)
	if e.code != exitDone {
		t.Fatalf("mrsched %q: %v", args, e)
	}
	return e
}

// limited is a shell that sets a limit before it runs the rest of the line.
func limited(ulimit string) []string {
	return []string{"sh", "-c", "ulimit " + ulimit + ` && exec "$@"`, "sh"}
}
