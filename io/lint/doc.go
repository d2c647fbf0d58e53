// Package lint says what is wrong with an instance, what may be wrong, and what each problem would make of it.
package lint
