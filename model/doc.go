// Package model defines the data of mrsched: the workload (jobs, tasks, blocks, topology), time and bytes, schedules,
// results and bounds. What comes in are rows and numbers; a Workload, a Schedule, a Result or findings go out. Read
// workload.go first, then builder.go, which fills it; codes.go lists the codes of findings.
//
// A Workload is built once, by a Builder, which resolves every id to a dense index and collects every finding (code,
// position, what, expected, hint); afterwards it never changes. Everything that depends on one problem is in that
// problem's sub-package.
//
// Units: times are integer microseconds, weights integer millionths, sizes integer bytes. Decimals in files are rounded
// once, when they are read, half away from zero.
package model
