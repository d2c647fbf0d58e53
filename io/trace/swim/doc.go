// Package swim imports the workloads of SWIM, the Statistical Workload Injector for MapReduce (Chen, Ganapathi,
// Griffith, Katz, MASCOTS 2011): tab-separated lines without a header, plain or gzip,
//
//	job id, submission (s), gap to the job before (s), map input, shuffle and output (bytes)
//
// and perhaps paths, which are not used. A line says when a job arrives and how much data it moves; Options say how
// tasks, durations, places and users are made up. docs/formats.md has the rules. Read read.go first, then import.go.
package swim
