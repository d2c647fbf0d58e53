// Package psplib imports instances of RCPSP, a project with renewable resources, from the .sm files of PSPLIB (Kolisch
// and Sprecher), plain or gzip. The header states the number of jobs and of resources; then come sections with the
// successors of jobs, with their durations and requests, and with the availabilities.
//
// # What becomes of them
//
//   - The file is one job, named after it. The jobs of the project are its tasks, all of them maps, called t1, t2, …
//     after their numbers, with the durations in seconds as processing times.
//   - Every successor is a row of delays, of 0 s.
//   - The topology is a root and one node, m1, without slots. The table capacities states the availabilities on it, of
//     the resources R1, R2, …, and the table demands states the requests. Requests of 0 have no row.
//   - Supersource and supersink are left out, as they change no schedule: the first task if it has no length and waits
//     for none, and the last task if it has no length and none waits for it.
//
// Projects with several modes, with nonrenewable or with doubly constrained resources are refused. The section PROJECT
// INFORMATION is not read.
//
// The workload is for problem cluster, whose objective makespan is that of the project.
package psplib
