package multitenant

import "mrsched/model"

// spilled is what sw-spill knows of the slots of a kind.
type spilled struct {
	users int // that had tasks of the kind when slots were last offered
	share int32
}

// classes are what slots are offered for: at once to all tasks, or under sw-spill first to those that a slot suits
// best.
var (
	allAtOnce  = []class{anywhere}
	bestsFirst = []class{preferred, local, anywhere}
)

// sweeps says for which tasks free slots are offered, one sweep after another.
//
// Policy sw-spill gives every free slot, of all racks, first to tasks that SAMP or SARP wants in its rack, the user
// with the smallest share first; then to tasks whose block is in the rack; then to any. Only users below their fair
// share, the slots divided by the users that have tasks of the kind, take part in the last two. So a user with its
// share leaves a slot free rather than its racks. It has no deadlock: a user without running tasks is below its share,
// and a user whose task ends, or all if there are fewer users, are asked again about all free slots.
//
// Complexity: O(F·U) for each end of a task, with F free slots.
func (s *simulation) sweeps() []class {
	if !s.c.spill {
		return allAtOnce
	}
	return bestsFirst
}

// divide sets the fair share of the slots of a kind, and asks all users again if it has grown.
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

// wants says whether a user has running or waiting tasks of a kind.
func (u *user) wants(kind model.TaskKind) bool {
	waiting := len(u.maps)
	if kind == model.Reduce {
		waiting = len(u.ready) + len(u.early)
	}
	return u.running[kind] > 0 || waiting > 0
}

// sated says whether a user has its fair share, under sw-spill.
func (s *simulation) sated(u *user, kind model.TaskKind) bool {
	return s.c.spill && u.running[kind] >= s.spilled[kind].share
}
