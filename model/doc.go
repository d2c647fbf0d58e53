// Package model holds the nouns of mrsched: the workload (jobs, tasks, blocks, topology), time and
// bytes, schedules, results and bounds.
//
// A Workload is built once, by a Builder, which resolves every id to a dense index and collects every
// finding (code, position, what, expected, hint); afterwards it is never changed. Everything that
// depends on one of the five problems lives in the sub-package of that problem.
//
// Units: times are integer microseconds, weights integer millionths, sizes integer bytes. Decimals in
// files are rounded once, when they are read, half away from zero.
package model
