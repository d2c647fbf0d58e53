// Package campaign records the evidence of the campaigns: tests that attack the whole program with thousands of random
// cases, count what they tried and found, and record it. The package itself only keeps the record; everything else is
// tests, so read evidence_test.go and the test of one campaign, such as mutation_test.go.
//
// A campaign is a test with one make target. Its size is a constant in a pair of files, one with the build tag
// `nightly` and one without: `go test ./...` runs some tens of cases, so that the campaigns keep working; a make
// target passes the tag and runs all of them. A defect that a campaign finds fails its test, and gets a test of its own
// when it is fixed.
//
//	make target  question
//	faults       is anything lost, half written or silently wrong when the disk, memory, time or the process ends?
//	mutations    does check find every corruption of a valid result, and every rule that a schedule breaks?
//	numbers      do extreme numbers end in a verified certificate or in a refusal with a code?
//	race         do two goroutines touch the same memory?
//	leaks        does a process hold more memory after 10 000 solves than after 1 000?
//	determinism  do the bytes depend on the number of threads, the runtime's settings, the directory or the locale?
package campaign
