package multitenant

import "mrsched/model"

// fair takes the tasks of a user's jobs in the order of their arrival: of maps one at home on the worker, else in its rack,
// else any; reduces from when a share of the maps has ended.
//
// Ties between users: the one that the workload names first. Source: the Hadoop Fair Scheduler, as the paper uses it, with a
// pool a user and jobs first come, first served within it.
type fair struct{}

func (fair) has(_ *simulation, u *user, kind model.TaskKind, _ int32) bool {
	if kind == model.Map {
		return len(u.maps) > 0
	}
	return len(u.ready) > 0
}

func (fair) take(s *simulation, u *user, kind model.TaskKind, slot int32) int32 {
	if kind == model.Reduce {
		return s.nextReduce(u.ready[0])
	}
	w := s.in.WorkerOf[slot]
	p := &u.maps[0].pending
	if t := p.onWorker(w); t >= 0 {
		return t
	}
	if t := p.inRack(s.in.RackOf[w]); t >= 0 {
		return t
	}
	return p.any()
}

// nextReduce is a job's first reduce that has not begun. All of them are alike.
func (s *simulation) nextReduce(j *job) int32 { return s.in.FirstReduce(j.id) + j.reducesBegun }
