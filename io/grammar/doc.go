// Package grammar has the command line as data: commands, their flags and arguments. It sorts the words of a call,
// reads settings from variables and a file, and prints help, the manual page and completions for a shell. It knows no
// flag package: io/cli describes its commands to it. What comes in is a Program and a call; sorted words or texts go
// out. Read grammar.go first, then line.go.
package grammar
