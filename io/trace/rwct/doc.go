// Package rwct imports instances of R||ΣwC, weighted completion times on unrelated machines, plain or gzip: a line with
// the weights of the jobs, then a line per machine with the times of the jobs on it, in seconds. Numbers are separated
// by commas, and there is no header. Blanks around numbers and empty lines are skipped.
//
// # What becomes of them
//
//   - Each job of the file is a job, j1, j2, …, of one map, t1, t2, …, with its weight.
//   - The topology is a root and a node for each machine, m1, m2, …, each with one map slot.
//   - The table times states every number as the seconds of a task on a node.
//
// The workload is for problem cluster.
package rwct
