package msjo

import (
	"cmp"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
)

// collapsed is the LP with one variable a job. Times are floating-point seconds, weights plain.
//
// Tasks are kept job by job in the order of their latest midpoints e_u (ties: predecessors first): position k
// is task task[k], and job j has the positions first[j] … first[j+1]−1. Whatever the delays δ are, the
// tasks of one job stay in this order, so a cut, a prefix of all tasks by x_u = e_u + δ_j, is one number
// a job: how many of its tasks it has.
type collapsed struct {
	in    *msjo.Instance
	m     float64
	task  []int32
	job   []int32
	first []int32
	e, p  []float64
	// sumP and sumPE are prefix sums of p and p·e over each job's positions, one longer than the job:
	// those of job j begin at first[j]+j.
	sumP, sumPE []float64
	weight      []float64
	constant    float64 // Σ w_j c_j
}

func newCollapsed(in *msjo.Instance) *collapsed {
	c := &collapsed{in: in, m: float64(in.Machines), first: make([]int32, in.Jobs+1), weight: make([]float64, in.Jobs)}
	for j := range in.Jobs {
		from := len(c.task)
		for _, u := range in.JobNodes(j) {
			if u < int32(in.Tasks) {
				c.task = append(c.task, u)
			}
		}
		slices.SortStableFunc(c.task[from:], func(a, b int32) int {
			return cmp.Compare(in.TwiceMidpoint(a),
				in.TwiceMidpoint(b))
		})
		c.first[j+1] = int32(len(c.task))
		c.weight[j] = in.Weight[j].Float()
		c.constant += c.weight[j] * in.Alone[j].Seconds()
	}
	n := len(c.task)
	c.job, c.e, c.p = make([]int32, n), make([]float64, n), make([]float64, n)
	c.sumP, c.sumPE = make([]float64, n+in.Jobs), make([]float64, n+in.Jobs)
	for j := range in.Jobs {
		for k := c.first[j]; k < c.first[j+1]; k++ {
			u := c.task[k]
			c.job[k] = int32(j)
			c.e[k] = float64(in.TwiceMidpoint(u)) / 2 / float64(model.Second)
			c.p[k] = in.Processing[u].Seconds()
			at := int(k) + j
			c.sumP[at+1] = c.sumP[at] + c.p[k]
			c.sumPE[at+1] = c.sumPE[at] + c.p[k]*c.e[k]
		}
	}
	return c
}

// keyed is a position with its midpoint in the current solution.
type keyed struct {
	x float64
	k int32
}

// separator finds violated prefixes of tasks in the order of their midpoints.
type separator struct {
	c     *collapsed
	of    []int32 // the positions that it looks at; nil: all
	m     float64 // the machines that run these; 0: all machines
	head  float64 // no task that it looks at starts earlier
	order []keyed
}

func (s *separator) machines() float64 {
	if s.m > 0 {
		return s.m
	}
	return s.c.m
}

// sort orders the positions by the given midpoints; ties by position.
func (s *separator) sort(x []float64) {
	s.order = nil // new each time: rows keep prefixes of it
	if s.of == nil {
		s.order = make([]keyed, len(x))
		for k := range x {
			s.order[k] = keyed{x[k], int32(k)}
		}
	}
	for _, k := range s.of {
		s.order = append(s.order, keyed{x[k], k})
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

// peaks lists the prefixes at which the violation has a local maximum, most violated first. The task
// after such a prefix lies later than A/m and its last task earlier: an optimal solution makes sets like
// these tight. With every set, all violated proper prefixes are listed, in order of length: the
// published separation. A prefix counts as violated if its tasks lie too early by more than tolerance seconds, on
// the average of their processing time.
func (s *separator) peaks(tolerance float64, every bool) []peak {
	c, m := s.c, s.machines()
	var found []peak
	var a, sum, before, last float64 // of the prefix; violations two and one prefixes ago
	for i, o := range s.order {
		p := c.p[o.k]
		v := (a+p)*(a+p)/(2*m) - (sum + p*(o.x-s.head))
		if i > 0 && last > tolerance*a && (every || last >= before && last > v) {
			found = append(found, peak{i, last})
		}
		a, sum = a+p, sum+p*(o.x-s.head)
		before, last = last, v
	}
	if last > tolerance*a && !every && last >= before {
		found = append(found, peak{len(s.order), last})
	}
	if !every {
		slices.SortStableFunc(found, func(a, b peak) int { return cmp.Compare(b.violation, a.violation) })
	}
	return found
}

// lifted is Σ w_j C^NV_j: the objective after every violated proper prefix, in order, has raised its
// last task and all later ones until it holds. Each raise is computed on the values already raised.
// (The paper's text computes it on the original ones; on these the raises add up without limit.)
func (s *separator) lifted(completion []float64) float64 {
	done := slices.Clone(completion)
	s.liftJobs(done)
	var total float64
	for j, t := range done {
		total += s.c.weight[j] * t
	}
	return total
}

// liftJobs raises the jobs' completions as lifted says.
func (s *separator) liftJobs(done []float64) {
	s.lift(func(o keyed, raise float64) {
		j := s.c.job[o.k]
		done[j] = max(done[j], o.x+s.c.p[o.k]/2+raise)
	})
}

// lift says by how much each task is raised.
func (s *separator) lift(visit func(o keyed, raise float64)) {
	m := s.machines()
	var a, sum, raise float64
	for i, o := range s.order {
		p := s.c.p[o.k]
		a += p
		sum += p * (o.x + raise)
		if short := a*a/(2*m) - sum; short > 0 && p > 0 && i < len(s.order)-1 {
			raise += short / p
			sum += short
		}
		visit(o, raise)
	}
}
