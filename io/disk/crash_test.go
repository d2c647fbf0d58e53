package disk

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// holding returns a function for WriteDir that makes a directory with a file f of the given text.
func holding(text string) func(Dir) error {
	return func(d Dir) error { return d.File("f", write(text)) }
}

// TestReplaceLeavesNoGap watches a directory while it is replaced: there must always be one, complete. An earlier
// version moved it aside before the new one got its name, so a kill between the two left none.
func TestReplaceLeavesNoGap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d")
	must(t, WriteDir(path, false, holding("text")))
	if err := exchange(path, path); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this file system cannot exchange two names")
	}
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := os.Lstat(path); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 300 {
		if err := WriteDir(path, true, holding("text")); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	wg.Wait()
	stands(t, filepath.Dir(path), "d")
}

// TestReplaceWithoutExchange replaces a directory where the file system cannot exchange names.
func TestReplaceWithoutExchange(t *testing.T) {
	swap = func(_, _ string) error { return errors.ErrUnsupported }
	t.Cleanup(func() { swap = exchange })
	path := filepath.Join(t.TempDir(), "d")
	must(t, WriteDir(path, false, holding("old")))
	must(t, WriteDir(path, true, holding("new")))
	if got := content(t, filepath.Join(path, "f")); got != "new" {
		t.Errorf("it holds %q", got)
	}
	stands(t, filepath.Dir(path), "d")
}

// TestLeftovers: the next write of a target removes what killed processes left. It keeps files of living processes, of
// other targets and with similar names.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "d")
	for _, name := range []string{".d.mrsched-1", ".d.mrsched-2", ".e.mrsched-1", ".d.tmp-1", "d.mrsched-1"} {
		must(t, os.Mkdir(filepath.Join(dir, name), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name, "half"), nil, 0o600))
	}
	must(t, os.WriteFile(filepath.Join(dir, ".d.mrsched-3"), nil, 0o600))
	must(t, os.Symlink("nowhere", filepath.Join(dir, ".d.mrsched-4")))
	living, err := os.Open(filepath.Join(dir, ".d.mrsched-2"))
	must(t, err)
	defer living.Close()
	must(t, syscall.Flock(int(living.Fd()), syscall.LOCK_EX))
	must(t, WriteDir(path, false, holding("text")))
	stands(t, dir, ".d.mrsched-2", ".d.tmp-1", ".e.mrsched-1", "d", "d.mrsched-1")
}

// TestMovedAsideComesBack: a process killed after moving the old directory aside loses nothing.
func TestMovedAsideComesBack(t *testing.T) {
	for _, c := range []struct {
		target, replace bool
		want            string
		err             error
	}{{false, false, "old", ErrExists}, {false, true, "new", nil}, {true, true, "new", nil},
		{true, false, "target", ErrExists}} {
		dir := t.TempDir()
		path := filepath.Join(dir, "d")
		if c.target {
			must(t, WriteDir(filepath.Join(dir, "d"), false, holding("target")))
			listed.Delete(dir)
		}
		must(t, os.Mkdir(filepath.Join(dir, ".d.mrsched-1"), 0o755)) // the new one, still unnamed
		must(t, os.Mkdir(filepath.Join(dir, ".d.mrsched-1.old"), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, ".d.mrsched-1.old", "f"), []byte("old"), 0o600))
		if err := WriteDir(path, c.replace, holding("new")); !errors.Is(err, c.err) {
			t.Errorf("%+v: %v", c, err)
		}
		if got := content(t, filepath.Join(path, "f")); got != c.want {
			t.Errorf("%+v: it holds %q", c, got)
		}
		stands(t, dir, "d")
	}
}

// TestTargetAppears: a target that another process makes in the meantime is not replaced without --force.
func TestTargetAppears(t *testing.T) {
	dir := t.TempDir()
	file, folder := filepath.Join(dir, "f"), filepath.Join(dir, "d")
	if err := WriteFile(file, false, func(io.Writer) error {
		return os.WriteFile(file, []byte("theirs"),
			0o600)
	}); !errors.Is(err, ErrExists) || content(t, file) != "theirs" {
		t.Error("file:", err)
	}
	if err := WriteDir(folder, false, func(Dir) error { return os.Mkdir(folder, 0o755) }); !errors.Is(err, ErrExists) ||
		len(names(t, folder)) > 0 {
		t.Error("directory:", err)
	}
	stands(t, dir, "d", "f")
}

// TestLongNames: any name that the file system accepts can be written, although temporary names are longer.
func TestLongNames(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []int{200, 201, 255} {
		name := strings.Repeat("n", n)
		must(t, WriteFile(filepath.Join(dir, name), false, write("x")))
		must(t, WriteFile(filepath.Join(dir, name), true, write("y")))
		must(t, os.Remove(filepath.Join(dir, name)))
		must(t, WriteDir(filepath.Join(dir, name), false, holding("x")))
		must(t, WriteDir(filepath.Join(dir, name), true, holding("y")))
	}
	if err := WriteFile(filepath.Join(dir, strings.Repeat("n", 256)), false, write("x")); !errors.Is(err,
		syscall.ENAMETOOLONG) {
		t.Error(err)
	}
	if got := names(t, dir); len(got) != 3 {
		t.Errorf("left behind: %v", got)
	}
}

// TestFileOverDirectory: a file and a directory never replace each other by accident.
func TestFileOverDirectory(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "d")
	must(t, WriteDir(path, false, holding("x")))
	if err := WriteFile(path, true, write("y")); err == nil {
		t.Error("a directory was replaced by a file")
	}
	if got := names(t, dir); !slices.Equal(got, []string{"d"}) || content(t, filepath.Join(path, "f")) != "x" {
		t.Errorf("%v", got)
	}
}

// TestErrorsNameTheTarget: messages and summaries contain no random names.
func TestErrorsNameTheTarget(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "d")
	err := WriteDir(path, false, func(d Dir) error { return d.File("no/f", write("x")) })
	if want := "open " + path + "/no/f: no such file or directory"; err == nil || err.Error() != want ||
		!errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestAbandon: what is being written when a program abandons its work disappears, parents included, and gets no name
// when its writer goes on.
func TestAbandon(t *testing.T) {
	defer func() { underway.over = false }()
	dir := t.TempDir()
	text := write("text")
	errs := []error{
		WriteFile(filepath.Join(dir, "a", "file"), false, func(w io.Writer) error { Abandon(); return text(w) }),
		WriteDir(filepath.Join(dir, "b", "dir"), false, func(d Dir) error {
			err := d.File("one", text)
			Abandon()
			return err
		}),
		WriteFile(filepath.Join(dir, "later"), false, text),
	}
	for _, err := range errs {
		if !errors.Is(err, errAbandoned) {
			t.Error(err)
		}
	}
	stands(t, dir)
}
