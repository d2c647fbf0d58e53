package multitenant

import (
	"cmp"
	"slices"

	"mrsched/model"
	"mrsched/model/multitenant"
)

// vacancy lists the free slots of a kind. No user had a task for those before offered. Since then only the users in
// woken may have got one, except where memory or cores of the worker have become free.
type vacancy struct {
	slots   []int32
	offered int
	woken   []int32
}

// inTurn lists the slots of a kind, one of each rack in turn, in each rack one of each worker in turn.
func inTurn(in *multitenant.Instance, kind model.TaskKind) []int32 {
	type turn struct{ round, worker, rack int32 } // the slot's number on its worker, the worker's in its rack
	at, ofWorker, ofRack := make([]turn, in.Slots), make([]int32, in.Workers), make([]int32, in.Racks)
	list := slices.Clone(in.SlotsFor(kind))
	number := make([]int32, in.Workers)
	for w, rack := range in.RackOf {
		number[w] = ofRack[rack]
		ofRack[rack]++
	}
	for _, slot := range list {
		w := in.WorkerOf[slot]
		at[slot] = turn{ofWorker[w], number[w], in.RackOf[w]}
		ofWorker[w]++
	}
	slices.SortStableFunc(list, func(a, b int32) int {
		x, y := at[a], at[b]
		return cmp.Or(cmp.Compare(x.round, y.round), cmp.Compare(x.worker, y.worker), cmp.Compare(x.rack, y.rack))
	})
	return list
}

// wake offers all free slots of a kind again to one more user.
func (s *simulation) wake(kind model.TaskKind, user int32) {
	f := &s.free[kind]
	if at, found := slices.BinarySearch(f.woken, user); !found {
		f.woken = slices.Insert(f.woken, at, user)
	}
}

// offer assigns free slots of a kind. Slots that have become free, and those on workers where memory or cores have
// become free, are offered to all users, the others only to the woken ones.
func (s *simulation) offer(kind model.TaskKind) {
	f := &s.free[kind]
	first := f.offered
	if len(f.woken) > 0 || s.room != nil && s.room.changed[kind] {
		first = 0
	}
	kept := f.slots[:first]
	for k, slot := range f.slots[first:] {
		users := s.everyone
		if first+k < f.offered && (s.room == nil || !s.room.again[kind][s.in.WorkerOf[slot]]) {
			users = f.woken
		}
		task := int32(-1)
		if s.waiting[kind] > 0 {
			task = s.pick(kind, slot, users)
		}
		if task < 0 {
			kept = append(kept, slot)
			continue
		}
		s.begin(task, slot)
	}
	f.slots, f.offered, f.woken = kept, len(kept), f.woken[:0]
	if s.room != nil {
		s.room.offered(kind)
	}
}

// pick finds a task for a slot; -1 if there is none now. The user with the smallest share of the kind comes first; ties
// go to the first in the workload. Shares are counted by kind, as in Hadoop 1: with one share for all tasks, a user
// whose reduces hold slots and wait for maps would be the last to get slots for these maps.
func (s *simulation) pick(kind model.TaskKind, slot int32, users []int32) int32 {
	s.turn++
	rack := s.in.RackOf[s.in.WorkerOf[slot]]
	for {
		var best *user
		for _, u := range users {
			x := &s.users[u]
			if x.declined != s.turn && s.has(x, kind, rack) && (best == nil || s.c.before(s, x, best, kind)) {
				best = x
			}
		}
		if best == nil {
			return -1
		}
		if task := s.take(best, kind, slot); task >= 0 {
			return task
		}
		best.declined = s.turn
	}
}
