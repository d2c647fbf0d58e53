package cli

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"mrsched/io/disk"
	"mrsched/io/engine"
	"mrsched/io/workload"
	"mrsched/model"
)

// writeWorkload writes a workload to -o. What it refuses without asking the file system is the command
// line's fault: a target of the wrong kind, or text that CSV cannot keep.
func (s *session) writeWorkload(c *cli.Context, w *model.Workload) error {
	path, force := c.String("output"), c.Bool(flagForce.Name)
	if into := c.String("into"); into != "" {
		path, force = into, true
	}
	err := engine.Misplaced(path, workload.Write(path, w, force, s.stdout))
	var usage *engine.UsageError
	var system syscall.Errno
	if err == nil || errors.As(err, &usage) || errors.As(err, &system) || errors.Is(err, disk.ErrExists) ||
		errors.Is(err, disk.ErrKept) {
		return err
	}
	return engine.Usagef("-o %s: %v", path, err)
}

// notes is where notes go: to standard error, unless the call is to be quiet.
func (s *session) notes(c *cli.Context) io.Writer {
	if c.Bool(flagQuiet.Name) {
		return io.Discard
	}
	return s.stderr
}

// fileEndings are the endings of names that people give to files. No command makes a directory, or a file of another
// format, of such a name; one that ends in a slash is a directory, whatever it is called.
var fileEndings = []string{".csv", ".tsv", ".json", ".jsonl", ".html", ".htm", ".svg", ".png", ".pdf", ".txt", ".md",
	".xml", ".yaml", ".yml", ".toml", ".xls", ".xlsx", ".ods", ".parquet", ".db", ".sqlite", ".lp", ".mps", ".gz",
	".zip", ".tar", ".tgz", ".bz2", ".xz", ".zst", ".log"}

// outputFlag makes -o. It refuses a name with the ending of a kind of file that the command does not write: writes says
// in words what the command writes, endings which files. A name without a known ending always fits.
func outputFlag(usage, value, writes string, endings ...string) cli.Flag {
	return &cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: usage, Value: value,
		Action: func(c *cli.Context, out string) error {
			name := strings.ToLower(filepath.Base(out))
			ending := filepath.Ext(name)
			if strings.HasSuffix(out, string(filepath.Separator)) || !slices.Contains(fileEndings, ending) ||
				slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(out, e) }) {
				return nil
			}
			if inner := filepath.Ext(strings.TrimSuffix(name, ending)); slices.Contains(fileEndings, inner) { // .csv.gz
				ending = inner + ending
			}
			return engine.Usagef("-o %s: %s writes no %s; name %s", out, c.Command.HelpName, ending, writes)
		}}
}

// workloadOutput is -o of a command that writes a workload.
func workloadOutput(usage, value string) cli.Flag {
	const writes = "a directory for CSV, or - for standard output"
	return outputFlag(usage+"FILE.json[.gz], "+writes, value, "FILE.json, FILE.json.gz, "+writes, ".json", ".json.gz")
}

// interruptible is a reader that gives up when ctx ends: a signal ends the program even while it waits
// for standard input. One goroutine at most is left waiting.
type interruptible struct {
	ctx  context.Context
	from io.Reader
	buf  []byte
}

// chunk is how much interruptible reads at a time.
const chunk = 1 << 16

type readResult struct {
	n   int
	err error
}

// Read reads what is there, or fails with the context's error.
func (r *interruptible) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if r.buf == nil {
		r.buf = make([]byte, chunk)
	}
	done := make(chan readResult, 1)
	into := r.buf[:min(len(p), chunk)] // never p: after an interruption p belongs to the caller again
	go func() {
		n, err := r.from.Read(into)
		done <- readResult{n, err}
	}()
	select {
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	case got := <-done:
		return copy(p, into[:got.n]), got.err
	}
}
