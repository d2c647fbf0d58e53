// Package pcmax imports instances of P||Cmax, makespan on identical machines, plain or gzip: whole numbers between
// blanks or line ends, of which the first is the number of machines, the second that of tasks, and the others are the
// tasks' lengths.
//
// The file is one job of problem msjo, named after it, whose tasks are maps, t1, t2, …, with their lengths in seconds
// as processing times. The scalar machines is the number of machines.
package pcmax
