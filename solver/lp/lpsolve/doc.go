// Package lpsolve binds lp_solve 5.5 (Berkelaar, Eikland, Notebaert; LGPL) and is the only package that uses cgo.
//
// The library and its helpers colamd and suitesparseconfig are linked statically: the binary needs no lp_solve at run
// time. Building needs Debian's liblpsolve55-dev and libsuitesparse-dev.
//
// # Why not golp
//
// github.com/draffensperger/golp, the usual Go binding, is not available from the module proxy. [LP] resembles it
// (zero-based columns, SetObjFn, Solve) and adds what it lacks: errors for every C return code, contexts, deletion of
// rows, warm starts, Close. The rest of the program uses [NewSolver], which adapts LP to [lp.Solver]. It checks every
// result against the model and solves again from scratch when the check fails, so it survives numerical trouble better.
//
// # Warm starts
//
// A solve starts from the basis in which the last one ended. Rows added since enter with their slack basic, so that the
// dual simplex repairs just those. Deleting slack rows keeps the basis; deleting a tight row, whose slack is not basic,
// discards it.
//
// # Sign convention
//
// That of package lp.
//
// # Limits and cancellation
//
// A context that ends raises a flag that lp_solve polls once per iteration. lp_solve's own time-out is polled at the
// same places and is never set: it reads the wall clock, which may jump. An unrequested stop counts as numerical
// failure.
//
// # Concurrency and determinism
//
// The methods of one LP exclude each other by a mutex; one goroutine at a time should use it. Different LPs may be
// built and solved in parallel: creation and deletion, which touch lp_solve's global tables, are serialised here, and
// the library's other static variables (LU1MXR's locals, the pivot search of rook pivoting) are unused with presolve
// off, because threshold pivoting never tightens into rook pivoting. Everything that draws from rand() is off. Equal
// calls give equal bits.
//
// # Quirks of lp_solve that this package hides
//
//   - 1e30 is infinity, in both directions.
//   - Row 0 is the objective, columns start at 1, and a pointer to the duals is followed by reduced costs, which have
//     the wrong sign where only the upper bound is finite. They are recomputed from the duals here.
//   - Free columns are split in two, and then duals may be refused: an LP then has none; NewSolver splits or flips
//     such columns itself and always has them.
//   - A column with a negative lower and a positive upper bound is split as well, unless set_negrange forbids it.
//   - Default anti-degeneracy perturbs bounds at random, seeded from the clock.
//   - A column that occurs twice in a row corrupts the matrix; here it is an error.
//   - Fractional bounds of integer columns make branch and bound endless, or its optimum 1e30; they are rounded
//     inwards.
//   - Problems that are unbounded through a column without coefficients come out optimal, at ±1e30 or at the column's
//     finite bound, and so do problems whose rows have no coefficients at all. The latter are solved here, the former
//     found by their reduced costs and solved again.
//   - Dynamic scaling (SCALE_DYNUPDATE) returns wrong results after a warm start and has no constant here, nor has
//     Curtis-Reid scaling, which was seen to take fifty times as long on a cut loop, and forever without rows.
//   - The default scaling (196) fails on trivial problems with one tiny cost, and even with powers of two can make
//     tight ones infeasible: LP double-checks infeasibility without scaling, NewSolver scales by itself. A new scaling
//     mode does not undo the old factors without unscale().
//   - The primal simplex of phase 1 (simplex types 5 and 9, which have no constant here) crashes, or changes the
//     problem. It adds an artificial column for every violated row. At the end of phase 1 it removes the artificial
//     columns that it takes for basic, but its count of them can be too high (primloop in lp_simplex.c). Then it
//     looks for a basic one, finds none, and reads memory before the start of an array. Depending on what lies there
//     it crashes, or it deletes a row of the problem and leaves an artificial column in it. It also calls feasible
//     problems infeasible. Phase 1 is always dual here.
//   - From the default basis, Devex and Dantzig pricing can end in a point that violates an equality. lp_solve
//     notices, returns 25, and fails again in the same way with any scaling. Other pivot rules succeed.
//   - The simplex can cycle forever; the iterations of an LP are limited, and then tried with other settings.
//   - Branch and bound prunes by a least improvement that it infers wrongly from the objective, and calls worse
//     solutions optimal; set_solutionlimit(0) turns that off.
//   - SUBOPTIMAL means "stopped with an incumbent"; a stopped LP without integers leaves a point that need not be
//     feasible, which is dropped here.
package lpsolve
