package multitenant

import "mrsched/model"

// spilled is sw-spill's state for the slots of a kind.
type spilled struct {
	users int // users with tasks of the kind when slots were last offered
	share int32
}

// classes are the classes of tasks to which slots are offered: all at once, or under sw-spill the best suited first.
var (
	allAtOnce  = []class{anywhere}
	bestsFirst = []class{preferred, local, anywhere}
)

// sweeps lists the classes of tasks to which free slots are offered, one sweep after another.
//
// Policy sw-spill first offers every free slot of all racks to tasks that SAMP or SARP wants in its rack, the user with
// the smallest share first. Then it offers them to tasks whose block is in the rack, then to any task. Only users below
// their fair share take part in the last two sweeps. The fair share is the number of slots divided by the users that
// have tasks of the kind. So a user with its fair share leaves a slot free rather than leave its racks. There is no
// deadlock: a user without running tasks is below its share. When a task ends, its user is offered all free slots
// again, and all users are if their number has fallen.
//
// Complexity: O(F·U) for each end of a task, with F free slots.
func (s *simulation) sweeps() []class {
	if !s.c.spill {
		return allAtOnce
	}
	return bestsFirst
}

// divide sets the fair share of the slots of a kind. If it has grown, all users are offered the free slots again.
func (s *simulation) divide(kind model.TaskKind) {
	x, users := &s.spilled[kind], 0
	for u := range s.users {
		if s.users[u].wants(kind) {
			users++
		}
	}
	if users < x.users {
		for _, u := range s.everyone {
			s.wake(kind, u)
		}
	}
	slots := len(s.in.SlotsFor(kind))
	x.users, x.share = users, int32((slots+users-1)/max(1, users))
}

// wants reports whether a user has running or waiting tasks of a kind.
func (u *user) wants(kind model.TaskKind) bool {
	waiting := len(u.maps)
	if kind == model.Reduce {
		waiting = len(u.ready) + len(u.early)
	}
	return u.running[kind] > 0 || waiting > 0
}

// sated reports whether a user has its fair share, under sw-spill.
func (s *simulation) sated(u *user, kind model.TaskKind) bool {
	return s.c.spill && u.running[kind] >= s.spilled[kind].share
}
