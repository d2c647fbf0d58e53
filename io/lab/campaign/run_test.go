package campaign

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"mrsched/io/cli"
)

// The exit codes that campaigns check.
const (
	exitDone      = 0
	exitUsage     = 2
	exitViolation = 4
	exitBackend   = 5
)

// patience is how long one call may take on a busy machine.
const patience = 5 * time.Minute

type outcome struct {
	code           int
	stdout, stderr string
	broken         string // a panic, or no end; empty: neither
	allocated      uint64 // bytes, also of what others did meanwhile
}

// run calls the program in this process.
func run(args ...string) outcome {
	var stdout, stderr bytes.Buffer
	done := make(chan outcome, 1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	go func() {
		o := outcome{code: -1}
		defer func() {
			if p := recover(); p != nil {
				o.broken = fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
			}
			done <- o
		}()
		o.code = cli.Main(append([]string{"mrsched"}, args...), nil, &stdout, &stderr)
	}()
	select {
	case o := <-done:
		runtime.ReadMemStats(&after)
		o.stdout, o.stderr, o.allocated = stdout.String(), stderr.String(), after.TotalAlloc-before.TotalAlloc
		return o
	case <-time.After(patience):
		return outcome{code: -1, broken: fmt.Sprintf("no end after %s: %q", patience, args)}
	}
}

// must runs a command that has to succeed.
func must(t *testing.T, args ...string) outcome {
	t.Helper()
	o := run(args...)
	if o.code != exitDone || o.broken != "" {
		t.Fatalf("mrsched %q: exit %d %s\n%s", args, o.code, o.broken, o.stderr)
	}
	return o
}

func readFiles(t *testing.T, dir string) files {
	t.Helper()
	entries, err := os.ReadDir(dir)
	noError(t, err)
	x := files{}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		if x[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// write replaces a directory by the files.
func (f files) write(t *testing.T, dir string) {
	t.Helper()
	noError(t, os.RemoveAll(dir))
	noError(t, os.Mkdir(dir, 0o700))
	for name, text := range f {
		noError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
}

// keep leaves the files of a case behind and says where, if the environment asks for it.
func (f files) keep(t *testing.T, name string) string {
	dir := directory
	if dir == "" {
		return "(nowhere: " + Directory + " is not set)"
	}
	dir = filepath.Join(dir, name)
	noError(t, os.MkdirAll(filepath.Dir(dir), 0o700))
	f.write(t, dir)
	return dir
}

// quiet adds the flags that every run of an algorithm gets: no news, and few iterations.
func quiet(args ...string) []string {
	return append(args, "-q", "--iterations", "30", "--threads", "1")
}

// noError fails a test at an error.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
