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

// LinkKind says what a link joins.
type LinkKind uint8

// The links of a topology, by rack or by node.
const (
	RackOut  LinkKind = iota // a rack to the core
	RackIn                   // the core to a rack
	PoolUp                   // all nodes of a rack together, to the rack
	PoolDown                 // the rack to all its nodes together
	NodeUp                   // a node to its rack
	NodeDown                 // the rack to a node
	linkKinds
)

// String is the kind in words.
func (k LinkKind) String() string {
	return [linkKinds]string{"rack out", "rack in", "pool up", "pool down", "node up", "node down"}[k]
}

// Link is the dense, zero-based index of a link; see [Network.Link].
type Link int32

// Place is where a flow starts or ends: a node, or anywhere in a rack.
type Place int32

// Rack is the place of all nodes of a rack, by its index.
func Rack(r int) Place { return Place(-1 - r) }

// Topology is a two-level tree. The capacities of a kind of link are listed by rack or by node, each from 1 to
// [MaxRate], nil if that kind is not modelled; rack links always are. RackOf is the rack of each node, and may be empty
// if no flow starts or ends at a node.
type Topology struct {
	RackOf   []int32
	Capacity [linkKinds][]Rate
}

// Racks returns the number of racks.
func (t *Topology) Racks() int { return len(t.Capacity[RackOut]) }

func (t *Topology) check() error {
	racks := t.Racks()
	if racks == 0 {
		return errors.New("a topology needs a rack")
	}
	for i, r := range t.RackOf {
		if r < 0 || int(r) >= racks {
			return fmt.Errorf("node %d: no rack %d of %d", i, r, racks)
		}
	}
	for kind, list := range t.Capacity {
		kind, want := LinkKind(kind), racks
		if kind == NodeUp || kind == NodeDown {
			want = len(t.RackOf)
		}
		if len(list) != want && (list != nil || kind == RackIn) {
			return fmt.Errorf("%s: %d capacities, expected %d", kind, len(list), want)
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
