// Package check checks results against their instances: one result, a directory of them, or what one call of solve
// wrote for several instances. What comes in is a Checker with paths; lines for people, CSV or JSON go out, and an
// error with the exit code. Read check.go first.
package check
