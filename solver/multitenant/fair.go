package multitenant

import "mrsched/model"

// fair takes the tasks of a user's jobs in the order of arrival: first a map whose block lies on the worker, then one
// whose block lies in its rack, then any. Reduces follow once a share of the maps has ended.
//
// Ties between users: the user with a map whose block is in the slot's rack, as shufflewatcher prefers users there;
// then the first in the workload. Source: the Hadoop Fair Scheduler, as the paper uses it, with one pool per user and
// first come, first served within it.
type fair struct{}

func (fair) reduces(_ *simulation, u *user, _ int32) bool { return len(u.ready) > 0 }

func (fair) findReduce(s *simulation, u *user, slot int32) (int32, class) {
	for _, j := range u.ready {
		if t := s.nextReduce(j, s.in.WorkerOf[slot]); t >= 0 {
			return t, preferred
		}
	}
	return -1, anywhere
}

func (fair) findMap(s *simulation, u *user, slot int32) (int32, class) {
	w := s.in.WorkerOf[slot]
	for _, j := range u.maps {
		f, some := s.on(w, j, model.Map)
		if !some {
			continue
		}
		if t := j.pending.near(w, s.in.RackOf[w], f); t >= 0 {
			return t, preferred
		}
		if t := j.pending.any(f); t >= 0 {
			return t, anywhere
		}
	}
	return -1, anywhere
}

// dominant is a user's dominant share: the larger of the cluster's shares of cores and of memory that its running maps,
// or reduces, use. A node without stated cores counts as one core a slot, a task without stated cores as one core.
// Memory counts if all nodes state theirs.
//
// Source: Ghodsi et al., Dominant Resource Fairness, NSDI 2011. Differs: slots also limit what runs on a node.
func (s *simulation) dominant(u *user, kind model.TaskKind) float64 {
	share := float64(u.cpu[kind]) / 1000 / s.in.Cores
	if s.in.RAM > 0 {
		share = max(share, float64(u.memory[kind])/float64(s.in.RAM))
	}
	return share
}

// delay is fair with waiting. A job without a map whose block lies on the worker waits for such a worker up to the
// patience, then as long for a rack with its data. Meanwhile the next job or user gets the slot. A job that has
// accepted a worse level keeps it until it gets a better slot.
//
// Source: Zaharia et al., Delay Scheduling, EuroSys 2010, algorithm 2. Differs: heartbeats are continuous, so a job may
// refuse a free slot at any time.
type delay struct{ fair }

func (delay) findMap(s *simulation, u *user, slot int32) (int32, class) {
	w := s.in.WorkerOf[slot]
	for _, j := range u.maps {
		f, some := s.on(w, j, model.Map)
		if !some {
			continue
		}
		p, level := &j.pending, s.settles(j, model.Map)
		if t := p.onWorker(w, f); t >= 0 {
			return s.settle(j, model.Map, 0, t), preferred
		}
		if level >= 1 {
			if t := p.inRack(s.in.RackOf[w], f); t >= 0 {
				return s.settle(j, model.Map, 1, t), preferred
			}
		}
		if level < 2 {
			s.refuse(j, model.Map)
		} else if t := p.any(f); t >= 0 {
			return s.settle(j, model.Map, 2, t), anywhere
		}
	}
	return -1, anywhere
}

// localityWait records how long a job has waited for a better slot of a kind.
type localityWait struct {
	level   int8 // level accepted when it last began a task: 0 is best
	waiting bool
	alarmed bool // a waitEvent is pending
	since   model.Time
}

// settles is the worst level that a job now accepts.
func (s *simulation) settles(j *job, kind model.TaskKind) int {
	x := &j.waits[kind]
	level, waited := int(x.level), model.Time(0)
	if x.waiting {
		waited = s.now - x.since
	}
	for ; level < 2 && waited >= s.c.patience; level++ {
		waited -= s.c.patience
	}
	return level
}

// settle ends a job's waiting with a task of a level, and returns the task.
func (s *simulation) settle(j *job, kind model.TaskKind, level int8, task int32) int32 {
	if x := &j.waits[kind]; !s.asking {
		x.level, x.waiting = level, false
	}
	return task
}

// refuse makes a job wait for a better slot.
func (s *simulation) refuse(j *job, kind model.TaskKind) {
	x := &j.waits[kind]
	if s.asking {
		return
	}
	if !x.waiting {
		x.waiting, x.since = true, s.now
	}
	s.alarm(j, kind)
}

// alarm adds the event at which the job accepts a worse level.
func (s *simulation) alarm(j *job, kind model.TaskKind) {
	x := &j.waits[kind]
	at := x.since + s.c.patience
	if at <= s.now && x.level == 0 {
		at += s.c.patience
	}
	if x.alarmed || at <= s.now {
		return
	}
	x.alarmed = true
	s.events.Push(at, waitEvent, 2*j.id+int32(kind))
}

// waited offers the free slots to a job that may now accept a worse level. If memory or cores are short, it also offers
// them to a job that has begun a task since: its preferred place may have no room for the others.
func (s *simulation) waited(payload int32) {
	kind := model.TaskKind(payload % 2)
	j := s.jobs[payload/2]
	if j == nil {
		return
	}
	j.waits[kind].alarmed = false
	if j.waits[kind].waiting {
		s.alarm(j, kind)
		s.wake(kind, j.user)
	} else if s.room != nil && s.room.short {
		s.wake(kind, j.user)
	}
}
