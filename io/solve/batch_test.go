package solve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/show"
)

func tell(w io.Writer, about string, err error) { fmt.Fprintf(w, "mrsched: %s: %v\n", about, err) }

// TestPanicIsARow: a panic on one of several instances becomes its row, with the stack on standard error, and does not
// end the others.
func TestPanicIsARow(t *testing.T) {
	o := BatchOptions{Tell: tell, Options: func(io.Writer) Options { return Options{} }}
	b := NewBatch(context.Background(), o, []string{"w.json"}, "r") // without names: an index out of range
	e := b.protected(0)
	if len(e.Rows) != 1 || e.Rows[0].Exit != engine.ExitInternal || e.Rows[0].Code != "internal" ||
		!strings.Contains(e.Rows[0].Error, "out of range") {
		t.Errorf("rows: %+v", e.Rows)
	}
	if text := e.Messages.String(); !strings.Contains(text, "mrsched: w.json: ") || !strings.Contains(text, "batch") {
		t.Errorf("messages: %s", text)
	}
}

// batch is a call for some instances with its output in two buffers.
func batch(ctx context.Context, t *testing.T, out string, paths ...string) (b *Batch, stdout, stderr *bytes.Buffer) {
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	o := BatchOptions{Threads: 2, Quiet: true, Stdout: show.Output{Writer: stdout}, Stderr: stderr, Tell: tell,
		Options:  func(io.Writer) Options { return options(t, "") },
		Progress: func(int, int) {}, Clear: func() {}, Gone: func() {}}
	return NewBatch(ctx, o, paths, out), stdout, stderr
}

// TestBatch: one good instance and a missing one give two rows, in the order of the call. The exit code is the more
// serious one, and the good result is below -o.
func TestBatch(t *testing.T) {
	out := filepath.Join(t.TempDir(), "r")
	b, stdout, stderr := batch(context.Background(), t, out, example("fig1"), "nowhere.json")
	must(t, errors.Join(b.Named(), b.Place()))
	exit, ok := errors.AsType[*engine.ExitError](b.RunAll())
	if !ok || exit.Code != engine.ExitUsage {
		t.Errorf("%+v", exit)
	}
	text, err := os.ReadFile(filepath.Join(out, result.SummaryFile))
	must(t, err)
	var doc result.Batch
	must(t, json.Unmarshal(text, &doc))
	if len(doc.Rows) != 2 || doc.Rows[0].Result != "fig1" || doc.Rows[0].Exit != engine.ExitDone ||
		doc.Rows[1].Status != result.StatusError || doc.Rows[1].Code != "F101" {
		t.Errorf("%+v", doc.Rows)
	}
	for _, name := range []string{"fig1/" + result.ResultFile, result.SummaryTable} {
		if !engine.Exists(filepath.Join(out, name)) {
			t.Errorf("no %s", name)
		}
	}
	if !strings.Contains(stdout.String(), "nowhere.json") || !strings.Contains(stderr.String(), "F101") {
		t.Errorf("%s\n%s", stdout, stderr)
	}
}

// TestBatchInterrupted: instances after an interruption were not run, which is no error of theirs.
func TestBatchInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b, stdout, stderr := batch(ctx, t, "", example("fig1"), example("dag"))
	must(t, b.Named())
	exit, ok := errors.AsType[*engine.ExitError](b.RunAll())
	if !ok || exit.Code != engine.ExitInterrupted {
		t.Errorf("%+v", exit)
	}
	if strings.Count(stdout.String(), string(result.StatusNotRun)) != 2 || stderr.String() != "" {
		t.Errorf("%s\n%s", stdout, stderr)
	}
}

// TestBatchNames: names that collide, are hidden, leave the directory or replace the summary are rejected.
func TestBatchNames(t *testing.T) {
	for _, paths := range [][]string{{"a/x.json", "b/x.json"}, {"....json", "y.json"}, {".x.json"}, {"summary.csv.json"},
		{"-", "-"}} {
		b, _, _ := batch(context.Background(), t, "r", paths...)
		if b.Named() == nil {
			t.Errorf("accepted %q", paths)
		}
	}
	b, _, _ := batch(context.Background(), t, "", "a/x.json", "b/x.json") // nothing is written
	if err := b.Named(); err != nil {
		t.Error(err)
	}
	for _, out := range []string{"-", "r.json", "r.json.gz"} {
		b, _, _ := batch(context.Background(), t, out, "a.json", "b.json")
		if b.Place() == nil {
			t.Errorf("accepted -o %s", out)
		}
	}
}
