// Package disk writes files and directories that appear whole or not at all. What comes in is a path and a function
// that writes; the file or directory goes out, or an error and nothing. Read disk.go first.
package disk
