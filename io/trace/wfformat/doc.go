// Package wfformat imports workflows in WfFormat, the JSON format of the WfCommons project, plain or gzip: versions 1.5
// and later, and the older shape of 1.0 to 1.4. Source of the format: wfcommons-schema.json and its README
// (github.com/wfcommons/WfFormat). Keys that are not listed are skipped unread, as the format allows any.
//
//	document       schemaVersion, workflow
//	workflow       specification, execution; before 1.5: tasks (jobs), machines, executedAt, makespanInSeconds (makespan)
//	specification  tasks, files[].id, files[].sizeInBytes
//	task           id, parents, children, inputFiles, outputFiles
//	execution      makespanInSeconds, executedAt, tasks, machines
//	executed task  id, runtimeInSeconds, coreCount, memoryInBytes, readBytes, writtenBytes, machines (machine)
//	machine        nodeName, memoryInBytes, cpu.coreCount (cpu.count), cpu.speedInMHz (cpu.speed)
//	older task     the keys of both, besides name, runtime, cores, memory (KB), files[].name, files[].link,
//	               files[].sizeInBytes (size)
//
// # What becomes of them
//
// A file is one job, named after the file; of several files the ids of tasks are prefixed with the job's.
//
//   - A task has runtimeInSeconds, at most the makespan, as processing_time, coreCount as cpu and memoryInBytes as
//     memory_bytes; recorded_node is its machine, the first one of several, which a note counts. A machine of the
//     workload runs it alone, however many cores it used.
//   - Every edge is a row of delays: precedence is exactly that of the file. Tasks without parents are maps and others
//     reduces, which where rows count means nothing; of a job without edges all tasks are maps.
//   - From 1.5 on, parents and children must say the same, unless all tasks leave one of the two empty. Before, an edge
//     is at either end, and tasks are called by id or, if no id matches, by name.
//   - input_bytes and output_bytes are the sizes of inputFiles and outputFiles, else readBytes and writtenBytes.
//   - A delay is 0, or with Options.Bandwidth what the files take that the one task writes and the other reads. That is
//     one transfer at a time with no other's share of the link taken off, and none where both run on one machine.
//   - machines: Options.Machines, else the cores of all machines that the files name, each once (one core where the
//     number is not stated), else as many as the widest level of a workflow has tasks.
//   - Of a machine that is stated several times, or of a number under two keys, the largest numbers count, as notes
//     say.
//   - With Options.Nodes the machines are nodes of a topology, with cpu, memory_bytes and, relative to the fastest,
//     speed; one that states no speed counts as fast as that. processing_time is runtimeInSeconds times the speed of
//     the task's machine. Tasks take their cpu, or one core, and memory_bytes; the workload is for problem cluster.
//   - The first job is released at 0. With Options.Interarrival the others follow in the files' order at that distance;
//     else by executedAt if every file states it in a form of ISO 8601, the earliest being 0; else all are released at
//     0. A workflow states when it was run, not when it was submitted. recorded_completion = release +
//     makespanInSeconds.
//   - Every job weighs 1.
//
// Problem msjo reads all of the workload. Multitenant reads kinds, times and bytes, and realtime kinds and times; both
// ignore the rows of delays. Hta and reduceplace need blocks or intermediate bytes, which workflows do not have.
package wfformat
