package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/model"
)

// process is a running mrsched.
type process struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
}

func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command("mrsched", args...)} // TestMain put it into PATH
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	return p
}

// begin starts the process.
func (p *process) begin(t *testing.T) {
	t.Helper()
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
}

// signal sends a signal.
func (p *process) signal(t *testing.T, which os.Signal) {
	t.Helper()
	if err := p.Process.Signal(which); err != nil {
		t.Fatal(err)
	}
}

// exit waits for the end; a process that hangs is killed.
func (p *process) exit(t *testing.T) int {
	t.Helper()
	late := time.AfterFunc(10*time.Minute, func() { _ = p.Process.Kill() })
	defer late.Stop()
	err := p.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return p.ProcessState.ExitCode()
}

// await waits until a condition is true.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for begin := time.Now(); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > time.Minute {
			t.Fatal("never: ", what)
		}
	}
}

// busy waits until a process has used some processor time, so that it is in the middle of its search.
func busy(t *testing.T, pid int, ticks int) {
	t.Helper()
	await(t, "the process works", func() bool {
		text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if err != nil {
			t.Skip("no /proc: ", err)
		}
		_, after, _ := strings.Cut(string(text), ") ")
		user, err := strconv.Atoi(strings.Fields(after)[11]) // utime, the 14th field, in hundredths of a second
		return err == nil && user >= ticks
	})
}

// TestInterruptedBatch: of several instances, the running one is written with its best result, and later ones are not
// run. The rows state which.
func TestInterruptedBatch(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "r")
	args := []string{"solve", "-a", "mars", "--formulation", "published", "--separation", "every", "-o", out,
		"--threads", "2"}
	for i := range 4 {
		instance := filepath.Join(dir, fmt.Sprintf("w%d.json", i))
		run(t, engine.ExitDone, "generate", "msjo", "--jobs", "60", "--seed", strconv.Itoa(i), "-o", instance)
		args = append(args, instance)
	}
	p := start(t, args...)
	p.begin(t)
	busy(t, p.Process.Pid, 300) // until both have a schedule
	p.signal(t, syscall.SIGINT)
	if code := p.exit(t); code != engine.ExitInterrupted {
		t.Fatalf("exit %d, want %d\n%s", code, engine.ExitInterrupted, p.stderr.String())
	}
	var doc result.Batch
	text, err := os.ReadFile(filepath.Join(out, result.SummaryFile))
	if err == nil {
		err = json.Unmarshal(text, &doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range doc.Rows {
		name := fmt.Sprintf("w%d", i)
		switch row.Status {
		case model.StatusLimit:
			run(t, engine.ExitDone, "check", row.Instance, filepath.Join(out, name))
			if row.Exit != engine.ExitInterrupted {
				t.Errorf("%+v", row)
			}
		case result.StatusNotRun:
			if i < 2 || engine.Exists(filepath.Join(out, name)) || row.Exit != engine.ExitInterrupted {
				t.Errorf("%+v", row)
			}
		default:
			t.Errorf("%+v", row)
		}
	}
	if len(doc.Rows) != 4 || doc.Rows[3].Status != result.StatusNotRun {
		t.Errorf("%+v", doc.Rows)
	}
}

// TestInterruptedWhileReading stops a program that waits for standard input.
func TestInterruptedWhileReading(t *testing.T) {
	p := start(t, "solve", "-", "-p", "msjo", "-o", filepath.Join(t.TempDir(), "r"))
	in, err := p.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.begin(t)
	// More than a pipe holds: when all is written, the program reads, and its signal handler is active.
	if _, err := in.Write(bytes.Repeat([]byte(" "), 1<<18)); err != nil {
		t.Fatal(err)
	}
	p.signal(t, syscall.SIGINT)
	if code := p.exit(t); code != engine.ExitInterrupted || p.stderr.String() != "mrsched: interrupted\n" ||
		p.stdout.Len() > 0 {
		t.Errorf("exit %d, want %d\n%s%s", code, engine.ExitInterrupted, p.stdout.String(), p.stderr.String())
	}
}

// TestInterruptEveryCommand: a signal ends all commands, also those that wait for a pipe without a writer.
func TestInterruptEveryCommand(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	writeText(t, filepath.Join(dir, result.ResultFile), "")
	for _, words := range [][]string{{"solve", pipe}, {"check", pipe, dir}, {"explain", pipe, dir, "1"}, {"estimate", pipe},
		{"lint", pipe}, {"diff", pipe, pipe}, {"import", "pcmax", pipe}} {
		t.Run(words[0], func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			s := &session{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard}
			if code, _ := engine.ExitCode(s.app().RunContext(ctx, append([]string{"mrsched"}, words...))); code !=
				engine.ExitInterrupted {
				t.Errorf("exit code %d", code)
			}
		})
	}
}
