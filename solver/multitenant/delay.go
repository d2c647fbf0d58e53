package multitenant

import "mrsched/model"

// delay is fair with waiting: a job whose turn it is, but that has no map at home on the worker, waits for up to the
// patience for a worker, then as long for a rack with its data. Meanwhile the next job or user gets the slot. A job
// that has accepted a worse level keeps it until it gets a better slot.
//
// Source: Zaharia et al., Delay Scheduling, EuroSys 2010, algorithm 2. Here heartbeats are continuous: a free slot may
// be refused at any time.
type delay struct{ fair }

func (d delay) take(s *simulation, u *user, kind model.TaskKind, slot int32) int32 {
	if kind == model.Reduce {
		return d.fair.take(s, u, kind, slot)
	}
	w := s.in.WorkerOf[slot]
	for _, j := range u.maps {
		f, some := s.on(w, j, kind)
		if !some {
			continue
		}
		p, level := &j.pending, s.settles(j, model.Map)
		if t := p.onWorker(w, f); t >= 0 {
			return s.settle(j, model.Map, 0, t)
		}
		if level >= 1 {
			if t := p.inRack(s.in.RackOf[w], f); t >= 0 {
				return s.settle(j, model.Map, 1, t)
			}
		}
		if level < 2 {
			s.refuse(j, model.Map)
		} else if t := p.any(f); t >= 0 {
			return s.settle(j, model.Map, 2, t)
		}
	}
	return -1
}

// localityWait is how long a job has waited for a better slot of a kind.
type localityWait struct {
	level   int8 // what it settled for when it last began a task: 0 is best
	waiting bool
	alarmed bool       // an event is to come
	since   model.Time // of what waits
}

// settles is the worst level that a job accepts by now.
func (s *simulation) settles(j *job, kind model.TaskKind) int {
	x := &j.waits[kind]
	waited := model.Time(0)
	if x.waiting {
		waited = s.now - x.since
	}
	level := int(x.level)
	for ; level < 2 && waited >= s.c.patience; level++ {
		waited -= s.c.patience
	}
	return level
}

// settle ends a job's waiting with a task of a level.
func (s *simulation) settle(j *job, kind model.TaskKind, level int8, task int32) int32 {
	x := &j.waits[kind]
	x.level, x.waiting = level, false
	return task
}

// refuse makes a job wait for a better slot.
func (s *simulation) refuse(j *job, kind model.TaskKind) {
	x := &j.waits[kind]
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
// them to a job that has placed a task since, because its preferred place may have no room for the others.
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
