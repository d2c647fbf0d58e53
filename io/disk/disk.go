package disk

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrExists says that the target exists and must not be replaced.
var ErrExists = errors.New("already exists")

// ErrKept says that the target is never replaced: a link, whose target was not named, or a device.
var ErrKept = errors.New("is not replaced")

// bufferSize is that of the writer handed to WriteFile's callback.
const bufferSize = 1 << 20

// WriteFile lets write fill a temporary file beside path, syncs it and renames it to path. An existing path is refused
// with ErrExists unless replace, links and devices with ErrKept even then; missing parents are made. On any error
// nothing is left behind, and whatever was at path stays.
func WriteFile(path string, replace bool, write func(w io.Writer) error) error {
	path = filepath.Clean(path)
	if info, err := os.Lstat(path); err == nil && info.IsDir() && replace {
		return fmt.Errorf("%s: it is a directory and %w by a file", path, ErrKept)
	}
	return written(path, replace, false, func(t *temporary) error {
		if err := fill(t.lock, write); err != nil {
			return err
		}
		if err := t.lock.Chmod(0o644); err != nil {
			return err
		}
		return t.named(func() error {
			if replace {
				return os.Rename(t.path, path)
			}
			return appeared(path, renameNew(t.path, path))
		})
	})
}

// written makes a temporary file or directory beside path; complete fills it and gives it its name.
func written(path string, replace, directory bool, complete func(t *temporary) error) (err error) {
	undo, err := prepare(path, replace)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			undo()
		}
	}()
	t, err := newTemporary(path, directory)
	if err != nil {
		return err
	}
	underway.Lock()
	underway.made[t] = undo
	underway.Unlock()
	if err := complete(t); err != nil {
		return t.called(path, errors.Join(err, t.remove()))
	}
	return errors.Join(syncDir(filepath.Dir(path)), t.close())
}

// prepare refuses targets that must not be replaced, removes leftovers of killed processes, and makes missing parents;
// undo removes the parents again.
func prepare(path string, replace bool) (undo func(), err error) {
	if err := clearLeftovers(path); err != nil {
		return nil, err
	}
	if err := Vacant(path, replace); err != nil {
		return nil, err
	}
	return makeParents(path)
}

// appeared is ErrExists if a target was created after the check for it.
func appeared(path string, err error) error {
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s: %w", path, ErrExists)
	}
	return err
}

// fill writes through a buffer and syncs.
func fill(f *os.File, write func(w io.Writer) error) error {
	b := bufio.NewWriterSize(f, bufferSize)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	return f.Sync()
}

// Dir is a directory being written.
type Dir struct{ path string }

// File writes one file of the directory.
func (d Dir) File(name string, write func(w io.Writer) error) error {
	f, err := os.OpenFile(filepath.Join(d.path, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(fill(f, write), f.Close())
}

// WriteDir lets write fill a temporary directory beside path and gives it that name. An existing path is refused with
// ErrExists unless replace; then the two exchange their names at once, and the old directory is removed last, so that a
// crash leaves the old directory or the new one at path. If the file system cannot exchange names (see exchange), the
// old one is moved aside first; a crash at that moment leaves none, and the next call that writes path restores the old
// one. Missing parents are made. On any error nothing is left behind and the old directory stays.
func WriteDir(path string, replace bool, write func(d Dir) error) error {
	path = filepath.Clean(path)
	old := ""
	err := written(path, replace, true, func(t *temporary) (err error) {
		if err := t.lock.Chmod(0o755); err != nil {
			return err
		}
		if err := write(Dir{t.path}); err != nil {
			return err
		}
		if err := t.lock.Sync(); err != nil {
			return err
		}
		return t.named(func() (err error) {
			old, err = t.settle(path, replace)
			return err
		})
	})
	if err != nil || old == "" {
		return err
	}
	if err := os.RemoveAll(old); err != nil {
		return fmt.Errorf("%s was replaced; the old file or directory cannot be removed: %w", path, err)
	}
	return nil
}

// settle gives a complete directory its name. old is where the previous holder of the name is now; empty: there was
// none.
func (t *temporary) settle(path string, replace bool) (old string, err error) {
	err = renameNew(t.path, path)
	if !errors.Is(err, os.ErrExist) || !replace {
		return "", appeared(path, err)
	}
	if err := swap(t.path, path); !errors.Is(err, errors.ErrUnsupported) {
		return t.path, err
	}
	f, err := os.Open(path) // locked, so that no other process takes it for a leftover
	if err != nil {
		return "", err
	}
	defer f.Close() // it was only locked
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	old = t.path + aside
	if err := os.Rename(path, old); err != nil {
		return "", err
	}
	if err := os.Rename(t.path, path); err != nil {
		return "", errors.Join(err, os.Rename(old, path))
	}
	return old, nil
}

// swap is exchange, except in tests of file systems without it.
var swap = exchange

// renameLooking is os.Rename that first checks whether something is at the new path.
func renameLooking(from, to string) error {
	if _, err := os.Lstat(to); !errors.Is(err, os.ErrNotExist) {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: cmp.Or(err, os.ErrExist)}
	}
	return os.Rename(from, to)
}

// makeParents makes the directories above path that are missing; undo removes those that are still empty, so not those
// that another process has begun to use.
func makeParents(path string) (undo func(), err error) {
	var made []string // the deepest first
	for dir := filepath.Dir(filepath.Clean(path)); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
			break
		}
		made = append(made, dir)
	}
	undo = func() {
		for _, dir := range made {
			if os.Remove(dir) != nil {
				return
			}
		}
	}
	if len(made) == 0 {
		return undo, nil
	}
	if err := os.MkdirAll(made[0], 0o755); err != nil {
		undo()
		return nil, err
	}
	return undo, nil
}

// Vacant is nil if path may be written: nothing is there, or a file or directory that is to be replaced.
func Vacant(path string, replace bool) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !replace:
		return fmt.Errorf("%s: %w", path, ErrExists)
	case info.Mode()&os.ModeSymlink != 0:
		return fmt.Errorf("%s: it is a symbolic link and %w: name what it leads to, or remove it", path, ErrKept)
	case !info.Mode().IsRegular() && !info.IsDir():
		return fmt.Errorf("%s: it is neither a file nor a directory and %w", path, ErrKept)
	}
	return nil
}

// syncDir makes a rename durable.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Compress lets write write to w, through gzip if path ends in .gz. The gzip header has neither a name
// nor a time, so equal contents are equal bytes.
func Compress(w io.Writer, path string, write func(w io.Writer) error) error {
	if !strings.HasSuffix(path, ".gz") {
		return write(w)
	}
	z := gzip.NewWriter(w)
	if err := write(z); err != nil {
		return err
	}
	return z.Close()
}
