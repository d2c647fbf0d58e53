// Package lint reports what is wrong with an instance, what may be wrong, and how each problem would read it.
package lint
