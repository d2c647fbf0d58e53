package realtime

import (
	"cmp"
	"context"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
)

// resplit splits partitions of the best assignment of whole ones, and of that of hash, as skewtune does, by true times.
// So best is never behind a skewtune that knows them, too.
//
// Ties: in this order.
func (x *pursued) resplit(ctx context.Context) error {
	hashed, err := x.assign("hash", x.job, truth{x.in}, nil)
	if err != nil {
		return err
	}
	for _, start := range []assignment{x.sets[x.of].assignment(x.slot), hashed} {
		s := newMitigation(x.in, truth{x.in}, start, 0)
		if s.run(ctx); s.now < x.end {
			x.end, x.split = s.now, s.entries
			x.tell()
		}
	}
	return nil
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
