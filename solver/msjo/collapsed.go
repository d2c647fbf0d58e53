package msjo

import (
	"cmp"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
)

// collapsed is the LP with one variable per job. Times are floating-point seconds, weights plain.
//
// Tasks are stored job by job in the order of their latest midpoints e_u (ties: predecessors first). Position k is task
// task[k], and job j has the positions first[j] … first[j+1]−1. The tasks of one job stay in this order whatever the
// delays δ are. A cut is a prefix of all tasks by x_u = e_u + δ_j. So one number per job describes it: how many of its
// tasks the cut has.
type collapsed struct {
	in    *shop.Instance
	m     float64
	task  []int32
	job   []int32
	first []int32
	e, p  []float64
	// sumP and sumPE are prefix sums of p and p·e over each job's positions. They have one entry more than the job; those
	// of job j begin at first[j]+j.
	sumP, sumPE []float64
	weight      []float64
	constant    float64 // Σ w_j c_j
}

func newCollapsed(in *shop.Instance) *collapsed {
	c := &collapsed{in: in, m: float64(in.Nodes), first: make([]int32, in.Jobs+1), weight: make([]float64, in.Jobs)}
	for j := range in.Jobs {
		c.task = slices.AppendSeq(c.task, tasksOf(in, j))
		slices.SortStableFunc(c.task[c.first[j]:], func(a, b int32) int {
			return cmp.Compare(in.TwiceMidpoint(a), in.TwiceMidpoint(b))
		})
		c.first[j+1] = int32(len(c.task))
		c.weight[j] = in.Weight[j].Float()
		c.constant += c.weight[j] * in.Alone[j].Seconds()
	}
	n := len(c.task)
	c.job, c.e, c.p = make([]int32, n), make([]float64, n), make([]float64, n)
	c.sumP, c.sumPE = make([]float64, n+in.Jobs), make([]float64, n+in.Jobs)
	for k, u := range c.task {
		c.job[k] = in.Job[u]
		c.e[k] = float64(in.TwiceMidpoint(u)) / 2 / float64(model.Second)
		c.p[k] = in.Least[u].Seconds()
		at := k + int(c.job[k])
		c.sumP[at+1] = c.sumP[at] + c.p[k]
		c.sumPE[at+1] = c.sumPE[at] + c.p[k]*c.e[k]
	}
	return c
}

// byTask maps prices from positions to tasks.
func (c *collapsed) byTask(price []float64) []float64 {
	out := make([]float64, c.in.Tasks)
	for k, u := range c.task {
		out[u] = price[k]
	}
	return out
}

// group is a set of tasks. For its subsets B the LP requires Σ_B p_u x_u ≥ p(B)²/2m.
type group struct {
	of []int32 // positions
	m  float64 // number of machines that run them
}

// all is the one group of all tasks, on all machines.
func (c *collapsed) all() []group { return []group{{of: model.Indices(len(c.task)), m: c.m}} }

// keyed is a position with its midpoint in the current solution.
type keyed struct {
	x float64
	k int32
}

// separator finds violated prefixes of a group's tasks in the order of their midpoints.
type separator struct {
	group
	c     *collapsed
	order []keyed
}

// sort orders the positions by the given midpoints; ties by position.
func (s *separator) sort(x []float64) {
	s.order = make([]keyed, len(s.of)) // a new slice each time: rows keep prefixes of it
	for i, k := range s.of {
		s.order[i] = keyed{x[k], k}
	}
	slices.SortFunc(s.order, func(a, b keyed) int {
		if a.x != b.x {
			return cmp.Compare(a.x, b.x)
		}
		return int(a.k - b.k)
	})
}

// peak is a violated prefix of the current order.
type peak struct {
	length    int     // number of tasks
	violation float64 // A²/2m − Σ p x, in seconds²
}

// peaks lists the prefixes at which the violation has a local maximum, most violated first. The task after such a
// prefix lies later than A/m and its last task earlier; an optimal solution makes such sets tight. With every set, it
// lists all violated proper prefixes by length, which is the published separation. A prefix is violated if its tasks
// lie too early by more than tolerance seconds, on average over their processing time.
func (s *separator) peaks(tolerance float64, every bool) []peak {
	c := s.c
	var found []peak
	var a, sum, before, last float64 // of the prefix, and violations of the last two prefixes
	for i, o := range s.order {
		p := c.p[o.k]
		v := (a+p)*(a+p)/(2*s.m) - (sum + p*o.x)
		if i > 0 && last > tolerance*a && (every || last >= before && last > v) {
			found = append(found, peak{i, last})
		}
		a, sum = a+p, sum+p*o.x
		before, last = last, v
	}
	if every {
		return found
	}
	if last > tolerance*a && last >= before {
		found = append(found, peak{len(s.order), last})
	}
	slices.SortStableFunc(found, func(a, b peak) int { return cmp.Compare(b.violation, a.violation) })
	return found
}

// lift computes the raise of each task to its midpoint in C^NV. Every violated proper prefix, in order, raises its last
// task and all later ones until it holds. Each raise uses the values already raised, or, if literal, those of the LP,
// as the paper's Algorithm 1 says; then the raises of prefixes that overlap add up.
func (s *separator) lift(literal bool, visit func(o keyed, raise float64)) {
	var a, sum, raise float64
	for i, o := range s.order {
		p := s.c.p[o.k]
		a += p
		before := raise
		if literal {
			before = 0
		}
		sum += p * (o.x + before)
		if short := a*a/(2*s.m) - sum; short > 0 && p > 0 && i < len(s.order)-1 {
			raise += short / p
			if !literal {
				sum += short
			}
		}
		visit(o, raise)
	}
}
