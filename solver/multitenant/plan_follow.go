package multitenant

import (
	"fmt"

	"mrsched/model"
)

// plan is what a clairvoyant scheduler has decided beforehand.
type plan struct {
	choice   []choice // by job
	rank     []int32  // by job: its place in the order of all jobs; nil: users get slots as under fair
	weight   float64  // of traffic, when the racks were chosen
	order    int      // how the jobs are ordered
	spill    spill
	overflow bool // reduces may start in racks that have as many as planned
	early    bool // reduces may start before their maps have ended
	moved    int  // jobs that a search has moved
}

// spill says what map slots do that no job wants: run maps from any rack, only maps at home there, none.
type spill int8

const (
	spillAny spill = iota
	spillHome
	spillNone
)

var spillName = [...]string{"any", "home", "none"}

// choice is where a job runs.
type choice struct {
	racks  []bool  // by rack: whether maps are to run there; nil: all
	counts []int32 // by rack: reduces
}

// describe tells of what kind a plan is; that of no plan is shufflewatcher's, or another policy's.
func (p *plan) describe() string {
	if p == nil {
		return "online"
	}
	return fmt.Sprintf("order %s, traffic weight %g, spill %s, overflow %t, early %t, moved %d", orderName[p.order], p.weight, spillName[p.spill], p.overflow, p.early, p.moved)
}

// admit has a job that arrives follow the plan. An order of all jobs makes one user of all.
func (p *plan) admit(s *simulation, j *job) {
	if p.rank != nil {
		j.user, j.rank = 0, p.rank[j.id]
	}
	j.sw.begun = make([]int32, s.in.Racks)
	j.sw.racks = p.choice[j.id].racks
}

// follow takes tasks by plan: of the jobs in their order, the first that wants the slot.
type follow struct{ *plan }

func (x follow) has(s *simulation, u *user, kind model.TaskKind, rack int32) bool {
	if kind == model.Map {
		return len(u.maps) > 0
	}
	return len(u.ready) > 0 || x.early && len(u.early) > 0 && (len(u.maps) == 0 || !s.n.saturated[rack])
}

func (x follow) take(s *simulation, u *user, kind model.TaskKind, slot int32) int32 {
	if kind == model.Map {
		return x.takeMap(s, u.maps, slot)
	}
	w := s.in.WorkerOf[slot]
	rack := s.in.RackOf[w]
	for _, list := range [][]*job{u.ready, u.early} {
		for _, j := range list {
			if j.sw.begun[rack] < x.choice[j.id].counts[rack] {
				if t := s.nextReduce(j, w); t >= 0 {
					return t
				}
			}
		}
		for _, j := range list {
			if !x.overflow {
				break
			}
			if t := s.nextReduce(j, w); t >= 0 {
				return t
			}
		}
		if !x.early || len(u.maps) > 0 && s.n.saturated[rack] {
			break
		}
	}
	return -1
}

func (x follow) takeMap(s *simulation, list []*job, slot int32) int32 {
	w := s.in.WorkerOf[slot]
	rack := s.in.RackOf[w]
	for _, j := range list {
		f, some := s.on(w, j, model.Map)
		if !some || j.sw.racks != nil && !j.sw.racks[rack] {
			continue
		}
		if t := j.pending.near(w, rack, f); t >= 0 {
			return t
		}
		if t := j.pending.fromAfar(f); t >= 0 {
			s.facts.remoteChosen++
			return t
		}
	}
	if x.spill == spillNone {
		return -1
	}
	for _, j := range list {
		if f, some := s.on(w, j, model.Map); some {
			if t := j.pending.near(w, rack, f); t >= 0 {
				return t
			}
		}
	}
	if x.spill == spillHome {
		return -1
	}
	for _, j := range list {
		if f, some := s.on(w, j, model.Map); some {
			if t := j.pending.any(f); t >= 0 {
				return t
			}
		}
	}
	return -1
}
