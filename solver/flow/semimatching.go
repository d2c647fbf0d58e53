package flow

import "context"

// Bipartite is a bipartite graph whose left nodes have units to hand over to their neighbours: those of left node l
// are Right[First[l]:First[l+1]], distinct, and at least one if it has units. Right nodes are 0 … Rights−1.
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
	// Level names minimum cuts: for right nodes of capacity τ, A(τ) = {s : Level[s] > τ} is the source side of one.
	Level []int32
	// Balanced is false if ctx ended first.
	Balanced bool
}

// Balance finds a semi-matching whose loads are decreasingly minimal: no path of moves takes a unit from a right node
// to another whose load is smaller by two or more.
//
// Such loads x solve the maximum-flow problem for all capacities at once: if right nodes take at most τ units each, the
// most that can be handed over is Σ_s min(x_s, τ), and dropping all but τ units at each node attains it. Proof: let
// A(τ) be the nodes to which a path of moves leads from a load above τ, these included (Level names others that do as
// well, see levels). Its nodes have load ≥ τ, else a path of moves would lead from a load > τ to one < τ; units inside
// it have all their neighbours inside. So the cut that separates A(τ) with the units inside from the rest has capacity
// τ·|A(τ)| + (units outside) = Σ_s min(x_s, τ). ∎
//
// Method: greedy start (each unit to its least loaded neighbour), then divide and conquer: in a group of right nodes
// pick a load c, push all excess over c to nodes below c by blocking flows; nodes that excess still reaches have loads
// ≥ c and form a group of their own, since no unit inside has a neighbour outside; the others have loads ≤ c. The
// search starts from the few: from the nodes above c, or backwards from those below c, where the nodes that can reach
// the last of them have loads ≤ c and the others ≥ c.
//
// Complexity: O(log max load) rounds of one maximum flow each, blocking flows on short paths; 16 bytes per arc. Ties:
// the result depends on the order of nodes and arcs alone. Source: Harvey, Ladner, Lovász, Tamir, J. Algorithms 2006
// (optimal semi-matchings); Fakcharoenphol, Laekhanukit, Nanongkai, ICALP 2010 (divide and conquer). Differs: left
// nodes have several units.
//
// It continues from a semi-matching of g that ctx cut short, which it does not change; nil: from the greedy one.
func Balance(ctx context.Context, g *Bipartite, from *SemiMatching) *SemiMatching {
	b := newBalancer(g, from)
	if from == nil {
		b.greedy()
	}
	b.spans = []span{b.spanOf(b.all())}
	done := false
	for round := 0; !done && ctx.Err() == nil; round++ {
		done = b.round(ctx, round)
	}
	return &SemiMatching{Units: b.units, Load: b.load, Level: b.levels(), Balanced: done}
}
