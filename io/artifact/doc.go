// Package artifact recognises what a file or directory passed as an argument is (a workload, a result, the spec of a
// sweep, the trace of another program …) and reads the results at a path.
package artifact
