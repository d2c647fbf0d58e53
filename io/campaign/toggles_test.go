package campaign

const (
	hasSlotRule      = false
	hasTaskRelease   = false
	hasReduceRelease = false
	hasCapacity      = false
)
