package flow

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mrsched/model"
)

// span is a group of right nodes: its members and the range of their loads.
type span struct {
	members []int32
	low, up int32
	sum     int64
	back    bool // the round searches from the nodes with room
	active  bool // the round pushes excess in this group
}

// wide says that some two loads differ by two or more.
func (s *span) wide() bool { return s.up-s.low >= 2 }

type balancer struct {
	*Bipartite
	left            []int32 // by arc: its left node
	inFirst, inArcs []int32 // arcs by right node
	units, load     []int32
	capacity        []int32 // by right node: the load to which the round pushes, from above and from below
	group           []int32 // by right node: index into spans
	spans           []span
	level           []int32 // by right node, of the search; −1: not reached
	leftLevel       []int32 // by left node
	leftGroup       []int32 // by labelled left node: the group that has its units
	next, leftNext  []int32 // current arcs
	queue           []int32
	path            []int32 // arcs out of right nodes and into right nodes, in turn
}

// newBalancer starts from the units of m, or from none.
func newBalancer(g *Bipartite, m *SemiMatching) *balancer {
	b := &balancer{Bipartite: g}
	make32 := func(n int, lists ...*[]int32) {
		for _, list := range lists {
			*list = make([]int32, n)
		}
	}
	make32(len(g.Right), &b.left, &b.units)
	make32(g.Rights, &b.load, &b.capacity, &b.group, &b.level, &b.next)
	make32(len(g.Supply), &b.leftLevel, &b.leftGroup, &b.leftNext)
	if m != nil {
		copy(b.units, m.Units)
		copy(b.load, m.Load)
	}
	for l := range g.Supply {
		for e := g.First[l]; e < g.First[l+1]; e++ {
			b.left[e] = int32(l)
		}
	}
	b.inFirst, b.inArcs = model.CompressedRows(g.Rights, len(g.Right), func(e int) (s, arc int32) {
		return g.Right[e], int32(e)
	})
	return b
}

// greedy gives each unit of each left node to the least loaded neighbour; ties: the first.
func (b *balancer) greedy() {
	var arcs []int32
	for l, n := range b.Supply {
		first, end := b.First[l], b.First[l+1]
		if n > 1 {
			arcs = b.pour(arcs[:0], first, end, n)
		} else if n == 1 {
			least := first
			for e := first + 1; e < end; e++ {
				if b.load[b.Right[e]] < b.load[b.Right[least]] {
					least = e
				}
			}
			b.units[least]++
			b.load[b.Right[least]]++
		}
	}
}

// pour does the same for n units at once: it fills the least loaded neighbours up to a common level, then gives the
// rest to the first of them. arcs is scratch space, which it returns.
func (b *balancer) pour(arcs []int32, first, end, n int32) []int32 {
	for e := first; e < end; e++ {
		arcs = append(arcs, e)
	}
	load := func(e int32) int32 { return b.load[b.Right[e]] }
	slices.SortFunc(arcs, func(x, y int32) int { return cmp.Or(cmp.Compare(load(x), load(y)), cmp.Compare(x, y)) })
	filled, level, left := 1, load(arcs[0]), int64(n)
	for filled < len(arcs) && int64(load(arcs[filled])-level)*int64(filled) <= left {
		left -= int64(load(arcs[filled])-level) * int64(filled)
		level = load(arcs[filled])
		filled++
	}
	level += int32(left / int64(filled))
	left %= int64(filled)
	low := arcs[:filled]
	slices.Sort(low)
	for k, e := range low {
		to := level
		if int64(k) < left {
			to++
		}
		b.units[e] = to - load(e)
		b.load[b.Right[e]] = to
	}
	return arcs
}

func (b *balancer) all() []int32 { return model.Indices(b.Rights) }

// spanOf is the group of some right nodes.
func (b *balancer) spanOf(members []int32) span {
	g := span{members: members, low: b.load[members[0]]}
	for _, s := range members {
		g.low, g.up, g.sum = min(g.low, b.load[s]), max(g.up, b.load[s]), g.sum+int64(b.load[s])
	}
	return g
}

// seed says whether a search in g's direction starts at a node; goal says whether it looks for the node.
func (b *balancer) seed(s int32, g *span) bool {
	return g.back && b.load[s] < b.capacity[s] || !g.back && b.load[s] > b.capacity[s]
}

func (b *balancer) goal(s int32, g *span) bool {
	return g.back && b.load[s] > b.capacity[s] || !g.back && b.load[s] < b.capacity[s]
}

// round balances every group around one load and splits it. It says whether all groups are balanced.
func (b *balancer) round(ctx context.Context, round int) (done bool) {
	done = true
	for i := range b.spans {
		g := &b.spans[i]
		if g.active = g.wide(); g.active {
			done = false
			b.aim(g, round)
		}
	}
	if done {
		return true
	}
	b.relieve(ctx)
	b.split()
	return false
}

// relieve pushes as much as possible from nodes above their capacity to nodes below it.
func (b *balancer) relieve(ctx context.Context) {
	for b.search() && ctx.Err() == nil {
		b.block()
	}
}

// aim picks c and the direction: the mean, rounded to where fewer nodes are seeds, tells overloaded regions from the
// rest; the middle, every other round, bounds the number of rounds.
func (b *balancer) aim(g *span, round int) {
	mean := int32(g.sum / int64(len(g.members)))
	choices := []int32{mean, mean + 1}
	if round%2 == 1 {
		choices = []int32{(g.low + g.up) / 2}
	}
	least, best := len(g.members)+1, int32(0)
	for _, c := range choices {
		c = min(max(c, g.low+1), g.up-1)
		above, below := 0, 0
		for _, s := range g.members {
			if b.load[s] > c {
				above++
			} else if b.load[s] < c {
				below++
			}
		}
		if seeds := min(above, below); seeds < least {
			least, best, g.back = seeds, c, below < above
		}
	}
	for _, s := range g.members {
		b.capacity[s] = best
	}
}

// search labels right nodes by their distance from the seeds; it says whether a goal was reached.
func (b *balancer) search() bool {
	for _, level := range [][]int32{b.level, b.leftLevel} {
		for i := range level {
			level[i] = -1
		}
	}
	b.queue = b.queue[:0]
	for i := range b.spans {
		if g := &b.spans[i]; g.active {
			for _, s := range g.members {
				if b.seed(s, g) {
					b.level[s] = 0
					b.queue = append(b.queue, s)
				}
			}
		}
	}
	last := int32(math.MaxInt32) // the distance of the nearest goal
	for k := 0; k < len(b.queue); k++ {
		s := b.queue[k]
		if b.level[s] >= last {
			break
		}
		if b.label(s, &b.spans[b.group[s]]) {
			last = b.level[s] + 1
		}
	}
	return last < math.MaxInt32
}

// label labels the nodes that one move joins to s and says whether one of them is a goal.
func (b *balancer) label(s int32, g *span) (goal bool) {
	d, group := b.level[s], b.group[s]
	for _, out := range b.inArcs[b.inFirst[s]:b.inFirst[s+1]] {
		l := b.left[out]
		if b.leftLevel[l] >= 0 || !g.back && b.units[out] == 0 {
			continue
		}
		for e := b.First[l]; e < b.First[l+1]; e++ {
			t := b.Right[e]
			if b.group[t] != group || g.back && b.units[e] == 0 {
				continue
			}
			b.leftLevel[l], b.leftGroup[l] = d, group
			if b.level[t] < 0 {
				b.level[t] = d + 1
				b.queue = append(b.queue, t)
				goal = goal || b.goal(t, g)
			}
		}
	}
	return goal
}

// block pushes excess along shortest paths until none is left: a blocking flow.
func (b *balancer) block() {
	copy(b.next, b.inFirst)
	copy(b.leftNext, b.First)
	for i := range b.spans {
		g := &b.spans[i]
		if !g.active {
			continue
		}
		for _, s := range g.members {
			for b.seed(s, g) && b.level[s] == 0 && b.augment(s, g) {
			}
		}
	}
}

// augment moves units along one shortest path from the seed s to a goal, if there is one.
func (b *balancer) augment(s int32, g *span) bool {
	b.path = b.path[:0]
	for at := s; ; {
		if b.goal(at, g) {
			b.push(s, at, g)
			return true
		}
		if out, in := b.advance(at, g); in >= 0 {
			b.path = append(b.path, out, in)
			at = b.Right[in]
			continue
		}
		if at == s {
			return false
		}
		// A dead end: the arc that led here is passed over.
		in := b.path[len(b.path)-1]
		out := b.path[len(b.path)-2]
		b.path = b.path[:len(b.path)-2]
		b.leftNext[b.left[in]]++
		at = b.Right[out]
	}
}

// advance is the current pair of arcs from a right node to one of the next level; in is −1 if there is none.
func (b *balancer) advance(s int32, g *span) (out, in int32) {
	d, group := b.level[s], b.group[s]
	for ; b.next[s] < b.inFirst[s+1]; b.next[s]++ {
		out = b.inArcs[b.next[s]]
		l := b.left[out]
		if b.leftLevel[l] != d || b.leftGroup[l] != group || !g.back && b.units[out] == 0 {
			continue
		}
		for ; b.leftNext[l] < b.First[l+1]; b.leftNext[l]++ {
			in = b.leftNext[l]
			if t := b.Right[in]; b.level[t] == d+1 && b.group[t] == group && (!g.back || b.units[in] > 0) {
				return out, in
			}
		}
	}
	return -1, -1
}

// push moves as many units as the path and its ends allow; path holds pairs of arcs of one left node each, which
// lose and gain units in the order of the search's direction.
func (b *balancer) push(s, t int32, g *span) {
	lose, gain := 0, 1
	if g.back {
		lose, gain = 1, 0
		s, t = t, s
	}
	n := min(b.load[s]-b.capacity[s], b.capacity[t]-b.load[t])
	for k := 0; k < len(b.path); k += 2 {
		n = min(n, b.units[b.path[k+lose]])
	}
	for k := 0; k < len(b.path); k += 2 {
		b.units[b.path[k+lose]] -= n
		b.units[b.path[k+gain]] += n
	}
	b.load[s] -= n
	b.load[t] += n
}

// split divides each group into the nodes that its remaining seeds reach and the others. The last search labels
// them: it found no goal.
func (b *balancer) split() {
	for i := range len(b.spans) {
		g := b.spans[i]
		if !g.active {
			continue
		}
		reached, rest := make([]int32, 0, len(g.members)), make([]int32, 0, len(g.members))
		for _, s := range g.members {
			if b.level[s] >= 0 {
				reached = append(reached, s)
			} else {
				rest = append(rest, s)
			}
		}
		if len(reached) == 0 || len(rest) == 0 {
			b.spans[i] = b.spanOf(g.members)
			continue
		}
		for _, s := range reached {
			b.group[s] = int32(len(b.spans))
		}
		b.spans[i] = b.spanOf(rest)
		b.spans = append(b.spans, b.spanOf(reached))
	}
}

// levels gives every node the largest load of its group. Proof that A(τ) = {s : level > τ} is the source side of a
// minimum cut if the loads of no group differ by two or more: a node in A(τ) has load ≥ level − 1 ≥ τ, one outside has
// load ≤ τ, and units in A(τ) have all their neighbours there. For the last, let s in A(τ) hold a unit of a neighbour t
// in another group. When their groups were split, at a load c, s was in the part whose loads stay ≤ c, since units of
// the other part have no neighbours in this one. So τ < level of s ≤ c, and t's group, of loads ≥ c, has a level > τ,
// too. ∎
func (b *balancer) levels() []int32 {
	level := make([]int32, b.Rights)
	for s, g := range b.group {
		level[s] = b.spans[g].up
	}
	return level
}
