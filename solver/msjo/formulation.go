package msjo

import (
	"mrsched/solver/lp"
)

// formulation is one way to write the LP. Its rows for sets of tasks are generated on demand; the other rows are in its
// start model.
type formulation interface {
	name() string
	// start is the model without any set.
	start() *lp.Model
	// row is the inequality of the set of the first tasks in an order, divided by their processing time so that rows have
	// similar magnitudes, and a description of the set for price.
	row(prefix []keyed) (entries []lp.Entry, rhs, scale float64, set any)
	// point reads a solution: midpoints by position and completions by job, both in seconds.
	point(x []float64) (midpoint, completion []float64)
	// price converts multipliers of sets to prices per second of processing, by position.
	price(sets []any, dual []float64) []float64
}

// byDelay is the collapsed formulation: columns δ_j.
type byDelay struct{ c *collapsed }

func (f byDelay) name() string { return "collapsed" }

func (f byDelay) start() *lp.Model {
	model := lp.NewModel("msjo-collapsed")
	model.Offset = f.c.constant
	for j := range f.c.in.Jobs {
		model.AddCol("delay_"+f.c.in.Workload().Jobs[j].ID, f.c.weight[j], 0, lp.Inf)
	}
	return model
}

// row is Σ_j P_j(n_j) δ_j ≥ A²/2m − Σ_j E_j(n_j), where n_j of job j's tasks are in the set, P_j and E_j
// their sums of p and p·e, and A the processing time of them all. The set is the vector n.
func (f byDelay) row(prefix []keyed) (entries []lp.Entry, rhs, scale float64, set any) {
	c := f.c
	count := make([]int32, c.in.Jobs)
	for _, o := range prefix {
		count[c.job[o.k]]++
	}
	var a, pe float64
	for j, n := range count {
		at := int(c.first[j]) + j + int(n)
		a += c.sumP[at]
		pe += c.sumPE[at]
	}
	if a == 0 {
		return nil, 0, 0, count
	}
	for j, n := range count {
		if n > 0 {
			entries = append(entries, lp.Entry{Col: lp.Col(j), Coef: c.sumP[int(c.first[j])+j+int(n)] / a})
		}
	}
	return entries, (a*a/(2*c.m) - pe) / a, a, count
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

func (f byDelay) price(sets []any, dual []float64) []float64 {
	c := f.c
	price := make([]float64, len(c.task))
	for i, set := range sets {
		for j, n := range set.([]int32) {
			if n > 0 { // entered at the last position of the job's part, summed backwards below
				price[c.first[j]+n-1] += dual[i]
			}
		}
	}
	for j := range c.in.Jobs {
		for k := int(c.first[j+1]) - 2; k >= int(c.first[j]); k-- {
			price[k] += price[k+1]
		}
	}
	return price
}

// byStart is the published formulation: columns S_u, then C_j; rows for every precedence pair.
type byStart struct{ c *collapsed }

func (f byStart) name() string { return "published" }

func (f byStart) start() *lp.Model {
	in, w := f.c.in, f.c.in.Workload()
	model := lp.NewModel("msjo-published")
	for u := range in.Tasks {
		model.AddCol("start_"+w.Tasks[u].ID, 0, in.Earliest[u].Seconds(), lp.Inf)
	}
	for j := range in.Jobs {
		model.AddCol("completion_"+w.Jobs[j].ID, f.c.weight[j], 0, lp.Inf)
	}
	for u := range int32(in.Tasks) {
		p := in.Processing[u].Seconds()
		last := true
		f.successors(u, 0, func(v int32, delay float64) {
			last = false
			model.AddRow("after_"+w.Tasks[u].ID+"_"+w.Tasks[v].ID,
				[]lp.Entry{{Col: lp.Col(v), Coef: 1}, {Col: lp.Col(u), Coef: -1}}, lp.GE, p+delay)
		})
		if last {
			model.AddRow("ends_"+w.Tasks[u].ID,
				[]lp.Entry{{Col: lp.Col(in.Tasks + int(in.Job[u])), Coef: 1}, {Col: lp.Col(u), Coef: -1}}, lp.GE, p)
		}
	}
	return model
}

// successors visits the tasks that follow node u directly, through barriers.
func (f byStart) successors(u int32, delay float64, visit func(v int32, delay float64)) {
	in := f.c.in
	for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
		v, d := in.SuccNode[a], delay+in.SuccDelay[a].Seconds()
		if v >= int32(in.Tasks) {
			f.successors(v, d, visit)
		} else {
			visit(v, d)
		}
	}
}

// row is Σ_B p_u S_u ≥ p(B)²/2m − ½ Σ_B p_u². The set is the prefix itself.
func (f byStart) row(prefix []keyed) (entries []lp.Entry, rhs, scale float64, set any) {
	c := f.c
	var a, squares float64
	for _, o := range prefix {
		a += c.p[o.k]
		squares += c.p[o.k] * c.p[o.k]
	}
	entries = make([]lp.Entry, 0, len(prefix))
	for _, o := range prefix {
		if c.p[o.k] > 0 {
			entries = append(entries, lp.Entry{Col: lp.Col(c.task[o.k]), Coef: c.p[o.k] / a})
		}
	}
	return entries, (a*a/(2*c.m) - squares/2) / a, a, prefix
}

func (f byStart) point(x []float64) (midpoint, completion []float64) {
	c := f.c
	midpoint = make([]float64, len(c.task))
	for k, u := range c.task {
		midpoint[k] = x[u] + c.p[k]/2
	}
	return midpoint, append([]float64(nil), x[c.in.Tasks:]...)
}

func (f byStart) price(sets []any, dual []float64) []float64 {
	price := make([]float64, len(f.c.task))
	for i, set := range sets {
		for _, o := range set.([]keyed) {
			price[o.k] += dual[i]
		}
	}
	return price
}
