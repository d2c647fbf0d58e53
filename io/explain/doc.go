// Package explain opens results for questions about them, and turns what a solver says about a task or job into lines
// of text and JSON. What comes in is a result that passed check, and an id; an explanation or a conflict goes out. Read
// explain.go.
package explain
