package multitenant

import (
	"cmp"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/multitenant"
)

// arrive adds a job and releases its tasks, except those with a later release.
func (s *simulation) arrive(id, rank int32) {
	in := s.in
	j := &job{id: id, user: in.UserOf[id], rank: [2]int32{rank, rank}, window: int64(in.Arrival[id] / s.c.window),
		maps: in.FirstMap[id+1] - in.FirstMap[id], reduces: in.Reduces(id), produced: make([]model.Bytes, in.Racks)}
	if j.maps+j.reduces == 0 {
		return
	}
	s.jobs[id] = j
	switch {
	case s.c.plan != nil:
		s.c.plan.admit(s, j)
	case s.c.nass:
		s.watch(j)
	}
	j.pending = newPendingMaps(in, id, j.sw.racks)
	j.idle.pending = newPending(in.FirstReduce(id), in.FirstReduce(id+1))
	first := [2]int32{in.FirstMap[id], in.FirstReduce(id)}
	for kind, end := range [2]int32{in.FirstMap[id+1], in.FirstReduce(id + 1)} {
		if s.room != nil {
			j.least[kind] = leastNeed(in, first[kind], end)
		}
		for t := first[kind]; t < end; t++ {
			if !in.Staggered() || in.Release(t) <= s.now {
				s.release(j, t)
			}
		}
	}
}

// laterReleases lists the tasks released after their jobs, and adds an event for each such time.
func (s *simulation) laterReleases() {
	in := s.in
	if !in.Staggered() {
		return
	}
	for t := range int32(in.Tasks) {
		if in.Release(t) > in.Arrival[in.JobOf(t)] {
			s.later = append(s.later, t)
		}
	}
	slices.SortStableFunc(s.later, func(a, b int32) int { return cmp.Compare(in.Release(a), in.Release(b)) })
	for k, t := range s.later {
		if at := in.Release(t); k == 0 || in.Release(s.later[k-1]) < at {
			s.events.Push(at, releaseEvent, 0)
		}
	}
}

// releaseLater releases the tasks whose time has come. Their jobs have arrived before.
func (s *simulation) releaseLater() {
	for ; s.next < len(s.later) && s.in.Release(s.later[s.next]) <= s.now; s.next++ {
		t := s.later[s.next]
		s.release(s.jobs[s.in.JobOf(t)], t)
	}
}

func (s *simulation) release(j *job, task int32) {
	kind := s.in.KindOf(task)
	j.open[kind]++
	if kind == model.Map {
		j.pending.release(task)
		if j.open[kind] == 1 {
			u := &s.users[j.user]
			u.maps = insert(u.maps, j, kind)
		}
	} else if j.idle.release(task); !j.enabled {
		s.enable(j)
		return
	}
	s.waiting[kind]++
	s.wake(kind, j.user)
}

// enable lists a job among those whose reduces may start, if they may.
func (s *simulation) enable(j *job) {
	if j.open[model.Reduce] == 0 {
		return
	}
	u := &s.users[j.user]
	switch over := j.mapsEnded == j.maps; {
	case over && !j.listed:
		u.early = remove(u.early, j, model.Reduce)
		u.ready, j.listed = insert(u.ready, j, model.Reduce), true
	case over || j.enabled || !s.c.starts(j):
		return
	case s.c.nass:
		u.early = insert(u.early, j, model.Reduce)
	default:
		u.ready, j.listed = insert(u.ready, j, model.Reduce), true
	}
	if !j.enabled {
		j.enabled = true
		s.waiting[model.Reduce] += int(j.open[model.Reduce])
	}
	s.wake(model.Reduce, j.user)
}

// settleEarly notes that a job's maps have ended: its early reduces no longer wait, and its other reduces may use all
// that is free.
func (s *simulation) settleEarly(j *job) {
	if s.room == nil {
		return
	}
	for _, t := range j.early {
		s.room.settle(t, s.in.WorkerOf[s.rows[t].Machine])
	}
	j.early = nil
	if s.room.short && j.open[model.Reduce] > 0 {
		s.wake(model.Reduce, j.user)
	}
}

// insert adds a job to the jobs with tasks of a kind, in the order of arrivals or of a plan.
func insert(list []*job, j *job, kind model.TaskKind) []*job {
	at, _ := find(list, j, kind)
	return slices.Insert(list, at, j)
}

func find(list []*job, j *job, kind model.TaskKind) (at int, found bool) {
	return slices.BinarySearchFunc(list, j.rank[kind], func(x *job, rank int32) int {
		return cmp.Compare(x.rank[kind], rank)
	})
}

func remove(list []*job, j *job, kind model.TaskKind) []*job {
	if at, ok := find(list, j, kind); ok {
		return slices.Delete(list, at, at+1)
	}
	return list
}

// leastNeed is the least memory and the least cores that any of some tasks needs.
func leastNeed(in *multitenant.Instance, first, end int32) (least multitenant.Amount) {
	least = multitenant.Amount{Memory: math.MaxInt64, Cores: math.MaxInt64}
	for t := first; t < end; t++ {
		need := in.Need(t)
		least.Memory, least.Cores = min(least.Memory, need.Memory), min(least.Cores, need.Cores)
	}
	return least
}

// on says which of a job's tasks of a kind fit on a worker now. If some is false, none does.
func (s *simulation) on(w int32, j *job, kind model.TaskKind) (f *fit, some bool) {
	if s.room == nil {
		return nil, true
	}
	s.fit = fit{s.room, w, kind == model.Reduce && j.mapsEnded < j.maps}
	if some = j.least[kind].Within(s.room.free[w]); !some {
		s.room.lack(w)
	}
	return &s.fit, some
}

// nextReduce takes a job's first reduce that can begin on a worker; -1 if there is none.
func (s *simulation) nextReduce(j *job, w int32) int32 {
	if f, some := s.on(w, j, model.Reduce); some {
		return j.idle.any(f)
	}
	return -1
}
