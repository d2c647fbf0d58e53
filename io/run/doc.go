// Package run makes many runs: it reads what a sweep is to run, plans it, divides it into shards, does the runs of a
// shard side by side, keeps their rows in a log, and merges the logs. A run that kills its process several times
// becomes an error. Read workers.go first: Each is the loop, and execute.go does a run.
//
//	plan, err := run.Read(file, "spec.json", maxRuns, catalog, folder) // instances × algorithms × seeds, or findings
//	runs := plan.Runs()                                   // their product, each run once, in the plan's order
//	shard := run.Divide(runs, n)                          // the same in every process
//	log, err := run.OpenLog(file)                         // appends rows; a torn last line is cut off
//	m, err := run.Merge(dir)                              // rows in the plan's order, and their statistics
//
// A run's id is a digest of all that its row follows from: the contents of a file or the parameters of a generator, the
// algorithm, every parameter that it looks at, the limits, and the seed. It depends neither on the order of a spec nor
// on what a spec leaves to defaults, so that rows of finished runs serve any spec in which their ids occur.
//
// Rows hold nothing that differs from process to process. Numbers of the summary are exact sums of what rows state,
// rounded once when they are printed, so that they do not depend on the machine either.
package run
