// Package solve carries out one call of solve or compare on one instance: it opens the instance, runs the algorithms,
// writes results, and makes the table of them.
package solve
