// Package stg imports graphs of the Standard Task Graph Set (Tobita and Kasahara), plain or gzip: the number n of
// tasks, then a line for each of the n tasks and of two dummies of length 0, the first and the last one:
//
//	id length number-of-predecessors predecessor…
//
// Lines that begin with # are comments, and empty lines are skipped.
//
// # What becomes of them
//
//   - The file is one job of problem msjo, named after it. Its tasks are maps, called t1, t2, … after their ids; their
//     processing times are the lengths, in seconds.
//   - Every predecessor is a row of delays, of 0 s.
//   - The dummies are left out, as they change no schedule: the first task if it has no length and no predecessors, and
//     the last task if it has no length and precedes none.
//   - A graph states no machines. There are as many as Options.Machines says, else as many as the widest level of the
//     graph has tasks.
package stg
