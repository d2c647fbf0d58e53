package multitenant

import (
	"cmp"
	"context"
	"slices"

	"mrsched/model"
)

// lateSteps: a new plan need only reach the lead's makespan of that many steps ago.
const lateSteps = 30

// improve changes the lead while iterations and time are left. A changed plan becomes the lead if it ends no later than
// the lead, or than the lead of lateSteps steps ago.
func (s *planSearch) improve(ctx context.Context) error {
	if s.lead.plan == nil {
		return nil
	}
	late, step := slices.Repeat([]model.Time{s.lead.makespan + s.lead.makespan/200}, lateSteps), 0
	judge := func(x *candidate) {
		before := &late[step%lateSteps]
		if x.makespan <= s.lead.makespan || x.makespan <= *before {
			s.lead = *x
		}
		*before = min(*before, s.lead.makespan)
		step++
	}
	for s.more(ctx) {
		if err := s.tryAll(ctx, s.moves(), judge); err != nil {
			return err
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

// change changes the rank or the racks of one of the jobs, mostly one of the first.
func (s *planSearch) change(jobs []int32, p *plan) {
	u := s.rng.Float64()
	j, last := jobs[int(float64(len(jobs))*u*u)], false
	if s.rng.IntN(2) == 0 {
		j, last = jobs[0], true
	}
	if s.rng.IntN(16) < 6 {
		to := s.rng.IntN(len(p.rank))
		if last {
			to = s.rng.IntN(int(p.rank[j]) + 1)
		}
		p.rank = moveRank(p.rank, j, int32(to))
		return
	}
	options := s.options[j]
	p.choice[j].racks = options[s.rng.IntN(len(options))].racks
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
