package hta

import (
	"context"
	"fmt"
	"math"

	"mrsched/model"
	"mrsched/solver"
	"mrsched/solver/flow"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
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
	// bestShare is the share of the remaining time limit, after the bound, that best gets.
	bestShare = 0.3
	// exactSlack is how many tasks the LP may leave out and still have found an assignment. Integer plans leave out none
	// or a whole task, so anything well above lp_solve's errors and below 1 is right.
	exactSlack = 0.01
	// phaseProof is the phase of the questions.
	phaseProof = "branch and bound"
	// supportTolerance is the share from which on a plan counts as used: it is above lp_solve's errors, and all plans
	// below it together are worth less than exactSlack tasks.
	supportTolerance = 1e-7
)

// solveExactly asks a mixed-integer program (question) whether a makespan below the best known can be reached, until
// the answer is no: first for the next smaller makespan, since best rarely leaves anything, then by bisection.
//
// A makespan limit fixes the number of remote tasks and their price (docs/mathematics.md, section hta). So loads have
// the form a·w_loc + b·w_rem(r), and makespans between two such numbers need no question. With racks all prices are
// constants, and the program counts tasks on three levels.
//
// Complexity: exponential; the iterations limit the nodes of the search trees, with an LP each.
// Ties: best's assignment, if nothing is better.   Source: mrsched.
func solveExactly(ctx context.Context, r *run, opt solver.Options) (*found, error) {
	begin, end := opt.Phase(ctx, solver.PhaseStart, bestShare)
	f, err := solveBest(begin, r, opt)
	end()
	if err != nil {
		return nil, err
	}
	ctx, end = opt.Phase(ctx, phaseProof, 1)
	defer end()
	f.status = model.StatusLimit
	if r.in.Tasks > exactLargest {
		f.why = fmt.Sprintf("no search: there are %d tasks, and it takes %d at most", r.in.Tasks, exactLargest)
	}
	if !r.balance(ctx).Balanced || f.why != "" {
		return f, nil
	}
	tree := &lp.Tree{Limit: exactNodes * min(opt.Iterations, 1<<40)}
	tree.Report = func() { opt.Report(tree.Nodes, tree.Limit) }
	high := r.in.Measure(f.server).Makespan // reached
	low := r.value - 1                      // proven to be too little
	for try := high - 1; low < high-1; try = low + (high-low)/2 {
		load := r.floor(try)
		if load <= low {
			low = try
			continue
		}
		q := r.newQuestion(load)
		if q == nil {
			f.why = fmt.Sprintf("no search for a makespan of %s s: its program has %d columns or more", load, exactColumns)
			break
		}
		server, answered, err := q.reach(ctx, tree)
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
			opt.Watch.Incumbent(high.Seconds(), phaseProof)
		}
		opt.Watch.Bound((low + 1).Seconds(), phaseProof)
	}
	if low >= high-1 {
		f.status = model.StatusOptimal
		if low >= r.value { // more than the bound proves
			tree.Nodes = max(1, tree.Nodes)
		}
	}
	f.facts.Nodes = &tree.Nodes
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
	q := r.newQuestion(load)
	if q == nil {
		return false, nil
	}
	server, answered, err := q.reach(ctx, &lp.Tree{Limit: nodes})
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
		p.most = r.above(r.balanced.Load, r.mostLocal(load))
	}
	p.remote = in.Cost.Remote.At(p.most)
	return p
}

// mostLocal is τ, the most local tasks that fit into a load.
func (r *run) mostLocal(load model.Time) int32 {
	if r.in.Cost.Local == 0 {
		return int32(r.in.Tasks)
	}
	return int32(min(model.Time(r.in.Tasks), load/r.in.Cost.Local))
}

// floor is the largest load ≤ limit that a server can have; prices are the same for both.
func (r *run) floor(limit model.Time) model.Time {
	p := r.prices(limit)
	best := model.Time(0)
	p.each(limit, r.in.Tasks, func(_, _ int, left model.Time) {
		best = max(best, limit-left+model.Time(r.mostLocal(left))*p.local)
	})
	return best
}

// each visits the numbers of remote and rack-local tasks, at most rack of these, that fit into a load, with the load
// left over.
func (p *prices) each(load model.Time, rack int, visit func(remote, rack int, left model.Time)) {
	if !p.racks {
		rack = 0
	}
	for d := 0; d <= p.most && model.Time(d)*p.remote <= load; d++ {
		for c := 0; c <= rack && model.Time(d)*p.remote+model.Time(c)*p.rack <= load; c++ {
			visit(d, c, load-model.Time(d)*p.remote-model.Time(c)*p.rack)
		}
	}
}

// reach answers the question with an assignment: nil if there is none. answered is false if a limit or ctx came first.
func (q *question) reach(ctx context.Context, tree *lp.Tree) (server []int32, answered bool, err error) {
	if tree.Solver, err = lpsolve.NewSolver(q.build()); err != nil {
		return nil, false, &solver.BackendError{Err: err}
	}
	defer tree.Solver.Close()
	tree.Done = false
	tree.Visit = func(x *lp.Solution) (parts []lp.Branch, err error) {
		if x.Objective < float64(q.in.Tasks)-exactSlack {
			return nil, nil
		}
		if parts = q.branch(x.X); parts == nil {
			tree.Done = true
			server, err = q.assignment(x.X)
		}
		return parts, err
	}
	if answered, err = tree.Search(ctx); err != nil {
		return nil, false, &solver.BackendError{Err: err}
	}
	return server, answered, nil
}

// branch finds the server whose plans differ most in cost by their remote or their rack-local tasks. It divides them at
// the mean; nil if every server has one plan. Plans with the same two numbers are the same.
func (q *question) branch(x []float64) []lp.Branch {
	type kind struct {
		number func(p plan) int32
		price  float64
	}
	kinds := []kind{{func(p plan) int32 { return p.remote }, q.remote.Seconds()},
		{func(p plan) int32 { return p.rack }, q.prices.rack.Seconds()}}
	var split func() []lp.Branch
	most := 0.0
	for s, plans := range q.plans {
		for _, kind := range kinds {
			low, high, mean, square := int32(math.MaxInt32), int32(-1), 0.0, 0.0
			for k, p := range plans {
				share := x[int(q.lambda[s])+k]
				if share <= supportTolerance {
					continue
				}
				v := kind.number(p)
				low, high = min(low, v), max(high, v)
				mean += share * float64(v)
				square += share * float64(v) * float64(v)
			}
			if spread := (square - mean*mean) * kind.price * kind.price; low < high &&
				(split == nil || spread > most+supportTolerance) {
				middle := min(max(int32(mean), low), high-1)
				up := mean-float64(middle) > 0.5
				split, most = func() []lp.Branch {
					return []lp.Branch{q.excluded(s, kind.number, middle, up), q.excluded(s, kind.number, middle, !up)}
				}, spread
			}
		}
	}
	if split == nil {
		return nil
	}
	return split()
}

// excluded allows a server no plans whose number is above most, or only those.
func (q *question) excluded(s int, number func(p plan) int32, most int32, above bool) lp.Branch {
	row := lp.Branch{Relation: lp.LE}
	for k, p := range q.plans[s] {
		if (number(p) > most) != above {
			row.Entries = append(row.Entries, lp.Entry{Col: q.lambda[s] + lp.Col(k), Coef: 1})
		}
	}
	return row
}

// assignment gives every server the plan with the largest share. An error means that these plans do not have room for
// all tasks, against what the LP says.
func (q *question) assignment(x []float64) ([]int32, error) {
	chosen := make([]plan, q.in.Servers)
	for s, plans := range q.plans {
		best := -1.0
		for k, p := range plans {
			if share := x[int(q.lambda[s])+k]; share > best {
				best, chosen[s] = share, p
			}
		}
	}
	units, err := q.distribute(chosen)
	if err != nil {
		return nil, err
	}
	server, everywhere := make([]int32, q.in.Tasks), model.Indices(q.in.Servers)
	for i := range q.classes {
		c := &q.classes[i]
		tasks := c.tasks
		place := func(candidates []int32, room func(p *plan) *int32) {
			n := units()
			for _, s := range candidates {
				for free := room(&chosen[s]); n > 0 && *free > 0; n-- {
					server[tasks[0]] = s
					tasks = tasks[1:]
					*free--
				}
			}
		}
		for k := range c.servers {
			place(c.servers[k:k+1], func(p *plan) *int32 { return &p.local })
		}
		for _, rack := range c.racks {
			place(q.rack[rack], func(p *plan) *int32 { return &p.rack })
		}
		place(everywhere, func(p *plan) *int32 { return &p.remote })
	}
	if got := q.in.Measure(server).Makespan; got > q.load {
		return nil, fmt.Errorf("hta: plans for a makespan of %s led to %s", q.load, got)
	}
	return server, nil
}

// distribute finds a maximum flow of tasks from classes to the places of servers, of racks and of remote tasks. units
// returns the flow along one arc after another, in the order in which build adds columns.
func (q *question) distribute(chosen []plan) (units func() int64, err error) {
	b := &flow.Network{}
	source, sink := b.AddNodes(1), b.AddNodes(1)
	servers, racks, off := b.AddNodes(q.in.Servers), b.AddNodes(len(q.rack)), b.AddNodes(1)
	remote := int64(0)
	onRack := make([]int64, len(q.rack))
	for s, p := range chosen {
		b.AddArc(servers+flow.Node(s), sink, int64(p.local))
		remote += int64(p.remote)
		if rack := q.in.Rack[s]; rack != model.None {
			onRack[rack] += int64(p.rack)
		}
	}
	for rack, room := range onRack {
		b.AddArc(racks+flow.Node(rack), sink, room)
	}
	b.AddArc(off, sink, min(remote, int64(q.most)))
	var arcs []flow.Arc
	for i := range q.classes {
		c := &q.classes[i]
		k := int64(len(c.tasks))
		node := b.AddNodes(1)
		b.AddArc(source, node, k)
		for _, s := range c.servers {
			arcs = append(arcs, b.AddArc(node, servers+flow.Node(s), k))
		}
		for _, rack := range c.racks {
			arcs = append(arcs, b.AddArc(node, racks+flow.Node(rack), k))
		}
		arcs = append(arcs, b.AddArc(node, off, k))
	}
	m, err := flow.NewMaxFlow(b, source, sink)
	if err != nil {
		return nil, err
	}
	if m.Solve(context.Background()); m.Value() != int64(q.in.Tasks) {
		return nil, fmt.Errorf("the LP of a node places all %d tasks, a maximum flow %d", q.in.Tasks, m.Value())
	}
	next := 0
	return func() int64 { next++; return m.Flow(arcs[next-1]) }, nil
}
