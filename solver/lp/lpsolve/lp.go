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
	"fmt"
	"math"
	"sync"
	"unsafe"

	"mrsched/solver/lp"
)

// ErrClosed is returned by the methods of a closed LP.
var ErrClosed = lp.ErrClosed

// maxDim keeps row and column numbers, and their sum, within a C int.
const maxDim = 1 << 29

// globalMu serialises what touches lp_solve's process-wide state: creating and deleting problems.
var globalMu sync.Mutex

// ConstraintType is the relation of a row.
type ConstraintType int

// The relations, with lp_solve's codes.
const (
	LE ConstraintType = 1
	GE ConstraintType = 2
	EQ ConstraintType = 3
)

// LP is a problem inside lp_solve. Columns are zero-based, continuous, and bounded by [0, ∞) unless changed; the
// objective is minimised and empty. It holds memory outside the Go heap until Close.
type LP struct {
	mu   sync.Mutex
	p    *C.mrs_lp // nil once closed
	rows int
	cols int
	ints int // integer columns

	maximize  bool
	dualsOnly bool         // leave reduced costs, and the checks that need them, to the caller
	noInt     map[int]bool // integer columns between whose bounds lies no integer: the problem is infeasible

	tuning Tuning
	warm   bool // the basis is not the default one
	solved bool // a solve has run: rows can no longer be loaded in row entry mode

	result result
}

// New returns a problem with the given numbers of empty rows (0 <= 0) and columns.
func New(rows, cols int) (*LP, error) {
	if rows < 0 || cols < 0 || rows > maxDim || cols > maxDim {
		return nil, fmt.Errorf("lpsolve: cannot build a problem of %d rows and %d columns", rows, cols)
	}
	globalMu.Lock()
	p := C.mrs_new(C.int(rows), C.int(cols))
	globalMu.Unlock()
	if p != nil && injected.Load().refuses() {
		globalMu.Lock()
		C.mrs_free(p)
		globalMu.Unlock()
		p = nil
	}
	if p == nil {
		return nil, lp.ErrMemory
	}
	return wrap(p)
}

// wrap takes over p and applies the default tuning.
func wrap(p *C.mrs_lp) (*LP, error) {
	l := &LP{p: p, rows: int(C.mrs_rows(p)), cols: int(C.mrs_cols(p)), maximize: C.mrs_is_maximize(p) != 0,
		noInt: map[int]bool{}}
	live.Add(1)
	l.result.reset()
	l.applyTuning(DefaultTuning())
	for j := range l.cols {
		c := C.int(j + 1)
		if C.mrs_is_int(p, c) == 0 {
			continue
		}
		l.ints++
		var lower, upper C.double
		C.mrs_get_bounds(p, c, &lower, &upper)
		if err := check(l.setBounds(c, float64(lower), float64(upper)), "set_bounds"); err != nil {
			l.Close()
			return nil, err
		}
	}
	return l, nil
}

// Close frees the problem. It waits for a running Solve, and may be called again.
func (l *LP) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.p == nil {
		return nil
	}
	globalMu.Lock()
	C.mrs_free(l.p)
	globalMu.Unlock()
	l.p = nil
	live.Add(-1)
	return nil
}

// open locks l for a call; the caller unlocks it unless there is an error.
func (l *LP) open() error {
	l.mu.Lock()
	if l.p == nil {
		l.mu.Unlock()
		return ErrClosed
	}
	return nil
}

// NumRows returns the number of rows, without the objective.
func (l *LP) NumRows() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rows
}

// NumCols returns the number of columns.
func (l *LP) NumCols() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cols
}

// rowBatch collects valid rows in the layout that the bridge takes. The zero value is empty.
type rowBatch struct {
	start []int64
	col   []C.int
	val   []C.double
	rel   []C.int
	rhs   []C.double
}

func (b *rowBatch) begin() {
	if len(b.start) == 0 {
		b.start = append(b.start, 0)
	}
}

func (b *rowBatch) entry(col int, v float64) {
	b.col = append(b.col, C.int(col+1))
	b.val = append(b.val, C.double(v))
}

func (b *rowBatch) end(ct ConstraintType, rhs float64) {
	b.start = append(b.start, int64(len(b.col)))
	b.rel = append(b.rel, C.int(ct))
	b.rhs = append(b.rhs, C.double(rhs))
}

func (b *rowBatch) reset() {
	b.start, b.col, b.val, b.rel, b.rhs = b.start[:0], b.col[:0], b.val[:0], b.rel[:0], b.rhs[:0]
}

// addRows is addBatch for callers that do not hold the lock.
func (l *LP) addRows(b *rowBatch) error {
	if err := l.open(); err != nil {
		return err
	}
	defer l.mu.Unlock()
	return l.addBatch(b)
}

// addBatch appends the rows of b, whose arrays it reorders.
func (l *LP) addBatch(b *rowBatch) error {
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
	added := C.mrs_add_rows(l.p, C.int(n), (*C.int64_t)(unsafe.Pointer(&b.start[0])), ptr(b.col), ptr(b.val), &b.rel[0],
		&b.rhs[0], initial)
	l.rows = int(C.mrs_rows(l.p))
	l.result.reset()
	if int(added) != n {
		return fmt.Errorf("lpsolve: add_constraintex added %d of %d rows: %w", int(added), n, lp.ErrMemory)
	}
	return nil
}

// ptr returns the address of the first element, or nil.
func ptr[T any](s []T) *T {
	if len(s) == 0 {
		return nil
	}
	return &s[0]
}

func finite(v float64) bool { return math.Abs(v) < lp.Infinite }
