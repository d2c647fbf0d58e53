//go:build !linux

package disk

import "errors"

// exchange swaps what is at two paths: not on this system.
func exchange(_, _ string) error { return errors.ErrUnsupported }

// renameNew is os.Rename that fails with os.ErrExist if something is at the new path.
func renameNew(from, to string) error { return renameLooking(from, to) }
