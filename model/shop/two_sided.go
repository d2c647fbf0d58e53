package shop

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"mrsched/model"
)

// TwoSided are prices of a certificate of kind KindTwoSided (docs/mathematics.md, cluster: two-sided prices), in units
// of 2^−Shift of the objective's integers per microsecond. Tasks before the end of a job pay for their distance from
// it, by Groups, and all tasks for their place, by Forward. A task pays its price by pool for every unit of its area,
// and Latency for every microsecond of its least length. What a task pays for its place is at most what it pays in all
// groups together, and what a group pays at most the weight of its job.
type TwoSided struct {
	Forward *Prices      `json:"forward,omitempty"` // by task
	Groups  []PriceGroup `json:"groups,omitempty"`
}

// Prices are prices of some tasks.
type Prices struct {
	Pool    [][]int64 `json:"pool,omitempty"` // by pool and task
	Latency []int64   `json:"latency,omitempty"`
}

// PriceGroup are prices of tasks that end before a job does: its own and those of jobs that it waits for. Without
// Tasks they are the job's own. All of a makespan is the job AllJobs.
type PriceGroup struct {
	Job    int32   `json:"job"`
	Tasks  []int32 `json:"tasks,omitempty"` // rising
	Prices Prices  `json:"prices"`
}

// MaxPrice bounds a price, so that two of them can be added, and MaxShift the shift.
const (
	MaxPrice = math.MaxInt64 / 2
	MaxShift = 200
)

// twoSided evaluates a certificate of that kind.
type twoSided struct {
	*Evaluator
	c       *Certificate
	pools   []*Pooled
	windows *Windows
	tasks   func(j int32) []int32
	paid    []big.Int // by task: what it pays in groups less what it pays for its place
	y       []big.Int // by job: prices
	total   big.Int   // twice the value, times 2^Shift
	price   []int64   // by task; reused
	path    []model.Time
	size    int // of the groups so far
}

// maxGroupSize bounds the tasks and jobs of all groups together, per task and job of the instance.
const maxGroupSize = 64

// evaluateTwoSided is the value of a certificate, in the objective's unit.
func (e *Evaluator) evaluateTwoSided(c *Certificate) (*big.Rat, error) {
	in := e.in
	pools, err := e.pools(&c.Bounds)
	if err != nil {
		return nil, err
	}
	windows, err := e.Windows(&c.Bounds, pools)
	if err != nil {
		return nil, err
	}
	if c.Shift < 0 || c.Shift > MaxShift {
		return nil, fmt.Errorf("certificate: shift %d", c.Shift)
	}
	t := &twoSided{Evaluator: e, c: c, pools: pools, windows: windows, tasks: e.byJob(),
		paid: make([]big.Int, in.Tasks), y: make([]big.Int, in.Jobs+1), price: make([]int64, in.Tasks),
		path: make([]model.Time, in.Tasks)}
	if c.TwoSided != nil {
		if err := t.prices(c.TwoSided); err != nil {
			return nil, err
		}
	}
	for j := range int32(in.Jobs) {
		if in.Objective != Makespan {
			if err := t.job(j, windows.Job[j]); err != nil {
				return nil, err
			}
		}
	}
	if in.Objective == Makespan {
		if err := t.job(AllJobs, windows.All); err != nil {
			return nil, err
		}
	}
	scale := new(big.Int).Lsh(in.Objective.units(), uint(c.Shift+1))
	return new(big.Rat).SetFrac(&t.total, scale), nil
}

// pools computes the pools of bounds.
func (e *Evaluator) pools(c *Bounds) ([]*Pooled, error) {
	if len(c.Pools) > maxPools {
		return nil, errPool
	}
	pools := make([]*Pooled, len(c.Pools))
	for r := range c.Pools {
		var err error
		if pools[r], err = e.Pool(&c.Pools[r]); err != nil {
			return nil, err
		}
	}
	return pools, nil
}

const maxPools = 64

// TargetWeight is the slope of a job's cost that prices may use up: its weight, 1 for the makespan, and 0 if the cost
// does not grow without end.
func (in *Instance) TargetWeight(j int32) int64 {
	switch {
	case in.Objective == Makespan && j == AllJobs:
		return 1
	case j < 0 || int(j) >= in.Jobs || in.Objective == Late || in.Objective == Makespan ||
		in.Objective == Tardiness && in.Due[j] >= Never:
		return 0
	}
	return int64(in.Weight[j])
}

// job adds twice the least of cost(t) − Y·t over the completions t ≥ least of a job.
func (t *twoSided) job(j int32, least model.Time) error {
	in, y := t.in, &t.y[j+1]
	if in.Objective == Late {
		cost := in.JobCost(Late, int(j), least, new(big.Int))
		t.total.Add(&t.total, cost.Lsh(cost, uint(t.c.Shift+1)))
		return nil
	}
	rest := new(big.Int).Lsh(big.NewInt(in.TargetWeight(j)), uint(t.c.Shift))
	if rest.Sub(rest, y).Sign() < 0 {
		return fmt.Errorf("certificate: the prices of job %d exceed its weight", j)
	}
	var due model.Time
	if in.Objective == Tardiness {
		due = in.Due[j]
	}
	rest.Mul(rest, big.NewInt(2*int64(max(0, least-due))))
	due2 := new(big.Int).Mul(y, big.NewInt(2*int64(due)))
	t.total.Add(&t.total, rest.Sub(rest, due2))
	return nil
}

// prices adds what prices earn.
func (t *twoSided) prices(p *TwoSided) error {
	in := t.in
	for i := range p.Groups {
		g := &p.Groups[i]
		if i > 0 && g.Job <= p.Groups[i-1].Job || in.TargetWeight(g.Job) == 0 {
			return fmt.Errorf("certificate: prices of job %d", g.Job)
		}
		tasks, err := t.paths(g)
		if err != nil {
			return err
		}
		if err := t.earn(&g.Prices, tasks, func(r int) []Speed {
			return []Speed{{0, t.pools[r].Most}}
		}, func(u int32, amount *big.Int) {
			t.paid[u].Add(&t.paid[u], amount)
			t.y[g.Job+1].Add(&t.y[g.Job+1], amount)
		}); err != nil {
			return err
		}
	}
	if p.Forward == nil {
		return nil
	}
	copy(t.path, t.windows.Head)
	err := t.earn(p.Forward, t.tasks(AllJobs), func(r int) []Speed { return t.pools[r].Speeds },
		func(u int32, amount *big.Int) { t.paid[u].Sub(&t.paid[u], amount) })
	if err != nil {
		return err
	}
	for u := range t.paid {
		if t.paid[u].Sign() < 0 {
			return fmt.Errorf("certificate: task %q pays more for its place than for its distance", in.workload.Tasks[u].ID)
		}
	}
	return nil
}

// paths lists a group's tasks and leaves the longest paths from their ends to that of the job.
func (t *twoSided) paths(g *PriceGroup) ([]int32, error) {
	tasks := g.Tasks
	if len(tasks) == 0 {
		tasks = t.tasks(g.Job)
	}
	up := map[int32]model.Time{}
	if g.Job != AllJobs && len(g.Tasks) > 0 {
		up = t.Before(g.Job)
	}
	if t.size += len(tasks) + len(up); t.size > maxGroupSize*(t.in.Tasks+t.in.Jobs) {
		return nil, errors.New("certificate: too many tasks in groups of prices")
	}
	for i, u := range tasks {
		if u < 0 || int(u) >= t.in.Tasks || i > 0 && u <= tasks[i-1] {
			return nil, fmt.Errorf("certificate: task %d in the group of job %d", u, g.Job)
		}
		switch far, ok := up[t.in.Job[u]]; {
		case g.Job == AllJobs:
			t.path[u] = t.All[u]
		case t.in.Job[u] == g.Job:
			t.path[u] = t.windows.Tail[u]
		case ok:
			t.path[u] = t.windows.Tail[u] + far
		default:
			return nil, fmt.Errorf("certificate: task %d in the group of job %d", u, g.Job)
		}
	}
	return tasks, nil
}

// Before are the jobs that a job waits for, each with the least time from its end to the job's.
func (e *Evaluator) Before(j int32) map[int32]model.Time {
	up := map[int32]model.Time{}
	var order []int32 // each job before those that it waits for
	seen := map[int32]bool{}
	var visit func(j int32)
	visit = func(j int32) {
		seen[j] = true
		for _, w := range e.waits[j] {
			if !seen[w.job] {
				visit(w.job)
			}
		}
		order = append(order, j)
	}
	visit(j)
	up[j] = 0
	for _, k := range slices.Backward(order) {
		for _, w := range e.waits[k] {
			up[w.job] = max(up[w.job], up[k]+w.delay)
		}
	}
	delete(up, j)
	return up
}

// earn adds twice what prices earn at the mean times or distances of tasks, and passes what each task pays.
func (t *twoSided) earn(p *Prices, tasks []int32, speeds func(r int) []Speed,
	pay func(u int32, amount *big.Int)) error {
	if len(p.Pool) > len(t.pools) || len(p.Latency) != 0 && len(p.Latency) != len(tasks) {
		return errors.New("certificate: too many or too few prices")
	}
	amount, x := new(big.Int), new(big.Int)
	for r, prices := range p.Pool {
		if len(prices) == 0 {
			continue
		}
		if len(prices) != len(tasks) {
			return fmt.Errorf("certificate: %s for %s", model.Counted(len(prices), "price"), model.Counted(len(tasks), "task"))
		}
		area := t.pools[r].Area
		for i, u := range tasks {
			if prices[i] < 0 || prices[i] > MaxPrice {
				return fmt.Errorf("certificate: price %d", prices[i])
			}
			if t.price[u] = prices[i]; prices[i] > 0 {
				pay(u, amount.Mul(amount.SetInt64(prices[i]), x.SetInt64(area[u])))
			}
		}
		t.total.Add(&t.total, t.fluid.sum(tasks, t.path, area, t.price, speeds(r)))
	}
	for i, q := range p.Latency {
		u := tasks[i]
		if q < 0 || q > MaxPrice || q > 0 && t.in.Fixed(u) {
			return fmt.Errorf("certificate: price %d", q)
		}
		if q > 0 {
			least := int64(t.in.Least[u])
			pay(u, amount.Mul(amount.SetInt64(q), x.SetInt64(least)))
			t.total.Add(&t.total, amount.Mul(amount, x.SetInt64(2*int64(t.path[u])+least)))
		}
	}
	return nil
}

// Waits says whether a job waits for others.
func (e *Evaluator) Waits(j int32) bool { return len(e.waits[j]) > 0 }
