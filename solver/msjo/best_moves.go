package msjo

import (
	"cmp"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
)

// Settings of the search.
const (
	// justifyLeast is the relative gain below which justification stops.
	justifyLeast = 1e-6
	// gainMemory is the weight of the newest gain in the moving average of the gains of justification. The average starts
	// at gainStart.
	gainMemory = 0.05
	gainStart  = 0.01
	// Every freshEvery-th schedule, on average, is made from due times alone.
	freshEvery = 8
	// Every serialEvery-th schedule, on average, keeps machines idle until the next task in the order can start.
	serialEvery = 3
	// The shortest shift is 1/moveSteps of the schedule's length.
	moveSteps = 1000
	// The highest temperature, relative to the cost, is jobHeat over jobs × tasks, but at most mostHeat. Jobs count as
	// if they had at least fewTasks tasks on average. The temperature of a refining chain is coldShare of it. Form and
	// numbers were fitted on mixes of 5 to 20 workflows and on 10 to 100 generated jobs.
	jobHeat, mostHeat, fewTasks, coldShare = 54, 0.13, 45, 1.0 / 18
	// taskHeat and taskCold over the square of the number of tasks are the highest temperatures under the task objective,
	// relative to the cost. A change of one task among n changes about 1/n of the cost, and longer sequences need lower
	// temperatures.
	taskHeat, taskCold = 0.8, 0.2
)

// Ways to decode due times (bits).
const (
	midpoint = 1 // keys are latest midpoints, not starts
	serial   = 2 // tasks strictly in the order of their keys, even if a machine idles meanwhile
	fresh    = 4 // keys from the due times alone, not from the current schedule
)

// nudge is a task whose key moves.
type nudge struct {
	task int32
	by   model.Time
}

// change draws a change of the current schedule.
func (c *chain) change() {
	c.nudged = c.nudged[:0]
	c.how = 0
	if c.random.IntN(serialEvery) == 0 {
		c.how = serial
	}
	for range 1 + c.random.IntN(3) {
		c.move()
	}
	if c.e.in.Objective == shop.WeightedEnds && c.random.IntN(freshEvery) == 0 {
		c.how |= fresh | c.random.IntN(2)*midpoint
	}
}

// dueKeys are the latest starts and the latest midpoints under due times.
func dueKeys(in *shop.Instance, due []model.Time) [][]model.Time {
	keys := make([][]model.Time, 2)
	for u := range in.Tasks {
		for half := range keys {
			keys[half] = append(keys[half], latest(in, u, due, half))
		}
	}
	return keys
}

// completionKeys returns keys from the LP on completion times: its completions, midpoints and starts.
func completionKeys(in *shop.Instance, completion []float64) [][]model.Time {
	keys := make([][]model.Time, 3)
	for u, c := range completion {
		end := model.TimeOf(c)
		for k := range keys {
			keys[k] = append(keys[k], end-in.Least[u]*model.Time(k)/2)
		}
	}
	return keys
}

// jobAfterJob returns keys that order jobs by due time first, then tasks by their distance to the job's end.
func jobAfterJob(in *shop.Instance, due []model.Time) []model.Time {
	jobs := model.Indices(in.Jobs)
	slices.SortStableFunc(jobs, func(a, b int32) int { return cmp.Compare(due[a], due[b]) })
	rank := ranks(jobs)
	key := make([]model.Time, in.Tasks)
	for k, u := range model.Ordered(in.Tasks, func(a, b int32) int {
		return cmp.Or(cmp.Compare(rank[in.Job[a]], rank[in.Job[b]]),
			cmp.Compare(in.Tail[b]+in.Least[b], in.Tail[a]+in.Least[a]))
	}) {
		key[u] = model.Time(k)
	}
	return key
}

// latest is the latest start of a task under due times; with half = 1 it is the latest midpoint.
func latest(in *shop.Instance, u int, due []model.Time, half int) model.Time {
	return due[in.Job[u]] - in.Tail[u] - in.Least[u]>>half
}

// decode makes the schedule of the changed keys and returns its cost after polish.
func (c *chain) decode(limit float64) float64 {
	in, e := c.e.in, c.e
	e.keys(c.base)
	if c.how&fresh != 0 {
		for u := range e.key {
			e.key[u] = int64(latest(in, u, c.due, c.how&midpoint))
		}
	}
	for _, n := range c.nudged {
		e.key[n.task] += int64(n.by)
	}
	if c.how&serial != 0 {
		if len(c.nudged) > 0 {
			c.raise()
		}
		e.inOrder()
	} else {
		e.neverIdle()
	}
	return c.polish(limit)
}

// polish justifies the engine's schedule while that may still bring it below the limit. Below the limit it continues
// until the schedule stops improving. It returns the cost.
func (c *chain) polish(limit float64) float64 {
	cost := c.e.cost()
	if c.e.in.Objective == shop.WeightedTaskEnds { // every task has its own cost: justifying gains nothing
		return cost
	}
	hope := c.gain * cost // expected gain of justifying
	for first := true; cost-hope < limit; first = false {
		c.e.justify()
		next := c.e.cost()
		gain := cost - next
		cost = next
		if first {
			c.gain += gainMemory * (gain/cost - c.gain)
		}
		if gain <= cost*justifyLeast {
			break
		}
		hope = gain
	}
	return cost
}

// move swaps two tasks, or shifts a part of a job or a single task.
func (c *chain) move() {
	kind := c.random.IntN(5)
	a, b := c.pair()
	u, v := c.order[a], c.order[b]
	switch by := c.base[v] - c.base[u]; kind {
	case 0, 1: // swap
		c.nudged = append(c.nudged, nudge{u, by}, nudge{v, -by})
	case 2, 3: // shift the tasks of u's job before or after u, or all of them
		by = c.distance()
		c.part(u, func(w int32) { c.nudged = append(c.nudged, nudge{w, by}) })
	default:
		c.nudged = append(c.nudged, nudge{u, c.distance()})
	}
}

// distance draws a distance of time, in either direction.
func (c *chain) distance() model.Time {
	d := 1 + c.span/moveSteps*model.Time(magnitude(c.random, moveSteps))
	if c.random.IntN(2) == 0 {
		return -d
	}
	return d
}

// raise lifts keys to the least values that predecessors allow, as those of single tasks could fall along an arc.
func (c *chain) raise() {
	in := c.e.in
	ready := c.ready
	clear(ready)
	for _, u := range in.Topo {
		if int(u) < in.Tasks {
			c.e.key[u] = max(c.e.key[u], ready[u])
			ready[u] = c.e.key[u] + int64(in.Least[u])
		}
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			v := in.SuccStep[a]
			ready[v] = max(ready[v], ready[u]+int64(in.SuccDelay[a]))
		}
	}
}
