package cluster

import (
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/cluster"
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

// repaired keeps the rows of the earlier plan that can stay, and adds the other tasks in the order of that plan, new
// ones last, each where it ends first. It is nil if a task finds no place, or if ctx ends.
//
// Complexity: as heft. Ties: the lower task, the lower node.
func repaired(ctx context.Context, in *cluster.Instance) *model.Schedule {
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
	order := slices.DeleteFunc(graph(in).Topological(key), func(u int32) bool { return in.Fixed(u) })
	if !b.insert(ctx, order, solver.Options{}) {
		return nil
	}
	return b.schedule()
}

// changeCost is what a change of the earlier plan costs, in the integers of the objective.
func changeCost(in *cluster.Instance) model.Wide {
	p := in.Replan()
	if p == nil {
		return model.Wide{}
	}
	if in.Objective == cluster.WeightedEnds || in.Objective == cluster.Tardiness {
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
