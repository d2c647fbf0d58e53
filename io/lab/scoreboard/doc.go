// Command scoreboard solves the benchmark sets of a directory and writes a table of the results: Read main.go first,
// then sets.go, the table of sets.
//
//	go run ./io/lab/scoreboard [-rows LOG] [-o DOCUMENT] [-only SETS] [-sample K] [-scale X] [-threads N] BENCH
//
// It runs one instance after another with the default algorithm of the problem, checks each result as the command check
// does, and appends a row to a log, as sweep does. It skips instances that the log already has, so a stopped run
// continues where it was. The document is generated from the log only.
package main
