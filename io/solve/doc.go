// Package solve carries out one call of solve or compare on one instance: it opens the instance, runs the algorithms,
// writes results, and makes the table of them. What comes in are Options and the path of an instance; a table and files
// go out. Read job.go first, then compare.go; batch.go does several instances.
package solve
