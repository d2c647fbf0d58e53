package multitenant

import "mrsched/model"

// fair takes the tasks of a user's jobs in the order of arrival: a map at home on the worker, else in its rack, else
// any; reduces once a share of the maps has ended.
//
// Ties between users: the first in the workload. Source: the Hadoop Fair Scheduler, as the paper uses it, with one pool
// per user and first come, first served within it.
type fair struct{}

func (fair) has(_ *simulation, u *user, kind model.TaskKind, _ int32) bool {
	if kind == model.Map {
		return len(u.maps) > 0
	}
	return len(u.ready) > 0
}

func (fair) take(s *simulation, u *user, kind model.TaskKind, slot int32) int32 {
	w := s.in.WorkerOf[slot]
	if kind == model.Reduce {
		for _, j := range u.ready {
			if t := s.nextReduce(j, w); t >= 0 {
				return t
			}
		}
		return -1
	}
	for _, j := range u.maps {
		f, some := s.on(w, j, kind)
		if !some {
			continue
		}
		if t := j.pending.near(w, s.in.RackOf[w], f); t >= 0 {
			return t
		}
		if t := j.pending.any(f); t >= 0 {
			return t
		}
	}
	return -1
}
