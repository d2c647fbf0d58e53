package msjo

import (
	"math"
	"math/rand/v2"
	"slices"

	"mrsched/model"
	"mrsched/solver"
	"mrsched/solver/search"
)

// chain is one sequence of schedules.
type chain struct {
	e      *engine
	random *rand.Rand
	moves  moves
	heat   func(c *chain, left float64) float64 // temperature by the share of the run that is left
	base   []model.Time                         // start times of the current schedule, by task
	sorted []int32                              // tasks by base
	order  []int32                              // those that no plan holds
	cost   float64
	best   float64
	start  []model.Time // of the best schedule, by task
	hot    float64      // highest temperature of an exploring chain, relative to the cost
	cold   float64      // that of a refining chain
}

// moves are the changes that a chain tries.
type moves interface {
	// change draws a change of the current schedule; decode makes its schedule. Costs above the limit need not be exact.
	change()
	decode(limit float64) (cost float64)
	// polish improves the engine's schedule while that may bring it below the limit.
	polish(limit float64) (cost float64)
	// adopted is called when the chain has another current schedule, with base and order.
	adopted()
}

// step tries one change.
func (c *chain) step(heat float64) {
	c.moves.change()
	limit := c.cost * (1 + float64(heat*c.random.ExpFloat64()))
	if c.moves.decode(limit) <= limit {
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
	c.e.radix.sort(c.e.key, c.sorted, c.e.topo)
	c.order = c.sorted
	if c.e.isHeld != nil {
		c.order = slices.DeleteFunc(slices.Clone(c.sorted), func(u int32) bool { return c.e.isHeld[u] })
	}
	c.moves.adopted()
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
