// Package rcmax imports matrices of processing times, as the literature on unrelated machines (R||Cmax) keeps them: one
// line a machine, one number a job, separated by commas, without a header, plain or gzip.
//
// # What becomes of them
//
// A job on unrelated machines is a partition of a job's intermediate data, and machines are workers that differ from
// partition to partition. So a matrix becomes a workload of problem realtime with one job:
//
//   - The job is named after the file. It has as many reduces as the matrix has lines, and a partition for each column:
//     p1, p2, …
//   - The topology is a root and a node for each line, m1, m2, …, each with one reduce slot and no map slot.
//   - The table times states every number as the seconds of its partition on its node.
//   - A partition has no size in a matrix. It is given its least time, a byte a microsecond: then bytes rank partitions
//     as their times on their best machines do, and what reads nothing but bytes has something to go by.
//
// Blanks around numbers and empty lines are skipped.
//
// # Findings
//
// F101 unreadable, F102 gzip damaged or cut, F103 quotes amiss, F105 not UTF-8, F106 a line of absurd length, F109 a line
// longer or shorter than the first, V202 no number (if the first line has none at all, nothing else is reported), V203 a
// negative one, V204 one too large or too many of them, V206 an empty field, T503 no number at all.
package rcmax
