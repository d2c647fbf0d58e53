// Package command is mrsched's command line: one file a command, and problems.go, the one table that
// joins the problems to the rest.
//
// Data goes to standard output, everything else to standard error. Results are written whole or not at
// all; nothing is written on bad input.
package cli
