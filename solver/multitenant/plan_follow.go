package multitenant

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/model"
)

// plan holds decisions that a clairvoyant scheduler makes in advance.
type plan struct {
	choice []choice // by job
	rank   []int32  // by job: its place in the order of all jobs
	name   string   // of the plan that the search began with
	moved  int      // changes since
	inLine bool     // reduces fetch one after another in a rack, rather than all at once
}

// choice is how a job runs.
type choice struct {
	racks    []bool // whether its maps run there; nil: everywhere
	spill    spill
	output   bool // its reduces follow its output by rack, as under SARP
	overflow bool // they may also start in racks that have as many as that
	early    bool // reduces may start before its maps have ended
}

// spill says where maps may run besides near their blocks in the job's racks.
type spill int8

const (
	spillHome  spill = iota // near their blocks elsewhere, if no other job wants the slot
	spillAny                // anywhere, if no other job wants the slot
	spillFirst              // anywhere in the job's racks, before maps of jobs that are ranked lower
)

// describe names the origin of a candidate: a policy, or the plan that the search began with.
func (x *candidate) describe() string {
	switch {
	case x.plan == nil:
		return x.name
	case x.plan.moved == 0:
		return x.plan.name
	}
	return fmt.Sprintf("%s, changed %d times", x.plan.name, x.plan.moved)
}

// admit makes an arriving job follow the plan. Its order of all jobs merges all users into one.
func (p *plan) admit(s *simulation, j *job) {
	j.user, j.rank, j.sw.racks = 0, p.rank[j.id], p.choice[j.id].racks
	j.sw.begun, j.fetching = make([]int32, s.in.Racks), make([]int, s.in.Racks)
}

// loosen is the plan, but all tasks may run anywhere if nothing else wants the slots.
func (p *plan) loosen() *plan {
	loose := *p
	loose.choice = slices.Clone(p.choice)
	for j := range loose.choice {
		c := &loose.choice[j]
		c.spill, c.overflow = max(c.spill, spillAny), true
	}
	return &loose
}

// follow gives a slot to the first job in the plan's order that wants it.
type follow struct{ *plan }

func (follow) reduces(s *simulation, u *user, rack int32) bool {
	return len(u.ready) > 0 || len(u.early) > 0 && (len(u.maps) == 0 || !s.n.saturated[rack])
}

func (x follow) findReduce(s *simulation, u *user, slot int32) (int32, class) {
	w := s.in.WorkerOf[slot]
	if t := x.reduceOf(s, u.ready, w); t >= 0 || len(u.maps) > 0 && s.n.saturated[s.in.RackOf[w]] {
		return t, preferred
	}
	return x.reduceOf(s, u.early, w), preferred
}

func (x follow) reduceOf(s *simulation, list []*job, w int32) int32 {
	rack := s.in.RackOf[w]
	for _, over := range []bool{false, true} {
		for _, j := range list {
			c := &x.choice[j.id]
			if j.fetching[rack] >= s.t.most(rack, s.in.Bandwidth[w]) {
				continue
			}
			wanted := true
			if c.output {
				counts := s.sarp(j)
				wanted = counts == nil || j.sw.begun[rack] < counts[rack]
			}
			if wanted == over || over && !c.overflow || !c.early && j.mapsEnded < j.maps {
				continue
			}
			if t := s.nextReduce(j, w); t >= 0 {
				return t
			}
		}
	}
	return -1
}

func (x follow) findMap(s *simulation, u *user, slot int32) (int32, class) {
	return x.mapOf(s, u, slot), preferred
}

func (x follow) mapOf(s *simulation, u *user, slot int32) int32 {
	w := s.in.WorkerOf[slot]
	rack := s.in.RackOf[w]
	for _, j := range u.maps {
		c := &x.choice[j.id]
		f, some := s.on(w, j, model.Map)
		if !some || c.racks != nil && !c.racks[rack] {
			continue
		}
		if t := s.chosen(j, w, f); t >= 0 {
			return t
		}
		if c.spill == spillFirst {
			if t := j.pending.any(f); t >= 0 {
				return t
			}
		}
	}
	for _, j := range u.maps {
		if f, some := s.on(w, j, model.Map); some {
			if t := j.pending.near(w, rack, f); t >= 0 {
				return t
			}
		}
	}
	for _, j := range u.maps {
		if f, some := s.on(w, j, model.Map); some && x.choice[j.id].spill >= spillAny {
			if t := j.pending.any(f); t >= 0 {
				return t
			}
		}
	}
	return -1
}

// plans are the plans without balanced racks: jobs run anywhere, those that would take longest alone first, or by
// arrival.
func (s *planSearch) plans() []*plan {
	in := s.r.in
	tail := ordered(in.Jobs, func(a, b int32) int {
		return cmp.Compare(s.p.x.Alone(b)-in.Arrival[b], s.p.x.Alone(a)-in.Arrival[a])
	})
	anywhere := func(name string, order []int32, early bool, spill spill) *plan {
		p := &plan{rank: inverse(order), name: fmt.Sprintf("anywhere, order %s, early %t", name, early)}
		p.choice = slices.Repeat([]choice{{spill: spill, overflow: true, early: early}}, in.Jobs)
		return p
	}
	arrival := byArrival(in)
	return []*plan{anywhere("tail", tail, false, spillAny), anywhere("tail", tail, true, spillAny),
		anywhere("arrival", arrival, false, spillAny), anywhere("arrival", arrival, true, spillAny),
		anywhere("tail", tail, true, spillFirst)}
}
