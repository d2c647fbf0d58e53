package hta

import (
	"cmp"
	"context"
	"slices"

	"mrsched/model"
	"mrsched/solver"
)

// solveFlow is the flow-based algorithm. For τ = 1, 2, … it makes as many tasks as possible local, at most τ on a
// server, and balances the others over the servers as if all of them stayed remote. The best τ wins.
//
// Guarantee: makespan ≤ OPT + (1 − 1/(n−1))·w_rem(r_opt) for n ≥ 2 servers; one server has one assignment only.
// Complexity: one balanced semi-matching (flow.Balance) for all τ together, then O(n·log makespan) a τ that may win.
// Ties: the larger τ, so fewer remote tasks; then lower indices.
// Source: Fischer, Su, Yin, SPAA 2010, Algorithm 2.   Differs: one semi-matching gives the maximum flows of all τ, so
// that α^τ ⊆ α^(τ+1) holds even for the places. A task that bal-assign happens to put on a server of its block is local
// and cheaper than the virtual load says.
func solveFlow(ctx context.Context, r *run, _ solver.Options) (*found, error) {
	x := r.balance(ctx)
	f := &found{status: model.StatusFeasible}
	complete := true
	if r.p.balance == balanceReal {
		f.server, complete = r.balanceReally(ctx, x)
	} else {
		f.server = r.spread(x.Units, r.bestFill(x.Load))
	}
	if !x.Balanced || !complete {
		f.status = model.StatusLimit
	}
	return f, nil
}

// fill is how many tasks servers run.
type fill struct {
	tau      int32   // the most local tasks of a server
	local    []int32 // by server: the most local tasks
	remote   []int32 // by server: other tasks
	makespan model.Time
}

func newFill(servers int, tau int32) *fill {
	return &fill{tau: tau, local: make([]int32, servers), remote: make([]int32, servers)}
}

// bestFill tries every threshold that may win, given the most local tasks of servers.
func (r *run) bestFill(load []int32) *fill {
	in := r.in
	order := byLoad(load)
	top := max(1, load[order[len(order)-1]])
	type candidate struct {
		tau   int32
		least model.Time
	}
	list := make([]candidate, 0, top)
	left, k := in.Tasks, 0 // tasks that are not local; servers of load ≤ τ
	for tau := int32(1); tau <= top; tau++ {
		for k < len(order) && load[order[k]] < tau {
			k++
		}
		left -= len(order) - k
		list = append(list, candidate{tau, r.meanLoad(int(tau), left)})
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.least, b.least), cmp.Compare(b.tau, a.tau))
	})
	var best *fill
	for _, c := range list {
		if best != nil && c.least > best.makespan {
			break
		}
		f := r.fill(load, order, c.tau)
		if best == nil || f.makespan < best.makespan || f.makespan == best.makespan && f.tau > best.tau {
			best = f
		}
	}
	return best
}

// meanLoad is a lower bound on the makespan of a fill: its full servers, or the mean.
func (r *run) meanLoad(tau, remote int) model.Time {
	in := r.in
	total := model.Time(in.Tasks-remote)*in.Cost.Local + model.Time(remote)*in.Cost.Remote.At(remote)
	n := model.Time(in.Servers)
	return max(model.Time(tau)*in.Cost.Local, (total+n-1)/n)
}

// upTo lists the indices below n.
func upTo(n int) []int32 {
	list := make([]int32, n)
	for k := range list {
		list[k] = int32(k)
	}
	return list
}

// byLoad lists the servers, the emptiest first; ties: the lower index.
func byLoad(load []int32) []int32 {
	order := upTo(len(load))
	slices.SortStableFunc(order, func(a, b int32) int { return int(load[a]) - int(load[b]) })
	return order
}

// fill is bal-assign without identities: each remote task goes to a server with the least virtual load, which counts it
// as remote. Instead of a heap operation per task, bisection finds the last load at which a task is added.
func (r *run) fill(load, order []int32, tau int32) *fill {
	in := r.in
	f := newFill(in.Servers, tau)
	left := r.above(load, tau)
	w, local := in.Cost.Remote.At(left), in.Cost.Local
	start := func(s int32) model.Time { return model.Time(min(load[s], tau)) * local }
	if left > 0 {
		// Tasks are added at loads start, start + w, …: those below v on all servers together.
		added := func(v model.Time) int {
			sum := 0
			for _, s := range order {
				if start(s) >= v {
					break
				}
				if w == 0 {
					return left
				}
				sum = min(left, sum+int(min((v-start(s)+w-1)/w, model.Time(left))))
			}
			return sum
		}
		low, high := model.Time(0), model.Time(tau)*local+model.Time(left)*w+1 // added(low) < left ≤ added(high)
		for low+1 < high {
			if mid := low + (high-low)/2; added(mid) < left {
				low = mid
			} else {
				high = mid
			}
		}
		// All loads below low are passed; at low itself as many servers as needed, in order.
		rest := left
		for _, s := range order {
			if w > 0 && start(s) < low {
				f.remote[s] = int32((low - start(s) + w - 1) / w)
				rest -= int(f.remote[s])
			}
		}
		for s := 0; rest > 0; s = (s + 1) % in.Servers {
			if w == 0 || start(int32(s))+model.Time(f.remote[s])*w == low {
				f.remote[s]++
				rest--
			}
		}
	}
	for s, b := range f.remote {
		f.local[s] = tau
		f.makespan = max(f.makespan, start(int32(s))+model.Time(b)*w)
	}
	return f
}

// keep assigns local tasks as in the semi-matching, at most this many by server; the rest are the others, in order.
func (r *run) keep(units, most []int32) (server, rest []int32) {
	in := r.in
	server = make([]int32, in.Tasks)
	count := make([]int32, in.Servers)
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
				rest = append(rest, t)
				continue
			}
			s := replica[e]
			count[s]++
			server[t] = s
		}
	}
	slices.Sort(rest)
	return server, rest
}

// spread assigns local tasks as in the semi-matching, as many as the fill allows, and the others as the fill says.
func (r *run) spread(units []int32, f *fill) []int32 {
	server, rest := r.keep(units, f.local)
	s, used := int32(0), int32(0)
	for _, t := range rest {
		for used == f.remote[s] {
			s, used = s+1, 0
		}
		server[t] = s
		used++
	}
	return server
}
