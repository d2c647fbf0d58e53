// Package estimates lists what tasks are expected to take on each worker, and the past runs that say so. What comes in
// is a workload with past runs; rows of a table go out. Read estimates.go first.
package estimates
