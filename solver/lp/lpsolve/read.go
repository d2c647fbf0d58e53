package lpsolve

// #include <stdlib.h>
// #include "bridge.h"
import "C"

import (
	"fmt"
	"os"
	"strings"
	"unsafe"
)

// Format is a file format that lp_solve reads.
type Format int

// The formats.
const (
	FormatLP       Format = iota // lp_solve's lp-format
	FormatFixedMPS               // MPS with fields at fixed columns
	FormatFreeMPS                // MPS with fields separated by blanks
)

// ReadFile, for tests of written files, reads a problem with lp_solve's own parser. A file that is missing, unreadable
// or malformed is an error, which does not say where: lp_solve does not say.
func ReadFile(path string, format Format) (*LP, error) {
	if format < FormatLP || format > FormatFreeMPS {
		return nil, fmt.Errorf("lpsolve: unknown file format %d", format)
	}
	// lp_solve cannot tell a missing file from a malformed one.
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("lpsolve: %w", err)
	}
	f.Close()
	if strings.IndexByte(path, 0) >= 0 {
		return nil, fmt.Errorf("lpsolve: file name %q holds a NUL", path)
	}
	s := C.CString(path)
	defer C.free(unsafe.Pointer(s))
	globalMu.Lock()
	p := C.mrs_read(s, C.int(format))
	globalMu.Unlock()
	if p == nil {
		return nil, fmt.Errorf("lpsolve: %s: not a readable model", path)
	}
	return wrap(p)
}

// Version returns lp_solve's version, such as "5.5.2.5".
func Version() string {
	var major, minor, release, build C.int
	C.mrs_version(&major, &minor, &release, &build)
	return fmt.Sprintf("%d.%d.%d.%d", int(major), int(minor), int(release), int(build))
}
