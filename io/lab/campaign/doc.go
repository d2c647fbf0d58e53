// Package campaign keeps the evidence of the campaigns: tests that attack the whole program with thousands of random
// cases, count what they tried and what they found, and write it down.
//
// A campaign is a test whose name starts with the campaign's. Its size is a constant of a pair of files, one with the
// build tag `campaign` and one without: plain `go test ./...` runs some tens of cases, so that nothing rots; a make
// target passes the tag and runs all of them. What they find is a defect: it fails the test, and once mended has a test
// of its own beside the code that was wrong.
//
//	campaign   make target  question
//	faults     faults       is anything lost, half written or silently wrong when the disk, the memory, the time or the process ends?
//	mutations  mutations    does check tell every corruption of a valid result, and every rule that a schedule breaks?
//	numbers    numbers      do extreme numbers end in a verified certificate, or in an honest refusal?
//	race         race         do two goroutines touch the same memory?
//	leaks        leaks        does a process hold more after 10 000 solves than after 1 000?
//	determinism  determinism  are the bytes the same under any number of threads, settings of the runtime, directory and locale?
package campaign
