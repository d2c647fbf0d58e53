// Package artifact recognises what a file or directory passed as an argument is (a workload, a result, the spec of a
// sweep, the trace of another program …) and reads the results at a path. What comes in is a path; a Kind goes out, or
// the results found there. Read kind.go first.
package artifact
