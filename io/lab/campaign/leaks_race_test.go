//go:build race

package campaign

// residentMargin of a process that the race detector watches: it keeps its own memory of every address, and returns
// none.
const residentMargin = 1 << 40
