package instances

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"mrsched/model"
)

// RackCluster is a cluster of nodes "n1", "n2", … that are all alike and spread over racks "rack1", "rack2", … evenly,
// neighbours in one rack.
type RackCluster struct {
	Nodes, Racks          int // at least one node a rack
	MapSlots, ReduceSlots int64
	// Bandwidth is that of a node inside its rack, Uplink that of a rack to the others, in bytes a second.
	Bandwidth, Uplink float64
	CPU               model.Optional[float64] // cores of a node
	Memory            model.Optional[model.Bytes]
}

// maxClusterNodes bounds the nodes of a made-up cluster.
const maxClusterNodes = 1_000_000

// Check reports what contradicts itself.
func (c RackCluster) Check(found *model.Findings) {
	if c.MapSlots < 0 || c.ReduceSlots < 0 || c.Nodes > maxClusterNodes {
		found.Add(contradiction(fmt.Sprintf("%s with %s and %s each", model.Counted(c.Nodes, "node"),
			model.Counted(c.MapSlots, "map slot"), model.Counted(c.ReduceSlots, "reduce slot")),
			fmt.Sprintf("0 slots or more, and at most %d nodes", maxClusterNodes), ""))
	}
	if c.Racks < 1 || c.Racks > c.Nodes {
		found.Add(contradiction(model.Counted(c.Racks, "rack")+" of "+model.Counted(c.Nodes, "node"),
			"from 1 rack to one a node", "lower --racks"))
	}
}

// Enter adds the topology.
func (c RackCluster) Enter(b *model.Builder) {
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	for k := range c.Racks {
		b.Node(model.Node{ID: "rack" + strconv.Itoa(k+1), Kind: model.RackNode, Bandwidth: model.Some(c.Uplink)}, "root",
			model.Locus{})
	}
	for n, rack := range rackNumbers(c.Nodes, c.Racks) {
		b.Node(model.Node{ID: c.node(n), Kind: model.HostNode, MapSlots: c.MapSlots, ReduceSlots: c.ReduceSlots,
			Bandwidth: model.Some(c.Bandwidth), CPU: c.CPU, MemoryBytes: c.Memory},
			"rack"+strconv.Itoa(rack+1), model.Locus{})
	}
}

func (c RackCluster) node(n int) string { return "n" + strconv.Itoa(n+1) }

// BlockPlacer puts the replicas of blocks on the nodes of a cluster: the first on a random one, all others in one other
// rack, where there is one, at random as long as it has nodes left, then anywhere.
//
// Source: HDFS, BlockPlacementPolicyDefault, for a writer outside the cluster. Differs: from the fourth replica on it
// stays in the second rack.
type BlockPlacer struct {
	cluster  RackCluster
	replicas int
	spread   int // racks that the blocks of a file lie in
	random   *rand.Rand
	racks    []int // those of the file, a permutation of all of which the first count
	chosen   []int
	name     []string
}

// NewBlockPlacer makes the placer of at most as many replicas a block as there are nodes. Blocks of a file lie in so
// many racks, drawn for each file; 0: in all.
func NewBlockPlacer(c RackCluster, replicas, spread int, src rand.Source) *BlockPlacer {
	if spread == 0 {
		spread = c.Racks
	}
	p := &BlockPlacer{cluster: c, replicas: min(replicas, c.Nodes), spread: min(spread, c.Racks), random: rand.New(src)}
	for k := range c.Racks {
		p.racks = append(p.racks, k)
	}
	for n := range c.Nodes {
		p.name = append(p.name, c.node(n))
	}
	return p
}

// Enter adds the topology.
func (p *BlockPlacer) Enter(b *model.Builder) { p.cluster.Enter(b) }

// NewFile draws the racks of the blocks that follow.
func (p *BlockPlacer) NewFile() {
	if p.spread == p.cluster.Racks {
		return
	}
	for k := range p.spread {
		i := k + p.random.IntN(len(p.racks)-k)
		p.racks[k], p.racks[i] = p.racks[i], p.racks[k]
	}
}

// Place adds the placements of a block.
func (p *BlockPlacer) Place(b *model.Builder, block string) {
	first := p.random.IntN(p.spread)
	second := first
	if p.spread > 1 {
		if second = p.random.IntN(p.spread - 1); second >= first {
			second++
		}
	}
	p.chosen = p.chosen[:0]
	for k := range p.replicas {
		switch {
		case k == 0:
			p.draw(p.rack(first))
		case !p.draw(p.rack(second)):
			p.draw(0, p.cluster.Nodes)
		}
		b.Placement(block, p.name[p.chosen[k]], model.Locus{})
	}
}

// rack is the range of nodes of a rack of the file.
func (p *BlockPlacer) rack(k int) (first, end int) {
	c := p.cluster
	return rackFirst(p.racks[k], c.Nodes, c.Racks), rackFirst(p.racks[k]+1, c.Nodes, c.Racks)
}

// draw chooses a node of a range that was not yet chosen, unless there is none.
func (p *BlockPlacer) draw(first, end int) bool {
	left := end - first
	for _, n := range p.chosen {
		if n >= first && n < end {
			left--
		}
	}
	if left == 0 {
		return false
	}
	at := first + p.random.IntN(left)
	for n := first; ; n++ { // the at-th that is free
		if p.taken(n) {
			at++
		} else if n == at {
			p.chosen = append(p.chosen, n)
			return true
		}
	}
}

func (p *BlockPlacer) taken(n int) bool {
	for _, c := range p.chosen {
		if c == n {
			return true
		}
	}
	return false
}
