package multitenant

import "mrsched/model"

// nass is Network-Aware Shuffle Scheduling: it chooses the task of a user whose turn it is. Jobs of earlier submission
// windows come first. Within a window, each class by arrival:
//
//	maps       (1) where SAMP wants them, (2) at home on the worker, then in its rack, (3) any
//	reduces    while the rack is saturated: (4) of shuffle-light jobs, (5) below SARP's count for the rack, (6) any
//	           else: (1) of shuffle-heavy jobs below SARP's count, (2) of shuffle-heavy jobs, (3) any
//
// In the paper maps and reduces compete for the same request of a worker. Here, as in Hadoop 1, a map slot takes only
// maps and a reduce slot only reduces. So the order between the kinds only decides whether reduces start before their
// job's maps have ended:
//
//   - Reduces of jobs whose maps have ended are always eligible, as in SARP's first case: no other task of the user
//     could use the slot. So a free slot always gets a task that can run to its end, saturated or not, and the user
//     with the smallest share that has one gets it.
//   - SARP's second case is a user with slots that nothing else occupies: it is the user's turn for a reduce slot, and
//     none of the reduces above is left. Then reduces of jobs with some ended maps are eligible too. If the rack is
//     saturated, though, maps come first: such reduces wait until the user has no map left to begin, because they would
//     only hold the slot and fetch over the full link.
//
// Complexity: O(jobs of the user in its first window) for each task.
type nass struct{}

// watch is shufflewatcher's data about a job.
type watch struct {
	racks    []bool  // SAMP's; nil: none
	forecast []int32 // by rack: reduces, as SAMP would have it
	counts   []int32 // by rack: SARP's; nil: not yet counted
	begun    []int32 // by rack: reduces that have begun
	deferred bool    // a reduce had to wait because a rack was saturated
}

// watch lets SAMP place an arriving job.
func (s *simulation) watch(j *job) {
	in := s.in
	j.sw.begun = make([]int32, in.Racks)
	if !s.c.samp || j.maps == 0 || j.reduces == 0 { // without reduces there is no shuffle to gather maps for
		return
	}
	volume := 0.0
	if s.c.known {
		volume = float64(in.Shuffled[j.id])
	} else {
		for t := in.FirstMap[j.id]; t < in.FirstMap[j.id+1]; t++ {
			volume += firstRatio * float64(in.Input[t])
		}
	}
	p := samp(in, j.id, volume, s.usable)
	j.sw.racks = p.racks
	if p.racks != nil {
		j.sw.forecast = apportion(j.reduces, p.share)
	}
}

// firstRatio is the assumed ratio of shuffled to read bytes until maps have ended.
const firstRatio = 1.0

// heavy says whether a job is shuffle-heavy, as far as is known: it shuffles more than it reads.
func (s *simulation) heavy(j *job) bool {
	ratio := firstRatio
	switch {
	case s.c.known:
		ratio = s.in.Ratio[j.id]
	case j.input > 0:
		ratio = float64(j.output) / float64(j.input)
	}
	return ratio > 1
}

func (nass) has(s *simulation, u *user, kind model.TaskKind, rack int32) bool {
	if kind == model.Map {
		return len(u.maps) > 0
	}
	if len(u.ready) > 0 || len(u.early) == 0 {
		return len(u.ready) > 0
	}
	if len(u.maps) == 0 || !s.n.saturated[rack] {
		return true
	}
	for _, j := range u.early {
		if !j.sw.deferred {
			j.sw.deferred = true
			s.facts.deferred++
		}
	}
	return false
}

func (x nass) take(s *simulation, u *user, kind model.TaskKind, slot int32) int32 {
	list, from := u.maps, x.takeMap
	if kind == model.Reduce {
		list, from = u.ready, x.takeReduce
		if len(list) == 0 {
			list = u.early
		}
	}
	for len(list) > 0 {
		k := 1
		for k < len(list) && list[k].window == list[0].window {
			k++
		}
		if t := from(s, list[:k], slot); t >= 0 {
			return t
		}
		list = list[k:]
	}
	return -1
}

// takeMap takes a map of jobs of one window. Patient jobs accept class (2) after some time and (3) after more; without
// SAMP they accept their own nodes at once.
func (nass) takeMap(s *simulation, list []*job, slot int32) int32 {
	w := s.in.WorkerOf[slot]
	rack := s.in.RackOf[w]
	for _, j := range list {
		if j.sw.racks == nil || !j.sw.racks[rack] {
			continue
		}
		f, some := s.on(w, j, model.Map)
		if !some {
			continue
		}
		t := j.pending.near(w, rack, f)
		if t < 0 {
			if t = j.pending.fromAfar(f); t >= 0 {
				s.facts.remoteChosen++
			}
		}
		if t >= 0 {
			return s.settle(j, model.Map, 0, t)
		}
	}
	for _, j := range list {
		level := int8(0)
		if j.sw.racks != nil {
			level = 1
		}
		if f, some := s.on(w, j, model.Map); some && s.impatient(j, model.Map, int(level)) {
			if t := j.pending.onWorker(w, f); t >= 0 {
				return s.settle(j, model.Map, level, t)
			}
		}
	}
	for _, j := range list {
		if f, some := s.on(w, j, model.Map); some && s.impatient(j, model.Map, 1) {
			if t := j.pending.inRack(rack, f); t >= 0 {
				return s.settle(j, model.Map, 1, t)
			}
		}
	}
	for _, j := range list {
		f, some := s.on(w, j, model.Map)
		switch {
		case !some:
		case !s.impatient(j, model.Map, 2):
			s.refuse(j, model.Map)
		default:
			if t := j.pending.any(f); t >= 0 {
				return s.settle(j, model.Map, 2, t)
			}
		}
	}
	return -1
}

// takeReduce takes a reduce of jobs of one window. Patient jobs wait for racks below SARP's count.
func (nass) takeReduce(s *simulation, list []*job, slot int32) int32 {
	const classes = 3
	w := s.in.WorkerOf[slot]
	rack := s.in.RackOf[w]
	best, class, level := (*job)(nil), classes, int8(0)
	for _, j := range list {
		if f, some := s.on(w, j, model.Reduce); !some || !j.idle.some(f) {
			continue
		}
		heavy, counts := s.heavy(j), s.sarp(j)
		below := counts != nil && j.sw.begun[rack] < counts[rack]
		if counts != nil && !below && !s.impatient(j, model.Reduce, 1) {
			s.refuse(j, model.Reduce)
			continue
		}
		c := 2
		switch {
		case s.n.saturated[rack] && !heavy, !s.n.saturated[rack] && heavy && below:
			c = 0
		case s.n.saturated[rack] && below, !s.n.saturated[rack] && heavy:
			c = 1
		}
		if c < class {
			best, class, level = j, c, 1
			if below {
				level = 0
			}
		}
	}
	if best == nil {
		return -1
	}
	return s.settle(best, model.Reduce, level, s.nextReduce(best, w))
}

// impatient says whether a job accepts a level by now.
func (s *simulation) impatient(j *job, kind model.TaskKind, level int) bool {
	return !s.c.patient || s.settles(j, kind) >= level
}
