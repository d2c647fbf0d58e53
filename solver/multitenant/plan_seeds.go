package multitenant

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/model"
	"mrsched/model/multitenant"
)

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

// plans are the first plans: jobs that run anywhere, then jobs in the racks that the placer chose, then plans that
// resemble the policies' schedules. With a high weight of traffic jobs keep to their racks, which pays where jobs wait
// for links.
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
	p := &plan{choice: make([]choice, in.Jobs), rank: make([]int32, in.Jobs), name: "like " + name}
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
	order := make([]int32, in.Jobs)
	half := make([]model.Time, in.Jobs)
	for j := range order {
		order[j], half[j] = int32(j), in.Arrival[j]
		if n := len(starts[j]); n > 0 {
			slices.Sort(starts[j])
			half[j] = starts[j][n/2]
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(half[a], half[b]) })
	for k, j := range order {
		p.rank[j] = int32(k)
	}
	return p
}
