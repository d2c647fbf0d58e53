package lpsolve

// The static archives are named in full, else the linker would prefer the shared libraries. That of macOS knows no
// such names.

// #cgo CFLAGS: -O2 -std=c11
// #cgo darwin LDFLAGS: -llpsolve55 -lm
// #cgo !darwin LDFLAGS: -l:liblpsolve55.a -l:libcolamd.a -l:libsuitesparseconfig.a -lm -ldl
// #include <stdlib.h>
// #include "bridge.h"
import "C"

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"unsafe"

	"mrsched/solver/lp"
)

// maxDim keeps row and column numbers, and their sum, within a C int.
const maxDim = 1 << 29

// globalMu serialises what touches lp_solve's process-wide state: creating and deleting problems.
var globalMu sync.Mutex

// problem is an LP inside lp_solve, to be minimised. Columns are zero-based, and bounded by [0, ∞) unless changed. It
// holds memory outside the Go heap until it is closed.
type problem struct {
	p          *C.mrs_lp
	rows, cols int
	warm       bool // the basis is not the default one
	solved     bool // a solve has run: rows can no longer be loaded in row entry mode
}

// newProblem makes a problem without rows.
func newProblem(cols int) (*problem, error) {
	if cols > maxDim {
		return nil, fmt.Errorf("lpsolve: cannot build a problem of %d columns", cols)
	}
	globalMu.Lock()
	defer globalMu.Unlock()
	p := C.mrs_new(C.int(cols))
	if p != nil && injected.Load().refuses() {
		C.mrs_free(p)
		p = nil
	}
	if p == nil {
		return nil, lp.ErrMemory
	}
	live.Add(1)
	return &problem{p: p, cols: cols}, nil
}

// rescue sets other scaling and pivot rules.
func (l *problem) rescue() { C.mrs_rescue(l.p) }

func (l *problem) close() {
	globalMu.Lock()
	C.mrs_free(l.p)
	globalMu.Unlock()
	live.Add(-1)
}

// rowBatch collects valid rows in the layout that the bridge takes. The zero value is empty.
type rowBatch struct {
	start []int64
	col   []C.int
	val   []C.double
	rel   []C.int
	rhs   []C.double
}

func (b *rowBatch) entry(col int, v float64) {
	b.col = append(b.col, C.int(col+1))
	b.val = append(b.val, C.double(v))
}

func (b *rowBatch) end(rel C.int, rhs float64) {
	b.start = append(b.start, int64(len(b.col)))
	b.rel = append(b.rel, rel)
	b.rhs = append(b.rhs, C.double(rhs))
}

func (b *rowBatch) reset() {
	b.start, b.col, b.val, b.rel, b.rhs = append(b.start[:0], 0), b.col[:0], b.val[:0], b.rel[:0], b.rhs[:0]
}

// addRows appends the rows of b, whose arrays it reorders.
func (l *problem) addRows(b *rowBatch) error {
	n := len(b.rhs)
	if n == 0 {
		return nil
	}
	if l.rows+n > maxDim {
		return fmt.Errorf("lpsolve: more than %d rows", maxDim)
	}
	initial := C.int(0)
	if !l.solved && l.rows == 0 {
		initial = 1
	}
	added := C.mrs_add_rows(l.p, C.int(n), (*C.int64_t)(unsafe.Pointer(&b.start[0])), unsafe.SliceData(b.col),
		unsafe.SliceData(b.val), &b.rel[0], &b.rhs[0], initial)
	l.rows = int(C.mrs_rows(l.p))
	if int(added) != n {
		return fmt.Errorf("lpsolve: add_constraintex added %d of %d rows: %w", int(added), n, lp.ErrMemory)
	}
	return nil
}

// deleteRows removes existing rows, given in rising order.
func (l *problem) deleteRows(rows []int) error {
	if len(rows) == 0 {
		return nil
	}
	down := make([]C.int, len(rows))
	for i, r := range rows {
		down[len(rows)-1-i] = C.int(r + 1)
	}
	code := C.mrs_del_rows(l.p, C.int(len(down)), &down[0])
	l.rows = int(C.mrs_rows(l.p))
	if code != 1 { // 2: the rows are gone, and with them the basis
		l.defaultBasis()
	}
	switch code {
	case 1, 2:
		return nil
	case -1:
		return lp.ErrMemory
	}
	return errors.New("lpsolve: del_constraint failed")
}

func (l *problem) defaultBasis() {
	C.mrs_default_basis(l.p)
	l.warm = false
}

// setCosts sets the objective, one coefficient a column.
func (l *problem) setCosts(cost []float64) error {
	c := make([]C.double, l.cols+1)
	for j, v := range cost {
		c[j+1] = C.double(v)
	}
	return check(C.mrs_set_costs(l.p, &c[0]), "set_obj_fn")
}

func (l *problem) setBounds(col int, lower, upper float64) error {
	upper = math.Min(upper, lp.Infinite)
	return check(C.mrs_set_bounds(l.p, C.int(col+1), C.double(lower), C.double(upper)), "set_bounds")
}

func check(code C.int, call string) error {
	if code == 0 {
		return fmt.Errorf("lpsolve: %s failed", call)
	}
	return nil
}

// basis returns the basis of the last solve, nil after none.
func (l *problem) basis() []C.int {
	if !l.warm {
		return nil
	}
	b := make([]C.int, 1+l.rows+l.cols)
	if C.mrs_get_basis(l.p, &b[0]) == 0 {
		return nil
	}
	return b
}

// setBasis makes the next solve start from b; one that lp_solve refuses leaves the default basis.
func (l *problem) setBasis(b []C.int) {
	if l.warm = C.mrs_set_basis(l.p, &b[0]) != 0; !l.warm {
		l.defaultBasis()
	}
}

// moveBasis renumbers a basis. Row from[i] of the old problem is row i of the new one; the new problem's further rows
// get a basic slack. It returns nil if a basic column has lost its row.
func moveBasis(old []C.int, oldRows, rows, cols int, from []int) []C.int {
	if old == nil {
		return nil
	}
	to := make([]int, oldRows+cols+1) // one-based, 0: gone
	for i, k := range from {
		to[k+1] = i + 1
	}
	for j := 1; j <= cols; j++ {
		to[oldRows+j] = rows + j
	}
	basis := make([]C.int, 1, rows+cols+1)
	move := func(part []C.int) {
		for _, v := range part {
			k, sign := int(v), 1
			if k < 0 {
				k, sign = -k, -1
			}
			if to[k] != 0 {
				basis = append(basis, C.int(sign*to[k]))
			}
		}
	}
	move(old[1 : oldRows+1])
	for i := len(from); i < rows; i++ {
		basis = append(basis, C.int(-(i + 1)))
	}
	if len(basis) != rows+1 {
		return nil
	}
	move(old[oldRows+1:])
	return slices.Clip(basis)
}

// ReadFile, for tests of written files, reads one (mps: free MPS, else lp-format) with lp_solve's own parser. It
// returns its numbers of rows, columns and integer columns, and the optimum without the integrality of these.
func ReadFile(path string, mps bool) (rows, cols, ints int, optimum float64, err error) {
	s := C.CString(path)
	defer C.free(unsafe.Pointer(s))
	format := C.int(0)
	if mps {
		format = 1
	}
	var m, n, k C.int
	var v C.double
	globalMu.Lock()
	ok := C.mrs_read(s, format, &m, &n, &k, &v)
	globalMu.Unlock()
	if ok == 0 {
		err = fmt.Errorf("lpsolve: %s: not a readable model with an optimum", path)
	}
	return int(m), int(n), int(k), float64(v), err
}

// Version returns lp_solve's version, such as "5.5.2.5".
func Version() string {
	var major, minor, release, build C.int
	C.mrs_version(&major, &minor, &release, &build)
	return fmt.Sprintf("%d.%d.%d.%d", int(major), int(minor), int(release), int(build))
}
