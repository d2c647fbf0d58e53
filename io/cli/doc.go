// Package cli is mrsched's command line: one file a command. It alone knows flags and terminals; what commands do lives
// in io/engine, io/solve and their neighbours. What comes in is a command line; an exit code goes out. Read command.go
// first, then flags.go and a short command, such as lint.go. constraints.go has the rules between flags, describe.go
// hands all of it to io/grammar.
//
// Data goes to standard output, everything else to standard error. Results are written whole or not at all; nothing is
// written on bad input.
package cli
