package reduceplace

import (
	"context"

	"mrsched/model"
	"mrsched/solver"
)

// solveClairvoyant places reduces with all arrivals and departures known, which no policy can do: it shows what knowing
// the future is worth, and how near the clairvoyant bound is to the optimum.
//
// Slots are filled one by one with the most data that they can hold (clairvoyant_slots.go), or as greedy does if that is
// cheaper. Then the tasks of few slots at a time are redistributed among them at the least cost
// (clairvoyant_exchange.go): neighbours first, then slots further and further apart, again and again, until nothing
// changes or a limit is reached; each time is an iteration.
//
// Complexity: see these files.   Ties: the placement found first; the result does not depend on threads.   Source: mrsched.
func solveClairvoyant(ctx context.Context, r *run, opt solver.Options) (*found, error) {
	slot, complete := successive(ctx, r.in, opt.Threads)
	cheapest, _ := play(ctx, r.in, inRanks{greedy{r.in}, r.in}, func(int, int) {})
	if !complete {
		return &found{slot: cheapest, status: model.StatusLimit}, nil
	}
	if r.in.Fetching(cheapest).Cmp(r.in.Fetching(slot)) < 0 {
		slot = cheapest
	}
	x := newExchanger(r.in, slot, min(group, r.in.Slots))
	done := 0
	x.search(func() bool {
		opt.Report(done, opt.Iterations)
		done++
		return done <= opt.Iterations && ctx.Err() == nil
	})
	f := &found{slot: x.placement(), status: model.StatusFeasible}
	if ctx.Err() != nil {
		f.status = model.StatusLimit
	}
	return f, nil
}

// search redistributes groups of slots, as long as next says so and something changes.
func (x *exchanger) search(next func() bool) {
	used, q := 0, len(x.perms[0])
	for s, list := range x.lists {
		if len(list) > 0 {
			used = s + 1
		}
	}
	if used < 2 {
		return
	}
	top := min(x.in.Slots, used+q-1) // some empty slots help to make room
	type key struct{ first, stride int }
	tried, changed := map[key]int{}, make([]int, top) // times of the last try and change
	now := 0
	slots := make([]int32, q)
	for again := true; again; {
		again = false
		for stride := 1; (q-1)*stride < top; stride += (stride + 1) / 2 {
			for first := 0; first+(q-1)*stride < top; first++ {
				k, fresh := key{first, stride}, false
				for i := range slots {
					slots[i] = int32(first + i*stride)
					fresh = fresh || changed[slots[i]] >= tried[k]
				}
				if !fresh {
					continue
				}
				if !next() {
					return
				}
				if now++; x.redistribute(slots) {
					again = true
					for _, s := range slots {
						changed[s] = now
					}
					now++ // the group itself need not be tried again
				}
				tried[k] = now
			}
		}
	}
}
