// Package swim imports the workloads of SWIM, the Statistical Workload Injector for MapReduce (Chen, Ganapathi,
// Griffith, Katz, MASCOTS 2011): tab-separated lines without a header, plain or gzip,
//
//	job id, submission (s), gap to the job before (s), map input, shuffle and output (bytes)
//
// Up to three more fields may follow, as some of SWIM's files have the paths of a job's input and output, and a tab at
// the end of the line. Paths are not used; a note counts them.
//
// A line says when a job arrives and how much data it moves. Tasks, durations, places and users are not recorded;
// Options state the rules that generate them. Several files become one workload with one clock, and the file's name
// becomes a prefix of its jobs' ids.
//
// # What becomes of them
//
//   - Jobs are taken in the order of submission, those of the same second in the files' order, the first Options.Jobs
//     of them. Time 0 is the first submission. The gap repeats what submissions say; it is checked to be a number, no
//     more.
//   - Maps: one a block of Options.BlockSize bytes, the last one shorter; a job that reads nothing has one map without
//     a block. Blocks are placed by Options.Storage.
//   - Reduces: one for each Options.ReduceSize bytes of shuffle, from 1 to Options.MaxReduces; none without shuffle.
//     They are listed, with even parts of shuffle and output as input_bytes and output_bytes; without reduces the maps
//     share the output in proportion to what they read.
//   - intermediate_bytes is the shuffle, shuffle_ratio what it is to the input, to six decimals.
//   - processing_time = Options.Overhead + bytes read / rate, the rate being MapRate or ReduceRate; shuffle_delay of
//     maps = what a reduce fetches / Options.Bandwidth, as if it were alone.
//   - Users u1, u2, … in turn, in the order of the jobs, Options.Users of them.
//   - The topology is that of Options.Storage.
//
// So the workload serves multitenant and, with what is recorded of them here, msjo (times and delays), hta (blocks),
// reduceplace (bytes and reduces) and realtime (times, without deadlines).
package swim
