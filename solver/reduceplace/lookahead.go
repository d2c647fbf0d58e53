package reduceplace

import (
	"cmp"
	"slices"

	"mrsched/model/reduceplace"
)

// ranked is a policy that leaves some of the cheapest free slots and takes the next.
type ranked interface {
	// offset is how many it leaves; at least the job's reduces remain.
	offset(job int32, free *freeSlots) int
}

// lookahead follows whichever of several policies has cost least so far. Departures do not depend on placements, so each
// policy is played on the side, on the very same jobs, as if it had always been in charge; the leader's choice, how many
// of the cheapest slots to leave, is then made on the slots that are really free.
//
// Source: mrsched.
type lookahead struct {
	in      *reduceplace.Instance
	x       []float64
	experts []expert
	list    []int32
	slots   map[int32][]int32 // of running jobs, expert by expert
}

// expert is a policy played on the side.
type expert struct {
	ranked
	free *freeSlots
	cost float64
}

func newLookahead(r *run) *lookahead {
	p := &lookahead{in: r.in, x: r.believed, slots: map[int32][]int32{}}
	for _, e := range []ranked{newFuture(r), newRHC(r), greedy{r.in}} {
		p.experts = append(p.experts, expert{ranked: e, free: newFreeSlots(r.in.Slots)})
	}
	return p
}

func (p *lookahead) choose(list []int32, job int32, free *freeSlots) []int32 {
	r := int(p.in.Reduces[job])
	if r == 0 {
		return list
	}
	leader := slices.MinFunc(p.experts, func(a, b expert) int { return cmp.Compare(a.cost, b.cost) }).ranked
	taken, left := make([]int32, 0, r*len(p.experts)), 0
	for k := range p.experts {
		e := &p.experts[k]
		y := e.offset(job, e.free)
		if e.ranked == leader {
			left = min(y, free.count-r)
		}
		own := e.free.from(taken[len(taken):], y, r)
		taken = taken[:len(taken)+r]
		for _, s := range own {
			e.free.take(s)
			e.cost += p.x[job] * p.in.Cost[s].Float()
		}
		if w, ok := e.ranked.(watcher); ok {
			w.placed(job, own)
		}
	}
	p.slots[job] = taken
	return free.from(list, left, r)
}

func (p *lookahead) placed(int32, []int32) {}

func (p *lookahead) departed(job int32) {
	taken, ok := p.slots[job]
	if !ok {
		return
	}
	delete(p.slots, job)
	r := int(p.in.Reduces[job])
	for k := range p.experts {
		e := &p.experts[k]
		for _, s := range taken[k*r : (k+1)*r] {
			e.free.release(s)
		}
		if w, ok := e.ranked.(watcher); ok {
			w.departed(job)
		}
	}
}
