package run

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestLogTellsAnErrorOnce: Close does not repeat an error that Append returned.
func TestLogTellsAnErrorOnce(t *testing.T) {
	l, err := OpenLog(logFile(t.TempDir(), 1, 1))
	must(t, err)
	whole := l.f
	l.f, err = os.Open(whole.Name()) // cannot be written
	must(t, err)
	if l.Append(map[string]string{"id": "1"}) == nil {
		t.Error("Append: no error")
	}
	must(t, l.Close())
	must(t, whole.Close())
}

// TestLongRow: a line longer than any row counts as damaged, and the rows around it are kept.
func TestLongRow(t *testing.T) {
	dir := t.TempDir()
	row, err := line(Row{ID: "a", Algorithm: "x", Status: "optimal"})
	must(t, err)
	after, err := line(Row{ID: "b", Algorithm: "x", Status: "optimal"})
	must(t, err)
	text := string(row) + strings.Repeat("x", 2*maxRow+5) + "\n" + string(after)
	must(t, os.WriteFile(logFile(dir, 1, 1), []byte(text), 0o644))
	l, err := openLogs(dir)
	must(t, err)
	if l.close(); l.damaged != 1 || len(l.rows) != 2 {
		t.Errorf("%+v", l)
	}
}

// TestLogThroughLink: a sweep neither appends to a link's target nor waits for a pipe.
func TestLogThroughLink(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Symlink("target", logFile(dir, 1, 2)))
	if l, err := OpenLog(logFile(dir, 1, 2)); err == nil {
		t.Error("a log was opened through a link:", l.Close())
	}
	if _, err := os.Stat(filepath.Join(dir, "target")); err == nil {
		t.Error("the link's target was made")
	}
	must(t, os.Remove(logFile(dir, 1, 2)))
	must(t, syscall.Mkfifo(logFile(dir, 2, 2), 0o644))
	if _, err := openLogs(dir); err == nil {
		t.Error("a pipe was read as a log")
	}
}

// TestLogVanished: appending to a removed or replaced file is an error.
func TestLogVanished(t *testing.T) {
	for _, again := range []bool{false, true} {
		dir := t.TempDir()
		l, err := OpenLog(logFile(dir, 1, 1))
		must(t, err)
		must(t, l.Append(map[string]int{"a": 1}))
		path := logFile(dir, 1, 1)
		must(t, os.Remove(path))
		if again {
			must(t, os.WriteFile(path, nil, 0o600))
		}
		if err := l.Append(map[string]int{"a": 2}); err == nil || !strings.Contains(err.Error(), "was removed") {
			t.Error(err)
		}
		_ = l.Close() // it already reported the error
	}
}
