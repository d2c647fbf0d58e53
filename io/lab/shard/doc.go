// Package shard runs one shard of a sweep (package sweep): it solves each run that has no row yet on one core, several
// side by side, and appends its row. Runs that a killed process left are repeated; a run that kills its process several
// times becomes an error.
package shard
