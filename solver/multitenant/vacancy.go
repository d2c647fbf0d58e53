package multitenant

import (
	"cmp"
	"slices"

	"mrsched/model"
	"mrsched/model/multitenant"
)

// vacancy lists the free slots of a kind. Those before offered have been offered in vain; since then only the users in
// woken have got something that they could use them for, but on workers whose memory or cores have become free.
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

// wake has all free slots of a kind offered again, to one more user.
func (s *simulation) wake(kind model.TaskKind, user int32) {
	f := &s.free[kind]
	if at, found := slices.BinarySearch(f.woken, user); !found {
		f.woken = slices.Insert(f.woken, at, user)
	}
}

// offer gives away free slots of a kind: to all users what has become free and what is on workers where memory or cores
// have; to those that woke the others.
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

// pick asks users for a task for a slot, the one with the smallest share of its kind first; -1: none has one for it
// now. Shares are kept by kind, as in Hadoop 1: by all tasks together a user whose reduces hold slots and wait for maps
// would be the last to get slots for these maps. Ties: the user that the workload names first.
func (s *simulation) pick(kind model.TaskKind, slot int32, users []int32) int32 {
	s.turn++
	rack := s.in.RackOf[s.in.WorkerOf[slot]]
	for {
		var best *user
		for _, u := range users {
			x := &s.users[u]
			if x.declined != s.turn && s.p.has(s, x, kind, rack) && (best == nil || s.c.before(s, x, best, kind)) {
				best = x
			}
		}
		if best == nil {
			return -1
		}
		if task := s.p.take(s, best, kind, slot); task >= 0 {
			return task
		}
		best.declined = s.turn
	}
}
