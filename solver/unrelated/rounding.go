package unrelated

import (
	"cmp"
	"context"
	"slices"

	"mrsched/model"
)

// Roundable says whether the linear program at T* can be solved, which Round needs.
func (in *Instance) Roundable() bool { return in.related || in.alike() != nil }

// Round rounds a vertex of the linear program at T* to an assignment. Its makespan is at most 2·T*, unless some
// machines must stay empty; then nothing is promised. It is nil if the context ended before the vertex was known.
//
// Source: Lenstra, Shmoys, Tardos 1990.
func (in *Instance) Round(ctx context.Context) (Assignment, error) {
	f, err := in.relaxation(ctx)
	if err != nil {
		return nil, err
	}
	a, err := in.round(ctx, f)
	if err != nil || a == nil {
		return nil, err
	}
	if in.Makespan(a) > 2*f.Value { // rounding errors of the program
		if other := in.Greedy(); in.Makespan(other) < in.Makespan(a) {
			a = other
		}
	}
	return a, nil
}

// round rounds the vertex of a relaxation; nil without a vertex.
func (in *Instance) round(ctx context.Context, f *relaxation) (Assignment, error) {
	if in.Limited() {
		return in.roundSome(ctx, f)
	}
	shares := f.shares
	if shares == nil {
		if !in.related || ctx.Err() != nil {
			return nil, nil
		}
		shares = in.relatedShares(f.Value)
	}
	return in.spread(in.matchSplit(shares)), nil
}

// roundSome keeps the machines that have the largest loads in the relaxation f, solves the relaxation again on these
// alone, and rounds its solution.
func (in *Instance) roundSome(ctx context.Context, f *relaxation) (Assignment, error) {
	if f.shares == nil {
		return nil, nil
	}
	each := func(k int32) float64 { // machines of a class share its load
		c := in.class[k]
		return f.load[c] / float64(len(in.members[c]))
	}
	keep := model.Ordered(in.m, func(a, b int32) int { return cmp.Compare(each(b), each(a)) })[:in.most]
	part := in.restricted(keep)
	g, err := part.relax(ctx)
	if err != nil || g.shares == nil {
		return nil, err
	}
	a := part.spread(part.matchSplit(g.shares))
	for i, k := range a {
		a[i] = keep[k]
	}
	return a, nil
}

// restricted is the instance on some of the machines, which it numbers again.
func (in *Instance) restricted(keep []int32) *Instance {
	var old []int32 // by new class: the class of in
	s := Spec{Tasks: in.n, Most: len(keep), Related: in.related, Divisible: in.divisible, Stream: in.stream,
		Time: func(i, c int) model.Time { return in.time(i, int(old[c])) }}
	for _, machine := range keep {
		c := slices.Index(old, in.class[machine])
		if c < 0 {
			c = len(old)
			old = append(old, in.class[machine])
			s.Speed = append(s.Speed, in.speed[old[c]])
		}
		s.Class = append(s.Class, int32(c))
	}
	part := New(s)
	part.unit, part.partial = in.unit, true
	return part
}

// matchSplit chooses the class of every task: the only one it has a share of, or the one that a matching gives it,
// where no class gets two split tasks. If shares are a vertex, the graph of split tasks and their classes is a
// pseudo-forest, and all its tasks can be matched. If rounding errors leave one unmatched, it goes where its share is
// largest.
func (in *Instance) matchSplit(shares []share) []int32 {
	class := make([]int32, in.n)
	var split [][]share
	for first := 0; first < len(shares); {
		end := first + 1
		for end < len(shares) && shares[end].task == shares[first].task {
			end++
		}
		if own := shares[first:end]; len(own) == 1 {
			class[own[0].task] = own[0].class
		} else {
			split = append(split, own)
		}
		first = end
	}
	owner := make([]int, len(in.speed)) // 1 + the split task that a class is matched to
	seen := make([]int, len(in.speed))
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
		slices.SortStableFunc(own, func(a, b share) int { return cmp.Compare(b.part, a.part) })
		augment(k, k+1)
		class[own[0].task] = own[0].class
	}
	for c, k := range owner {
		if k > 0 {
			class[split[k-1][0].task] = int32(c)
		}
	}
	return class
}

// spread distributes the tasks of each class among its machines: the longest first, each to the machine with the least
// load. Let a class of m machines have at most m·T* of whole tasks and one more, p ≤ T*. Where the last-ending task q
// starts, all machines of its class are busy, so it ends by (m·T* + p − q)/m + q ≤ T* + T*/m + T*·(1 − 1/m) = 2·T*
// (Graham).
func (in *Instance) spread(class []int32) Assignment {
	a, load := make(Assignment, in.n), make([]model.Time, in.m)
	for _, i := range in.sorted() {
		in.put(a, load, i, in.members[class[i]])
	}
	return a
}

// complete keeps the tasks that a vertex leaves whole on their classes, and adds the others where they end first, the
// longest first; nil without a vertex.
func (in *Instance) complete(f *relaxation) Assignment {
	if f == nil || f.shares == nil || in.Limited() {
		return nil
	}
	class := make([]int32, in.n)
	for _, s := range f.shares {
		if class[s.task] = s.class; s.part < 1-shareTolerance {
			class[s.task] = -1
		}
	}
	a, load := make(Assignment, in.n), make([]model.Time, in.m)
	tasks := in.sorted()
	for _, i := range tasks {
		if class[i] >= 0 {
			in.put(a, load, i, in.members[class[i]])
		}
	}
	all := model.Ordered(in.m, func(_, _ int32) int { return 0 })
	for _, i := range tasks {
		if class[i] < 0 {
			in.put(a, load, i, all)
		}
	}
	return a
}

// put gives a task to the machine on which it ends first, among some; ties: the first.
func (in *Instance) put(a Assignment, load []model.Time, i int32, among []int32) {
	best := among[0]
	for _, k := range among[1:] {
		if load[k]+in.on(int(i), k) < load[best]+in.on(int(i), best) {
			best = k
		}
	}
	a[i] = best
	load[best] += in.on(int(i), best)
}
