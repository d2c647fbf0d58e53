// Package lp holds sparse linear and mixed-integer programs, their solutions, and an independent check of both. Read
// model.go first, then solution.go and kkt.go.
//
// It contains no solver. A [Backend] builds a [Solver] from a [Model]; the only one is [mrsched/solver/lp/lpsolve].
//
// # The problem
//
//	minimise (or maximise)  c·x + offset
//	subject to              a_i·x  {<=, >=, =}  b_i     for every row i
//	                        l_j <= x_j <= u_j           for every column j; u_j may be infinite
//	                        x_j integer                 for the integer columns
//
// Numbers are dimensionless here: the caller keeps its own units. An upper bound of at least 1e30 ([Infinite]) is
// infinite; every other number must be below that in magnitude.
//
// # Sign convention
//
// Dual[i] is the shadow price of row i: the derivative of the optimal objective with respect to b_i. The reduced cost
// of column j is d_j = c_j − Σ_i a_ij·y_i for minimisation and maximisation alike. It follows that
//
//	             row >=   row <=   row =   x_j at l_j   x_j at u_j   l_j < x_j < u_j
//	minimise     y >= 0   y <= 0   free    d >= 0       d <= 0       d = 0
//	maximise     y <= 0   y >= 0   free    d <= 0       d >= 0       d = 0
//
// A column with l_j = u_j may have a reduced cost of either sign. Integrality plays no part in the duals.
//
// # Call status and model status
//
// An error says that a call could not run (bad input, closed solver, out of memory). What the solver found out about
// the model, limits included, is a [Status] and never an error.
//
// # Symbols
//
//	c_j, l_j, u_j   Model.Cost, Model.Bounds
//	a_ij, b_i       Model.Entries, Model.RHS
//	x, y            Solution.X, Solution.Dual
package lp
