// Package lpsolve binds lp_solve 5.5 (Berkelaar, Eikland, Notebaert; LGPL) and is the only package that uses cgo. What
// comes in is an lp.Model; an lp.Solution goes out. Read solver.go first.
//
// The library and its helpers colamd and suitesparseconfig are linked statically: the binary needs no lp_solve at run
// time. Building needs Debian's liblpsolve55-dev and libsuitesparse-dev.
//
// Integrality is not lp_solve's business here: [lp.Tree] branches, so that its nodes can be counted and limited.
//
// # What is believed
//
// An optimum counts only if its duals prove it against the model (lp.CheckKKT). Anything else is solved again in a new
// problem, with lp_solve's own scaling and the rule of the first index, which fails least often. That a model is
// infeasible counts only if both solves say so.
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
// same places and is never set: it reads the wall clock, which may jump. An unrequested stop counts as failure.
//
// # Concurrency and determinism
//
// One goroutine at a time may use a solver. Different ones may be built and solved in parallel: creation and deletion,
// which touch lp_solve's global tables, are serialised here, and the library's other static variables (LU1MXR's locals,
// the pivot search of rook pivoting) are unused with presolve off, because threshold pivoting never tightens into rook
// pivoting. Everything that draws from rand() is off. Equal calls give equal bits.
//
// # Quirks of lp_solve that this package hides
//
//   - 1e30 is infinity.
//   - Row 0 is the objective, and columns start at 1.
//   - Free columns are split in two, and then duals may be refused: models have none.
//   - A column with a negative lower and a positive upper bound is split as well, unless set_negrange forbids it.
//   - Default anti-degeneracy perturbs bounds at random, seeded from the clock.
//   - A column that occurs twice in a row corrupts the matrix; lp.Model adds such entries up.
//   - Problems that are unbounded through a column without coefficients come out optimal, at ±1e30 or at the column's
//     finite bound, and so do problems whose rows have no coefficients at all. The latter are solved here.
//   - Dynamic scaling (SCALE_DYNUPDATE) returns wrong results after a warm start, and Curtis-Reid scaling was seen to
//     take fifty times as long on a cut loop, and forever without rows.
//   - The default scaling (196) fails on trivial problems with one tiny cost, and even with powers of two can make
//     tight ones infeasible: this package scales by itself.
//   - The primal simplex of phase 1 (simplex types 5 and 9) crashes, or changes the problem. It adds an artificial
//     column for every violated row. At the end of phase 1 it removes the artificial columns that it takes for basic,
//     but its count of them can be too high (primloop in lp_simplex.c). Then it looks for a basic one, finds none, and
//     reads memory before the start of an array. It also calls feasible problems infeasible. Phase 1 is always dual.
//   - From the default basis, Devex and Dantzig pricing can end in a point that violates an equality. lp_solve
//     notices, returns 25, and fails again in the same way with any scaling. Other pivot rules succeed.
//   - The simplex can cycle forever; the iterations of an LP are limited.
package lpsolve
