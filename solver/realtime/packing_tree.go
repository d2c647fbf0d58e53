package realtime

import (
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
)

const (
	// treeNumbers is how many prices the proof of a tree may hold.
	treeNumbers = 1_000_000
	// treeSearch is the share of nodes, one in so many, at which a search starts from the relaxation, and treeMoves how
	// many moves it looks at.
	treeSearch, treeMoves = 8, 300_000
)

// caseTree asks whether a packing can keep a limit, by branch and bound: the configuration program of a node either
// refutes the limit, or chooses sets that make an assignment, or splits a partition; then come the two cases of where
// it lies, depth first. The tree depends on the packing and the limit alone.
type caseTree struct {
	*configs
	nodes, most int
	numbers     int // prices that the proof may still hold; below 0: there will be none
}

// newTree prepares a question.
func (p *packing) newTree(limit model.Time, trial []float64, most int, work int64) *caseTree {
	return &caseTree{configs: p.newConfigs(limit, trial, work), most: most, numbers: treeNumbers}
}

// decide answers the question: an assignment, or, if there is none, a proof, which is nil if it were too large.
// Unanswered, it gives neither.
func (x *caseTree) decide(ctx context.Context) (answer, []int32, *realtime.Proof, error) {
	a, slot, proof, err := x.node(ctx)
	if x.numbers < 0 {
		proof = nil
	}
	return a, slot, proof, err
}

// node searches the tree below the present cases. Its answers: refuted, with a proof; relaxed, with an assignment.
func (x *caseTree) node(ctx context.Context) (answer, []int32, *realtime.Proof, error) {
	if x.nodes >= x.most || ctx.Err() != nil {
		return unanswered, nil, nil, nil
	}
	x.nodes++
	a, proof, r, err := x.ask(ctx)
	if err != nil || a == unanswered {
		return unanswered, nil, nil, err
	}
	if a == refuted {
		if x.numbers -= len(proof.Partitions) + 1; x.numbers < 0 {
			proof = nil
		}
		return refuted, nil, proof, nil
	}
	share := x.shared(r)
	if slot := x.integral(r, share); slot != nil {
		return relaxed, slot, nil, nil
	}
	if x.nodes%treeSearch == 1 {
		if slot := x.rounded(ctx, r, share); slot != nil {
			return relaxed, slot, nil, nil
		}
	}
	i, k := x.branch(r, share)
	return x.split(ctx, i, k)
}

// split looks at the case that partition i lies on candidate k, then at the other.
func (x *caseTree) split(ctx context.Context, i int, k int32) (answer, []int32, *realtime.Proof, error) {
	was := x.group[k]
	x.fixed[i], x.group[k] = k, x.groups
	x.groups++
	a, slot, on, err := x.node(ctx)
	x.fixed[i], x.group[k] = -1, was
	if err != nil || a != refuted {
		return a, slot, nil, err
	}
	var banned []int
	for s, g := range x.group {
		if at := i*x.m + s; g == was && !x.banned[at] {
			x.banned[at] = true
			banned = append(banned, at)
		}
	}
	a, slot, off, err := x.node(ctx)
	for _, at := range banned {
		x.banned[at] = false
	}
	if err != nil || a != refuted || on == nil || off == nil {
		return a, slot, nil, err
	}
	return refuted, nil, &realtime.Proof{Cases: &realtime.Cases{Partition: int32(i), Slot: k, On: *on, Off: *off}}, nil
}

// shared is how often the sets chosen for each group hold each partition, at most once.
func (x *caseTree) shared(r *relaxation) [][]float64 {
	share := make([][]float64, len(r.groups))
	for g := range share {
		share[g] = make([]float64, x.n)
	}
	for _, c := range r.chosen {
		for _, i := range c.set {
			share[c.group][i] = math.Min(1, share[c.group][i]+c.times)
		}
	}
	return share
}

// integral is the assignment of a relaxation that splits nothing; nil: it splits something. Of a group of several slots
// the chosen sets must be whole; of one slot all sets that are chosen hold what lies there.
func (x *caseTree) integral(r *relaxation, share [][]float64) []int32 {
	const near = 1 - 10*configTolerance
	slot := make([]int32, x.n)
	for i := range slot {
		slot[i] = -1
	}
	next := make([]int, len(r.groups)) // of the group's slots
	for _, c := range r.chosen {
		if r.groups[c.group].count == 1 || c.times <= 1-near {
			continue
		}
		if c.times < near {
			return nil
		}
		for range int(math.Round(c.times)) {
			k := x.nth(r.groups[c.group].slot, next[c.group])
			next[c.group]++
			for _, i := range c.set {
				if k >= 0 && slot[i] < 0 {
					slot[i] = k
				}
			}
		}
	}
	for i := range slot {
		for g, own := range share {
			if slot[i] < 0 && r.groups[g].count == 1 && own[i] >= near {
				slot[i] = r.groups[g].slot
			}
		}
		if slot[i] < 0 {
			return nil
		}
	}
	return x.valid(slot)
}

// nth is a slot of the group of a candidate; −1: it has fewer.
func (x *caseTree) nth(slot int32, n int) int32 {
	for k, g := range x.group {
		if g == x.group[slot] {
			if n == 0 {
				return int32(k)
			}
			n--
		}
	}
	return -1
}

// valid is an assignment that keeps the limit, or nil.
func (x *caseTree) valid(slot []int32) []int32 {
	if x.makespan(slot) > x.limit || x.used(slot) > x.Most {
		return nil
	}
	return slot
}

// rounded searches from where the relaxation has most of each partition. It need not keep to the cases.
func (x *caseTree) rounded(ctx context.Context, r *relaxation, share [][]float64) []int32 {
	slot := make([]int32, x.n)
	turn := make([]int, len(r.groups))
	for i := range slot {
		best := 0
		for g := range share {
			if share[g][i] > share[best][i] {
				best = g
			}
		}
		slot[i] = x.nth(r.groups[best].slot, turn[best]%r.groups[best].count)
		turn[best]++
	}
	if x.used(slot) > x.Most {
		return nil
	}
	s := x.newSearch(1, treeMoves)
	if s.start(slot, x.limit); !s.reach(ctx, searchPatience) {
		return nil
	}
	return x.valid(s.slot)
}

// branch finds the partition of which the most is on one slot, but not all; ties: what takes longest. If only sets
// are split, it is a partition that takes longest among those of a group of several slots.
func (x *caseTree) branch(r *relaxation, share [][]float64) (int, int32) {
	part, slot, most := -1, int32(-1), 0.0
	for g, own := range share {
		k := r.groups[g].slot
		for i, s := range own {
			if x.fixed[i] >= 0 || s <= configTolerance || s >= 1-10*configTolerance {
				continue
			}
			if s > most+configTolerance || s > most-configTolerance && x.on(i, k) > x.on(part, slot) {
				part, slot, most = i, k, s
			}
		}
	}
	if part >= 0 {
		return part, slot
	}
	for g, own := range share {
		k := r.groups[g].slot
		for i, s := range own {
			if s > configTolerance && x.fixed[i] < 0 && (part < 0 || x.on(i, k) > x.on(part, slot)) {
				part, slot = i, k
			}
		}
	}
	return part, slot
}

// firstTrial are prices of partitions to start from: what prices of slots make of them, or their least times.
func (p *packing) firstTrial(f *fractional) []float64 {
	u := make([]float64, p.n)
	for i := range u {
		u[i] = float64(p.least[i])
		if f.proof.Slots == nil {
			continue
		}
		u[i] = math.Inf(1)
		for k, y := range f.proof.Slots {
			if t := p.on(i, int32(k)); t <= f.bound {
				u[i] = math.Min(u[i], float64(y)*float64(t))
			}
		}
	}
	if most := slices.Max(u); most > 0 {
		for i := range u {
			u[i] /= most
		}
	}
	return u
}
