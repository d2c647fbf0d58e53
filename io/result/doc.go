// Package result reads and writes results: a directory of result.json, schedule.csv and certificate.json, or one JSON
// document that holds all three. What comes in is a model.Result with its schedule, or files; files go out, or a
// Bundle. Read result.go first, then read.go and verify.go.
//
// The output depends on the result alone: no times of day, host names or durations. Rows of schedule.csv are in the
// order of the workload's tasks, so that changes in a schedule appear as changed rows. result.json names the other
// files by their SHA-256 and ends with its own.
package result
