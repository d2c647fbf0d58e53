package model

// Locality is how near a map runs to the block that it reads.
type Locality uint8

// The localities, from near to far.
const (
	NodeLocal Locality = iota
	RackLocal          // on another node of a replica's rack
	Remote
)

// String is the locality's name in schedules.
func (l Locality) String() string { return []string{"node", "rack", "remote"}[l] }
