package campaign

// Rules that the documents state and check does not keep yet. Whoever makes check keep one sets its constant, and then
// deletes it.
const (
	// hasReduceRelease: a listed reduce of problem realtime starts no earlier than its own release.
	hasReduceRelease = true
	// hasFetchWindows: what a reduce of problem multitenant fetches from each rack moves, also over the links on its side,
	// after that rack's first output. check lets all of it move from the first output of any rack on.
	hasFetchWindows = false
	// hasExactReads: the least time in which a map of problem multitenant reads its block is rounded down to a
	// microsecond. check computes it in floating point, and so may allow a microsecond less.
	hasExactReads = false
)
