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
// any. The tie rule says which: a reader of the first block in the workload, of a random one, or of the one with the
// most replicas. The last takes a local task away from the most servers, as in the proofs of Theorems 4.1 and 4.3.
//
// Guarantee: makespan ≤ (w_rem(m)/w_loc)·OPT; m does not matter where remote costs are uniform, as in the paper.
// Complexity: O(m + replicas of blocks).   Ties: as told by --tie; then the lower index. Source: Fischer, Su, Yin, SPAA
// 2010, Algorithm 1, after Hadoop's scheduler up to version 0.19.
func solveRoundRobin(_ context.Context, r *run, opt solver.Options) (*found, error) {
	return &found{server: r.roundRobin(r.order(r.p.tie, opt.Seed)), status: model.StatusFeasible}, nil
}

// ties are the tie rules.
var ties = []string{"first", "random", "worst"}

// bestRoundRobin is the best assignment of round-robin under any tie rule; ties: the first rule.
func (r *run) bestRoundRobin(seed uint64) (best []int32) {
	least := model.Time(0)
	for _, tie := range ties {
		server := r.roundRobin(r.order(tie, seed))
		if made := r.in.Measure(server).Makespan; best == nil || made < least {
			best, least = server, made
		}
	}
	return best
}

// order lists the blocks in the order of round-robin's preference for their readers.
func (r *run) order(tie string, seed uint64) []int32 {
	in := r.in
	order := model.Indices(in.Blocks)
	switch tie {
	case "random":
		random := rand.New(rand.NewPCG(seed, 0))
		random.Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
	case "worst":
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(len(in.Replicas(b)), len(in.Replicas(a))) })
	}
	return order
}

// roundRobin assigns the tasks; blocks that come first in order are preferred.
func (r *run) roundRobin(order []int32) []int32 {
	in := r.in
	// The blocks that each server holds, in order: own[first[s]:first[s+1]]; next[s] is the first with readers left.
	first := make([]int32, in.Servers+1)
	_, replica := in.ReplicaRows()
	for _, s := range replica {
		first[s+1]++
	}
	for s := range in.Servers {
		first[s+1] += first[s]
	}
	own, next := make([]int32, len(replica)), slices.Clone(first[:in.Servers])
	for _, b := range order {
		for _, s := range in.Replicas(b) {
			own[next[s]] = b
			next[s]++
		}
	}
	copy(next, first)
	reader := slices.Clone(in.ReaderFirst[:in.Blocks]) // by block: the first unassigned one
	left := func(b int32) bool { return reader[b] < in.ReaderFirst[b+1] }
	server := make([]int32, in.Tasks)
	anywhere := 0 // in order
	for assigned, s := 0, int32(0); assigned < in.Tasks; assigned++ {
		for next[s] < first[s+1] && !left(own[next[s]]) {
			next[s]++
		}
		b := int32(0)
		if next[s] < first[s+1] {
			b = own[next[s]]
		} else {
			for !left(order[anywhere]) {
				anywhere++
			}
			b = order[anywhere]
		}
		server[in.Reader[reader[b]]] = s
		reader[b]++
		s = (s + 1) % int32(in.Servers)
	}
	return server
}
