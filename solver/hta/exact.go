package hta

import (
	"context"

	"mrsched/model"
	"mrsched/solver"
)

const (
	// exactTasks is the number of tasks up to which `-a all` includes exact. Most instances of this size take a tenth of a
	// second; with racks, some reach the limit of nodes.
	exactTasks = 200
	// exactNodes is how many nodes of the search trees one iteration allows: the default iterations take 10 to 20 s at
	// exactTasks.
	exactNodes = 5
	// exactLargest and exactColumns are the numbers of tasks, and of columns of a node's LP, beyond which there is no
	// search.
	exactLargest, exactColumns = 20_000, 100_000
	// bestShare is the share of a time limit, without that of the bound, for best before the search.
	bestShare = 0.3
)

// solveExactly asks a mixed-integer program (exact_model.go) whether a makespan below the best known can be reached,
// until the answer is no: first the next smaller one, since the search of best rarely leaves anything, then by
// bisection.
//
// Which number of remote tasks to try: with a makespan L no server has more than τ = ⌊L/w_loc⌋ local tasks, and it is
// enough to look at assignments with exactly r = m − ℓ(τ) remote ones, the least possible. Proof: the local tasks of an
// assignment of makespan ≤ L are a flow within capacities τ. If more than r tasks are remote, that flow is not maximum,
// so a path of moves makes one more task t local: servers inside the path keep their number of local tasks, the last
// one gets one more, s. If s has a remote task, that one takes the place that t left: no load grows. If it has none, it
// had fewer than τ local tasks, and now has load ≤ τ·w_loc ≤ L. w_rem does not grow with fewer remote tasks. ∎ So each
// τ stands for one number of remote tasks and one price of them, and loads are of the form a·w_loc + b·w_rem(r):
// makespans between two such numbers need no question.
//
// With racks, all prices are constants, and the program counts tasks on three levels.
//
// Complexity: exponential; at most so many nodes of search trees as iterations allow, an LP each. Ties: the assignment
// of best, if nothing is better.   Source: mrsched.
func solveExactly(ctx context.Context, r *run, opt solver.Options) (*found, error) {
	begin, end := opt.Phase(ctx, solver.PhaseStart, bestShare)
	f, err := solveBest(begin, r, opt)
	end()
	if err != nil {
		return nil, err
	}
	ctx, end = opt.Phase(ctx, solver.PhaseSearch, 1)
	defer end()
	x := &exactSearch{run: r, limit: exactNodes * min(opt.Iterations, 1<<40)}
	x.report = func() { opt.Report(x.nodes, x.limit) }
	if !r.balance(ctx).Balanced || r.in.Tasks > exactLargest {
		f.status = model.StatusLimit
		return f, nil
	}
	high := r.in.Measure(f.server).Makespan // reached
	low := r.value - 1                      // proven to be too little
	for try := high - 1; low < high-1; try = low + (high-low)/2 {
		load := r.floor(try)
		if load <= low {
			low = try
			continue
		}
		server, answered, err := x.reach(ctx, load)
		if err != nil {
			return nil, err
		}
		if !answered {
			break
		}
		if server == nil {
			low = try
		} else {
			f.server, high = server, r.in.Measure(server).Makespan
			opt.Watch.Incumbent(high.Seconds())
		}
		opt.Watch.Bound((low + 1).Seconds())
	}
	f.status = model.StatusLimit
	if low >= high-1 {
		f.status = model.StatusOptimal
	}
	f.facts.Nodes = &x.nodes
	return f, nil
}

// Optimal says whether a search of at most that many nodes shows that no makespan below a schedule's is possible. It
// repeats the last question of exact, with the same search tree.
func (r *run) Optimal(ctx context.Context, s *model.Schedule, nodes int) (bool, error) {
	if err := r.prove(ctx, solver.Options{}); err != nil {
		return false, err
	}
	if !r.balance(ctx).Balanced || r.in.Tasks > exactLargest {
		return false, ctx.Err()
	}
	cost := r.in.Measure(r.in.Assigned(s)).Makespan
	if cost <= r.value {
		return true, nil
	}
	load := r.floor(cost - 1)
	if load < r.value {
		return true, nil
	}
	x := &exactSearch{run: r, limit: nodes, report: func() {}}
	server, answered, err := x.reach(ctx, load)
	if err == nil && !answered {
		err = ctx.Err()
	}
	return err == nil && answered && server == nil, err
}

// prices are the costs of a task (node-local, rack-local and remote) if the makespan is at most a load, and the most
// remote tasks for which they hold.
type prices struct {
	local, rack, remote model.Time
	racks               bool // else no task is rack-local
	most                int
}

func (r *run) prices(load model.Time) prices {
	in := r.in
	p := prices{local: in.Cost.Local, rack: in.Cost.Rack.Value, racks: in.Cost.Rack.Known, most: in.Tasks}
	if !p.racks {
		tau := int32(in.Tasks)
		if p.local > 0 {
			tau = int32(min(model.Time(tau), load/p.local))
		}
		p.most = r.above(r.balanced.Load, tau)
	}
	p.remote = in.Cost.Remote.At(p.most)
	return p
}

// floor is the largest load ≤ limit that a server can have; prices are the same for both.
func (r *run) floor(limit model.Time) model.Time {
	p := r.prices(limit)
	best := model.Time(0)
	each(&p, limit, p.most, r.in.Tasks, func(_, _ int, left model.Time) {
		load := limit - left
		if p.local > 0 {
			load += min(left/p.local, model.Time(r.in.Tasks)) * p.local
		}
		best = max(best, load)
	})
	return best
}

// each visits the numbers of remote and rack-local tasks, up to given ones, that fit into a load, with the load left
// over.
func each(p *prices, load model.Time, remote, rack int, visit func(remote, rack int, left model.Time)) {
	if !p.racks {
		rack = 0
	}
	for d := 0; d <= remote && model.Time(d)*p.remote <= load; d++ {
		for c := 0; c <= rack && model.Time(d)*p.remote+model.Time(c)*p.rack <= load; c++ {
			visit(d, c, load-model.Time(d)*p.remote-model.Time(c)*p.rack)
		}
	}
}
