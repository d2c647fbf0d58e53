package hta

import (
	"context"

	"mrsched/model"
	"mrsched/solver"
)

// solveFlow is the flow-based algorithm. For every τ it makes as many tasks as possible local, at most τ on a server,
// and balances the others over the servers by bal-assign (bestBalanced). The best τ wins.
//
// Guarantee: makespan ≤ OPT + (1 − 1/(n−1))·w_rem(r_opt) for n ≥ 2 servers; one server has one assignment only.
// Complexity: one balanced semi-matching (flow.Balance) for all τ together, then bal-assign for each.
// Ties: the larger τ, so fewer remote tasks; then lower indices.
// Source: Fischer, Su, Yin, SPAA 2010, Algorithm 2 and Definition 12. The paper assigns "some" task; here it is the
// first one left, in the order of the table tasks. Differs: one semi-matching gives the maximum flows of all τ, so that
// α^τ ⊆ α^(τ+1) holds even for the places.
func solveFlow(ctx context.Context, r *run, _ solver.Options) (*found, error) {
	x := r.balance(ctx)
	f := &found{status: model.StatusFeasible}
	var complete bool
	f.server, complete = r.bestBalanced(ctx, x)
	if !x.Balanced || !complete {
		f.status = model.StatusLimit
	}
	return f, nil
}

// byLoad lists the servers, the emptiest first; ties: the lower index.
func byLoad(load []int32) []int32 {
	return model.Ordered(len(load), func(a, b int32) int { return int(load[a]) - int(load[b]) })
}

// keep assigns local tasks as in the semi-matching, at most this many by server; the others get no server. It returns
// the number of local tasks by server.
func (r *run) keep(units, most []int32) (server, count []int32) {
	in := r.in
	server = make([]int32, in.Tasks)
	count = make([]int32, in.Servers)
	first, replica := in.ReplicaRows()
	for b := range int32(in.Blocks) {
		e := first[b]
		taken := int32(0)
		for _, t := range in.Reader[in.ReaderFirst[b]:in.ReaderFirst[b+1]] {
			for e < first[b+1] && taken == units[e] {
				e, taken = e+1, 0
			}
			taken++
			if e == first[b+1] || count[replica[e]] == most[replica[e]] {
				server[t] = model.None
				continue
			}
			s := replica[e]
			count[s]++
			server[t] = s
		}
	}
	return server, count
}
