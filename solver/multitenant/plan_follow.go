package multitenant

import (
	"fmt"
	"slices"

	"mrsched/model"
)

// plan holds the decisions that a clairvoyant scheduler made in advance.
type plan struct {
	choice []choice // by job
	rank   []int32  // by job: its place in the order of all jobs; nil: users get slots as under fair
	then   []int32  // by job: that for reduces; nil: the same
	name   string   // of what the search made it from
	moved  int      // changes that the search has made to that
}

// choice is how a job runs.
type choice struct {
	places   []bool  // by place: whether its maps are to run there; nil: they are at all places
	counts   []int32 // by place: reduces; nil: as many as there are slots for
	spill    spill
	overflow bool // reduces may start at places that have as many as planned
	early    bool // reduces may start before its maps have ended
	urgent   int8 // each of its transfers counts for 4 to the power of this when links are shared
}

// mostFactor is the largest urgent: 4³ is mostUrgent.
const mostFactor = 3

func (c *choice) urgency() int32 { return 1 << (2 * c.urgent) }

// spill says what happens to maps that are at home neither on the worker of a free slot nor in its rack, and to slots
// at places that are not the job's.
type spill int8

const (
	spillNone  spill = iota // maps run at the job's places only; what has no replica in their racks, anywhere there
	spillHome               // they also run at home elsewhere, if no other job wants the slot
	spillAny                // they run anywhere if no job wants the slot
	spillFirst              // they run anywhere, before maps of jobs that are ranked lower
	spillKinds
)

// describe names the origin of a candidate: a policy, or what its plan was made from.
func (x *candidate) describe() string {
	switch {
	case x.plan == nil:
		return x.name
	case x.plan.moved == 0:
		return x.plan.name
	}
	return fmt.Sprintf("%s, changed %d times", x.plan.name, x.plan.moved)
}

// admit makes an arriving job follow the plan. An order of all jobs merges all users into one.
func (p *plan) admit(s *simulation, j *job) {
	if p.rank != nil {
		j.user, j.rank = 0, [2]int32{p.rank[j.id], p.rank[j.id]}
		if p.then != nil {
			j.rank[model.Reduce] = p.then[j.id]
		}
	}
	if places := p.choice[j.id].places; places != nil {
		j.sw.racks = make([]bool, s.in.Racks)
		for k, wanted := range places {
			if wanted {
				j.sw.racks[s.x.Places[k].Rack] = true
			}
		}
	}
	j.placed = make([]int32, len(s.x.Places))
}

// loosen is a plan that lets all tasks run anywhere if nothing else wants the slots.
func (p *plan) loosen() *plan {
	loose := *p
	loose.choice = slices.Clone(p.choice)
	for j := range loose.choice {
		c := &loose.choice[j]
		c.spill, c.overflow = max(c.spill, spillAny), true
	}
	return &loose
}

// follow takes tasks by plan: the first job in the order that wants the slot.
type follow struct{ *plan }

func (x follow) has(s *simulation, u *user, kind model.TaskKind, rack int32) bool {
	if kind == model.Map {
		return len(u.maps) > 0
	}
	return len(u.ready) > 0 || len(u.early) > 0 && (len(u.maps) == 0 || !s.n.saturated[rack])
}

func (x follow) take(s *simulation, u *user, kind model.TaskKind, slot int32) int32 {
	w := s.in.WorkerOf[slot]
	place := s.x.PlaceOf[w]
	if kind == model.Map {
		return x.takeMap(s, u.maps, w, place)
	}
	if t := x.takeReduce(s, u.ready, w, place); t >= 0 || len(u.maps) > 0 && s.n.saturated[s.in.RackOf[w]] {
		return t
	}
	return x.takeReduce(s, u.early, w, place)
}

func (x follow) takeReduce(s *simulation, list []*job, w, place int32) int32 {
	for _, over := range []bool{false, true} {
		for _, j := range list {
			c := &x.choice[j.id]
			wanted := c.counts == nil || j.placed[place] < c.counts[place]
			if wanted == over || over && !c.overflow || !c.early && j.mapsEnded < j.maps {
				continue
			}
			if t := s.nextReduce(j, w); t >= 0 {
				j.placed[place]++
				return t
			}
		}
	}
	return -1
}

func (x follow) takeMap(s *simulation, list []*job, w, place int32) int32 {
	rack := s.in.RackOf[w]
	for _, j := range list {
		c := &x.choice[j.id]
		f, some := s.on(w, j, model.Map)
		if !some || c.places != nil && !c.places[place] {
			continue
		}
		if t := j.pending.near(w, rack, f); t >= 0 {
			return t
		}
		if t := j.pending.fromAfar(f); t >= 0 {
			s.facts.remoteChosen++
			return t
		}
		if c.spill == spillFirst {
			if t := j.pending.any(f); t >= 0 {
				return t
			}
		}
	}
	for _, j := range list {
		if f, some := s.on(w, j, model.Map); some && x.choice[j.id].spill >= spillHome {
			if t := j.pending.near(w, rack, f); t >= 0 {
				return t
			}
		}
	}
	for _, j := range list {
		if f, some := s.on(w, j, model.Map); some && x.choice[j.id].spill >= spillAny {
			if t := j.pending.any(f); t >= 0 {
				return t
			}
		}
	}
	return -1
}
