// Package keys imports how often each key comes in the output of each map: CSV with the columns map, key and count, in
// any order, plain or gzip. Other programs count words, users or links in this form; it is all that the partitioning of
// intermediate data needs.
//
// # What becomes of them
//
// All files together become a workload of problem realtime with one job, named after the first file:
//
//   - A row of the table keys for each map and key, in the order in which they first come: values of one key are merged
//     inside each map, so that rows of the same map and key add up. Its bytes are the count times
//     Options.BytesPerValue. The map may be empty: then the rows are about all maps.
//   - The job has Options.Reduces reduces and, if Options says so, a number of partitions; a reduce works off
//     Options.ReduceRate bytes a second.
//   - Options.Machines identical machines run it. Without them there are as many as reduces.
package keys
