package multitenant

import "mrsched/model"

// fair takes the tasks of a user's jobs in the order of arrival: a map whose block lies on the worker, else in its
// rack, else any; reduces once a share of the maps has ended.
//
// Ties between users: the first in the workload. Source: the Hadoop Fair Scheduler, as the paper uses it, with one pool
// per user and first come, first served within it.
type fair struct{}

func (fair) reduces(_ *simulation, u *user, _ int32) bool { return len(u.ready) > 0 }

func (fair) takeReduce(s *simulation, u *user, slot int32) int32 {
	for _, j := range u.ready {
		if t := s.nextReduce(j, s.in.WorkerOf[slot]); t >= 0 {
			return t
		}
	}
	return -1
}

func (fair) takeMap(s *simulation, u *user, slot int32) int32 {
	w := s.in.WorkerOf[slot]
	for _, j := range u.maps {
		f, some := s.on(w, j, model.Map)
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
