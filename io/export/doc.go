// Package export writes a plan as what other schedulers read: an order that they can follow. What comes in is a
// workload and a result; files for Airflow or Slurm go out, or CSV. Read export.go.
package export
