package flow

import "fmt"

// Status is what a solve found out.
type Status uint8

// The outcomes of a solve.
const (
	NotSolved  Status = iota // no solve has finished since the last change
	Optimal                  // proven optimal
	Infeasible               // no flow meets supplies, lower bounds and capacities
	Unbounded                // the objective improves without limit
	Stopped                  // the context ended first
)

var statusName = [...]string{"not solved", "optimal", "infeasible", "unbounded", "stopped"}

// String returns the status in words.
func (s Status) String() string {
	if int(s) < len(statusName) {
		return statusName[s]
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}
