package realtime

import (
	"cmp"
	"context"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

const lstSource = "Lenstra, Shmoys, Tardos 1990"

// fractionTolerance is the share below which a partition is not on a slot: above lp_solve's errors, and small enough
// for all partitions of an LP together to weigh nothing.
const fractionTolerance = 1e-7

// needsLST says why there is no lst.
func needsLST(r *run) string {
	if r.in.Resplit.Known {
		return "places whole partitions; without --resplit-cost"
	}
	for j := range int32(r.in.Jobs) {
		for _, set := range r.in.SetsOf(j) {
			if set.Count > 0 && !r.packing(set).roundable() {
				return "its linear program is too large"
			}
		}
	}
	return ""
}

// roundable says whether the program at T* can be solved.
func (p *packing) roundable() bool { return p.related || p.groups() != nil }

// guaranteeLST is the theorem: each slot has at most T* of partitions that the vertex leaves whole, and one more that
// takes at most T*. With several sets, the shortest of the schedules is at most twice the least T*. Where a job must
// leave slots empty that are not the slowest for all partitions, nothing is promised.
func guaranteeLST(r *run) *model.Guarantee {
	for j := range int32(r.in.Jobs) {
		for _, set := range r.in.SetsOf(j) {
			if set.Count > 0 && r.packing(set).limited() {
				return nil
			}
		}
	}
	return &model.Guarantee{Factor: "2", Additive: "0", Source: lstSource + ", Thm 1", PreconditionsMet: true}
}

// solveLST rounds, for each job, the program of each of its sets, and keeps the best.
//
// Guarantee: makespan ≤ 2·T*.   Complexity: that of the linear program.
// Ties: the first set.   Source: Lenstra, Shmoys, Tardos, Math. Programming 1990.
func solveLST(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	var list []assignment
	status := model.StatusFeasible
	for j := range int32(r.in.Jobs) {
		opt.Report(int(j), r.in.Jobs)
		var best []int32
		var of *packing
		for _, set := range r.in.SetsOf(j) {
			if set.Count == 0 {
				continue
			}
			p := r.packing(set)
			f, err := r.fractional(ctx, set)
			if err != nil {
				return nil, err
			}
			slot, err := p.round(ctx, f)
			if err != nil {
				return nil, err
			}
			switch other := p.greedy(bySize); {
			case slot == nil: // ctx ended before the vertex was known
				status, slot = model.StatusLimit, other
			case p.makespan(slot) > 2*f.bound && p.makespan(other) < p.makespan(slot): // rounding errors of the LP
				slot = other
			}
			if best == nil || p.makespan(slot) < of.makespan(best) {
				best, of = slot, p
			}
		}
		if best != nil {
			list = append(list, of.assignment(best))
		}
	}
	return &solver.Outcome{Status: status, Schedule: phases(r.in, list)}, nil
}

// round turns the vertex into an assignment; nil without a vertex.
func (p *packing) round(ctx context.Context, f *fractional) ([]int32, error) {
	if p.limited() {
		return p.roundSome(ctx, f)
	}
	shares := f.shares
	if shares == nil {
		if !p.related || ctx.Err() != nil {
			return nil, nil
		}
		shares = p.filled(f.bound)
	}
	return p.spread(p.matched(shares)), nil
}

// roundSome keeps the slots that have most to do in the program, and rounds the program of those.
func (p *packing) roundSome(ctx context.Context, f *fractional) ([]int32, error) {
	if f.shares == nil {
		return nil, nil
	}
	q := p.restricted(p.busiest(f))
	g, err := q.fractional(ctx)
	if err != nil || g.shares == nil {
		return nil, err
	}
	slot := q.spread(q.matched(g.shares))
	return p.translated(q, slot), nil
}

// busiest are the Most candidates with the largest loads, a class's load being shared by its slots.
func (p *packing) busiest(f *fractional) []int32 {
	order := make([]int32, p.m)
	for k := range order {
		order[k] = int32(k)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		x, y := p.Class[a], p.Class[b]
		return cmp.Compare(f.load[y]/float64(p.count[y]), f.load[x]/float64(p.count[x]))
	})
	return order[:p.Most]
}

// restricted is the packing on some of the candidates.
func (p *packing) restricted(keep []int32) *packing {
	q := &packing{in: p.in, set: p.set, n: p.n, m: len(keep), unit: p.unit, related: p.related, partial: true,
		Candidates: realtime.Candidates{Most: len(keep)}}
	class := map[int32]int32{}
	var old []int32
	for _, k := range keep {
		c, ok := class[p.Class[k]]
		if !ok {
			c = int32(len(old))
			class[p.Class[k]] = c
			old = append(old, p.Class[k])
			q.Worker, q.count, q.of = append(q.Worker, p.Worker[p.Class[k]]), append(q.count, 0), append(q.of, nil)
		}
		q.of[c] = append(q.of[c], int32(len(q.Slots)))
		q.Slots, q.Class = append(q.Slots, p.Slots[k]), append(q.Class, c)
		q.count[c]++
	}
	q.least = make([]model.Time, p.n)
	if p.n*len(old) <= keptTimes {
		q.times = make([]model.Time, 0, p.n*len(old))
	}
	for i := range p.n {
		for c := range old {
			t := p.time(i, int(old[c]))
			if q.times != nil {
				q.times = append(q.times, t)
			}
			if c == 0 || t < q.least[i] {
				q.least[i] = t
			}
		}
	}
	return q
}

// translated is an assignment of a restricted packing in the words of p.
func (p *packing) translated(q *packing, slot []int32) []int32 {
	at := map[int32]int32{}
	for k, s := range p.Slots {
		at[s] = int32(k)
	}
	out := make([]int32, len(slot))
	for i, k := range slot {
		out[i] = at[q.Slots[k]]
	}
	return out
}

// filled is the vertex of slots that differ in speed only: slots from the fastest on, filled up to the limit with
// partitions from the largest on.
func (p *packing) filled(limit model.Time) []fraction {
	order := p.bySpeed()
	parts := p.sorted(bySize)
	var list []fraction
	k := 0
	left := float64(limit) * float64(p.count[order[0]])
	for _, i := range parts {
		rest := 1.0
		for rest > fractionTolerance {
			t := float64(p.time(int(i), order[k]))
			share := rest
			if t*rest > left && k+1 < len(order) {
				share = left / t
			}
			if share > fractionTolerance {
				list = append(list, fraction{i, int32(order[k]), share})
			}
			rest -= share
			if left -= share * t; rest > fractionTolerance {
				k++
				left = float64(limit) * float64(p.count[order[k]])
			}
		}
	}
	slices.SortStableFunc(list, func(a, b fraction) int {
		return cmp.Or(cmp.Compare(a.part, b.part),
			cmp.Compare(a.class, b.class))
	})
	return list
}

// matched chooses the class of every partition: the only one it has a share of, or that which a matching gives it, no
// class getting two. The graph of split partitions and their classes is a pseudo-forest if shares are a vertex, and all
// of its partitions can be matched. If rounding errors of the LP leave one unmatched, it goes where its share is
// largest.
func (p *packing) matched(shares []fraction) []int32 {
	class := make([]int32, p.n)
	var split [][]fraction
	for first := 0; first < len(shares); {
		end := first + 1
		for end < len(shares) && shares[end].part == shares[first].part {
			end++
		}
		if own := shares[first:end]; len(own) == 1 {
			class[own[0].part] = own[0].class
		} else {
			split = append(split, own)
		}
		first = end
	}
	owner := make([]int, len(p.Worker)) // 1 + the split partition that a class is matched to
	seen := make([]int, len(p.Worker))
	var augment func(k, round int) bool
	augment = func(k, round int) bool {
		for _, f := range split[k] {
			if seen[f.class] == round {
				continue
			}
			seen[f.class] = round
			if owner[f.class] == 0 || augment(owner[f.class]-1, round) {
				owner[f.class] = k + 1
				return true
			}
		}
		return false
	}
	for k, own := range split {
		slices.SortStableFunc(own, func(a, b fraction) int { return cmp.Compare(b.share, a.share) })
		augment(k, k+1)
		class[own[0].part] = own[0].class
	}
	for c, k := range owner {
		if k > 0 {
			class[split[k-1][0].part] = int32(c)
		}
	}
	return class
}

// placed lets the partitions that a vertex leaves whole lie, and adds the others, the largest first, where they end
// first; nil without a vertex.
func (p *packing) placed(f *fractional) []int32 {
	if f.shares == nil || p.limited() {
		return nil
	}
	class := make([]int32, p.n)
	for _, s := range f.shares {
		if class[s.part] = s.class; s.share < 1-fractionTolerance {
			class[s.part] = -1
		}
	}
	slot, load := make([]int32, p.n), make([]model.Time, p.m)
	all := make([]int32, p.m)
	for k := range all {
		all[k] = int32(k)
	}
	order := p.sorted(bySize)
	for _, i := range order {
		if class[i] >= 0 {
			p.put(slot, load, i, p.of[class[i]])
		}
	}
	for _, i := range order {
		if class[i] < 0 {
			p.put(slot, load, i, all)
		}
	}
	return slot
}

// spread distributes the partitions of each class among its slots: the largest first, each to the slot with the least
// load. A class of m slots has at most m·T* of whole partitions and one more, p. Where the last-ending partition q
// starts, all its slots are busy, so it ends by (m·T* + p − q)/m + q ≤ T* + T*/m + T*·(1 − 1/m) = 2·T*, as Graham has
// it.
func (p *packing) spread(class []int32) []int32 {
	slot := make([]int32, p.n)
	load := make([]model.Time, p.m)
	for _, i := range p.sorted(bySize) {
		p.put(slot, load, i, p.of[class[i]])
	}
	return slot
}

// put gives a partition to the slot among some on which it ends first; ties: the first.
func (p *packing) put(slot []int32, load []model.Time, i int32, among []int32) {
	best := among[0]
	for _, k := range among[1:] {
		if load[k]+p.on(int(i), k) < load[best]+p.on(int(i), best) {
			best = k
		}
	}
	slot[i] = best
	load[best] += p.on(int(i), best)
}
