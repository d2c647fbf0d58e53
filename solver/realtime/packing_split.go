package realtime

import (
	"cmp"
	"context"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
)

// splitPhases is the schedule of assignments of whole partitions where partitions may be split: each job's phase as it is, or
// with re-splits as skewtune makes them, from this assignment or from hash, by true times; whichever ends first. So best is
// never behind a skewtune that knows them, too.
//
// Ties: in this order.
func (r *run) splitPhases(ctx context.Context, list []assignment) (*model.Schedule, error) {
	var entries []model.Entry
	now := model.Time(0)
	for _, a := range list {
		hashed, err := r.assign("hash", a.set.Job, truth{r.in}, nil)
		if err != nil {
			return nil, err
		}
		best, end := shifted(phases(r.in, []assignment{a}).Entries, now), now+a.finish(r.in, truth{r.in})
		for _, start := range []assignment{a, hashed} {
			s := newMitigation(r.in, truth{r.in}, start, now)
			s.run(ctx)
			if s.now < end {
				best, end = s.entries, s.now
			}
		}
		entries, now = append(entries, best...), end
	}
	return &model.Schedule{Entries: inOrder(entries)}, nil
}

// shifted are rows some time later.
func shifted(rows []model.Entry, by model.Time) []model.Entry {
	for i := range rows {
		rows[i].Start += by
		rows[i].End += by
	}
	return rows
}

// inOrder sorts rows by task, start and slot.
func inOrder(rows []model.Entry) []model.Entry {
	slices.SortFunc(rows, func(a, b model.Entry) int {
		return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Machine, b.Machine))
	})
	return rows
}

// reducersOf are the slots of an assignment, and as many more as there are reducers, the first ones.
func reducersOf(in *realtime.Instance, a assignment) []int32 {
	used := make(map[int32]bool, len(a.slot))
	for _, slot := range a.slot {
		used[slot] = true
	}
	left := int(in.Reducers[a.set.Job]) - len(used)
	var list []int32
	for _, slot := range in.ReduceSlots {
		if !used[slot] {
			if left--; left < 0 {
				continue
			}
		}
		list = append(list, slot)
	}
	return list
}
