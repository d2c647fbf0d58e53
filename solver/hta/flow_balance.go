package hta

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/heap"
	"mrsched/model/hta"
	"mrsched/solver/flow"
)

// bestBalanced extends the local tasks of each threshold by bal-assign and returns the assignment of least makespan. It
// is complete unless ctx ended.
//
// bal-assign gives each other task to the server with the least load. A task that happens to be local there costs
// w_loc, any other w_rem(r), where r is the number of tasks that are not local in the beginning (Definition 12).
//
// Complexity: O(tasks · log servers) per threshold, less where the makespan found already cannot be beaten.
// Ties: the larger τ, then lower indices.
func (r *run) bestBalanced(ctx context.Context, x *flow.SemiMatching) (best []int32, complete bool) {
	list := r.thresholds(x.Load)
	quick := slices.MinFunc(list, func(a, b threshold) int { return cmp.Compare(a.guess, b.guess) })
	best, makespan := r.extended(x.Units, quick.tau, math.MaxInt64)
	at := quick.tau
	for _, c := range slices.Backward(list) {
		limit := makespan // what a larger τ may have, and a smaller one may not
		if c.tau > at {
			limit++
		}
		if c.tau == quick.tau || r.cannotBeat(c, limit) {
			continue
		}
		if ctx.Err() != nil {
			return best, false
		}
		if server, made := r.extended(x.Units, c.tau, limit); made < limit {
			best, makespan, at = server, made, c.tau
		}
	}
	return best, true
}

// threshold is a number τ of local tasks per server at most, as a maximum cover has them.
type threshold struct {
	tau   int32
	left  int        // tasks that are not local
	full  int        // servers with τ local tasks
	below model.Time // local tasks of the other servers together
	guess model.Time // of the makespan: the mean load with all others remote, at least that of a full server
}

// thresholds lists all τ up to the one at which no more tasks can be local, given the most local tasks of servers.
func (r *run) thresholds(load []int32) (list []threshold) {
	in := r.in
	order := byLoad(load)
	left, k, below := in.Tasks, 0, model.Time(0)
	for tau := int32(1); tau <= max(1, load[order[len(order)-1]]); tau++ {
		for k < len(order) && load[order[k]] < tau {
			below += model.Time(load[order[k]])
			k++
		}
		left -= len(order) - k
		total := model.Time(in.Tasks-left)*in.Cost.Local + model.Time(left)*in.Cost.Remote.At(left)
		list = append(list, threshold{tau, left, len(order) - k, below,
			max(model.Time(tau)*in.Cost.Local, total/model.Time(in.Servers))})
	}
	return list
}

// cannotBeat says whether no extension of a maximum cover has a makespan below the limit. Only a full server can get
// further local tasks, or the cover would not be a maximum one. So all that full servers have no room for, even as
// local tasks, is remote or in the rack of its block on the others.
func (r *run) cannotBeat(c threshold, limit model.Time) bool {
	w := r.in.Cost.Local
	if c.full > 0 && model.Time(c.tau)*w >= limit {
		return true
	}
	if w == 0 {
		return false
	}
	apart := c.left - c.full*int((limit-1)/w-model.Time(c.tau))
	if apart <= 0 {
		return false
	}
	others := model.Time(r.in.Servers - c.full)
	price := min(r.in.Price(hta.RackLocal, apart), r.in.Price(hta.Remote, apart))
	return others*(limit-1)-c.below*w < model.Time(apart)*price
}

// extended is a maximum cover for τ, extended by bal-assign, and its makespan, which is the limit if that is not below
// it.
func (r *run) extended(units []int32, tau int32, limit model.Time) ([]int32, model.Time) {
	server, local := r.keep(units, slices.Repeat([]int32{tau}, r.in.Servers))
	if !r.balAssign(server, local, limit) {
		return nil, limit
	}
	return server, min(limit, r.in.Measure(server).Makespan)
}

// balAssign gives each task without a server to the one whose load is then the least; local counts the tasks of each.
// It gives up, and returns false, as soon as the makespan cannot end below a limit: a load or the mean is too large
// even if no more tasks are remote and all that are left are local.
func (r *run) balAssign(server, local []int32, limit model.Time) bool {
	in := r.in
	count := make([][3]int32, in.Servers) // by server, by locality
	var all [3]int                        // of all servers
	for s, n := range local {
		count[s][hta.NodeLocal] = n
		all[hta.NodeLocal] += int(n)
	}
	left := in.Tasks - all[hta.NodeLocal]
	remote, most := left, model.Time(math.MaxInt64)/2 // tasks that count as remote; all loads together
	if limit < most/model.Time(in.Servers) {
		most = (limit - 1) * model.Time(in.Servers)
	}
	load := func(count [3]int32, remote int) (sum model.Time) {
		for near, n := range count {
			sum += model.Time(n) * in.Price(hta.Locality(near), remote)
		}
		return sum
	}
	h := make(heap.Heap[model.Time], in.Servers)
	for s := range h {
		h[s] = heap.Item[model.Time]{Key: load(count[s], remote), Index: int32(s)}
	}
	h.Init()
	for t := range server {
		if server[t] != model.None {
			continue
		}
		s := h[0].Index
		near := in.Locality(in.Block[t], s)
		server[t] = s
		count[s][near]++
		all[near]++
		left--
		settled := all[hta.RackLocal] + all[hta.Remote]
		least := model.Time(left) * in.Cost.Local
		for near, n := range all {
			least += model.Time(n) * in.Price(hta.Locality(near), settled)
		}
		if least > most || load(count[s], settled) >= limit {
			return false
		}
		h.ReplaceTop(heap.Item[model.Time]{Key: load(count[s], remote), Index: s})
	}
	return true
}
