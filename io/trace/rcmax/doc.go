// Package rcmax imports matrices of processing times on unrelated machines (R||Cmax), plain or gzip, in two layouts.
// One has a line per machine and a number per job, separated by commas, without a header. The other, that of the
// benchmarks, has a line "n m" (jobs and machines) or "n m k", perhaps a line with m or n again, and a line per job
// with m pairs: a machine, counted from 0, and a time, all between blanks. The machines of a line ascend: elsewhere the
// layout is that of job shops (JSPLIB), whose jobs visit the machines in the order of the line, and such files are
// refused. A flow shop has them ascending too, which a note says. The first line shows the layout.
//
// # What becomes of them
//
// A job on unrelated machines is a partition of a job's intermediate data, and machines are workers that differ from
// partition to partition. So a matrix becomes a workload of problem realtime with one job:
//
//   - The job is named after the file. It has as many reduces as there are machines, and a partition for each job
//     of the file: p1, p2, …
//   - The topology is a root and a node for each machine, m1, m2, …, each with one reduce slot and no map slot.
//   - The table times states every number as the seconds of its partition on its node.
//   - A matrix states no sizes. A partition gets one byte for each microsecond of its least time, so that algorithms
//     which only read bytes rank partitions by their times on the best machine.
//
// Blanks around numbers and empty lines are skipped.
package rcmax
