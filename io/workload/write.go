package workload

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mrsched/model"
)

// ErrExists says that the target is there already and was not to be replaced.
var ErrExists = errors.New("already exists")

// Write writes a workload: JSON to a path ending in .json or .json.gz, JSON to stdout for "-", else a
// directory of CSV files. The target appears whole or not at all; a target that exists is replaced only
// if force is set, a directory only if it holds nothing but a workload.
//
// Errors: ErrExists (wrapped), text that the form cannot keep, and those of the file system.
func Write(path string, wl *model.Workload, force bool, stdout io.Writer) error {
	if path == "-" {
		return WriteJSON(stdout, wl)
	}
	asJSON := strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".json"+gzSuffix)
	path, err := target(path, !asJSON, force)
	if err != nil {
		return err
	}
	temporary := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%016x.tmp", filepath.Base(path), rand.Uint64()))
	if asJSON {
		err = writeFile(temporary, func(w io.Writer) error { return writeDocument(w, wl, strings.HasSuffix(path, gzSuffix)) })
	} else {
		err = writeDirectory(temporary, wl)
	}
	if err == nil {
		err = install(temporary, path, force)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(temporary))
	}
	return syncDirectory(filepath.Dir(path))
}

// target is the path that will be replaced, if it may be.
func target(path string, directory, force bool) (string, error) {
	path = filepath.Clean(path)
	switch _, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return path, nil
	case err != nil:
		return "", err
	case !force:
		return "", fmt.Errorf("%s %w", path, ErrExists)
	}
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	switch {
	case directory && !info.IsDir():
		return "", fmt.Errorf("%s is a file, not a directory of CSV files", path)
	case !directory && !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a file", path)
	case directory:
		return path, onlyWorkload(path)
	}
	return path, nil
}

// onlyWorkload refuses a directory that holds anything else than a workload: it would be lost.
func onlyWorkload(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !slices.Contains(fileNames(), strings.TrimSuffix(e.Name(), gzSuffix)) {
			return fmt.Errorf("%s holds %s, which is no part of a workload, and is not replaced", path, clip(e.Name()))
		}
	}
	return nil
}

// install moves the finished target into place.
func install(temporary, path string, force bool) error {
	if !force {
		return rename(temporary, path)
	}
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return os.Rename(temporary, path)
	}
	old := temporary + ".old" // a directory cannot be replaced in one step
	if err := os.Rename(path, old); err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return errors.Join(err, os.Rename(old, path))
	}
	return os.RemoveAll(old)
}

// rename moves a file or directory to a path where nothing is.
func rename(temporary, path string) error {
	info, err := os.Lstat(temporary)
	if err != nil {
		return err
	}
	if !info.IsDir() { // a link, unlike a rename, never replaces
		switch err := os.Link(temporary, path); {
		case err == nil:
			return os.Remove(temporary)
		case errors.Is(err, fs.ErrExist):
			return fmt.Errorf("%s %w", path, ErrExists)
		} // a file system without links
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s %w", path, ErrExists)
	}
	return os.Rename(temporary, path)
}

// writeDocument writes JSON, packed if told. The gzip header has neither a name nor a time.
func writeDocument(w io.Writer, wl *model.Workload, packed bool) error {
	if !packed {
		return WriteJSON(w, wl)
	}
	z := gzip.NewWriter(w)
	if err := WriteJSON(z, wl); err != nil {
		return err
	}
	return z.Close()
}

// writeDirectory writes the scalars and the tables that are not empty.
func writeDirectory(path string, wl *model.Workload) error {
	if err := os.Mkdir(path, 0o777); err != nil {
		return err
	}
	err := writeFile(filepath.Join(path, scalarFile), func(w io.Writer) error { return writeScalars(w, wl) })
	for _, t := range tables {
		if err == nil && (t.needed() || t.len(wl) > 0) {
			err = writeFile(filepath.Join(path, t.tableName()+csvSuffix), func(w io.Writer) error { return t.writeCSV(w, wl) })
		}
	}
	if err != nil {
		return err
	}
	return syncDirectory(path)
}

// writeFile writes a new file down to the disk.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(f, flushAt)
	if err = write(buffered); err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncDirectory makes renames in a directory last. Not every file system can: that is no error.
func syncDirectory(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
}
