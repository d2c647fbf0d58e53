package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchange swaps what is at two paths, so that nobody ever sees one of them empty. Errors: errors.ErrUnsupported if
// the kernel or the file system cannot.
func exchange(a, b string) error { return renameat(a, b, unix.RENAME_EXCHANGE) }

// renameNew is os.Rename that fails with os.ErrExist if something is at the new path; if the kernel or the file system
// cannot do that, it checks first.
func renameNew(from, to string) error {
	err := renameat(from, to, unix.RENAME_NOREPLACE)
	if errors.Is(err, errors.ErrUnsupported) {
		return renameLooking(from, to)
	}
	return err
}

func renameat(from, to string, flags uint) error {
	var err error
	for {
		if err = unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, flags); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err == nil {
		return nil
	}
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) { // how file systems and kernels report that
		return errors.ErrUnsupported
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}
