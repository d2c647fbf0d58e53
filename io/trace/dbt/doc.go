// Package dbt imports a run of dbt from its artifacts: run_results.json says what ran and how long, manifest.json what
// waits for what. The run is one job, for problem cluster; a thread is a node. docs/formats.md has the rules. Read
// read.go first, then graph.go, which finds what waits for what, and import.go.
package dbt
