// Package disk writes files and directories that appear whole or not at all.
package disk

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// ErrExists says that the target exists and was not to be replaced.
var ErrExists = errors.New("already exists")

// bufferSize is that of the writer handed to WriteFile's callback.
const bufferSize = 1 << 20

// WriteFile lets write fill a temporary file beside path, syncs it and renames it to path. An existing
// path is refused with ErrExists unless replace; missing parents are made. On any error nothing is left behind.
func WriteFile(path string, replace bool, write func(w io.Writer) error) (err error) {
	if err := vacant(path, replace); err != nil {
		return err
	}
	undo, err := makeParents(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			undo()
		}
	}()
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".tmp-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreClosed(f.Close()), os.Remove(f.Name()))
		}
	}()
	if err := fill(f, write); err != nil {
		return err
	}
	if err := os.Chmod(f.Name(), 0o644); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// fill writes through a buffer, syncs and closes.
func fill(f *os.File, write func(w io.Writer) error) error {
	b := bufio.NewWriterSize(f, bufferSize)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// Dir is a directory being written.
type Dir struct{ path string }

// File writes one file of the directory.
func (d Dir) File(name string, write func(w io.Writer) error) error {
	f, err := os.OpenFile(filepath.Join(d.path, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if err := fill(f, write); err != nil {
		return errors.Join(err, ignoreClosed(f.Close()))
	}
	return nil
}

// WriteDir lets write fill a temporary directory beside path and renames it to path. An existing path is
// refused with ErrExists unless replace; then the old directory is moved aside first and removed last, so
// that a crash leaves the old directory, the new one or, between two renames, none at path. Missing parents
// are made. On any error nothing is left behind and the old directory stays.
func WriteDir(path string, replace bool, write func(d Dir) error) (err error) {
	if err := vacant(path, replace); err != nil {
		return err
	}
	undo, err := makeParents(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			undo()
		}
	}()
	parent := filepath.Dir(filepath.Clean(path))
	tmp, err := os.MkdirTemp(parent, "."+filepath.Base(path)+".tmp-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(tmp))
		}
	}()
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	if err := write(Dir{tmp}); err != nil {
		return err
	}
	if err := syncDir(tmp); err != nil {
		return err
	}
	old := tmp + ".old"
	switch err := os.Rename(path, old); {
	case err == nil:
		defer os.RemoveAll(old)
	case !errors.Is(err, os.ErrNotExist):
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return errors.Join(err, restore(old, path))
	}
	return syncDir(parent)
}

// makeParents makes the directories above path that are missing; undo removes them again as far as they are
// empty, so not those that somebody else has begun to use.
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

// restore puts the old directory back, if there was one.
func restore(old, path string) error {
	if err := os.Rename(old, path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func vacant(path string, replace bool) error {
	_, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case replace:
		return nil
	}
	return fmt.Errorf("%s: %w", path, ErrExists)
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
