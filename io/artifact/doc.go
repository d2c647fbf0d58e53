// Package artifact says what a file or directory is that somebody passed as an argument (a workload, a result, the spec
// of a sweep, the trace of another program …) and reads the results at a path.
package artifact
