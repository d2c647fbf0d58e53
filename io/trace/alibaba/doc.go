// Package alibaba imports the batch jobs of Alibaba's cluster-trace-v2018: its file batch_task.csv, plain or gzip,
// lines without a header,
//
//	task name, instances, job name, task type, status, start (s), end (s), planned CPU (100 per core), planned memory
//
// Source of the format: trace_2018.md and schema.txt of that trace (github.com/alibaba/clusterdata). docs/formats.md
// has the rules: names are precedence, and an instance is a task. Read read.go first, then graph.go, which takes names
// apart; import.go decides what is imported and how long it takes, emit.go enters it.
package alibaba
