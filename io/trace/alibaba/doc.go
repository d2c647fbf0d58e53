// Package alibaba imports the batch jobs of Alibaba's cluster-trace-v2018: its file batch_task.csv, plain or gzip,
// lines without a header,
//
//	task name, instances, job name, task type, status, start (s), end (s), planned CPU (100 per core), planned memory
//
// Source of the format: trace_2018.md and schema.txt of that trace (github.com/alibaba/clusterdata). Several files are
// parts of one trace.
//
// # Names are precedence
//
// A task M5_3_4 is number 5 of its job and waits for the tasks numbered 3 and 4, for all instances of them; letters
// mean nothing. A part such as Stg4 in J10_7_9_Stg4 is ignored, as the trace does not tell what it means (issue 76 of
// the repository asks), and a note counts such names. Underscores at the end are ignored. A task with a name of another
// form, such as task_Nzg3ODAw= or MergeTask, has neither predecessors nor successors. A number that no
// task of the job has is dropped, because the trace is a sample. A number of several tasks means all of them.
//
// # What becomes of them
//
//   - Tasks that are not Terminated are left out (Options.IncludeFailed takes them), and so are those without a number
//     of instances, without a start or end (the trace writes 0 for times outside its eight days), that end before they
//     start, or with a time more than eight days from the median start. A task that waits for one that is left out
//     waits for that one's predecessors instead. A job of which nothing is left, or whose names form a cycle, as some
//     do in the trace, is left out.
//   - Jobs are taken in the order of their first start, those of the same second in the file's order, the first
//     Options.Jobs of them. Time 0 is the first start of all. release = the job's first start; recorded_completion =
//     its last end; every job weighs 1.
//   - A task of n instances becomes n tasks JOB/NAME.1, …; one of one instance JOB/NAME. Options.Instances One makes
//     one task of each; Options.MaxInstances bounds n, and the remaining instances take longer in the same proportion,
//     so that the work stays.
//   - processing_time is the same for all instances of a task, as the file knows no more: net (the default), from the
//     task's start or the end of the last task that it waits for, whichever is later, to its end; gross, from its start
//     to its end. The start tells when a task was registered, often with the whole job (so the trace's makers in issue
//     56 of the repository), and gross times count waiting as work. Where net would be negative it is gross.
//   - cpu = planned CPU / 100. Planned memory is a share of an unknown size and not imported.
//   - machines: Options.Machines, else the most instances that were under way at once by these very times.
//
// # How precedence is written
//
// All instances of a task wait for all of another: written out, 1000 by 1000 instances would be a million rows of
// delays.
//
//   - A job whose tasks wait for nothing has maps only. One that falls into tasks that wait for nothing and tasks that
//     wait for exactly all of these has maps and reduces without rows: every problem's own barrier is what is meant.
//   - Other jobs have rows. Tasks that wait for nothing are maps, others reduces; where rows count, kinds mean nothing.
//     A task of a instances that tasks of b instances wait for has a·b rows or, if that is more than a + b, a further
//     task JOB/NAME.done of length 0 and no weight, which waits for the a and is waited for by the b.
//
// Such tasks change no optimum: whatever ends last before one leaves its machine idle at that instant. But they are
// tasks: counted as such, scheduled by heuristics when a machine is free, and shorter than what precedes them, which is
// Theorem 3's premise in problem msjo. Options.Instances One needs none.
//
// So the workload fits problem msjo exactly; multitenant and realtime read kinds and times and know of no rows; hta and
// reduceplace find neither blocks nor bytes.
//
// Memory: about a hundred bytes per line, whatever Options.Jobs is, as any line may belong to the first job.
package alibaba
