// Package spark imports the event logs of Apache Spark (spark.eventLog.enabled): one JSON object per line, which is one
// event. A log is a file or, if it rolls, several; each is plain, gzip or zstd. Logs of Spark 1.2 to 3.5 are known.
//
// Source of the format: org.apache.spark.util.JsonProtocol. Only keys that are listed there are read; events that are
// not known are skipped, and only two properties of the application and three of a job are read, so that secrets stay
// where they are.
//
// # Jobs
//
// A Spark job with a successful task is a job, its class the SQL description or call site, its tenant the user of the
// application, its recorded_completion the recorded end of its last task. Time 0 is the first submission.
//
// If every job were released at its submission, there would be nothing to plan: a driver submits a job when it has the
// results of others, and the last submission is often just before the end. Under Recorded a job waits for all jobs that
// were over before its submission, and then, from the end of the last task of these, for as long as the driver took:
// the driver is taken for a program whose next step needs all results so far. Rows that follow from others are left
// out; see waits. Only jobs without a predecessor have a release. Under Free nothing is released later, and a job waits
// only for those whose shuffles it reads; what the driver carried from job to job (broadcasts, collected results) is
// not in the log.
//
// # Tasks
//
// A task is the last successful attempt of (stage, attempt of the stage, index); of a stage with several attempts, the
// last one of a partition. The others are the table history, with Options.History. Resubmitted repeats the id of an
// attempt whose output was lost, and is no attempt. Tasks that must have ended, by what else the log says, and have no
// end in it are counted as lacks; see findLost.
//
//   - processing_time = run time + deserialize time + result serialization time, as the executor measured them, but at
//     most from launch to finish; without a run time, from launch to finish.
//     A finish that is missing, or later than the end of the stage, of the job or of the application, counts as that
//     end or, in a log that is cut short, as the last event. See limitTimes.
//   - recorded_start = launch time, and the recorded end is processing_time later. The finish time is when the driver
//     learned of it: from launch to finish, tasks often take more cores than an executor has.
//   - kind = map if its stage writes a shuffle, else reduce.
//   - input_bytes = input + shuffle read, output_bytes = output + shuffle written. Spark 1.2 states no local reads.
//   - cpu = spark.task.cpus, or what the stage's resource profile says.
//   - memory_bytes = peak execution memory, only with Options.Memory: Spark spills when it gets less.
//
// # Precedence
//
// All tasks of an attempt of a stage wait for all tasks of the attempts of its parents that had ended when it started.
// A parent that was skipped because its output existed stands for the stage that ran with the same last RDD; a parent
// without tasks, or without such a stage, stands for its own parents. If the stage that it stands for ran in another
// job, the job waits for that job, in the table dependencies. Logs before Spark 1.4 do not state parents: the stages of
// a job wait for one another in the order of their ids.
//
// A job whose reduces all wait for all its maps, and nothing else for anything, has no rows. Otherwise a stage of a
// tasks that b tasks wait for has a·b rows of delays or, if that is more than a + b, a further task JOB/STAGE.done of
// length 0 and weight 0 between them, recorded where the last task of the stage ended. It changes no optimum.
//
// # Nodes
//
// An executor is a node in the rack of its host, with its cores, spark.executor.memory where that is stated, and the
// times when it was not there. There are no slots, because slots would keep maps off cores that no reduce uses.
// machines is how many tasks all executors run at once. An executor that the log does not announce, as in local mode
// before 3.0, has as many cores as its tasks took at once.
//
// The recorded starts are a schedule of the workload: a test checks it on all logs. Only an executor with more tasks
// than cores breaks it, which a note says.
package spark
