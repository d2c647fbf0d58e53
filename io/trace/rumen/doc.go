// Package rumen imports job traces of Apache Rumen, which Rumen extracts from Hadoop's job history, with the topology
// file that it writes beside a trace. It is one of the packages below io/trace, one for each format: each has an
// Import that returns a model.Workload, and none depends on another.
//
// A trace is a sequence of JSON objects, one for each job, plain or gzip. Import reads it job by job and keeps of a
// job only the keys listed here; it skips all others. A negative number (Rumen writes -1) or null means "unknown", and
// so does one that is too large. Those but -1 and null are counted.
//
//	job      jobID, user, jobName and queue (with Options.History or Speeds), priority, outcome, submitTime, finishTime,
//	         mapTasks, reduceTasks, otherTasks (counted)
//	task     taskID, taskType, inputBytes, outputBytes, preferredLocations[].layers, attempts
//	attempt  result, hostName, startTime, finishTime, shuffleFinished, hdfsBytesRead, hdfsBytesWritten,
//	         mapInputBytes, mapOutputBytes, reduceShuffleBytes
//	topology name, children
//
// # Jobs and tasks
//
// Times are milliseconds in the trace and model.Time here; time 0 is the earliest submitTime of the imported jobs.
//
//   - Jobs whose outcome is FAILED or KILLED are left out, unless Options.IncludeFailed is set, and so are jobs
//     without maps and reduces. Setup and cleanup tasks are left out.
//   - If several jobs have one id, the first keeps it. The others get .2, .3, … after their own id and those of their
//     tasks; numbers that would give a job or task the id of another are skipped. Rumen's Folder writes such traces.
//   - release = submitTime − the earliest one, 0 if unknown. RecordedCompletion = finishTime − the earliest
//     submitTime, if both are known. tenant = user. For weights see Options.Weights.
//   - The record of a task is its successful attempt (result SUCCESS or SUCCEEDED). Of several, it is the one that
//     finished first, then the one that is listed first. Other attempts are ignored.
//   - The processing time of a map is finishTime − startTime; that of a reduce is finishTime − shuffleFinished. If it
//     is unknown or negative, the task takes the median of its job's tasks of the same kind. If the job has none, it
//     takes the median over all imported jobs. If there is none either, the import fails (T501). Longer than the job,
//     from submitTime to finishTime, is unknown too, and a shuffleFinished before startTime counts as that. See
//     limitTimes, checkSpan and limitRest for jobs whose own times are unknown or wrong.
//   - The shuffle delay of each map of a job is the median over the job's reduces of max(0, shuffleFinished −
//     finishTime of the job's last map), 0 if none is known.
//   - The median of an even number of values is the lower of the two in the middle, so it is always a measured value.
//   - Each map has a block of its own, block_<taskID>, with a placement for each preferred location. The host is the
//     last layer. Locations on hosts outside the topology file are dropped; without such a file, all count. A map
//     without any location has no block.
//   - The input bytes of a map are hdfsBytesRead, else mapInputBytes, else the task's inputBytes; its output bytes
//     are mapOutputBytes. Of a reduce they are reduceShuffleBytes, else inputBytes, and hdfsBytesWritten, else
//     outputBytes.
//   - reduces = number of the job's reduces. Intermediate bytes = sum of its maps' mapOutputBytes, known only if all
//     of them are known and the job has a reduce.
//   - RecordedNode = host of the successful attempt, empty without one.
//
// How local Hadoop's own reads were follows from the workload: take the maps whose RecordedNode and InputBytes are
// known and whose InputBytes are above 0, and compare the node, then its rack, with those of the block's placements.
//
// # Nodes
//
// In a topology file, elements without children are hosts, an element with at least one inner child is a switch, and
// any other is a rack. A node's id is the plain host name. Below a switch, the ids of racks and switches begin with
// those of their parents (dc1/rack1), since two switches may have racks of one name.
//
// Without a topology file, the nodes are the hosts that the trace names in a preferred location or in a successful
// attempt of a map or reduce, whether or not its job is imported. Each is below the rack that the trace first names
// it in. This is how Rumen makes its topology files. Failed attempts name hosts without racks; they do not count.
//
// Neither file states slots: every host gets Options.MapSlots and Options.ReduceSlots.
//
// Names are stored as regular expressions, in which a backslash only protects the next character. The hostName of an
// attempt is /rack/host.
//
// # Past runs and speeds
//
// With Options.History, the class of a job is its jobName, else its user, else its queue. The record of a task
// becomes a row of the table history if its duration, host and class are known: worker = host, bytes = the task's
// input bytes, seconds = its processing time. Unknown bytes count as 0, since Hadoop did not record counters of value
// 0.
//
// With Options.Speeds, the speed of a host is the median over its records of expected duration / recorded duration,
// rounded to a thousandth. Expected is the median duration of all records of the same class, kind and power of two
// of the bytes; there must be at least two. Recorded durations are then multiplied by the speed of their host, so
// that processing times are those of a machine of speed 1. Medians that replace unknown durations are taken before
// that, and the table history keeps the recorded durations.
package rumen
