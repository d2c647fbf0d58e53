package realtime

import (
	"cmp"
	"context"
	"slices"

	"mrsched/model"
)

// pursued is the state of one job.
type pursued struct {
	*pursuit
	job  int32
	sets []pursuedSet
	slot []int32 // the best assignment of whole partitions
	of   int     // its set
	cost model.Time

	end   model.Time    // of the best phase, from 0 on
	split []model.Entry // its rows, if it splits partitions; nil: it is the best assignment
}

// pursuedSet is the state of one set. No load below low is possible; what its bound proves may be less, if the proof of
// a tree was too large.
type pursuedSet struct {
	*packed
	bound bounded
	low   model.Time
	slot  []int32 // the best assignment; nil: none, as ctx ended first
	begun bool    // it has been searched
}

// raise takes a bound if it is higher.
func (s *pursuedSet) raise(b bounded) {
	if b.value > s.bound.value {
		s.bound = b
	}
	s.low = max(s.low, b.value)
}

// bounds are those of the sets.
func (x *pursued) bounds() (list []bounded) {
	for _, s := range x.sets {
		list = append(list, s.bound)
	}
	return list
}

// leastOf is the value of the least of some bounds.
func leastOf(list []bounded) model.Time {
	return slices.MinFunc(list, func(a, b bounded) int { return cmp.Compare(a.value, b.value) }).value
}

// certified says whether bounds prove that nothing is cheaper, searched whether trees have shown it.
func (x *pursued) certified() bool { return leastOf(x.bounds()) >= x.end }

func (x *pursued) searched() bool {
	return !slices.ContainsFunc(x.sets, func(s pursuedSet) bool { return s.low < x.end })
}

// take takes an assignment of a set, if it is better.
func (x *pursued) take(set int, slot []int32) {
	s := &x.sets[set]
	cost := s.makespan(slot)
	if s.slot == nil || cost < s.makespan(s.slot) {
		s.slot = slot
	}
	if x.slot == nil || cost < x.cost {
		x.slot, x.of, x.cost = slot, set, cost
	}
	if x.cost < x.end {
		x.end, x.split = x.cost, nil
	}
}

// offer takes a phase if it is better.
func (x *pursued) offer(rows []model.Entry) {
	set := int(x.in.SetOf(int32(rows[0].Task)).Row)
	if s := &x.sets[set]; len(rows) == s.n {
		x.take(set, s.seated(rows))
	} else if end := lastEnd(rows); end < x.end {
		x.end, x.split = end, rows
	}
}

// seated is the assignment of rows of whole partitions. Those on a slot that is no candidate, because as many others
// are at least as fast, move to one that is not used.
func (p *packing) seated(rows []model.Entry) []int32 {
	at, used := map[int32]int32{}, make([]bool, p.m)
	for k, s := range p.Slots {
		at[s] = int32(k)
	}
	for _, e := range rows {
		if k, ok := at[e.Machine]; ok {
			used[k] = true
		}
	}
	slot := make([]int32, p.n)
	for _, e := range rows {
		k, ok := at[e.Machine]
		if !ok {
			k = int32(slices.Index(used, false))
			at[e.Machine], used[k] = k, true
		}
		slot[int32(e.Task)-p.set.First] = k
	}
	return slot
}

// searchSets searches for packings: half of the moves for all sets, the other half for the best.
func (x *pursued) searchSets(ctx context.Context, seed uint64, moves int) error {
	each := moves / 2 / len(x.sets)
	for k := range x.sets {
		s := &x.sets[k]
		if s.low >= x.end || ctx.Err() != nil {
			continue
		}
		first, err := x.starts(ctx, s)
		if err != nil {
			return err
		}
		for n, slot := range first {
			if s.low >= x.end {
				break
			}
			x.searchFrom(ctx, k, slot, seed+uint64(n), each/len(first))
		}
	}
	x.searchFrom(ctx, x.of, x.slot, seed, moves/2)
	if x.in.Resplit.Known && !x.certified() {
		return x.resplit(ctx)
	}
	return nil
}

// searchFrom searches from an assignment of a set.
func (x *pursued) searchFrom(ctx context.Context, set int, slot []int32, seed uint64, moves int) {
	s := &x.sets[set]
	q := s.newSearch(seed, moves)
	if s.fractional != nil {
		q.guide(s.fractional)
	}
	q.better = func(slot []int32) {
		x.take(set, slot)
		x.tell()
	}
	x.take(set, q.improve(ctx, slot, s.low))
}

// starts are the assignments of a set to search from: the best so far and, the first time, others.
func (x *pursued) starts(ctx context.Context, s *pursuedSet) (list [][]int32, err error) {
	if !s.begun {
		if list, err = x.construct(ctx, s.packed, s.slot); err != nil {
			return nil, err
		}
		s.begun = true
	}
	list = append(list, s.slot)
	slices.SortStableFunc(list, func(a, b []int32) int { return cmp.Compare(s.makespan(a), s.makespan(b)) })
	return slices.CompactFunc(list, slices.Equal), nil
}

// construct lists further assignments to start from: greedy ones, multifit's, and what vertices of the linear program
// become.
func (r *run) construct(ctx context.Context, p *packed, first []int32) (list [][]int32, err error) {
	if p.times != nil && !p.related {
		list = append(list, p.greedy(byRegret), p.greedy(byMean))
	}
	f, err := r.fractional(ctx, p.set)
	if err != nil {
		return nil, err
	}
	if slot := p.multifit(f.bound, first); slot != nil {
		list = append(list, slot)
	}
	if slot := p.placed(f); slot != nil {
		list = append(list, slot)
	}
	slot, err := p.round(ctx, f)
	if slot != nil {
		list = append(list, slot)
	}
	return list, err
}
