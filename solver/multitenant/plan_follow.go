package multitenant

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/model"
	"mrsched/model/multitenant"
)

// plan holds decisions that a clairvoyant scheduler makes in advance.
type plan struct {
	choice  []choice // by job
	rank    []int32  // by job: its place in the order of all jobs; nil: users get slots as under fair
	then    []int32  // the same for reduces; nil: as rank
	name    string   // of the plan that the search began with
	moved   int      // changes since
	inLine  bool     // reduces fetch one after another in a rack, rather than all at once
	readers []int32  // by rack: how many maps may read from other racks at once; nil: any number
}

// choice is how a job runs.
type choice struct {
	places   []bool  // by place: whether its maps run there; nil: everywhere
	homes    []int32 // by map: the rack that runs it first of all; nil: any with its block
	counts   []int32 // by place: reduces; nil: as many as there are slots for
	spill    spill
	output   bool // its reduces follow its output by rack instead of counts, as under SARP
	overflow bool // reduces may start at places that have as many as planned
	early    bool // reduces may start before its maps have ended
	urgent   int8 // its transfers have weight 4^urgent on shared links
}

const (
	mostFactor = 3                     // the largest urgent
	mostUrgent = 1 << (2 * mostFactor) // the largest weight of a job's flow
)

// spill says where maps may run besides near their blocks at the job's places.
type spill int8

const (
	spillNone  spill = iota // maps run at the job's places only; what has no replica in their racks, anywhere there
	spillHome               // also near their blocks elsewhere, if no other job wants the slot
	spillAny                // anywhere, if no other job wants the slot
	spillFirst              // anywhere at the job's places, before maps of jobs that are ranked lower
	spillKinds
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

// admit makes an arriving job follow the plan. An order of all jobs merges all users into one.
func (p *plan) admit(s *simulation, j *job) {
	if p.rank != nil {
		j.user, j.rank = 0, [2]int32{p.rank[j.id], p.rank[j.id]}
		if p.then != nil {
			j.rank[model.Reduce] = p.then[j.id]
		}
	}
	j.homes = p.choice[j.id].homes
	if places := p.choice[j.id].places; places != nil {
		j.sw.racks = make([]bool, s.in.Racks)
		for k, wanted := range places {
			if wanted {
				j.sw.racks[s.x.Places[k].Rack] = true
			}
		}
	}
	j.placed, j.sw.begun = make([]int32, len(s.x.Places)), make([]int32, s.in.Racks)
	j.fetching = make([]int, s.in.Racks)
}

// loosen is the plan, but all tasks may run anywhere if nothing else wants the slots.
func (p *plan) loosen() *plan {
	loose := *p
	loose.readers = nil
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
	place, rack := s.x.PlaceOf[w], s.in.RackOf[w]
	for _, over := range []bool{false, true} {
		for _, j := range list {
			c := &x.choice[j.id]
			if j.fetching[rack] >= s.t.most(rack, s.in.Bandwidth[w]) {
				continue
			}
			wanted := c.counts == nil || j.placed[place] < c.counts[place]
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
	place, rack := s.x.PlaceOf[w], s.in.RackOf[w]
	afar := x.readers == nil || s.t.reading[rack] < x.readers[rack]
	for _, j := range u.maps {
		c := &x.choice[j.id]
		f, some := s.on(w, j, model.Map)
		if !some || c.places != nil && !c.places[place] {
			continue
		}
		if t := s.chosen(j, w, f, afar); t >= 0 {
			return t
		}
		if c.spill == spillFirst && afar {
			if t := j.pending.any(f); t >= 0 {
				return t
			}
		}
	}
	for _, j := range u.maps {
		if f, some := s.on(w, j, model.Map); some && x.choice[j.id].spill >= spillHome {
			if t := j.pending.elsewhere(w, rack, f); t >= 0 {
				return t
			}
		}
	}
	if !afar {
		return -1
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

// anywhere lets all jobs run anywhere, in an order.
func (s *planSearch) anywhere(order int, early bool, spill spill) *plan {
	p := &plan{rank: s.ranks[order], choice: make([]choice, s.r.in.Jobs),
		name: fmt.Sprintf("anywhere, order %s, early %t", orderName[order], early)}
	for j := range p.choice {
		p.choice[j] = choice{spill: spill, overflow: true, early: early}
	}
	return p
}

// placed lets jobs run in the racks that the placer chose for a weight of traffic.
func (s *planSearch) placed(weight float64, order int, spill spill) *plan {
	p := &plan{rank: s.ranks[order], choice: s.p.place(weight),
		name: fmt.Sprintf("racks, traffic weight %g, order %s", weight, orderName[order])}
	for j := range p.choice {
		c := &p.choice[j]
		c.spill, c.overflow, c.early = spill, spill > spillNone, true
	}
	return p
}

// plans are the plans without balanced racks: jobs run anywhere, or in the racks that the placer chose, or as under
// the policies. With a high weight of traffic jobs keep to their racks, which pays where they would wait for links.
func (s *planSearch) plans() (list []*plan) {
	for _, order := range []int{tailOrder, arrivalOrder, fairOrder} {
		list = append(list, s.anywhere(order, false, spillAny), s.anywhere(order, true, spillAny))
	}
	list = append(list, s.anywhere(midpointOrder, false, spillAny), s.anywhere(sizeOrder, false, spillAny),
		s.anywhere(tailOrder, true, spillFirst), s.placed(0.5, tailOrder, spillHome),
		s.placed(32, sizeOrder, spillNone), s.placed(2, sizeOrder, spillHome))
	return append(list, s.seeds...)
}

// planLike is a plan that resembles a schedule: jobs are ranked by when half of their maps have begun, run at the same
// places, and start their reduces early if they did.
func planLike(in *multitenant.Instance, s *model.Schedule, name string) *plan {
	x := in.Relax()
	p := &plan{choice: make([]choice, in.Jobs), name: "like " + name}
	for j := range p.choice {
		p.choice[j] = choice{places: make([]bool, len(x.Places)), counts: make([]int32, len(x.Places)), spill: spillAny,
			overflow: true}
	}
	f := in.Flows(s)
	starts := make([][]model.Time, in.Jobs)
	for i := range s.Entries {
		e := &s.Entries[i]
		t := int32(e.Task)
		j, place := in.JobOf(t), x.PlaceOf[in.WorkerOf[e.Machine]]
		c := &p.choice[j]
		if in.IsMap(t) {
			c.places[place] = true
			starts[j] = append(starts[j], e.Start)
			continue
		}
		c.counts[place]++
		c.early = c.early || e.Start < f.MapsEnd[j]
	}
	half := slices.Clone(in.Arrival)
	for j := range half {
		if n := len(starts[j]); n > 0 {
			slices.Sort(starts[j])
			half[j] = starts[j][n/2]
		}
	}
	p.rank = inverse(ordered(in.Jobs, func(a, b int32) int { return cmp.Compare(half[a], half[b]) }))
	return p
}
