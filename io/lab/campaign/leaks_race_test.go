//go:build race

package campaign

// residentMargin is large here: the race detector keeps memory for every address and returns none.
const residentMargin = 1 << 40
