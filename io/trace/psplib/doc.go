// Package psplib imports instances of RCPSP, a project with renewable resources, plain or gzip, in three layouts: the
// .sm files of PSPLIB (Kolisch and Sprecher); files of numbers alone in Patterson's layout (often .rcp); and those in
// that of MPLIB (Van Eynde and Vanhoucke, often .rcmp), which are several projects.
//
// The header of a .sm file states the number of jobs and of resources; then come sections with the successors of jobs,
// with their durations and requests, and with the availabilities. A file that begins with a number has one of the other
// layouts, as the type numbers describes them: that of several projects if it has a colon, as successors there are
// pairs, or one number in its first line. Every number has to be used up.
//
// # What becomes of them
//
//   - The file is one job, named after it. The jobs of the project are its tasks, all of them maps, called t1, t2, …
//     after their numbers, with the durations in seconds as processing times.
//   - Every successor is a row of delays, of 0 s.
//   - The topology is a root and one node, m1, without slots. The table capacities states the availabilities on it, of
//     the resources R1, R2, …, and the table demands states the requests. Requests of 0 have no row.
//     Without resources, m1 has a map slot for every job.
//   - Several projects are jobs p1, p2, … with their releases, and their tasks p1.t2, …. They share the resources.
//     Flags say which resources a project uses, as its requests do; a request that contradicts its flag counts, and a
//     note says so. If an activity waits for one of another project, all of them are one job, and the tasks have the
//     releases.
//   - Supersource and supersink are left out, as they change no schedule: the first task if it has no length and waits
//     for none, and the last task if it has no length and none waits for it; of several projects in each.
//
// Projects with several modes, with nonrenewable or with doubly constrained resources are refused. The section PROJECT
// INFORMATION is not read.
//
// The workload is for problem cluster, whose objective makespan is that of the project.
package psplib
