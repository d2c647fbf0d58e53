package hta

import (
	"context"
	"slices"

	"mrsched/model"
	"mrsched/model/heap"
	"mrsched/model/hta"
	"mrsched/solver/flow"
)

// What bal-assign balances.
const (
	balanceVirtual = "virtual"
	balanceReal    = "real"
)

var balances = []string{balanceVirtual, balanceReal}

// balanceReally is flow with real loads instead of virtual ones, which the paper leaves open (§5): a task that happens
// to be local on the server with the least load counts as local at once, and makes all remote tasks cheaper if their
// cost depends on their number. It tries every threshold whose local tasks alone take less than the best makespan, and
// is complete unless ctx ended.
//
// Guarantee: none is known.   Complexity: O(tasks · log servers) per threshold, and O(servers) for each task that turns
// out local if that changes the cost of remote ones.   Ties: the larger τ, then lower indices.
func (r *run) balanceReally(ctx context.Context, x *flow.SemiMatching) (best []int32, complete bool) {
	var makespan model.Time
	most := make([]int32, r.in.Servers)
	for tau := int32(1); ; tau++ {
		for s := range most {
			most[s] = tau
		}
		server, rest := r.keep(x.Units, most)
		r.fillReally(server, rest)
		if made := r.in.Measure(server).Makespan; best == nil || made <= makespan {
			best, makespan = server, made
		}
		if tau >= slices.Max(x.Load) || model.Time(tau+1)*r.in.Cost.Local > makespan {
			return best, true
		}
		if ctx.Err() != nil {
			return best, false
		}
	}
}

// fillReally gives each task of rest to the server whose load is then the least. Tasks that wait count as remote.
func (r *run) fillReally(server, rest []int32) {
	in := r.in
	count := make([][3]int32, in.Servers) // by server, by locality
	waiting := make([]bool, in.Tasks)
	for _, t := range rest {
		waiting[t] = true
	}
	for t, s := range server {
		if !waiting[t] {
			count[s][hta.NodeLocal]++
		}
	}
	remote := len(rest)
	load := func(s int32) (sum model.Time) {
		for near, n := range count[s] {
			sum += model.Time(n) * in.Price(hta.Locality(near), remote)
		}
		return sum
	}
	h := make(heap.Heap[model.Time], in.Servers)
	price := func() {
		for s := range h {
			h[s] = heap.Item[model.Time]{Key: load(int32(s)), Index: int32(s)}
		}
		h.Init()
	}
	price()
	for _, t := range rest {
		s := h[0].Index
		near := in.Locality(in.Block[t], s)
		server[t] = s
		count[s][near]++
		before := in.Price(hta.Remote, remote)
		if near == hta.NodeLocal {
			remote--
		}
		if in.Price(hta.Remote, remote) != before {
			price()
		} else {
			h.ReplaceTop(heap.Item[model.Time]{Key: load(s), Index: s})
		}
	}
}
