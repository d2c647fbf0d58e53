//go:build campaign

package campaign

// How many cases a problem gets.
const (
	mutationsEach = 2500
	numbersEach   = 300
)
