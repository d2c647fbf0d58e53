package msjo

import (
	"mrsched/model/msjo"
	"mrsched/solver/lp"
)

// byCompletion is the LP on completion times of T-MarS and MARES: a column C_v for every task and barrier, a
// row for every arc, and sets of tasks
//
//	Σ_B p_u C_u ≥ (Σ_B p_u² + p(B)²)/2m,   or the stronger   Σ_B p_u (C_u − p_u/2) ≥ p(B)²/2m.
//
// Both are Σ_B p_u x_u ≥ p(B)²/2m with x_u = C_u − p_u/2m or C_u − p_u/2, so package-wide separation finds the
// violated ones. The cost is Σ W_u C_u, or Σ w_j C_j with a column more for every job.
type byCompletion struct {
	c *collapsed
	// published takes the first, weaker inequality.
	published bool
	// machine is each task's own machine, on which alone the sets lie (then m = 1); nil: all share all.
	machine []int32
}

func (f byCompletion) name() string { return "completion" }

func (f byCompletion) start() *lp.Model {
	in, w := f.c.in, f.c.in.Workload()
	tasks := in.Objective == msjo.TaskObjective
	model := lp.NewModel("msjo-completion")
	for v := range in.Nodes {
		name := "barrier_" + w.Jobs[in.Job[v]].ID
		if v < in.Tasks {
			name = "task_" + w.Tasks[v].ID
		}
		cost := 0.0
		if tasks {
			cost = in.TaskWeight[v].Float()
		}
		model.AddCol(name, cost, (in.Head[v] + in.Processing[v]).Seconds(), lp.Inf)
	}
	for u := range in.Nodes {
		for k := in.SuccFirst[u]; k < in.SuccFirst[u+1]; k++ {
			v := in.SuccNode[k]
			model.AddRow("after_"+model.ColName(lp.Col(u))+"_"+model.ColName(lp.Col(v)),
				[]lp.Entry{{Col: lp.Col(v), Coef: 1}, {Col: lp.Col(u), Coef: -1}}, lp.GE,
				(in.SuccDelay[k] + in.Processing[v]).Seconds())
		}
	}
	if tasks {
		return model
	}
	for j := range in.Jobs {
		c := model.AddCol("job_"+w.Jobs[j].ID, f.c.weight[j], in.Alone[j].Seconds(), lp.Inf)
		for _, u := range in.JobNodes(j) {
			if in.SuccFirst[u] == in.SuccFirst[u+1] {
				model.AddRow("ends_"+model.ColName(lp.Col(u)), []lp.Entry{{Col: c, Coef: 1}, {Col: lp.Col(u), Coef: -1}}, lp.GE, 0)
			}
		}
	}
	return model
}

// shift is C_u − x_u.
func (f byCompletion) shift(p float64) float64 {
	if f.published && f.machine == nil {
		return p / (2 * f.c.m)
	}
	return p / 2
}

// row is Σ_B p_u C_u ≥ p(B)²/2m + Σ_B p_u (C_u − x_u). The set is the prefix itself.
func (f byCompletion) row(prefix []keyed) (entries []lp.Entry, rhs, scale float64, set any) {
	c, m := f.c, f.c.m
	if f.machine != nil {
		m = 1
	}
	var a, shifts float64
	for _, o := range prefix {
		a += c.p[o.k]
		shifts += c.p[o.k] * f.shift(c.p[o.k])
	}
	entries = make([]lp.Entry, 0, len(prefix))
	for _, o := range prefix {
		if c.p[o.k] > 0 {
			entries = append(entries, lp.Entry{Col: lp.Col(c.task[o.k]), Coef: c.p[o.k] / a})
		}
	}
	return entries, (a*a/(2*m) + shifts) / a, a, prefix
}

// point gives x_u in place of midpoints; they are midpoints but with the published inequality.
func (f byCompletion) point(x []float64) (midpoint, completion []float64) {
	c := f.c
	midpoint, completion = make([]float64, len(c.task)), make([]float64, c.in.Jobs)
	for k, u := range c.task {
		midpoint[k] = x[u] - f.shift(c.p[k])
		completion[c.job[k]] = max(completion[c.job[k]], x[u])
	}
	if c.in.Objective == msjo.JobObjective {
		copy(completion, x[c.in.Nodes:])
	}
	return midpoint, completion
}

func (f byCompletion) price(sets []any, dual []float64) []float64 {
	return byStart{f.c}.price(sets, dual)
}

// separators are one for every machine with tasks of its own.
func (f byCompletion) separators() []separator {
	if f.machine == nil {
		return []separator{{c: f.c}}
	}
	var seps []separator
	for k, u := range f.c.task {
		i := int(f.machine[u])
		for len(seps) <= i {
			seps = append(seps, separator{c: f.c, m: 1, of: []int32{}})
		}
		seps[i].of = append(seps[i].of, int32(k))
	}
	return seps
}
