// Package estimates lists what tasks are expected to take on each worker, and the past runs that say so.
package estimates
