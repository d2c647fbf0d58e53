// Package proof has the model whose schedules package lcg searches, the log of such a search, and its checker. The
// checker shares no search, propagator or explanation with package lcg: it follows the log, step by step. Read
// model.go first, then check.go.
//
// # Model
//
// A variable v takes a whole number S_v of its window [Least, Most]: the start of a task, an end, or 0 or 1 for a
// choice. Constraints are arcs, S_v ≥ S_u + d, and limits: the tasks that run at any time need at most the capacity
// together.
//
// # Literals
//
// A variable has two sides: 2v is S_v, 2v+1 is −S_v. The literal (side, t) says that the side is at least t, so
// (2v, t) is S_v ≥ t and (2v+1, t) is S_v ≤ −t. Its negation is (side^1, 1−t).
//
// # Log
//
// A step states a clause: in every solution of the model one of its literals is true. Its hints show it. The checker
// starts from the windows of the root, makes the clause's literals false, and follows the hints in order; each raises
// one side of a window, and the last leaves a window empty. A hint is an earlier clause of which all literals but one
// are false, an arc, or a rule of a limit:
//
//   - Table [a, b): tasks that run for sure all the time from a to b need more than the capacity. With a task u it is
//     those and u, which overlaps [a, b) unless it starts at b or later (or ends at a or earlier): so it does.
//   - Energy [a, b): what tasks need at the least within [a, b) exceeds capacity · (b − a). With a literal of a task,
//     its negation would make it so: the literal is true.
//
// A clause of one literal narrows the windows of the root. A clause without literals says that there is no solution. So
// the log proves S_objective ≥ t if t is the root's least value in the end.
//
// Source of the scheme: Goldberg and Novikov, DATE 2003 (checking by unit propagation); Wetzler, Heule and Hunt, SAT
// 2014 (trimming, deletions).
package proof
