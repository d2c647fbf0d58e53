// Package solver is the interface between the driver and the algorithms of the problems. What comes in is a workload; a
// Run and, of it, Outcomes go out. Read solver.go first, then problem.go, what a problem has to say of itself.
//
// A problem's package (solver/msjo, …) exports one Problem value, its descriptor. The driver opens a workload with it,
// asks for algorithms by name and gets Outcomes: a schedule, and optionally bounds with their certificates. Numbers
// inside an Outcome are never reported: the driver recomputes objective, metrics and bound through the problem's
// model.View.
package solver
