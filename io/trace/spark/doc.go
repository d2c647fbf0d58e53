// Package spark imports the event logs of Apache Spark (spark.eventLog.enabled), versions 1.2 to 3.5: JSON, an event a
// line, in one file or the parts of a rolling log, plain, gzip or zstd. It makes a workload for problem cluster, whose
// recorded starts are a schedule of it. docs/formats.md has the rules; the source of the format is Spark's
// JsonProtocol.
//
// Read events.go first, what is read of an event; then handle.go, what is kept of it (log.go). times.go decides which
// times are believed, plan.go and precedence.go what waits for what, nodes.go which executors are there, emit.go what
// is entered. notes.go counts what is doubtful or lost.
package spark
