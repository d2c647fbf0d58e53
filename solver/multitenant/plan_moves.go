package multitenant

import (
	"cmp"
	"context"
	"slices"

	"mrsched/model"
)

const (
	// lateSteps: a new plan need only reach the lead's makespan of that many steps ago.
	lateSteps = 30
	// patientSteps is the number of steps without a better schedule after which the search returns to the best plan.
	patientSteps = 10 * lateSteps
)

// improve changes the lead while iterations and time are left. A changed plan becomes the lead if it ends no later than
// the lead, or than the lead of lateSteps steps ago.
func (s *planSearch) improve(ctx context.Context) error {
	if s.lead.plan == nil {
		return nil
	}
	top, late, step, idle := s.lead, make([]model.Time, lateSteps), 0, 0
	restart := func() {
		s.lead, idle = top, 0
		for k := range late {
			late[k] = top.makespan + top.makespan/200
		}
	}
	restart()
	judge := func(x *candidate) {
		before := &late[step%lateSteps]
		if x.makespan <= s.lead.makespan || x.makespan <= *before {
			s.lead = *x
		}
		*before = min(*before, s.lead.makespan)
		step, idle = step+1, idle+1
		if x.before(&top.score) {
			top, idle = *x, 0
		}
	}
	for s.more(ctx) {
		if err := s.tryAll(ctx, s.moves(), judge); err != nil {
			return err
		}
		if idle > patientSteps {
			restart()
		}
	}
	return nil
}

// moves are variants of the lead with one to three changes.
func (s *planSearch) moves() (list []*plan) {
	jobs := s.lastToEnd()
	for range planBatch {
		p := *s.lead.plan
		p.choice, p.rank = slices.Clone(p.choice), slices.Clone(p.rank)
		for changes := 1 + s.rng.IntN(3); changes > 0; changes-- {
			p.moved++
			s.change(jobs, &p)
		}
		list = append(list, &p)
	}
	return list
}

// lastToEnd lists the jobs with tasks, the last to end in the lead's schedule first.
func (s *planSearch) lastToEnd() []int32 {
	in := s.r.in
	ends, _ := in.Ends(s.lead.schedule)
	list := ordered(in.Jobs, func(a, b int32) int { return cmp.Compare(ends[b], ends[a]) })
	return slices.DeleteFunc(list, func(j int32) bool {
		return in.FirstMap[j+1] == in.FirstMap[j] && in.Reduces(j) == 0
	})
}

// change changes one decision about one of the jobs, mostly one of the first, or rarely about all.
func (s *planSearch) change(jobs []int32, p *plan) {
	u := s.rng.Float64()
	j, last := jobs[int(float64(len(jobs))*u*u)], false
	if s.rng.IntN(2) == 0 {
		j, last = jobs[0], true
	}
	c := &p.choice[j]
	switch k := s.rng.IntN(28); {
	case k < 8:
		if p.rank == nil {
			p.rank = planLike(s.r.in, s.lead.schedule, "").rank
		}
		rank := &p.rank
		if k >= 6 {
			if rank = &p.then; p.then == nil {
				*rank = slices.Clone(p.rank)
			}
		}
		to := s.rng.IntN(len(*rank))
		if last {
			to = s.rng.IntN(int((*rank)[j]) + 1)
		}
		*rank = moveRank(*rank, j, int32(to))
	case k < 10:
		c.urgent = int8(s.rng.IntN(mostFactor + 1))
	case k < 12:
		c.early = !c.early
	case k < 13:
		c.overflow = !c.overflow
	case k < 14:
		c.spill = spill(s.rng.IntN(int(spillKinds)))
	case k < 16:
		s.changePlaces(j, c)
	case k < 19:
		s.changeCounts(j, c)
	case k < 20:
		s.changeAll(p)
	default:
		options := s.sets.options[j]
		other := s.p.choice(options[s.rng.IntN(len(options))])
		c.places, c.counts, c.homes = other.places, other.counts, nil
	}
}

// changePlaces changes where a job's maps run: anywhere, in racks that the placer would choose in an idle cluster, or
// with one place more or less.
func (s *planSearch) changePlaces(j int32, c *choice) {
	c.homes = nil
	switch s.rng.IntN(4) {
	case 0:
		c.places = nil
	case 1:
		c.places = s.inIdle(j).places
	default:
		places := s.p.x.Places
		if c.places == nil {
			c.places = make([]bool, len(places))
			for k := range places {
				c.places[k] = true
			}
		}
		c.places = slices.Clone(c.places)
		k := s.rng.IntN(len(places))
		c.places[k] = !c.places[k]
		for k := range places {
			if c.places[k] && places[k].MapSlots > 0 {
				return
			}
		}
		c.places = nil
	}
}

// changeCounts changes where a job's reduces run: wherever there are slots, as the placer would choose in an idle
// cluster, or with some moved from one place to another.
func (s *planSearch) changeCounts(j int32, c *choice) {
	switch s.rng.IntN(4) {
	case 0:
		c.counts, c.output = nil, false
	case 1:
		c.counts, c.output = s.inIdle(j).counts, false
	default:
		c.output = false
		if c.counts == nil {
			c.counts = s.inIdle(j).counts
		}
		c.counts = slices.Clone(c.counts)
		from, to := s.rng.IntN(len(c.counts)), s.rng.IntN(len(c.counts))
		if n := c.counts[from]; n > 0 && s.p.x.Places[to].ReduceSlots > 0 {
			n = 1 + s.rng.Int32N(n)
			c.counts[from] -= n
			c.counts[to] += n
		}
	}
}

// inIdle is one of the placer's choices for a job in an idle cluster.
func (s *planSearch) inIdle(j int32) choice {
	s.p.free = newPerRack(s.r.in.Racks)
	options := s.p.forecasts(j)
	return s.p.choice(options[s.rng.IntN(len(options))])
}

// changeAll changes one rule for all jobs.
func (s *planSearch) changeAll(p *plan) {
	early, over, spill := s.rng.IntN(2) == 0, s.rng.IntN(2) == 0, spill(s.rng.IntN(int(spillKinds)))
	k := s.rng.IntN(4)
	if k == 3 {
		p.inLine = !p.inLine
		return
	}
	for j := range p.choice {
		c := &p.choice[j]
		switch k {
		case 0:
			c.early = early
		case 1:
			c.overflow = over
		default:
			c.spill = spill
		}
	}
}

// moveRank gives a job another rank; those in between move up or down by one.
func moveRank(rank []int32, j, to int32) []int32 {
	rank = slices.Clone(rank)
	from := rank[j]
	for k, r := range rank {
		switch {
		case r > from && r <= to:
			rank[k]--
		case r < from && r >= to:
			rank[k]++
		}
	}
	rank[j] = to
	return rank
}
