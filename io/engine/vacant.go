package engine

import (
	"mrsched/io/disk"
)

// Vacant refuses a file that exists, unless forced, before any work is done.
func Vacant(path string, force bool) error {
	if path == "" {
		return nil
	}
	if err := HasPlace(path); err != nil {
		return err
	}
	return disk.Vacant(path, force)
}

// VacantFile is vacant for a file.
func VacantFile(path string, force bool) error {
	if path != "" && IsDir(path) {
		return Usagef("%s: it is a directory; name a file", path)
	}
	return Vacant(path, force)
}
