package hta

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"mrsched/model"
	"mrsched/solver"
)

// solveRoundRobin scans the servers in turn; each takes an unassigned task that is local to it, if there is one, else
// any. The tie rule says which: the first in the workload, a random one, or the one with the most replicas, which
// takes a local task away from the most other servers and so reproduces the bad outputs of Theorems 4.1 and 4.3.
//
// Guarantee: makespan ≤ (w_rem/w_loc)·OPT.   Complexity: O(replicas).
// Ties: as told by --tie; then the lower index.
// Source: Fischer, Su, Yin, SPAA 2010, Algorithm 1, after Hadoop's scheduler up to version 0.19.
func solveRoundRobin(_ context.Context, r *run, opt solver.Options) (*found, error) {
	return &found{server: r.roundRobin(r.order(r.p.Text("tie"), opt.Seed)), status: model.StatusFeasible}, nil
}

// order lists the tasks in the order in which round-robin prefers them.
func (r *run) order(tie string, seed uint64) []int32 {
	in := r.in
	order := make([]int32, in.Tasks)
	for t := range order {
		order[t] = int32(t)
	}
	switch tie {
	case "random":
		random := rand.New(rand.NewPCG(seed, 0))
		random.Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
	case "worst":
		slices.SortStableFunc(order, func(a, b int32) int {
			return cmp.Compare(len(in.Replicas(in.Block[b])), len(in.Replicas(in.Block[a])))
		})
	}
	return order
}

// roundRobin assigns the tasks, preferring those that come first in order.
func (r *run) roundRobin(order []int32) []int32 {
	in := r.in
	// The tasks that are local to each server, in order: own[first[s]:first[s+1]].
	first := make([]int32, in.Servers+1)
	for _, t := range order {
		for _, s := range in.Replicas(in.Block[t]) {
			first[s+1]++
		}
	}
	for s := range in.Servers {
		first[s+1] += first[s]
	}
	own, next := make([]int32, first[in.Servers]), slices.Clone(first[:in.Servers])
	for _, t := range order {
		for _, s := range in.Replicas(in.Block[t]) {
			own[next[s]] = t
			next[s]++
		}
	}
	copy(next, first)
	server := make([]int32, in.Tasks)
	for t := range server {
		server[t] = model.None
	}
	any := 0
	for assigned, s := 0, int32(0); assigned < in.Tasks; assigned++ {
		for next[s] < first[s+1] && server[own[next[s]]] != model.None {
			next[s]++
		}
		if next[s] < first[s+1] {
			server[own[next[s]]] = s
		} else {
			for server[order[any]] != model.None {
				any++
			}
			server[order[any]] = s
		}
		s = (s + 1) % int32(in.Servers)
	}
	return server
}
