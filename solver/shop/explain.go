package shop

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver/explain"
)

// explainer says what holds the tasks of a schedule.
type explainer struct {
	*explain.Desk
	in *shop.Instance
	c  *chain
}

// Explain says why a task, or the last task of a job, is where it is.
func (r *run) Explain(ctx context.Context, q explain.Question) (*explain.Explanation, error) {
	e := &explainer{in: r.in, c: newChain(r.in, q.Schedule, nil)}
	e.Desk = explain.NewDesk(r.in, q, func(u int32) int32 { return r.in.Job[u] })
	e.Packed, e.Alone = true, r.in.Alone
	if err := e.bound(); err != nil {
		return nil, err
	}
	return e.Answer(ctx, e)
}

func (e *explainer) task(row int32) int32 { return int32(e.Rows[row].Task) }

// Holds are the release, or the end of a freeze; what the task follows; and what its node lacks right before its start.
func (e *explainer) Holds(row int32) []explain.Hold {
	u := e.task(row)
	h := explain.Hold{Kind: explain.Release, Until: e.in.Earliest[u], By: model.None}
	h.Text = fmt.Sprintf("it is released at %s", e.At(h.Until))
	switch now := e.W.Now; {
	case h.Until <= max(e.W.Jobs[e.in.Job[u]].Release, e.W.Tasks[u].Release.Or(0)):
	case now.Known && h.Until == now.Value:
		h.Text = fmt.Sprintf("what has not begun by now, %s, starts then or later", e.At(h.Until))
	default:
		h.Text = fmt.Sprintf("the freeze ends at %s", e.At(h.Until))
	}
	return append([]explain.Hold{h}, e.After(func(pass func(by int32, until model.Time)) { e.preds(u, 0, pass) })...)
}

// preds passes the tasks before a step, with the time from which on they let it start; it looks through barriers.
func (e *explainer) preds(step int32, delay model.Time, pass func(by int32, until model.Time)) {
	p := e.c.preds
	for k := p.SuccFirst[step]; k < p.SuccFirst[step+1]; k++ {
		if x, d := p.SuccStep[k], delay+p.SuccDelay[k]; int(x) >= e.in.Tasks {
			e.preds(x, d, pass)
		} else {
			pass(e.Row[x], e.c.b.end[x]+d)
		}
	}
}

// Next passes the tasks behind, through barriers.
func (e *explainer) Next(row int32, end model.Time, each func(row int32, start, end model.Time)) {
	var pass func(step int32, at model.Time)
	pass = func(step int32, at model.Time) {
		for k := e.in.SuccFirst[step]; k < e.in.SuccFirst[step+1]; k++ {
			if v, t := e.in.SuccStep[k], at+e.in.SuccDelay[k]; int(v) >= e.in.Tasks {
				pass(v, t)
			} else {
				each(e.Row[v], t, explain.Never)
			}
		}
	}
	pass(e.task(row), end)
}

// Machines are the nodes that may run a task and have time and room for it when they are empty.
func (e *explainer) Machines(row int32) (list []int32) {
	for i := range int32(e.in.Nodes) {
		if u := e.task(row); e.in.Runs(u, i) && e.in.HasTime(u, i) {
			list = append(list, i)
		}
	}
	return list
}

// End counts what the task takes on the node.
func (e *explainer) End(row, node int32, start model.Time) model.Time {
	return start + e.in.Length(e.task(row), node)
}

// Room looks at the profiles of the node and its groups without the task. What it comes behind is a task that ends then
// and holds a resource of which too little was free before.
func (e *explainer) Room(row, node int32, from model.Time) (start model.Time, by int32, ok bool) {
	b, u, by := e.c.b, e.task(row), int32(model.None)
	was, at := b.node[u], b.start[u]
	b.remove(u)
	spot, ok := b.soonest(u, from, shop.Never-1, []int32{node})
	short := e.short(u, node, spot.start-1)
	b.place(u, was, at)
	if !ok || spot.start <= from {
		return spot.start, by, ok
	}
	for _, x := range short {
		for _, v := range e.users(row, x, spot.start) {
			if e.Rows[v].End == spot.start {
				return spot.start, v, true
			}
		}
	}
	return spot.start, by, ok
}

// presence stands for the presence of a node among resources.
const presence = -1

// lack is a resource of which a place has too little free for a task.
type lack struct {
	resource  int // presence stands for the presence of the node
	place     string
	free, has int64
	nodes     []int32 // that share it
}

// short lists what a task lacks on a node at a time: of the groups of the node, and of what the node limits itself.
func (e *explainer) short(u, node int32, t model.Time) (list []lack) {
	b := e.c.b
	for _, g := range e.in.GroupsOf(u, node) {
		x := &e.in.Groups[g]
		if free := b.shared[g].freeAt(t); b.part(u, g)[0] > free {
			list = append(list, lack{int(x.Resource), e.W.Topology[x.Place].ID, free, x.Capacity, x.Nodes})
		}
	}
	p := &b.profiles[node]
	free := p.free[p.find(t)*b.resources:][:b.resources]
	for k, need := range b.demands(u) {
		r := k
		if r == e.in.Resources {
			r = presence
		}
		if need <= free[k] || slices.ContainsFunc(list, func(x lack) bool { return x.resource == r }) {
			continue
		}
		x := lack{r, e.in.MachineName(node), free[k], 0, []int32{node}}
		if r != presence {
			x.has = e.in.Capacities(e.in.Class[node])[r]
		}
		list = append(list, x)
	}
	return list
}

// users are the rows that hold what a task lacks right before a time, those that end last first.
func (e *explainer) users(row int32, x lack, t model.Time) (list []int32) {
	for _, i := range x.nodes {
		for _, v := range e.On[i] {
			if o := e.Rows[v]; x.resource != presence && v != row && o.Start < t && o.End >= t &&
				e.in.Needs(e.task(v), int32(x.resource)) > 0 {
				list = append(list, v)
			}
		}
	}
	slices.SortStableFunc(list, func(x, y int32) int { return cmp.Compare(e.Rows[y].End, e.Rows[x].End) })
	return list
}

// Stands says what a plan or the table fixed keeps where it is.
func (e *explainer) Stands(row int32) string {
	switch p := e.in.Replan(); {
	case p.Frozen(e.Rows[row].Task) != nil:
		return p.WhyFrozen()
	case e.in.Begun(e.task(row)):
		return "the table state says that it has begun there, whatever else holds"
	case e.in.Fixed(e.task(row)):
		return "the table fixed says that it stands there, whatever else holds"
	}
	return ""
}

// Due is the job's deadline.
func (e *explainer) Due(j int32) (model.Time, bool) { return e.in.Due[j], e.in.Due[j] < shop.Never }

// Tell says what the node lacks right before the start, which nodes are too small, and when the job would end alone.
func (e *explainer) Tell(row int32) error {
	b, u, at := e.c.b, e.task(row), e.Rows[row]
	if e.Q.Task == model.None {
		e.Where(explain.Place, "if all tasks ran as early and as fast as they can, the job would end at %s",
			e.At(e.in.Alone[e.Job]))
	}
	e.small(u)
	ready := e.Ready(row)
	if start, _, ok := e.Room(row, at.Machine, ready); !ok || start <= ready || start < at.Start {
		return nil
	}
	b.remove(u)
	short := e.short(u, at.Machine, at.Start-1)
	b.place(u, at.Machine, at.Start)
	for _, x := range short {
		if x.resource == presence {
			e.When(explain.Machine, at.Start, model.None, "until then %s is unavailable", e.Machine(row))
			continue
		}
		e.When(explain.Machine, at.Start, model.None,
			"until then %s has too little %s (%s needed, %s of %s free), held by %s",
			x.place, e.in.Resource[x.resource], e.in.Amount(x.resource, e.in.Needs(u, int32(x.resource))),
			e.in.Amount(x.resource, max(0, x.free)), e.in.Amount(x.resource, x.has),
			explain.Names(e.users(row, x, at.Start), func(v int32) string {
				return fmt.Sprintf("%s until %s", e.Named(v), e.At(e.Rows[v].End))
			}))
	}
	return nil
}

// small says which resources empty nodes that may run a task have too little of.
func (e *explainer) small(u int32) {
	count, away, lacks := 0, 0, map[string]bool{}
	for i := range int32(e.in.Nodes) {
		if e.in.Runs(u, i) && !e.in.HasTime(u, i) {
			away++
		}
		if !e.in.Allowed(u, i) || e.in.Runs(u, i) {
			continue
		}
		count++
		for r, need := range e.in.Demands(u) {
			if has := e.in.Capacities(e.in.Class[i])[r]; need > has {
				lacks[fmt.Sprintf("%s (%s needed)", e.in.Resource[r], e.in.Amount(r, need))] = true
			}
		}
	}
	if away > 0 {
		e.Where(explain.Place, "the table unavailable says that %s that would do too early", model.Counted(away, "node")+
			map[bool]string{true: " leaves", false: " leave"}[away == 1])
	}
	if count > 0 && len(lacks) > 0 {
		names := make([]string, 0, len(lacks))
		for name := range lacks {
			names = append(names, name)
		}
		slices.Sort(names)
		e.Where(explain.Place, "%s %s always too small for it: too little %s", model.Counted(count, "machine"),
			model.Are(count),
			strings.Join(names, " or "))
	}
}
