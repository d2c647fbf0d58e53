package shop

import (
	"context"
	"math"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

// replanned is the run under a plan that its schedules have to keep.
func (r *run) replanned(p *model.Replan) (*run, error) {
	in, err := r.in.Replanned(p)
	if err != nil {
		return nil, err
	}
	return &run{in: in}, nil
}

// Repaired keeps the rows of the earlier plan that can stay, and adds the other tasks in the order of that plan, new
// ones last, each where it ends first. It is nil if a task finds no place, or if ctx ends.
//
// Complexity: as heft. Ties: the lower task, the lower node.
func Repaired(ctx context.Context, in *shop.Instance) *model.Schedule {
	p := in.Replan()
	b := newBoard(in)
	key := make([]int64, in.Steps)
	for u := range int32(in.Tasks) {
		switch r := p.Row(model.TaskIndex(u)); {
		case in.Fixed(u):
			key[u] = -1
		case r == nil:
			key[u] = math.MaxInt64
		case r.Stands:
			key[u] = -1
			b.place(u, r.At, r.Start)
		default:
			key[u] = int64(max(0, r.Start))
		}
	}
	if !b.insert(ctx, free(in, graph(in).Topological(key)), solver.Options{}) {
		return nil
	}
	return b.schedule()
}

// InOrder adds all tasks to the fixed ones by rising key, each where it ends first. It is nil if ctx ends.
func InOrder(ctx context.Context, in *shop.Instance, key []int64) *model.Schedule {
	return inserted(ctx, in, free(in, graph(in).Topological(key)), solver.Options{})
}

// Improved is the result of the search of best from a schedule, which ends at a cost. It says how many iterations that
// took, and whether a limit ended them.
func Improved(ctx context.Context, in *shop.Instance, first *model.Schedule, aim float64,
	opt solver.Options) (found *model.Schedule, iterations int, limited bool) {
	s := newLNS(in, first, aim, opt)
	limited = s.Run(ctx, opt)
	return s.Best().schedule(), s.Done, limited
}

// changeCost is what a change of the earlier plan costs, in the integers of the objective.
func changeCost(in *shop.Instance) model.Wide {
	p := in.Replan()
	if p == nil {
		return model.Wide{}
	}
	switch in.Objective {
	case shop.WeightedEnds, shop.WeightedTaskEnds, shop.Tardiness:
		return model.Product(uint64(p.Penalty), uint64(model.Second))
	}
	return model.Wide{Low: uint64(p.Penalty)} // per second, or per job of weight 1
}

// changed reports whether the place of task u is a change.
func (c *chain) changed(u int32) bool {
	return c.each != (model.Wide{}) && c.in.Replan().Changed(model.Entry{Task: model.TaskIndex(u), Machine: c.b.node[u],
		Start: c.b.start[u]})
}

// charge adds the cost of this many changes to a price.
func (c *chain) charge(p price, changes int) price {
	for range changes {
		p.first = p.first.Plus(c.each)
	}
	return p
}

// keepOld puts a task back in its place of the earlier plan, if changes cost something and there is room.
func (c *chain) keepOld(u int32, from, limit model.Time) bool {
	r := c.in.Replan().Row(model.TaskIndex(u))
	if c.each == (model.Wide{}) || r == nil || r.At == model.None || r.Start < from || c.random.IntN(2) == 0 {
		return false
	}
	at, ok := c.b.soonest(u, r.Start, min(limit, r.Start+max(0, c.in.Length(u, r.At))), []int32{r.At})
	if ok {
		c.put(u, at.node, at.start)
	}
	return ok
}
