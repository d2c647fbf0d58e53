// Package search runs the chains of a local search side by side, until one meets a bound, iterations are used up or a
// limit ends them. It knows no problem: a chain is whatever a problem changes step by step. What comes in are chains;
// the best of what they found goes out. Read search.go first.
//
// Results do not depend on the number of threads: chains meet only between epochs, and their number is the caller's.
// Under a time limit they depend on the clock.
package search
