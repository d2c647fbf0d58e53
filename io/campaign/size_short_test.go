//go:build !campaign

package campaign

// How many cases a problem gets: enough that nothing rots.
const (
	mutationsEach = 60
	numbersEach   = 4
)
