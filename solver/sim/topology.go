package sim

import (
	"math"

	"mrsched/model"
)

// Rate is a number of bytes per second, in units of 1/1024 byte per second.
type Rate int64

const (
	// BytePerSecond is a rate of one byte per second.
	BytePerSecond Rate = 1024

	// MaxRate is the largest capacity of a link, 1.1 TB/s. It keeps parts of capacities within int64.
	MaxRate Rate = BytePerSecond << 40

	// Unlimited is the rate of a flow that nothing slows down.
	Unlimited Rate = math.MaxInt64
)

// grains is how many units of service make a byte: what the least rate moves in a microsecond.
const grains = uint64(BytePerSecond) * uint64(model.Second)

// LinkKind says what a link of a rack joins.
type LinkKind uint8

// The links of a rack.
const (
	RackOut  LinkKind = iota // the rack to the core
	RackIn                   // the core to the rack
	PoolDown                 // the rack to all its nodes together
	linkKinds
)

// Link is the dense, zero-based index of a link; see [Network.Link].
type Link int32

// Topology lists the capacities of each kind of link by rack, each from 1 to [MaxRate]. Those of PoolDown are nil if
// such links are not modelled.
type Topology [linkKinds][]Rate
