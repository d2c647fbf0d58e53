// Package lint reports what is wrong with an instance, what may be wrong, and how each problem would read it. What
// comes in is a path; a Report goes out, which is printed or written as JSON. Read lint.go first; codes.go explains
// every code of a finding, for docs/errors.md.
package lint
