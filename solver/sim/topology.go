package sim

import (
	"errors"
	"fmt"
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

// BytesPerSecond is the rate as a floating-point number.
func (r Rate) BytesPerSecond() float64 { return float64(r) / float64(BytePerSecond) }

// LinkKind says what a link of a rack joins.
type LinkKind uint8

// The links of a rack.
const (
	RackOut  LinkKind = iota // the rack to the core
	RackIn                   // the core to the rack
	PoolDown                 // the rack to all its nodes together
	linkKinds
)

// String is the kind in words.
func (k LinkKind) String() string { return [linkKinds]string{"rack out", "rack in", "pool down"}[k] }

// Link is the dense, zero-based index of a link; see [Network.Link].
type Link int32

// Topology lists the capacities of each kind of link by rack, each from 1 to [MaxRate]. Those of PoolDown are nil if
// such links are not modelled.
type Topology [linkKinds][]Rate

func (t *Topology) check() error {
	racks := len(t[RackOut])
	if racks == 0 {
		return errors.New("a topology needs a rack")
	}
	for kind, list := range t {
		kind := LinkKind(kind)
		if len(list) != racks && (list != nil || kind == RackIn) {
			return fmt.Errorf("%s: %d capacities, expected %d", kind, len(list), racks)
		}
		for i, c := range list {
			if c < 1 || c > MaxRate {
				return fmt.Errorf("%s %d: capacity %g bytes a second, expected more than 0, at most %g",
					kind, i, c.BytesPerSecond(), MaxRate.BytesPerSecond())
			}
		}
	}
	return nil
}
