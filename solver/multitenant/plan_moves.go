package multitenant

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"mrsched/model"
)

const (
	// lateSteps: a new plan need only reach the lead's makespan of that many steps ago.
	lateSteps = 30
	// patientSteps is the number of steps without a better schedule after which the search returns to the best plan.
	patientSteps = 10 * lateSteps
)

// planMoves changes plans at random.
type planMoves struct{ rng *rand.Rand }

func newPlanMoves(seed uint64) planMoves { return planMoves{rand.New(rand.NewPCG(seed, 701))} }

// improve changes the lead while iterations and time are left. A changed plan becomes the lead if it ends no later than
// the lead, or than the lead of lateSteps steps ago.
func (s *planSearch) improve(ctx context.Context) error {
	if s.lead.plan == nil {
		return nil
	}
	m, top := newPlanMoves(s.opt.Seed), s.lead
	s.late = make([]model.Time, lateSteps)
	restart := func() {
		s.lead, s.idle = top, 0
		for k := range s.late {
			s.late[k] = top.makespan + top.makespan/200
		}
	}
	restart()
	for s.more(ctx) {
		if err := s.tryAll(ctx, m.moves(s), func(x *candidate) {
			s.accept(x)
			if x.before(&top.score) {
				top, s.idle = *x, 0
			}
		}); err != nil {
			return err
		}
		if s.idle > patientSteps {
			restart()
		}
	}
	return nil
}

// accept decides whether a plan becomes the lead.
func (s *planSearch) accept(x *candidate) {
	late := &s.late[s.step%lateSteps]
	if x.makespan <= s.lead.makespan || x.makespan <= *late {
		s.lead = *x
	}
	*late = min(*late, s.lead.makespan)
	s.step++
	s.idle++
}

// moves are variants of the lead with one to three changes.
func (m planMoves) moves(s *planSearch) (list []*plan) {
	v := newView(s)
	for range planBatch {
		p := *s.lead.plan
		p.choice, p.rank = slices.Clone(p.choice), slices.Clone(p.rank)
		for changes := 1 + m.rng.IntN(3); changes > 0; changes-- {
			p.moved++
			m.change(s, v, &p)
		}
		list = append(list, &p)
	}
	return list
}

// leadView is the moves' data about the lead's schedule.
type leadView struct {
	byEnd []int32 // jobs with tasks, the last to end first
}

func newView(s *planSearch) *leadView {
	in := s.r.in
	ends, _ := in.Ends(s.lead.schedule)
	v := &leadView{}
	for j := range int32(in.Jobs) {
		if in.FirstMap[j+1] > in.FirstMap[j] || in.Reduces(j) > 0 {
			v.byEnd = append(v.byEnd, j)
		}
	}
	slices.SortStableFunc(v.byEnd, func(a, b int32) int { return cmp.Compare(ends[b], ends[a]) })
	return v
}

// change changes one decision about one job, mostly one of the last to end, or rarely about all jobs.
func (m planMoves) change(s *planSearch, v *leadView, p *plan) {
	n := len(v.byEnd)
	u := m.rng.Float64()
	j, last := v.byEnd[int(float64(n)*u*u)], false
	if m.rng.IntN(2) == 0 {
		j, last = v.byEnd[0], true
	}
	c := &p.choice[j]
	switch k := m.rng.IntN(20); {
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
		to := m.rng.IntN(len(*rank))
		if last {
			to = m.rng.IntN(int((*rank)[j]) + 1)
		}
		*rank = moveRank(*rank, j, int32(to))
	case k < 10:
		c.urgent = int8(m.rng.IntN(mostFactor + 1))
	case k < 12:
		c.early = !c.early
	case k < 13:
		c.overflow = !c.overflow
	case k < 14:
		c.spill = spill(m.rng.IntN(int(spillKinds)))
	case k < 16:
		m.changePlaces(s, j, c)
	case k < 19:
		m.changeCounts(s, j, c)
	default:
		m.changeAll(p)
	}
}

// changePlaces changes where a job's maps run: anywhere, in racks that the placer would choose in an idle cluster, or
// with one place more or less.
func (m planMoves) changePlaces(s *planSearch, j int32, c *choice) {
	switch m.rng.IntN(4) {
	case 0:
		c.places = nil
	case 1:
		options := s.p.idle(j)
		c.places = s.p.choice(options[m.rng.IntN(len(options))]).places
	default:
		places := s.p.x.Places
		if c.places == nil {
			c.places = make([]bool, len(places))
			for k := range places {
				c.places[k] = true
			}
		}
		c.places = slices.Clone(c.places)
		k := m.rng.IntN(len(places))
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
func (m planMoves) changeCounts(s *planSearch, j int32, c *choice) {
	switch m.rng.IntN(4) {
	case 0:
		c.counts = nil
	case 1:
		options := s.p.idle(j)
		c.counts = s.p.choice(options[m.rng.IntN(len(options))]).counts
	default:
		if c.counts == nil {
			options := s.p.idle(j)
			c.counts = s.p.choice(options[m.rng.IntN(len(options))]).counts
		}
		c.counts = slices.Clone(c.counts)
		from, to := m.rng.IntN(len(c.counts)), m.rng.IntN(len(c.counts))
		if n := c.counts[from]; n > 0 && s.p.x.Places[to].ReduceSlots > 0 {
			n = 1 + m.rng.Int32N(n)
			c.counts[from] -= n
			c.counts[to] += n
		}
	}
}

// changeAll changes one rule for all jobs.
func (m planMoves) changeAll(p *plan) {
	early, over, spill := m.rng.IntN(2) == 0, m.rng.IntN(2) == 0, spill(m.rng.IntN(int(spillKinds)))
	k := m.rng.IntN(3)
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

// idle are the choices of a job in an idle cluster.
func (p *placer) idle(j int32) []*forecast {
	p.reset()
	return p.forecasts(j)
}

func (p *placer) reset() {
	for _, free := range [][]float64{p.mapFree, p.reduceFree, p.outFree, p.inFree} {
		clear(free)
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
