package msjo

import (
	"math"
	"math/rand/v2"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/search"
)

// chain is one sequence of schedules, made from keys of the tasks, which make a list schedule.
//
// Keys are the starts of the current schedule. A step makes one to three moves. A move shifts the keys of a task or of
// a part of a job, or swaps those of two tasks. Shifts have all orders of magnitude alike. Some steps first give every
// task the key D_j − L_u − p_u, its latest start (or at random its latest midpoint), where D are the completions of
// the jobs. Every schedule that may still become good enough is justified right and left.
//
// Under the task objective the moves are the same. Nothing is justified, since every task has its own cost.
type chain struct {
	e      *engine
	random *rand.Rand
	heat   func(c *chain, left float64) float64 // temperature by the share of the run that is left
	base   []model.Time                         // start times of the current schedule, by task
	order  []int32                              // tasks by base
	cost   float64
	best   float64
	start  []model.Time // of the best schedule, by task
	hot    float64      // highest temperature of an exploring chain, relative to the cost
	cold   float64      // that of a refining chain

	due    []model.Time // of the current schedule, by job
	nudged []nudge
	how    int        // how to decode
	ready  []int64    // by step, of raise
	span   model.Time // from the first start to the last due time
	gain   float64    // average relative gain of one justification
}

// newChain makes a chain without a schedule.
func newChain(in *shop.Instance, random *rand.Rand) *chain {
	c := &chain{e: newEngine(in), random: random, best: math.Inf(1), start: make([]model.Time, in.Tasks),
		base: make([]model.Time, in.Tasks), order: make([]int32, in.Tasks), due: make([]model.Time, in.Jobs),
		ready: make([]int64, in.Steps), gain: gainStart}
	if in.Objective == shop.WeightedTaskEnds {
		c.hot, c.cold = taskHeat/float64(in.Tasks*in.Tasks), taskCold/float64(in.Tasks*in.Tasks)
		return c
	}
	c.hot = min(mostHeat, jobHeat/float64(in.Jobs*max(in.Tasks, fewTasks*in.Jobs)))
	c.cold = c.hot * coldShare
	return c
}

// step tries one change.
func (c *chain) step(heat float64) {
	c.change()
	limit := c.cost * (1 + float64(heat*c.random.ExpFloat64()))
	if c.decode(limit) <= limit {
		c.adopt()
	}
}

// adopt makes the engine's schedule the current one, and the best one if it is cheaper.
func (c *chain) adopt() {
	c.begin(c.e.start, c.e.cost())
	if c.cost < c.best {
		c.best = c.cost
		copy(c.start, c.e.start)
	}
}

// begin makes a schedule the current one.
func (c *chain) begin(start []model.Time, cost float64) {
	c.cost = cost
	copy(c.base, start)
	c.e.keys(c.base)
	c.e.radix.sort(c.e.key, c.order, c.e.topo)
	clear(c.due)
	for u, begin := range c.base {
		j := c.e.in.Job[u]
		c.due[j] = max(c.due[j], begin+c.e.in.Least[u])
	}
	c.span = slices.Max(c.due) - c.base[c.order[0]]
}

// refining is a low temperature that falls over the whole run.
func (c *chain) refining(left float64) float64 { return c.cold * left * left * left }

// exploring is a high temperature that falls in every round, and from round to round.
func (c *chain) exploring(left float64) float64 {
	_, part := search.Round(left, searchRounds)
	return c.hot * part * part * left
}

// pair draws two places in the order of starts, at distances of all orders of magnitude alike. They differ unless there
// is only one task to move.
func (c *chain) pair() (a, b int) {
	n := len(c.order)
	if n == 1 {
		return 0, 0
	}
	a = c.random.IntN(n)
	d := magnitude(c.random, n-1)
	if c.random.IntN(2) == 0 {
		d = -d
	}
	if b = a + d; b < 0 || b >= n {
		b = a - d
	}
	return a, min(max(b, 0), n-1)
}

// part passes the tasks of u's job: all of them, those that start no earlier than u, or those that start no later.
func (c *chain) part(u int32, each func(v int32)) {
	which := c.random.IntN(3)
	for v := range tasksOf(c.e.in, int(c.e.in.Job[u])) {
		if which == 0 || which == 1 && c.base[v] >= c.base[u] || which == 2 && c.base[v] <= c.base[u] {
			each(v)
		}
	}
}

// magnitude draws a number from 1 to n whose logarithm is uniform, so that all orders of magnitude are equally likely.
func magnitude(r *rand.Rand, n int) int {
	return max(1, min(n, int(solver.Exp(r.Float64()*math.Log(float64(n+1))))))
}
