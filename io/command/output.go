package command

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"mrsched/io/disk"
	"mrsched/io/workload"
	"mrsched/model"
)

// writeWorkload writes a workload to -o. What it refuses without asking the file system is the command
// line's fault: a target of the wrong kind, or text that CSV cannot keep.
func (s *session) writeWorkload(c *cli.Context, w *model.Workload) error {
	path := c.String("output")
	err := misplaced(path, workload.Write(path, w, c.Bool(flagForce.Name), s.stdout))
	var usage *usageError
	var system syscall.Errno
	if err == nil || errors.As(err, &usage) || errors.As(err, &system) || errors.Is(err, disk.ErrExists) ||
		errors.Is(err, disk.ErrKept) {
		return err
	}
	return usagef("-o %s: %v", path, err)
}

// fileEndings are the endings of names that people give to files. No command makes a directory, or a file of another
// format, of such a name; one that ends in a slash is a directory, whatever it is called.
var fileEndings = []string{".csv", ".tsv", ".json", ".jsonl", ".html", ".htm", ".svg", ".png", ".pdf", ".txt", ".md",
	".xml", ".yaml", ".yml", ".toml", ".xls", ".xlsx", ".ods", ".parquet", ".db", ".sqlite", ".lp", ".mps", ".gz",
	".zip", ".tar", ".tgz", ".bz2", ".xz", ".zst", ".log"}

// outputFits refuses -o if its name ends as that of a file does that the command does not write. What it writes is told
// in words, and by the endings of files; a name without an ending that is known always fits.
func outputFits(c *cli.Context, writes string, endings ...string) error {
	out := c.String("output")
	name := strings.ToLower(filepath.Base(out))
	if strings.HasSuffix(out, string(filepath.Separator)) || !slices.Contains(fileEndings, filepath.Ext(name)) {
		return nil
	}
	for _, e := range endings {
		if strings.HasSuffix(out, e) {
			return nil
		}
	}
	ending := filepath.Ext(name)
	if inner := filepath.Ext(strings.TrimSuffix(name, ending)); slices.Contains(fileEndings, inner) { // .csv.gz
		ending = inner + ending
	}
	return usagef("-o %s: %s writes no %s; name %s", out, c.Command.HelpName, ending, writes)
}

// workloadFits is outputFits for a command that writes a workload.
func workloadFits(c *cli.Context) error {
	return outputFits(c, "FILE.json, FILE.json.gz, a directory for CSV, or - for standard output", ".json", ".json.gz")
}

// hasPlace is a usage error unless path can be made, or what stands there be replaced: what stands nearest above it is
// a directory that may be written to. Directories between the two are made when something is written.
func hasPlace(path string) error {
	if path == "" {
		return nil // nothing is written
	}
	path = filepath.Clean(path)
	if _, err := os.Lstat(path); err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return usagef("%s cannot be written: %v", path, underlying(err)) // its name is too long, for one
	}
	if isDir(path) && syscall.Access(path, writable) == nil {
		return nil // something may be written into it, whatever stands above
	}
	for parent := filepath.Dir(path); ; parent = filepath.Dir(parent) {
		info, err := os.Stat(parent)
		switch {
		case err == nil && info.IsDir():
			if err := syscall.Access(parent, writable); err != nil {
				return usagef("%s cannot be written: %s: %v", path, parent, err)
			}
			return nil
		case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
			continue // the root exists, so this ends
		case err == nil:
			return usagef("%s cannot be written: %s is not a directory", path, parent)
		}
		return usagef("%s cannot be written: %v", path, err)
	}
}

// writable asks for the permission to make files in a directory: W_OK and X_OK of access(2).
const writable = 2 | 1

// misplaced turns the errors of a path at which nothing can be written into usage errors.
func misplaced(path string, err error) error {
	var system syscall.Errno
	if !errors.As(err, &system) {
		return err
	}
	if e := hasPlace(path); e != nil {
		return e
	}
	if slices.Contains([]syscall.Errno{syscall.ENOENT, syscall.EACCES, syscall.EPERM, syscall.EROFS, syscall.ENOTDIR,
		syscall.EISDIR, syscall.ENAMETOOLONG, syscall.ELOOP, syscall.EEXIST}, system) {
		return usagef("-o %s: it cannot be written: %v", path, system)
	}
	return err
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
