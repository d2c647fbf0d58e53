package lpsolve

// #include "bridge.h"
import "C"

// Scaling modes of lp_solve, to be added up: one method, then modifiers. Curtis-Reid and dynamic scaling are left out:
// see the package comment.
const (
	ScaleNone        = 0
	ScaleMean        = 3
	ScaleGeometric   = 4
	ScalePower2      = 32
	ScaleEquilibrate = 64
	ScaleIntegers    = 128
)

// Pivot rules of lp_solve, to be combined with the modes below.
const (
	PriceFirstIndex   = 0
	PriceDevex        = 2
	PriceSteepestEdge = 3

	PriceAdaptive = 32    // another rule for a while when cycling is detected
	PriceLoopLeft = 1024  // scan from the other end
	PriceTrueNorm = 16384 // exact initial norms
)

// Simplex types: phase 1, then phase 2. The types whose phase 1 is primal (5 and 9) are left out: see the package
// comment.
const (
	SimplexDualPrimal = 6
	SimplexDualDual   = 10
)

// BranchCeiling is the branching direction of integer columns.
const BranchCeiling = 0

// Tuning holds the settings of lp_solve that matter for speed and accuracy; see its reference guide.
type Tuning struct {
	Scaling    int     // sum of Scale constants
	ScaleLoops float64 // iterations of the scaling algorithm
	Pivoting   int     // sum of Price constants
	Simplex    int     // a Simplex constant; no other value is safe
	Improve    int     // lp_solve's set_improve
	MaxPivots  int     // pivots between refactorisations
	Branch     int     // a Branch constant
	NodeRule   int     // lp_solve's set_bb_rule; its random modes make results irreproducible
	AbsGap     float64 // a MIP stops when bound and incumbent are this close
	RelGap     float64
}

// DefaultTuning is what New sets: the dual simplex first, since most changes add rows, with Devex pricing (steepest
// edge is no faster on dense cut rows) and geometric scaling by powers of two: by other factors, lp_solve fails on
// trivial problems that have one tiny cost.
func DefaultTuning() Tuning {
	return Tuning{
		Scaling:    ScaleGeometric | ScaleEquilibrate | ScaleIntegers | ScalePower2,
		ScaleLoops: 5,
		Pivoting:   PriceDevex | PriceAdaptive,
		Simplex:    SimplexDualPrimal,
		Improve:    6, // DUALFEAS | THETAGAP, lp_solve's default
		MaxPivots:  250,
		Branch:     BranchCeiling,
		NodeRule:   0,
		// lp_solve's defaults, 1e-11 and 1e-9, can cut off an optimum that is better by less than 1e-9 of the objective.
		AbsGap: 1e-11,
		RelGap: 1e-12,
	}
}

// SetTuning replaces the settings. It does not check values: lp_solve ignores or clamps those that it does not know.
func (l *LP) SetTuning(t Tuning) error {
	if err := l.open(); err != nil {
		return err
	}
	defer l.mu.Unlock()
	l.applyTuning(t)
	return nil
}

func (l *LP) applyTuning(t Tuning) {
	l.tuning = t
	l.pushTuning(t)
}

// pushTuning sets the settings inside lp_solve without making them the LP's own.
func (l *LP) pushTuning(t Tuning) {
	c := C.mrs_tuning{
		scaling: C.int(t.Scaling), pivoting: C.int(t.Pivoting), simplex: C.int(t.Simplex), improve: C.int(t.Improve),
		max_pivots: C.int(t.MaxPivots), floor_first: C.int(t.Branch), bb_rule: C.int(t.NodeRule),
		abs_gap: C.double(t.AbsGap), rel_gap: C.double(t.RelGap), scale_loops: C.double(t.ScaleLoops),
	}
	C.mrs_set_tuning(l.p, &c)
}
