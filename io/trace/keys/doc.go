// Package keys imports how often each key comes in the output of each map: CSV with the columns map, key and count, in
// any order, plain or gzip. Other programs count words, users or links in this form; partitioning intermediate data
// needs nothing else.
//
// # What becomes of them
//
// All files together become a workload of problem realtime with one job, named after the first file:
//
//   - Each pair of map and key becomes a row of the table keys, in the order of first appearance. A map merges the
//     values of a key, so rows of the same pair add up. The bytes are the count times Options.BytesPerValue. A row
//     with an empty map is about all maps.
//   - The job has Options.Reduces reduces and, if Options says so, a number of partitions; a reduce processes
//     Options.ReduceRate bytes per second.
//   - Options.Machines identical machines run it. Without them there are as many as reduces.
package keys
