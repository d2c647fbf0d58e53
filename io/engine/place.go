package engine

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Exists says whether there is something at a path.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// IsDir says whether a path is a directory.
func IsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// HasPlace returns a usage error unless path can be created or replaced: its nearest existing ancestor must be a
// writable directory. Directories between the two are made when something is written.
func HasPlace(path string) error {
	if path == "" {
		return nil // nothing is written
	}
	path = filepath.Clean(path)
	if _, err := os.Lstat(path); err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return Usagef("%s cannot be written: %v", path, Underlying(err)) // its name is too long, for one
	}
	if IsDir(path) && syscall.Access(path, writable) == nil {
		return nil // something may be written into it, whatever is above
	}
	for parent := filepath.Dir(path); ; parent = filepath.Dir(parent) {
		info, err := os.Stat(parent)
		switch {
		case err == nil && info.IsDir():
			if err := syscall.Access(parent, writable); err != nil {
				return Usagef("%s cannot be written: %s: %v", path, parent, err)
			}
			return nil
		case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
			continue // the root exists, so this ends
		case err == nil:
			return Usagef("%s cannot be written: %s is not a directory", path, parent)
		}
		return Usagef("%s cannot be written: %v", path, err)
	}
}

// writable is W_OK and X_OK of access(2), the permission to create files in a directory.
const writable = 2 | 1

// Misplaced turns the errors of a path at which nothing can be written into usage errors.
func Misplaced(path string, err error) error {
	var system syscall.Errno
	if !errors.As(err, &system) {
		return err
	}
	if e := HasPlace(path); e != nil {
		return e
	}
	if slices.Contains([]syscall.Errno{syscall.ENOENT, syscall.EACCES, syscall.EPERM, syscall.EROFS, syscall.ENOTDIR,
		syscall.EISDIR, syscall.ENAMETOOLONG, syscall.ELOOP, syscall.EEXIST}, system) {
		return Usagef("-o %s: it cannot be written: %v", path, system)
	}
	return err
}

// Underlying is the cause of a path error, without the path.
func Underlying(err error) error {
	if p := (*os.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	return err
}
