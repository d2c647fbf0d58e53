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
	// exactSlack is how many tasks the LP may leave out of an assignment and still be thought to have found one. Plans
	// that are integer leave out none or a whole task, so anything well above lp_solve's errors and below 1 is right.
	exactSlack = 0.01
	// supportTolerance is the share from which on a plan counts as used: it is above lp_solve's errors, and all plans
	// below it together are worth less than exactSlack tasks.
	supportTolerance = 1e-7
)

// exactSearch answers questions by branch and bound. Its trees are its own, not lp_solve's: their nodes can be counted
// and limited, so that results under a limit, and the search that check repeats, do not depend on the machine.
type exactSearch struct {
	*run
	nodes, limit int
	report       func()

	q      *question
	solver lp.Solver
}

// reach looks for an assignment with a makespan of at most load: nil if there is none. answered is false if a limit or
// ctx came first.
func (x *exactSearch) reach(ctx context.Context, load model.Time) (server []int32, answered bool, err error) {
	if x.q = x.newQuestion(load); x.q == nil {
		return nil, false, nil
	}
	if x.solver, err = lpsolve.NewSolver(x.q.build()); err != nil {
		return nil, false, &solver.BackendError{Err: err}
	}
	defer x.solver.Close()
	return x.node(ctx)
}

// node searches the tree below the rows that the solver holds, depth first.
func (x *exactSearch) node(ctx context.Context) (server []int32, answered bool, err error) {
	if x.nodes >= x.limit || ctx.Err() != nil {
		return nil, false, nil
	}
	x.nodes++
	x.report()
	sol, err := x.solver.Solve(ctx)
	switch {
	case err != nil:
		return nil, false, &solver.BackendError{Err: err}
	case sol.Status == lp.Timeout || sol.Status == lp.Aborted:
		return nil, false, nil
	case sol.Status != lp.Optimal:
		return nil, false, &solver.BackendError{Err: fmt.Errorf("the LP of a node is %v", sol.Status)}
	}
	if sol.Objective < float64(x.in.Tasks)-exactSlack {
		return nil, true, nil
	}
	b := x.q.branch(sol.X)
	if b == nil {
		server, err = x.q.assignment(sol.X)
		return server, err == nil, err
	}
	for _, above := range []bool{b.upFirst, !b.upFirst} {
		row, err := x.solver.AddRow("", x.q.excluded(b, above), lp.LE, 0)
		if err != nil {
			return nil, false, &solver.BackendError{Err: err}
		}
		server, answered, err = x.node(ctx)
		if server != nil || !answered || err != nil {
			return server, answered, err
		}
		if err := x.solver.DeleteRows([]lp.Row{row}); err != nil {
			return nil, false, &solver.BackendError{Err: err}
		}
	}
	return nil, true, nil
}

// branching splits a server's plans into those with at most a number of remote, or of rack-local, tasks, and the
// others.
type branching struct {
	server  int
	rack    bool
	most    int32
	upFirst bool
}

func (b *branching) number(p plan) int32 {
	if b.rack {
		return p.rack
	}
	return p.remote
}

// branch finds the server whose plans differ most in cost by their remote or their rack-local tasks, and splits them at
// the mean; nil if every server has one plan. Plans with the same two numbers are the same.
func (q *question) branch(x []float64) *branching {
	var best *branching
	most := 0.0
	for s, plans := range q.plans {
		for _, b := range []branching{{server: s}, {server: s, rack: true}} {
			low, high, mean, square := int32(math.MaxInt32), int32(-1), 0.0, 0.0
			for k, p := range plans {
				share := x[int(q.lambda[s])+k]
				if share <= supportTolerance {
					continue
				}
				v := b.number(p)
				low, high = min(low, v), max(high, v)
				mean += share * float64(v)
				square += share * float64(v) * float64(v)
			}
			price := q.remote
			if b.rack {
				price = q.prices.rack
			}
			if spread := (square - mean*mean) * price.Seconds() * price.Seconds(); low < high &&
				(best == nil || spread > most+supportTolerance) {
				b.most = min(max(int32(mean), low), high-1)
				b.upFirst = mean-float64(b.most) > 0.5
				best, most = &b, spread
			}
		}
	}
	return best
}

// excluded is the sum of the shares of plans that are not above, or not below, a split.
func (q *question) excluded(b *branching, above bool) []lp.Entry {
	var row []lp.Entry
	for k, p := range q.plans[b.server] {
		if (b.number(p) > b.most) != above {
			row = append(row, lp.Entry{Col: q.lambda[b.server] + lp.Col(k), Coef: 1})
		}
	}
	return row
}

// assignment is the one that plans allow: the plan of a server is that with the largest share. An error means that they
// do not have room for all tasks, against what the LP says.
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
	server := make([]int32, q.in.Tasks)
	place := func(tasks []int32, n int64, candidates []int32, room func(p *plan) *int32) []int32 {
		for _, s := range candidates {
			for free := room(&chosen[s]); n > 0 && *free > 0; n-- {
				server[tasks[0]] = s
				tasks = tasks[1:]
				*free--
			}
		}
		return tasks
	}
	everywhere := make([]int32, q.in.Servers)
	for s := range everywhere {
		everywhere[s] = int32(s)
	}
	for i := range q.classes {
		c := &q.classes[i]
		tasks := c.tasks
		for _, s := range c.servers {
			tasks = place(tasks, units(), []int32{s}, func(p *plan) *int32 { return &p.local })
		}
		for _, rack := range c.racks {
			tasks = place(tasks, units(), q.rack[rack], func(p *plan) *int32 { return &p.rack })
		}
		place(tasks, units(), everywhere, func(p *plan) *int32 { return &p.remote })
	}
	if got := q.in.Measure(server).Makespan; got > q.load {
		return nil, fmt.Errorf("hta: plans for a makespan of %s led to %s", q.load, got)
	}
	return server, nil
}

// distribute finds a maximum flow of tasks from classes to what servers, racks and all servers together have room for.
// units returns how many tasks of the first class its first server has, then the next, and so on, as build adds
// columns.
func (q *question) distribute(chosen []plan) (units func() int64, err error) {
	var b flow.Builder
	source, sink := b.AddNode(), b.AddNode()
	servers, racks, off := b.AddNodes(q.in.Servers), b.AddNodes(len(q.rack)), b.AddNode()
	remote := int64(0)
	onRack := make([]int64, len(q.rack))
	for s, p := range chosen {
		b.AddArc(servers+flow.Node(s), sink, int64(p.local), 0)
		remote += int64(p.remote)
		if rack := q.in.Rack[s]; rack != model.None {
			onRack[rack] += int64(p.rack)
		}
	}
	for rack, room := range onRack {
		b.AddArc(racks+flow.Node(rack), sink, room, 0)
	}
	b.AddArc(off, sink, min(remote, int64(q.most)), 0)
	var arcs []flow.Arc
	for i := range q.classes {
		c := &q.classes[i]
		k := int64(len(c.tasks))
		node := b.AddNode()
		b.AddArc(source, node, k, 0)
		for _, s := range c.servers {
			arcs = append(arcs, b.AddArc(node, servers+flow.Node(s), k, 0))
		}
		for _, rack := range c.racks {
			arcs = append(arcs, b.AddArc(node, racks+flow.Node(rack), k, 0))
		}
		arcs = append(arcs, b.AddArc(node, off, k, 0))
	}
	n, err := b.Build()
	if err != nil {
		return nil, err
	}
	m, err := flow.NewMaxFlow(n, source, sink)
	if err != nil {
		return nil, err
	}
	if m.Solve(context.Background()); m.Value() != int64(q.in.Tasks) {
		return nil, &solver.BackendError{Err: fmt.Errorf("the LP of a node places all %d tasks, a maximum flow %d",
			q.in.Tasks, m.Value())}
	}
	next := 0
	return func() int64 { next++; return m.Flow(arcs[next-1]) }, nil
}
