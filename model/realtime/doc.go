// Package realtime is the real-time problem's view of a workload: jobs with deadlines and skewed intermediate data on
// unequal workers; its partitioners, true times, objectives, checker and certificates. Nothing here depends on how
// schedules, estimates or bounds are found. What comes in is a workload and a schedule or a certificate; an objective,
// a bound or violations go out. Read instance.go first.
//
// Model (DynamicShare): a worker w has a speed, map slots and reduce slots; a slot runs one task at a time, without
// preemption. Job j arrives at Release, should be done by Due, and has maps and R_j reducers. Its intermediate data
// lies in p_j partitions, each of which one reducer processes: after all maps of the job have ended, on at most R_j
// slots. Which keys share a partition is the partitioner's choice: Hadoop's hash or one row of a Count-Min sketch.
//
// A task of base time b takes b/speed_w on worker w. The base time of a map or listed reduce is its processing_time;
// else, and for partitions, it is o_j + bytes/rate_j with the job's task_overhead and rate. A row of the table times
// overrides the time of a task on a worker. These are the true times. The table history is all that an online scheduler
// may learn from; nothing in this package reads it.
//
//	paper             code
//	Deadline_j        Due − Release
//	S(i)              Instance.Bytes
//	p, R              Set.Count, Instance.Reducers
//	sketch[i, j]      Sketch.Row
//	h_i               Hash
//
// Two goals. Deadlines: every job runs; the objective is the number of missed deadlines. Partitions: maps are left out
// and the jobs' reduce phases run one after another; the objective is the end of the last one. For one job this is
// R||Cmax.
//
// Differs from the paper: reducers are not fixed to workers in advance; a job may use any slots, but at most R_j. A
// deadline counts from the job's arrival and a job without one misses none.
package realtime
