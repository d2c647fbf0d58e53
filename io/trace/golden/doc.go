// Package golden has what the tests of importers share: files, workloads in words, and the messages about bad files in
// golden files. Only tests use it. Read golden.go first.
package golden
