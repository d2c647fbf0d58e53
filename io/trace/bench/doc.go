// Package bench imports benchmark instances, one file each, plain or gzip: P||Cmax, R||Cmax, R||ΣwC, standard task
// graphs, and projects with renewable resources (RCPSP). Import is the same for all; a Format says how to read a file
// and what it becomes. Times are seconds. Machines are called m1, m2, … and tasks t1, t2, …
//
// docs/formats.md has the rules. Read bench.go first, then a short format, such as pcmax.go.
package bench
