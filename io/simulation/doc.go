// Package simulation asks how a plan fares when tasks take as long as they did in past runs. What comes in is a
// workload with past runs, plans and rules; shares of runs go out. Read simulation.go first.
package simulation
