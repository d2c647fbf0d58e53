package msjo

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

// This file states the whole problem, with the job objective, as a MILP for lp_solve, in two ways, and compares branch
// and bound (exact) with it. Both use windows h_u ≤ S_u ≤ latest_u: in an optimal schedule job j completes by (U −
// Σ_{k≠j} w_k c_k)/w_j, U the cost of a known schedule, and then S_u ≤ C_j − L_u − p_u.
//
// network: tasks follow each other on machines as customers on routes, so that no variable names a machine and
// identical machines cause no symmetry.
//
//	S_v ≥ S_u + p_u + d_uv along arcs, C_j ≥ S_u + p_u, and the parallel inequalities that the LP needs
//	first_v + Σ_u x_uv = 1,  Σ_v x_uv ≤ 1,  Σ_v first_v ≤ m          x_uv = 1: v is the next task on u's machine
//	S_v ≥ S_u + p_u − (latest_u + p_u − h_v)(1 − x_uv)
//	rank_v ≥ rank_u + 1 − N(1 − x_uv)                                if neither takes any time
//
// slots: time in units that divide all times; z_ut = 1: task u starts at t, y_jt = 1: job j has not completed by t.
//
//	Σ_t z_ut = 1,  Σ_u Σ_{t−p_u < s ≤ t} z_us ≤ m at every t
//	z_vt + Σ_u Σ_{t−p_u < s < t} z_us ≤ m if v takes no time
//	Σ_{s ≤ t} z_vs ≤ Σ_{s ≤ t−p_u−d_uv} z_us along arcs at every t
//	y_jt ≥ 1 − Σ_{s ≤ t−p_u} z_us for the last tasks,  C_j = Σ_t y_jt
type milp struct {
	in     *msjo.Instance
	arcs   []milpArc
	sink   []bool       // by task: no task follows
	latest []model.Time // start, by task
	end    []model.Time // latest completion, by job
	model  *lp.Model
	start  func(x []float64, u int) float64 // of a task in a solution, in seconds
}

// milpArc is a precedence, barriers resolved.
type milpArc struct {
	from, to int32
	delay    model.Time
}

// newMILP prepares windows from the cost of a known schedule.
func newMILP(in *msjo.Instance, known *model.Schedule) *milp {
	f := &milp{in: in, sink: make([]bool, in.Tasks), latest: make([]model.Time, in.Tasks),
		end: make([]model.Time, in.Jobs)}
	for u := range int32(in.Tasks) {
		before := len(f.arcs)
		f.follow(u, u, 0)
		f.sink[u] = len(f.arcs) == before
	}
	// Without needless idling, every task ends by the latest release plus all times and delays.
	var horizon model.Time
	for u := range in.Nodes {
		horizon = max(horizon, in.Earliest[u])
	}
	for _, t := range append(append([]model.Time{}, in.Processing...), in.SuccDelay...) {
		horizon += t
	}
	slack := in.Evaluate(known).Value
	for j, c := range in.Alone {
		w := new(big.Rat).SetFrac64(int64(in.Weight[j]), int64(model.UnitWeight))
		slack = new(big.Rat).Sub(slack, w.Mul(w, new(big.Rat).SetFrac64(int64(c), int64(model.Second))))
	}
	for j, c := range in.Alone {
		f.end[j] = horizon
		if w := in.Weight[j].Float(); w > 0 {
			f.end[j] = min(horizon, c+model.Time(math.Floor(float(slack)/w*float64(model.Second)+0.5)))
		}
	}
	for u := range f.latest {
		f.latest[u] = f.end[in.Job[u]] - in.Tail[u] - in.Processing[u]
	}
	return f
}

// follow adds the arcs of task u that start at node or behind barriers after it.
func (f *milp) follow(u, node int32, delay model.Time) {
	in := f.in
	for a := in.SuccFirst[node]; a < in.SuccFirst[node+1]; a++ {
		if v, d := in.SuccNode[a], delay+in.SuccDelay[a]; v >= int32(in.Tasks) {
			f.follow(u, v, d)
		} else {
			f.arcs = append(f.arcs, milpArc{u, v, d})
		}
	}
}

// network states the problem with successors on machines.
func (f *milp) network() error {
	in, c := f.in, newCollapsed(f.in)
	m, err := c.formulate(context.Background(), lpsolve.NewSolver, byStart{c}, generationOptions{})
	if err != nil {
		return err
	}
	f.model, f.start = m, func(x []float64, u int) float64 { return x[u] }
	for u := range in.Tasks {
		if err := m.SetBounds(lp.Col(u), in.Head[u].Seconds(), f.latest[u].Seconds()); err != nil {
			return err
		}
	}
	next := f.successors()
	into, out := make([][]lp.Entry, in.Tasks), make([][]lp.Entry, in.Tasks)
	var firsts []lp.Entry
	for v := range in.Tasks {
		x := f.binary(fmt.Sprintf("first_%d", v))
		into[v], firsts = append(into[v], lp.Entry{Col: x, Coef: 1}), append(firsts, lp.Entry{Col: x, Coef: 1})
	}
	for _, n := range next {
		u, v := n.from, n.to
		into[v], out[u] = append(into[v], lp.Entry{Col: n.col, Coef: 1}), append(out[u], lp.Entry{Col: n.col, Coef: 1})
		large := max(0, f.latest[u]+in.Processing[u]-in.Head[v]).Seconds()
		m.AddRow("", []lp.Entry{{Col: lp.Col(v), Coef: 1}, {Col: lp.Col(u), Coef: -1}, {Col: n.col, Coef: -large}}, lp.GE,
			in.Processing[u].Seconds()-large)
	}
	for u := range in.Tasks {
		m.AddRow("", into[u], lp.EQ, 1)
		m.AddRow("", out[u], lp.LE, 1)
	}
	m.AddRow("", firsts, lp.LE, float64(in.Machines))
	f.ranks(next)
	return m.Err()
}

// milpNext is the binary for one task following another on a machine.
type milpNext struct {
	from, to int32
	col      lp.Col
}

// successors adds the binaries of the pairs that windows and arcs allow.
func (f *milp) successors() (next []milpNext) {
	in := f.in
	against := make(map[[2]int32]bool)
	for _, a := range f.arcs {
		against[[2]int32{a.to, a.from}] = true
	}
	for u := range int32(in.Tasks) {
		for v := range int32(in.Tasks) {
			if u != v && !against[[2]int32{u, v}] && in.Head[u]+in.Processing[u] <= f.latest[v] {
				next = append(next, milpNext{u, v, f.binary(fmt.Sprintf("next_%d_%d", u, v))})
			}
		}
	}
	return next
}

// ranks prevents cycles of tasks of length 0, which would be on no machine.
func (f *milp) ranks(next []milpNext) {
	n := float64(f.in.Tasks)
	rank := make([]lp.Col, f.in.Tasks)
	for u := range f.in.Tasks {
		if f.in.Processing[u] == 0 {
			rank[u] = f.model.AddCol(fmt.Sprintf("rank_%d", u), 0, 0, n-1)
		}
	}
	for _, x := range next {
		if f.in.Processing[x.from] == 0 && f.in.Processing[x.to] == 0 {
			f.model.AddRow("", []lp.Entry{{Col: rank[x.to], Coef: 1}, {Col: rank[x.from], Coef: -1}, {Col: x.col, Coef: -n}},
				lp.GE, 1-n)
		}
	}
}

func (f *milp) binary(name string) lp.Col {
	x := f.model.AddCol(name, 0, 0, 1)
	f.model.SetInt(x)
	return x
}

// slots states the problem in units of time.
func (f *milp) slots(unit model.Time) error {
	in := f.in
	m := lp.NewModel("slots")
	f.model = m
	starts := make([][]lp.Entry, in.Tasks) // binaries of a task, with its start as coefficient
	for u := range in.Tasks {
		for t := in.Head[u]; t <= f.latest[u]; t += unit {
			starts[u] = append(starts[u], lp.Entry{Col: f.binary(fmt.Sprintf("start_%d_%d", u, t/unit)), Coef: t.Seconds()})
		}
	}
	f.start = func(x []float64, u int) (s float64) {
		for _, e := range starts[u] {
			s += e.Coef * x[e.Col]
		}
		return s
	}
	begun := func(u int32, from, to model.Time, coef float64) (row []lp.Entry) {
		for k, e := range starts[u] {
			if t := in.Head[u] + model.Time(k)*unit; t > from && t <= to {
				row = append(row, lp.Entry{Col: e.Col, Coef: coef})
			}
		}
		return row
	}
	var horizon model.Time
	for u := range int32(in.Tasks) {
		horizon = max(horizon, f.latest[u]+in.Processing[u])
		m.AddRow("", begun(u, -1, f.latest[u], 1), lp.EQ, 1)
	}
	f.machines(unit, horizon, begun)
	for _, a := range f.arcs {
		for t := in.Head[a.to]; t < f.latest[a.from]+in.Processing[a.from]+a.delay; t += unit {
			m.AddRow("", append(begun(a.from, -1, t-in.Processing[a.from]-a.delay, 1), begun(a.to, -1, t, -1)...), lp.GE, 0)
		}
	}
	f.completions(unit, begun)
	return m.Err()
}

// starting lists the binaries of a task's starts in (from, to], all with one coefficient.
type starting func(u int32, from, to model.Time, coef float64) []lp.Entry

// machines lets at most m tasks run at a time. A task of length 0 needs a machine that runs no task at that moment.
func (f *milp) machines(unit, horizon model.Time, begun starting) {
	in, m := f.in, f.model
	for t := model.Time(0); t < horizon; t += unit {
		var busy []lp.Entry
		for u := range int32(in.Tasks) {
			busy = append(busy, begun(u, t-in.Processing[u], t, 1)...)
		}
		m.AddRow("", busy, lp.LE, float64(in.Machines))
	}
	for v := range int32(in.Tasks) {
		if in.Processing[v] > 0 {
			continue
		}
		for t := in.Head[v]; t <= f.latest[v]; t += unit {
			busy := begun(v, t-1, t, 1)
			for u := range int32(in.Tasks) {
				if in.Processing[u] > 0 {
					busy = append(busy, begun(u, t-in.Processing[u], t-1, 1)...)
				}
			}
			m.AddRow("", busy, lp.LE, float64(in.Machines))
		}
	}
}

// completions prices every unit of time before a job's completion.
func (f *milp) completions(unit model.Time, begun starting) {
	in, m := f.in, f.model
	for j, c := range in.Alone {
		w := in.Weight[j].Float()
		m.Offset += w * c.Seconds()
		for t := c; t < f.end[j] && w > 0; t += unit {
			y := m.AddCol(fmt.Sprintf("open_%d_%d", j, t/unit), w*unit.Seconds(), 0, 1)
			for u := range int32(in.Tasks) {
				if in.Job[u] == int32(j) && f.sink[u] {
					m.AddRow("", append(begun(u, -1, t-in.Processing[u], 1), lp.Entry{Col: y, Coef: 1}), lp.GE, 1)
				}
			}
		}
	}
}

// solve returns the optimum and the schedule behind it; nil if ctx ended first.
func (f *milp) solve(ctx context.Context, t testing.TB) (float64, *model.Schedule) {
	t.Helper()
	s, err := lpsolve.NewSolver(f.model)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	x, err := s.Solve(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if x.Status != lp.Optimal {
		if ctx.Err() == nil {
			t.Fatalf("the MILP is %s", x.Status)
		}
		return 0, nil
	}
	if err := lp.CheckFeasible(f.model, x, 1e-6); err != nil {
		t.Fatal(err)
	}
	key := make([]int64, f.in.Tasks)
	for u := range key {
		key[u] = 2 * int64(math.Round(f.start(x.X, u)*float64(model.Second)))
		if f.in.Processing[u] > 0 {
			key[u]++
		}
	}
	return x.Objective, graph(f.in).InOrder(graph(f.in).Topological(key), f.in.Machines)
}
