// Package bench imports benchmark instances, one file each, plain or gzip. Import is the same for all formats; a format
// says how to read a file and what it becomes. Times are seconds. Machines are called m1, m2, … and tasks t1, t2, …
//
//   - PCMax is P||Cmax: whole numbers between blanks or line ends, of which the first is the number of machines, the
//     second that of tasks, and the others are lengths. It is one job of msjo, whose maps are the tasks.
//   - RWCT is R||ΣwC: a line with the weights of the jobs, then a line a machine with their times on it, separated by
//     commas, without a header. Each job is a job of one map, for problem cluster; nodes have one map slot each, and
//     the table times states the numbers.
//   - RCMax is R||Cmax: a matrix with a line a machine, separated by commas, or the layout that type pairs describes.
//     Jobs are the partitions p1, p2, … of one job of problem realtime. A matrix states no sizes: a partition gets one
//     byte for each microsecond of its least time, so that algorithms which only read bytes rank partitions by their
//     times on the best machine.
//   - STG is the Standard Task Graph Set (Tobita and Kasahara): the number n of tasks, then a line for each of n tasks
//     and of two dummies, the first and the last: id, length, number of predecessors, predecessors. It is one job of
//     msjo. A graph states no machines: there are as many as its widest level has tasks, unless Options say otherwise.
//   - PSPLIB is RCPSP: .sm files (Kolisch and Sprecher); files of numbers alone in Patterson's layout (often .rcp); and
//     those in that of MPLIB (Van Eynde and Vanhoucke, often .rcmp), which are several projects. Type numbers describes
//     the last two. Several modes, nonrenewable and doubly constrained resources are refused. There is one node without
//     slots, whose capacities are the availabilities of resources R1, R2, …; requests are the table demands. Without
//     resources the node has a map slot for every job. It is for problem cluster, objective makespan.
//
// Precedence becomes rows of delays, of 0 s. The first task of a graph is left out if it has no length and waits for
// none, and the last one if it has no length and none waits for it: they change no schedule. Several projects are jobs
// p1, p2, … with their releases, and tasks p1.t2, …; if one waits for another, all of them are one job, whose tasks
// have the releases.
package bench
