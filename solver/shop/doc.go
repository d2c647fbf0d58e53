// Package shop schedules workloads on clusters of unequal nodes with several resources, precedence, deadlines,
// maintenance and running tasks: the problem cluster, and what msjo shares with it. It has the schedulers that clusters
// use, a search that is never worse than any of them, and bounds that hold for every schedule.
//
// A run (run.go) begins with the list schedules (lists.go, dispatch.go), bounds the optimum in steps (bound.go), and
// then searches (best.go, lns.go). exact proves makespans of one node by learned clauses (proof.go), all else by a tree
// (exact.go). Read problem.go first: it has the table of algorithms.
package shop
