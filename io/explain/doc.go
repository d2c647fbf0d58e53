// Package explain turns what a solver says about a task or job into lines of text and JSON.
package explain
