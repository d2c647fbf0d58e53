// Package airflow imports nights of Apache Airflow: the tables task_instance, task_instance_history, task_fail,
// slot_pool, dag and serialized_dag of its database and edges and dag_dependencies that a site exports, as CSV files;
// or answers of its REST API, as JSON. A DAG is a job, and each task of it, or of a mapped task each instance, is a
// task. All tries become the table runs. One night, the last complete one, says which tasks there are, and when and
// where they ran. docs/formats.md has the rules. Read import.go first, then read.go, tables.go, choose.go, schedule.go,
// emit.go and waits.go.
package airflow
