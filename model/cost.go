package model

import (
	"fmt"
	"math/bits"
)

// AssignmentCost is what one task costs on a server, by where the server keeps the task's block.
type AssignmentCost struct {
	Local  Time           // the server holds the block
	Rack   Optional[Time] // another server of its rack does; unknown: racks do not count
	Remote RemoteCost     // none of these
}

// RemoteCost is the cost of a remote task in an assignment with a given number of remote tasks: an affine function of
// that number, or a table.
type RemoteCost struct {
	Base, PerRemote Time
	Table           []Time // by number of remote tasks; larger numbers have the last value. Empty: affine
}

// DefaultAssignmentCost is the cost of workloads that state none.
func DefaultAssignmentCost() AssignmentCost {
	return AssignmentCost{Local: Second, Remote: RemoteCost{Base: 3 * Second}}
}

// At is the cost of each remote task when there are r of them.
func (c *RemoteCost) At(r int) Time {
	if len(c.Table) == 0 {
		return c.Base + Time(r)*c.PerRemote
	}
	return c.Table[min(r, len(c.Table)-1)]
}

// Constant says whether the cost does not depend on the number of remote tasks.
func (c *RemoteCost) Constant() bool {
	if len(c.Table) == 0 {
		return c.PerRemote == 0
	}
	return c.Table[0] == c.Table[len(c.Table)-1]
}

// fits says whether the costs of m tasks, all of them remote, add up to MaxHorizon at most; then At is exact for
// every number up to m.
func (c *RemoteCost) fits(m int) bool {
	each := c.Base
	if len(c.Table) == 0 {
		hi, lo := bits.Mul64(uint64(m), uint64(c.PerRemote))
		if hi != 0 || lo > uint64(MaxHorizon) || each > MaxHorizon {
			return false
		}
		each += Time(lo)
	} else {
		each = c.At(m)
	}
	hi, lo := bits.Mul64(uint64(m), uint64(each))
	return hi == 0 && lo <= uint64(MaxHorizon)
}

// fault is what is wrong with a cost, and what is expected; empty if nothing is. Times are not negative.
func (c *AssignmentCost) fault() (what, expected string) {
	for r := 1; r < len(c.Remote.Table); r++ {
		if c.Remote.Table[r] < c.Remote.Table[r-1] {
			return fmt.Sprintf("the cost of remote tasks falls from remote[%d] = %s to remote[%d] = %s", r-1,
					c.Remote.Table[r-1], r, c.Remote.Table[r]),
				"a table that never falls"
		}
	}
	first := c.Remote.At(0)
	switch {
	case first < c.Local:
		return fmt.Sprintf("a remote task costs %s, less than a local one at %s", first, c.Local), "remote at least local"
	case !c.Rack.Known:
		return "", ""
	case !c.Remote.Constant():
		return "a cost with racks has a remote cost that depends on the number of remote tasks", "one number for remote"
	case c.Rack.Value < c.Local || c.Rack.Value > first:
		return fmt.Sprintf("a task in the rack of its block costs %s, a local one %s, a remote one %s", c.Rack.Value,
				c.Local, first),
			"local ≤ rack ≤ remote"
	}
	return "", ""
}

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
