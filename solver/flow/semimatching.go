package flow

import (
	"context"
	"math"
	"slices"
)

// Bipartite is a bipartite graph whose left nodes have units to hand over to their neighbours: those of left node l
// are Right[First[l]:First[l+1]], distinct and at least one. Right nodes are 0 … Rights−1.
type Bipartite struct {
	Rights int
	First  []int32
	Right  []int32
	Supply []int32 // units by left node
}

// SemiMatching hands every unit to a neighbour.
type SemiMatching struct {
	Units []int32 // by arc
	Load  []int32 // by right node: units received
	// Level[s] is the largest load among the right nodes from which s can be relieved of units, s itself included:
	// A(τ) = {s : Level[s] > τ} is the source side of a minimum cut for right nodes of capacity τ.
	Level []int32
	// Balanced is false if ctx ended first.
	Balanced bool
}

// Balance finds a semi-matching whose loads are decreasingly minimal: no path of moves takes a unit from a right node
// to another whose load is smaller by two or more.
//
// Such loads x answer the maximum-flow question for all capacities at once: if right nodes take at most τ units each,
// the most that can be handed over is Σ_s min(x_s, τ), and dropping all but τ units at each node attains it.
// Proof: let A(τ) be as above. It holds every node of load above τ; its nodes have load ≥ τ, else a path of moves
// would lead from a load > τ to one < τ; units inside it have all their neighbours inside. So the cut that
// separates A(τ) with the units inside from the rest has capacity τ·|A(τ)| + (units outside) = Σ_s min(x_s, τ). ∎
//
// Method: greedy start (each unit to its least loaded neighbour), then divide and conquer: in a group of right nodes
// pick a load c, push all excess over c to nodes below c by blocking flows; nodes that excess still reaches have
// loads ≥ c and form a group of their own, since no unit inside has a neighbour outside; the others have loads ≤ c.
// The search starts from the few: from the nodes above c, or backwards from those below c, where the nodes that can
// reach the last of them have loads ≤ c and the others ≥ c.
//
// Complexity: O(log max load) rounds of one maximum flow each, blocking flows on short paths; 16 bytes an arc.
// Ties: the result depends on the order of nodes and arcs alone.
// Source: Harvey, Ladner, Lovász, Tamir, J. Algorithms 2006 (optimal semi-matchings); Fakcharoenphol, Laekhanukit,
// Nanongkai, ICALP 2010 (divide and conquer). Differs: left nodes have several units.
func Balance(ctx context.Context, g *Bipartite) *SemiMatching {
	b := newBalancer(g)
	b.greedy()
	b.group = make([]int32, g.Rights)
	b.spans = []span{b.spanOf(b.all())}
	done := false
	for round := 0; !done && ctx.Err() == nil; round++ {
		done = b.round(ctx, round)
	}
	m := &SemiMatching{Units: b.units, Load: b.load, Balanced: done}
	m.Level = b.levels()
	return m
}

// span is a group of right nodes: its members and the range of their loads.
type span struct {
	members []int32
	low, up int32
	sum     int64
	c       int32 // what the round balances around
	back    bool  // the round searches from the nodes below c
}

// wide says that some two loads differ by two or more.
func (s *span) wide() bool { return s.up-s.low >= 2 }

type balancer struct {
	*Bipartite
	left            []int32 // by arc: its left node
	inFirst, inArcs []int32 // arcs by right node
	units, load     []int32
	group           []int32 // by right node: index into spans
	spans           []span
	level           []int32 // by right node, of the search; −1: not reached
	leftLevel       []int32 // by left node
	leftGroup       []int32 // by labelled left node: the group that has its units
	next, leftNext  []int32 // current arcs
	queue           []int32
	path            []int32 // arcs out of right nodes and into right nodes, in turn
}

func newBalancer(g *Bipartite) *balancer {
	lefts, arcs := len(g.Supply), len(g.Right)
	b := &balancer{Bipartite: g, left: make([]int32, arcs), inFirst: make([]int32, g.Rights+1), inArcs: make([]int32, arcs),
		units: make([]int32, arcs), load: make([]int32, g.Rights), level: make([]int32, g.Rights), leftLevel: make([]int32, lefts), leftGroup: make([]int32, lefts),
		next: make([]int32, g.Rights), leftNext: make([]int32, lefts)}
	for l := range lefts {
		for e := g.First[l]; e < g.First[l+1]; e++ {
			b.left[e] = int32(l)
			b.inFirst[g.Right[e]+1]++
		}
	}
	for s := range g.Rights {
		b.inFirst[s+1] += b.inFirst[s]
	}
	copy(b.next, b.inFirst)
	for e, s := range g.Right {
		b.inArcs[b.next[s]] = int32(e)
		b.next[s]++
	}
	return b
}

// greedy hands the units of each left node out, one after another, to the least loaded neighbour.
func (b *balancer) greedy() {
	for l, n := range b.Supply {
		first, end := b.First[l], b.First[l+1]
		for ; n > 0; n-- {
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

func (b *balancer) all() []int32 {
	members := make([]int32, b.Rights)
	for s := range members {
		members[s] = int32(s)
	}
	return members
}

// spanOf is the group of some right nodes.
func (b *balancer) spanOf(members []int32) span {
	g := span{members: members, low: b.load[members[0]]}
	for _, s := range members {
		g.low, g.up, g.sum = min(g.low, b.load[s]), max(g.up, b.load[s]), g.sum+int64(b.load[s])
	}
	return g
}

// seed says that the search starts at a node of such a load, goal that it looks for it.
func (s *span) seed(load int32) bool { return s.back && load < s.c || !s.back && load > s.c }
func (s *span) goal(load int32) bool { return s.back && load > s.c || !s.back && load < s.c }

// round balances every group around one load and splits it. It says whether all groups are balanced.
func (b *balancer) round(ctx context.Context, round int) (done bool) {
	done = true
	for i := range b.spans {
		if g := &b.spans[i]; g.wide() {
			done = false
			b.aim(g, round)
		}
	}
	if done {
		return true
	}
	for b.search() && ctx.Err() == nil {
		b.block()
	}
	b.split()
	return false
}

// aim picks c and the direction: the mean, rounded to where fewer nodes are seeds, tells overloaded regions from the
// rest; the middle, every other round, bounds the number of rounds.
func (b *balancer) aim(g *span, round int) {
	mean := int32(g.sum / int64(len(g.members)))
	choices := []int32{mean, mean + 1}
	if round%2 == 1 {
		choices = []int32{(g.low + g.up) / 2}
	}
	least := len(g.members) + 1
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
			least, g.c, g.back = seeds, c, below < above
		}
	}
}

// search labels right nodes by their distance from the seeds; it says whether a goal was reached.
func (b *balancer) search() bool {
	b.unlabel()
	for i := range b.spans {
		if g := &b.spans[i]; g.wide() {
			for _, s := range g.members {
				if g.seed(b.load[s]) {
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

func (b *balancer) unlabel() {
	for i := range b.level {
		b.level[i] = -1
	}
	for i := range b.leftLevel {
		b.leftLevel[i] = -1
	}
	b.queue = b.queue[:0]
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
				goal = goal || g.goal(b.load[t])
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
		if !g.wide() {
			continue
		}
		for _, s := range g.members {
			for g.seed(b.load[s]) && b.level[s] == 0 && b.augment(s, g) {
			}
		}
	}
}

// augment moves units along one shortest path from the seed s to a goal, if there is one.
func (b *balancer) augment(s int32, g *span) bool {
	b.path = b.path[:0]
	for at := s; ; {
		if g.goal(b.load[at]) {
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
	n := min(b.load[s]-g.c, g.c-b.load[t])
	if g.back {
		lose, gain = 1, 0
		n = min(b.load[t]-g.c, g.c-b.load[s])
		s, t = t, s
	}
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
		if !g.wide() {
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

// levels searches from the nodes in the order of falling loads.
func (b *balancer) levels() []int32 {
	order := b.all()
	slices.SortStableFunc(order, func(x, y int32) int { return int(b.load[y]) - int(b.load[x]) })
	b.unlabel()
	for _, source := range order {
		if b.level[source] >= 0 {
			continue
		}
		load := b.load[source]
		b.level[source] = load
		b.queue = append(b.queue[:0], source)
		for k := 0; k < len(b.queue); k++ {
			s := b.queue[k]
			for _, e := range b.inArcs[b.inFirst[s]:b.inFirst[s+1]] {
				l := b.left[e]
				if b.units[e] == 0 || b.leftLevel[l] >= 0 {
					continue
				}
				b.leftLevel[l] = load
				for _, t := range b.Right[b.First[l]:b.First[l+1]] {
					if b.level[t] < 0 {
						b.level[t] = load
						b.queue = append(b.queue, t)
					}
				}
			}
		}
	}
	return b.level
}
