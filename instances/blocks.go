package instances

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"mrsched/model"
)

// RackCluster is a cluster of nodes "n1", "n2", … that are identical and spread over racks "rack1", "rack2", … evenly,
// neighbours in one rack.
type RackCluster struct {
	Nodes, Racks          int // at least one node a rack
	MapSlots, ReduceSlots int64
	// Bandwidth is that of a node inside its rack, Uplink that of a rack to the others, in bytes per second.
	Bandwidth, Uplink float64
	CPU               model.Optional[float64] // cores of a node
	Memory            model.Optional[model.Bytes]
}

// maxClusterNodes bounds the nodes of a generated cluster.
const maxClusterNodes = 1_000_000

// Check reports contradictory settings.
func (c RackCluster) Check(found *model.Findings) {
	if c.MapSlots < 0 || c.ReduceSlots < 0 || c.Nodes > maxClusterNodes {
		found.Add(contradiction(fmt.Sprintf("%s with %s and %s each", model.Counted(c.Nodes, "node"),
			model.Counted(c.MapSlots, "map slot"), model.Counted(c.ReduceSlots, "reduce slot")),
			fmt.Sprintf("0 slots or more, and at most %d nodes", maxClusterNodes), ""))
	}
	if c.Racks < 1 || c.Racks > c.Nodes {
		found.Add(contradiction(model.Counted(c.Racks, "rack")+" of "+model.Counted(c.Nodes, "node"),
			"from 1 rack to the number of nodes", "lower --racks"))
	}
}

// Enter adds the topology.
func (c RackCluster) Enter(to *model.Builder) {
	b := maker{to}
	b.root()
	for k := range c.Racks {
		b.node(model.Node{ID: nth("rack", k), Kind: model.RackNode, Bandwidth: model.Some(c.Uplink)}, "root")
	}
	for n, rack := range rackNumbers(c.Nodes, c.Racks) {
		b.node(model.Node{ID: nth("n", n), Kind: model.HostNode, MapSlots: c.MapSlots, ReduceSlots: c.ReduceSlots,
			Bandwidth: model.Some(c.Bandwidth), CPU: c.CPU, MemoryBytes: c.Memory}, nth("rack", rack))
	}
}

// BlockPlacer puts the replicas of blocks on the nodes of a cluster: the first on a random node in any rack of the file
// or, with a writer inside the cluster, in its first rack; all others at random in one other rack, if there is one, and
// anywhere once that rack has no nodes left.
//
// Source: HDFS, BlockPlacementPolicyDefault. Differs: from the fourth replica on it stays in the second rack; a writer
// is any node of its rack.
type BlockPlacer struct {
	cluster  RackCluster
	replicas int
	spread   int  // racks that the blocks of a file lie in
	writer   bool // the first rack of a file holds the first replica of all its blocks
	nodes    *urn
	racks    []int // a permutation; the first spread racks belong to the file
	name     []string
}

// NewBlockPlacer makes a placer; a block has at most as many replicas as there are nodes. The blocks of a file lie in
// spread racks, drawn for each file; 0: in all. With a writer, the first of them has a replica of each block.
func NewBlockPlacer(c RackCluster, replicas, spread int, writer bool, src rand.Source) *BlockPlacer {
	p := &BlockPlacer{cluster: c, replicas: min(replicas, c.Nodes), spread: min(cmp.Or(spread, c.Racks), c.Racks),
		writer: writer, nodes: newUrn(slices.Repeat([]uint64{1}, c.Nodes), src)}
	for k := range c.Racks {
		p.racks = append(p.racks, k)
	}
	for n := range c.Nodes {
		p.name = append(p.name, nth("n", n))
	}
	return p
}

// Enter adds the topology.
func (p *BlockPlacer) Enter(b *model.Builder) { p.cluster.Enter(b) }

// NewFile draws the racks of the next blocks.
func (p *BlockPlacer) NewFile() {
	if p.spread == p.cluster.Racks && !p.writer {
		return
	}
	for k := range p.spread {
		i := k + p.nodes.random.IntN(len(p.racks)-k)
		p.racks[k], p.racks[i] = p.racks[i], p.racks[k]
	}
}

// Place adds the placements of a block.
func (p *BlockPlacer) Place(b *model.Builder, block string) {
	first := 0
	if !p.writer {
		first = p.nodes.random.IntN(p.spread)
	}
	second := first
	if p.spread > 1 {
		if second = p.nodes.random.IntN(p.spread - 1); second >= first {
			second++
		}
	}
	for k := range p.replicas {
		rack := first
		if k > 0 {
			rack = second
		}
		n, ok := p.nodes.draw(rackRange(p.racks[rack], p.cluster.Nodes, p.cluster.Racks))
		if !ok {
			n, _ = p.nodes.draw(0, p.cluster.Nodes)
		}
		p.nodes.take(n)
		b.Placement(block, p.name[n], model.Locus{})
	}
	p.nodes.refill()
}

// rackRange are the nodes of a rack, from first to last-1.
func rackRange(rack, nodes, racks int) (first, last int) {
	return rack * nodes / racks, (rack + 1) * nodes / racks
}

// rackNumbers are the racks of all nodes: nodes spread evenly, neighbours in one rack; all zero without racks.
func rackNumbers(nodes, racks int) []int {
	number := make([]int, nodes)
	for k := range racks {
		for n, last := rackRange(k, nodes, racks); n < last; n++ {
			number[n] = k
		}
	}
	return number
}

// urn draws the numbers 0…n-1, each with a probability in proportion to its weight, from all or from a range of them,
// and never those taken out. Weights are integers, so that taking out and putting back is exact. A draw costs O(log n).
//
// The sums of weights are a binary indexed tree (Fenwick, 1994): tree[i] is the sum of the i&-i weights up to i.
type urn struct {
	weight []uint64
	tree   []uint64
	out    []int // taken
	random *rand.Rand
}

func newUrn(weight []uint64, src rand.Source) *urn {
	u := &urn{weight: weight, tree: make([]uint64, len(weight)+1), random: rand.New(src)}
	for i := 1; i < len(u.tree); i++ {
		u.tree[i] += weight[i-1]
		if up := i + i&-i; up < len(u.tree) {
			u.tree[up] += u.tree[i]
		}
	}
	return u
}

// zipfScale is the weight of rank 1, so that 10^7 of them fit and small weights keep some digits.
const zipfScale = 1 << 40

// zipfWeights are rank^-exponent for the ranks 1…n, scaled and at least 1.
func zipfWeights(n int, exponent float64) []uint64 {
	weight := make([]uint64, n)
	for i := range weight {
		weight[i] = max(1, uint64(math.Round(zipfScale*math.Pow(float64(i+1), -exponent))))
	}
	return weight
}

// below is the weight, without what is taken, of the numbers below n.
func (u *urn) below(n int) uint64 {
	var sum uint64
	for ; n > 0; n -= n & -n {
		sum += u.tree[n]
	}
	return sum
}

// find is the largest number with below(number) ≤ sum; sum is less than the total.
func (u *urn) find(sum uint64) int {
	at := 0
	step := 1
	for step*2 < len(u.tree) {
		step *= 2
	}
	for ; step > 0; step /= 2 {
		if next := at + step; next < len(u.tree) && u.tree[next] <= sum {
			at, sum = next, sum-u.tree[next]
		}
	}
	return at
}

// draw returns a number from first to last-1, unless all of them are taken.
func (u *urn) draw(first, last int) (number int, ok bool) {
	low := u.below(first)
	weight := u.below(last) - low
	if weight == 0 {
		return 0, false
	}
	return u.find(low + u.random.Uint64N(weight)), true
}

// drawOutside returns a number below first or from last on, unless all of them are taken.
func (u *urn) drawOutside(first, last int) (number int, ok bool) {
	low, high := u.below(first), u.below(last)
	weight := u.below(len(u.weight)) - (high - low)
	if weight == 0 {
		return 0, false
	}
	sum := u.random.Uint64N(weight)
	if sum >= low {
		sum += high - low
	}
	return u.find(sum), true
}

func (u *urn) take(number int) {
	u.out = append(u.out, number)
	u.add(number, -u.weight[number])
}

func (u *urn) refill() {
	for _, number := range u.out {
		u.add(number, u.weight[number])
	}
	u.out = u.out[:0]
}

// add changes the weight of a number in the sums; differences below 0 wrap around and back.
func (u *urn) add(number int, difference uint64) {
	for i := number + 1; i < len(u.tree); i += i & -i {
		u.tree[i] += difference
	}
}
