package msjo

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/model"
)

// Replanned is the instance under a plan that it has to keep, whose rows it judges. Certificates then prove bounds on
// the schedules that keep the frozen rows. Errors are *model.InputError.
func (in *Instance) Replanned(p *model.Replan) (*Instance, error) {
	h := model.Horizon{}
	h.Add(p.Until)
	for u := range in.Nodes {
		h.Add(in.Earliest[u])
		h.Add(in.Processing[u])
	}
	for _, d := range in.SuccDelay {
		h.Add(d)
	}
	if h.Over {
		return nil, model.NewInputError(model.BeyondHorizon(model.Position{},
			"the time until which rows are frozen, and the times of the instance,", "lower --freeze-until"))
	}
	in.judge(p)
	other := *in
	other.replan, other.remaining = p, in.remainingAt(p)
	return &other, nil
}

// Replan is what the instance has to keep of an earlier schedule; nil: nothing.
func (in *Instance) Replan() *model.Replan { return in.replan }

// Remaining is what is left of an instance at the time until which rows are frozen: see remainingAt. It is nil if the
// instance has no earlier schedule to keep.
func (in *Instance) Remaining() *Instance { return in.remaining }

// judge finds the rows that can stand. Rows are taken by start; one stands if its machine exists and is free, and all
// tasks before it stand and leave it its time. So what stands includes the predecessors of all that stands.
func (in *Instance) judge(p *model.Replan) {
	place := make([]int32, in.Nodes)
	for k, u := range in.Topo {
		place[u] = int32(k)
	}
	var rows []*model.ReplanRow
	for k := range p.Rows {
		if r := &p.Rows[k]; r.Index != model.None {
			rows = append(rows, r)
		}
	}
	end := func(r *model.ReplanRow) model.Time { return r.Start + in.Processing[r.Index] }
	slices.SortFunc(rows, func(a, b *model.ReplanRow) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(end(a), end(b)), // as in CheckOverlaps
			cmp.Compare(place[a.Index], place[b.Index]))
	})
	ready, waiting := slices.Clone(in.Earliest), slices.Clone(in.Preds)
	idle := map[int32]model.Time{}
	for _, r := range rows {
		u := int32(r.Index)
		switch {
		case r.At == model.None:
			r.Why = fmt.Sprintf("there is no machine %s", r.Machine)
		case r.Start < in.Earliest[u]:
			r.Why = fmt.Sprintf("it is released at %s", in.Earliest[u])
		case waiting[u] > 0:
			r.Why = "a task before it has not ended by its start"
		case r.Start < ready[u]:
			r.Why = fmt.Sprintf("the tasks before it leave it no time before %s", ready[u])
		case r.Start < idle[r.At]:
			r.Why = fmt.Sprintf("its machine is busy until %s", idle[r.At])
		default:
			r.Stands = true
			idle[r.At] = end(r)
			in.settle(u, end(r), ready, waiting)
		}
	}
}

// settle tells the nodes behind u that it ends, and barriers pass this on.
func (in *Instance) settle(u int32, end model.Time, ready []model.Time, waiting []int32) {
	for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
		v := in.SuccNode[a]
		ready[v] = max(ready[v], end+in.SuccDelay[a])
		if waiting[v]--; waiting[v] == 0 && v >= int32(in.Tasks) {
			in.settle(v, ready[v], ready, waiting)
		}
	}
}

// remainingAt is a relaxation of the instance under a plan, an ordinary instance of the same tasks:
//
//   - a frozen task that has ended by Until takes no time and is released at its end;
//   - of a frozen task that runs then, the rest is released at Until;
//   - any other task is released no earlier than Until.
//
// Every schedule that keeps the frozen rows becomes one of this instance at the same cost: what has ended needs no
// machine, and what runs goes on where it is. So a bound on this instance is one on those schedules. Only one thing is
// lost: the rest of a running task may wait here. And since the schedules that keep the frozen rows start, if they are
// active, at sums of this instance's times, rounding bounds up to its cost unit is valid for them, too.
func (in *Instance) remainingAt(p *model.Replan) *Instance {
	other := *in
	other.replan, other.remaining, other.refuted = nil, nil, &refutations{}
	other.Processing, other.Earliest = slices.Clone(in.Processing), slices.Clone(in.Earliest)
	for u := range in.Tasks {
		r := p.Frozen(model.TaskIndex(u))
		if r == nil {
			other.Earliest[u] = max(in.Earliest[u], p.Until)
			continue
		}
		end := r.Start + in.Processing[u]
		other.Earliest[u] = min(end, p.Until)
		other.Processing[u] = max(end-p.Until, 0)
	}
	other.paths()
	return &other
}
