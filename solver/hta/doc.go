// Package hta assigns maps to servers: the algorithms of Fischer, Su, Yin, SPAA 2010, and better ones, with cut bounds.
// What comes in is an hta.Instance; a schedule and the levels of a cut go out. Read problem.go first: it has the table
// of algorithms.
package hta
