package reduceplace

import (
	"cmp"
	"context"
	"slices"

	"mrsched/model/reduceplace"
)

// ranked is a policy that leaves some of the cheapest free slots and takes the next.
type ranked interface {
	// offset is how many it leaves; enough for the job's reduces remain.
	offset(job int32, free *freeSlots) int
}

// lookahead follows whichever of several policies has cost least so far: future, receding horizon, greedy and, where
// the system is tiny enough, stationary. Departures do not depend on placements, so each policy is simulated on the
// same jobs as if it had always been in charge, and charged with what ended jobs fetched; the leader's choice is then
// made on the slots that are really free. Those are the leader's own again whenever the system was empty since it took
// the lead, so in the long run lookahead costs about as much as the best of them; on a few jobs there is no such rule.
//
// It knows only what it saw; stationary, where it takes part, knows the law and the load of --law and --load, by
// default those of the whole workload.
//
// Complexity: that of future, and of the iteration behind stationary if there is one. Source: mrsched.
type lookahead struct {
	in      *reduceplace.Instance
	experts []expert
	slots   map[int32][]int32 // of running jobs: what the experts gave them, one after another
}

// expert is a simulated policy: one that ranks slots, or stationary.
type expert struct {
	ranked
	side *stationary // on the side
	real *stationary // the same policy, told what lookahead really did
	free *freeSlots  // on the side
	cost float64
}

func newLookahead(ctx context.Context, r *run) *lookahead {
	p := &lookahead{in: r.in, slots: map[int32][]int32{}}
	for _, e := range []ranked{newFuture(r), newRHC(r), greedy{r.in}} {
		p.experts = append(p.experts, expert{ranked: e, free: newFreeSlots(r.in.Slots)})
	}
	if s, load, err := r.system(); err == nil {
		v := solveValues(ctx, s, load)
		p.experts = append(p.experts, expert{side: r.newStationary(v), real: r.newStationary(v),
			free: newFreeSlots(r.in.Slots)})
		slices.Reverse(p.experts) // the first leads while costs are equal
	}
	return p
}

func (p *lookahead) choose(list []int32, job int32, free *freeSlots) []int32 {
	r, leader := int(p.in.Reduces[job]), 0
	for k := range p.experts {
		if cmp.Compare(p.experts[k].cost, p.experts[leader].cost) < 0 {
			leader = k
		}
	}
	if e := &p.experts[leader]; e.real != nil {
		list = e.real.choose(list, job, free)
	}
	taken := make([]int32, 0, r*len(p.experts))
	for k := range p.experts {
		e := &p.experts[k]
		own := taken[len(taken):]
		switch {
		case e.side != nil:
			own = e.side.choose(own, job, e.free)
		case r > 0:
			y := e.offset(job, e.free)
			own = e.free.from(own, y, r)
			if k == leader {
				list = free.from(list, min(y, free.count-r), r)
			}
		}
		taken = taken[:len(taken)+r]
		e.settle(job, own)
	}
	p.slots[job] = taken
	return list
}

// settle takes the slots that an expert chose in its simulation.
func (e *expert) settle(job int32, own []int32) {
	for _, s := range own {
		e.free.take(s)
	}
	if w := e.watcher(); w != nil && (len(own) > 0 || e.side != nil) {
		w.placed(job, own)
	}
}

// watcher is the simulated policy if it observes its choices; else nil.
func (e *expert) watcher() watcher {
	if e.side != nil {
		return e.side
	}
	w, _ := e.ranked.(watcher)
	return w
}

func (p *lookahead) placed(job int32, slots []int32) {
	for _, e := range p.experts {
		if e.real != nil {
			e.real.placed(job, slots)
		}
	}
}

func (p *lookahead) departed(job int32) {
	r, taken := int(p.in.Reduces[job]), p.slots[job]
	delete(p.slots, job)
	x := float64(p.in.Bytes[job]) / float64(max(r, 1)) // now it is known, whatever was believed
	for k := range p.experts {
		e := &p.experts[k]
		for _, s := range taken[k*r : (k+1)*r] {
			e.free.release(s)
			e.cost += x * p.in.Cost[s].Float()
		}
		if w := e.watcher(); w != nil && (r > 0 || e.side != nil) {
			w.departed(job)
		}
		if e.real != nil {
			e.real.departed(job)
		}
	}
}
