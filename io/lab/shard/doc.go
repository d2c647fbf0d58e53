// Package shard carries out one shard of a sweep (package sweep): it solves each run that has no row yet on one core,
// several side by side, and appends its row. What a killed process left is done again, and a run that kills its process
// several times becomes an error.
package shard
