package msjo

import (
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver/lp"
)

// formulation is one way to write the LP. Rows for sets of tasks are generated on demand; the start model has the
// others.
type formulation interface {
	// start is the model without any set.
	start() *lp.Model
	// groups returns the groups of tasks among which violated sets are searched.
	groups() []group
	// row is the inequality of the set of the first tasks in an order.
	row(prefix []keyed) cut
	// point reads a solution: midpoints by position and completions by job, both in seconds.
	point(x []float64) (midpoint, completion []float64)
	// prices converts the multipliers of sets to prices per second of processing, by task.
	prices(cuts []cut) []float64
}

// cut is the inequality of a set of tasks.
type cut struct {
	entries []lp.Entry
	rhs     float64
	// scale is the processing time of the set. The row is divided by it so that rows have similar magnitudes. It is 0 if
	// the set has no inequality.
	scale   float64
	members []keyed
	count   []int32 // for byDelay, instead of members: how many of each job's tasks are in the set
	dual    float64 // multiplier in the last solution, of the row times scale
	slack   int     // number of solves since the row last had a multiplier
}

// setCut is Σ_B p_u X_u ≥ p(B)²/2m + Σ_B p_u (X_u − x_u), with a column X_u for every task u. The inequalities for sets
// are about x_u; shift returns X_u − x_u for a processing time.
func (c *collapsed) setCut(prefix []keyed, m float64, shift func(p float64) float64) cut {
	row := cut{entries: make([]lp.Entry, 0, len(prefix)), members: prefix}
	var shifts float64
	for _, o := range prefix {
		row.scale += c.p[o.k]
		shifts += c.p[o.k] * shift(c.p[o.k])
	}
	for _, o := range prefix {
		if c.p[o.k] > 0 {
			row.entries = append(row.entries, lp.Entry{Col: lp.Col(c.task[o.k]), Coef: c.p[o.k] / row.scale})
		}
	}
	row.rhs = (row.scale*row.scale/(2*m) + shifts) / row.scale
	return row
}

// memberPrices adds the multipliers of every set to the prices of its members.
func (c *collapsed) memberPrices(cuts []cut) []float64 {
	price := make([]float64, c.in.Tasks)
	for _, row := range cuts {
		if row.dual == 0 {
			continue
		}
		for _, o := range row.members {
			price[c.task[o.k]] += row.dual
		}
	}
	return price
}

// byDelay is the collapsed formulation: columns δ_j.
type byDelay struct{ c *collapsed }

func (f byDelay) start() *lp.Model {
	model := lp.NewModel("msjo-collapsed")
	model.Offset = f.c.constant
	for j := range f.c.in.Jobs {
		model.AddCol("delay_"+f.c.in.Workload().Jobs[j].ID, f.c.weight[j], 0, lp.Inf)
	}
	return model
}

func (f byDelay) groups() []group { return f.c.all() }

// row is Σ_j P_j(n_j) δ_j ≥ A²/2m − Σ_j E_j(n_j). The set has n_j tasks of job j; P_j and E_j are their sums of p and
// p·e, and A is the total processing time.
//
// It takes the first n_j tasks of job j by latest midpoint. Prefixes of the first-order method may hold others, but
// these sets are equally good.
func (f byDelay) row(prefix []keyed) cut {
	c := f.c
	row := cut{count: make([]int32, c.in.Jobs)}
	for _, o := range prefix {
		row.count[c.job[o.k]]++
	}
	var a, pe float64
	for j, n := range row.count {
		at := int(c.first[j]) + j + int(n)
		a += c.sumP[at]
		pe += c.sumPE[at]
	}
	for j, n := range row.count {
		if n > 0 {
			row.entries = append(row.entries, lp.Entry{Col: lp.Col(j), Coef: c.sumP[int(c.first[j])+j+int(n)] / a})
		}
	}
	row.rhs, row.scale = (a*a/(2*c.m)-pe)/a, a
	return row
}

func (f byDelay) point(delta []float64) (midpoint, completion []float64) {
	c := f.c
	midpoint, completion = make([]float64, len(c.e)), make([]float64, c.in.Jobs)
	for k, e := range c.e {
		midpoint[k] = e + delta[c.job[k]]
	}
	for j := range completion {
		completion[j] = c.in.Alone[j].Seconds() + delta[j]
	}
	return midpoint, completion
}

func (f byDelay) prices(cuts []cut) []float64 {
	c := f.c
	price := make([]float64, len(c.task))
	for _, row := range cuts {
		for j, n := range row.count {
			if n > 0 { // at the last position of the job's part; summed backwards below
				price[c.first[j]+n-1] += row.dual
			}
		}
	}
	for j := range c.in.Jobs {
		for k := int(c.first[j+1]) - 2; k >= int(c.first[j]); k-- {
			price[k] += price[k+1]
		}
	}
	return c.byTask(price)
}

// byStart is the published formulation: columns S_u, then C_j; rows for every precedence pair.
type byStart struct{ c *collapsed }

func (f byStart) start() *lp.Model {
	in, w, g := f.c.in, f.c.in.Workload(), graph(f.c.in)
	m := lp.NewModel("msjo-published")
	for u := range in.Tasks {
		m.AddCol("start_"+w.Tasks[u].ID, 0, in.Earliest[u].Seconds(), lp.Inf)
	}
	for j := range in.Jobs {
		m.AddCol("completion_"+w.Jobs[j].ID, f.c.weight[j], 0, lp.Inf)
	}
	for u := range int32(in.Tasks) {
		p := in.Least[u].Seconds()
		last := true
		g.Next(u, 0, func(v int32, delay model.Time) {
			last = false
			after(m, "after_"+w.Tasks[u].ID+"_"+w.Tasks[v].ID, lp.Col(v), lp.Col(u), p+delay.Seconds())
		})
		if last {
			after(m, "ends_"+w.Tasks[u].ID, lp.Col(in.Tasks+int(in.Job[u])), lp.Col(u), p)
		}
	}
	return m
}

// after adds the row that column later exceeds column earlier by some seconds.
func after(model *lp.Model, name string, later, earlier lp.Col, by float64) {
	model.AddRow(name, []lp.Entry{{Col: later, Coef: 1}, {Col: earlier, Coef: -1}}, lp.GE, by)
}

func (f byStart) groups() []group { return f.c.all() }

func (f byStart) row(prefix []keyed) cut {
	return f.c.setCut(prefix, f.c.m, func(p float64) float64 { return -p / 2 })
}

func (f byStart) point(x []float64) (midpoint, completion []float64) {
	c := f.c
	midpoint = make([]float64, len(c.task))
	for k, u := range c.task {
		midpoint[k] = x[u] + c.p[k]/2
	}
	return midpoint, slices.Clone(x[c.in.Tasks:])
}

func (f byStart) prices(cuts []cut) []float64 { return f.c.memberPrices(cuts) }

// byCompletion is the LP on completion times of T-MarS and MARES. It has a column C_v for every task and barrier, a row
// for every arc, and rows for sets of tasks
//
//	Σ_B p_u C_u ≥ (Σ_B p_u² + p(B)²)/2m,   or the stronger   Σ_B p_u (C_u − p_u/2) ≥ p(B)²/2m.
//
// Both are Σ_B p_u x_u ≥ p(B)²/2m with x_u = C_u − p_u/2m or C_u − p_u/2, so the separator finds violated ones. The
// cost is Σ W_u C_u, or Σ w_j C_j with one more column per job.
type byCompletion struct {
	c *collapsed
	// published selects the first, weaker inequality.
	published bool
	// machine is each task's machine; sets then contain tasks of one machine, with m = 1. nil: no assignment.
	machine []int32
}

func (f byCompletion) start() *lp.Model {
	in, w := f.c.in, f.c.in.Workload()
	tasks := in.Objective == shop.WeightedTaskEnds
	model := lp.NewModel("msjo-completion")
	for v := range in.Steps {
		name := "barrier_" + w.Jobs[in.Job[v]].ID
		if v < in.Tasks {
			name = "task_" + w.Tasks[v].ID
		}
		cost := 0.0
		if tasks {
			cost = in.TaskWeight[v].Float()
		}
		model.AddCol(name, cost, (in.Head[v] + in.Least[v]).Seconds(), lp.Inf)
	}
	for u := range in.Steps {
		for k := in.SuccFirst[u]; k < in.SuccFirst[u+1]; k++ {
			v := in.SuccStep[k]
			after(model, "after_"+model.ColName(lp.Col(u))+"_"+model.ColName(lp.Col(v)), lp.Col(v), lp.Col(u),
				(in.SuccDelay[k] + in.Least[v]).Seconds())
		}
	}
	if tasks {
		return model
	}
	for j := range in.Jobs {
		c := model.AddCol("job_"+w.Jobs[j].ID, f.c.weight[j], in.Alone[j].Seconds(), lp.Inf)
		for _, u := range in.JobSteps(j) {
			if in.SuccFirst[u] == in.SuccFirst[u+1] {
				after(model, "ends_"+model.ColName(lp.Col(u)), c, lp.Col(u), 0)
			}
		}
	}
	return model
}

// groups has one group per machine if tasks are assigned.
func (f byCompletion) groups() []group {
	if f.machine == nil {
		return f.c.all()
	}
	list := make([]group, slices.Max(f.machine)+1)
	for k, u := range f.c.task {
		own := &list[f.machine[u]]
		own.m, own.of = 1, append(own.of, int32(k))
	}
	return list
}

// shift is C_u − x_u.
func (f byCompletion) shift(p float64) float64 {
	if f.published && f.machine == nil {
		return p / (2 * f.c.m)
	}
	return p / 2
}

func (f byCompletion) row(prefix []keyed) cut {
	m := f.c.m
	if f.machine != nil {
		m = 1
	}
	return f.c.setCut(prefix, m, f.shift)
}

// point returns x_u instead of midpoints. They are midpoints unless the inequality is the published one.
func (f byCompletion) point(x []float64) (midpoint, completion []float64) {
	c := f.c
	midpoint, completion = make([]float64, len(c.task)), make([]float64, c.in.Jobs)
	for k, u := range c.task {
		midpoint[k] = x[u] - f.shift(c.p[k])
		completion[c.job[k]] = max(completion[c.job[k]], x[u])
	}
	if c.in.Objective == shop.WeightedEnds {
		copy(completion, x[c.in.Steps:])
	}
	return midpoint, completion
}

func (f byCompletion) prices(cuts []cut) []float64 { return f.c.memberPrices(cuts) }
