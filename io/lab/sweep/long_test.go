package sweep

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestLongRow: a line longer than any row counts as damaged, and the rows around it are kept.
func TestLongRow(t *testing.T) {
	dir := t.TempDir()
	row, err := line(Row{ID: "a", Algorithm: "x", Status: "optimal"})
	if err != nil {
		t.Fatal(err)
	}
	after, err := line(Row{ID: "b", Algorithm: "x", Status: "optimal"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(row) + strings.Repeat("x", 2*maxRow+5) + "\n" + string(after)
	if err := os.WriteFile(filepath.Join(dir, LogFile(Rows, 1, 1)), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	failed, damaged, err := ReadFinished(dir)
	if err != nil || damaged != 1 || len(failed) != 2 {
		t.Errorf("%+v, %v", failed, err)
	}
}

// TestLogThroughLink: a sweep neither appends to a link's target nor waits for a pipe.
func TestLogThroughLink(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("target", filepath.Join(dir, LogFile(Rows, 1, 2))); err != nil {
		t.Fatal(err)
	}
	if l, err := OpenLog(dir, Rows, 1, 2); err == nil {
		t.Error("a log was opened through a link:", l.Close())
	}
	if _, err := os.Stat(filepath.Join(dir, "target")); err == nil {
		t.Error("the link's target was made")
	}
	if err := os.Remove(filepath.Join(dir, LogFile(Rows, 1, 2))); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, LogFile(Rows, 2, 2)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadFinished(dir); err == nil {
		t.Error("a pipe was read as a log")
	}
}
