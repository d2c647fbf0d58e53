// Package cli is mrsched's command line: one file a command. It alone knows flags and terminals; what commands do lives
// in io/engine, io/solve and their neighbours.
//
// Data goes to standard output, everything else to standard error. Results are written whole or not at all; nothing is
// written on bad input.
package cli
