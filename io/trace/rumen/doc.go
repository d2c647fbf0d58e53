// Package rumen imports the job traces that Apache Rumen extracts from Hadoop's job history, with the
// topology file that it writes beside them. It is one of the packages below io/trace, one a format: each
// offers an Import that answers a model.Workload, and knows nothing of the others.
//
// A trace is a stream of concatenated JSON objects, one a job, plain or gzip. It is read job by job; of
// a job only what is listed here is kept. Keys that are not listed are skipped unread; -1 (any negative
// number) and null are "unknown" everywhere.
//
//	job      jobID, user, jobName and queue (with Options.History or Speeds), priority, outcome, submitTime, finishTime, mapTasks, reduceTasks, otherTasks (counted)
//	task     taskID, taskType, inputBytes, outputBytes, preferredLocations[].layers, attempts
//	attempt  result, hostName, startTime, finishTime, shuffleFinished, hdfsBytesRead, hdfsBytesWritten,
//	         mapInputBytes, mapOutputBytes, reduceShuffleBytes
//	topology name, children
//
// # What becomes of them
//
// Times are milliseconds in the trace and model.Time here; time 0 is the earliest submitTime of the
// imported jobs.
//
//   - A job is imported unless its outcome is FAILED or KILLED (Options.IncludeFailed takes those too) or
//     it has no map and no reduce. Setup and cleanup tasks are left out.
//   - release = submitTime − the earliest one, 0 if unknown. RecordedCompletion = finishTime − the earliest
//     submitTime, if both are known. tenant = user. weight: see Options.Weights.
//   - A task's record is its successful attempt (result SUCCESS or SUCCEEDED), of several the one that
//     finished first, then the one listed first. Other attempts are ignored.
//   - processing time of a map = finishTime − startTime; of a reduce = finishTime − shuffleFinished. If that
//     is unknown or negative: the median of the job's tasks of that kind; if the job has none, the median of
//     that kind over all imported jobs; if there is none either, the import fails (T501).
//   - shuffle delay of each of a job's maps = median over the job's reduces of
//     max(0, shuffleFinished − finishTime of the job's last map), 0 if none is known.
//   - The median of an even number of values is the lower of the two in the middle: always a value that
//     was measured.
//   - block of a map: one of its own, named block_<taskID>, with a placement for each preferred location
//     (its last layer) that the topology knows; other locations are dropped. A map without any has no
//     block. Without a topology every location counts, and the nodes are those that the placements name.
//   - input bytes of a map = hdfsBytesRead, else mapInputBytes, else the task's inputBytes; output bytes =
//     mapOutputBytes. Of a reduce: reduceShuffleBytes, else inputBytes; hdfsBytesWritten, else outputBytes.
//   - reduces = number of the job's reduces; intermediate bytes = sum of its maps' mapOutputBytes, known
//     only if all of them are and the job has a reduce.
//   - RecordedNode = host of the successful attempt, empty without one.
//
// With Options.History, a job's class is its jobName, else its user, else its queue, and a task's record becomes a row of
// the table history, if its duration, host and class are known: worker = host, bytes = the task's input bytes, which count
// as 0 if unknown (Hadoop of that time recorded no counter that was 0), seconds = the duration above, so that of a
// reduce, too, what it takes once it has its input.
//
// With Options.Speeds, the speed of a host of the topology is the median, over its records, of expected over recorded
// duration, rounded to a thousandth; expected is the median duration of all records of the same class, kind and power of two of the
// bytes, of which there must be two. Recorded durations are then multiplied by the speed of their host: processing
// times are those of a machine of speed 1. (Medians that stand in for unknown durations are those of recorded ones. The
// table history keeps what was recorded.)
//
// Recorded locality, that is how local Hadoop's own reads were, follows from the workload alone: take the
// maps with a RecordedNode and InputBytes known and > 0, and compare that node with those of the block's
// placements, then their racks. (Where hdfsBytesRead is unknown its substitutes decide; the 19-job trace
// has none.)
//
// In a topology the childless elements are nodes; an element with at least one inner child is a switch;
// any other is a rack. Node ids are the plain host names; below a switch the id of a rack or switch is
// prefixed with its parents' (dc1/rack1), so that two switches may have racks of one name.
//
// Names are stored as regular expressions: a backslash only protects the character after it.
// An attempt's hostName is /rack/host; only the host counts.
//
// # Findings
//
// F101 unreadable, F102 gzip damaged or cut, F103 not JSON, F104 cut, F105 not UTF-8, F106 an id or value
// of absurd length, T501 a wrong type or a missing id, T502 a host twice, T503 nothing to import, V208 a
// key twice, V210 a bad option; R301 (an id twice) and S408 come from model.Builder.
package rumen
