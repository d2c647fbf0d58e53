// Package batch imports logs of batch systems: Slurm's accounting, as sacct prints it, and the Standard Workload
// Format. A job that ran becomes a job of one task, for problem cluster, and a partition a node. docs/formats.md has
// the rules. Read batch.go first, then slurm.go or swf.go.
package batch
